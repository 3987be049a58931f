// The answer of a query on standard output, in the format that was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sources/rdf/format.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/sparql/results/result_format.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

using PrefixList = std::vector<std::pair<std::string, std::string>>;

struct QueryFormat {
  sparql::ResultFormat rows = sparql::ResultFormat::Table;  // of SELECT and ASK
  rdf::Format graph = rdf::Format::Turtle;                  // of CONSTRUCT and DESCRIBE
};

// For a name that is no format's.
Error unknown_format(std::string_view name);

// `name` as given with --format; empty: the default. InvalidInput when it is unknown or not for
// this form of query.
Result<QueryFormat> find_query_format(std::string_view name, const sparql::Query& query);

// Rows, or statements.
struct RowLimits {
  std::uint64_t written = UINT64_MAX;
  std::uint64_t counted = UINT64_MAX;  // with those behind them, which are only counted
};

struct Answered {
  std::uint64_t rows = 0;      // or statements; written
  std::uint64_t left_out = 0;  // and counted
  bool has_more = false;       // than were written
  std::optional<bool> boolean;
};

// Writes everything, as far as the limits allow. After an error, what came before it stays written,
// and a warning tells that it is not all; formats that are sorted are then not written at all.
Result<Answered> write_answer(sparql::QueryRun& run, const QueryFormat& format,
                              const PrefixList& prefixes, const RowLimits& limits,
                              CommandContext& context);

}  // namespace helve::cli
