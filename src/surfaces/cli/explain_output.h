// Plans on standard output, and the optimizer's passes by name. For `helve explain` and the shell.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sources/sparql/engine/query_run.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/query_output.h"

namespace helve::cli {

enum class PlanFormat : std::uint8_t { Text, Json };

struct PlanRequest {
  PlanFormat format = PlanFormat::Text;
  bool is_measured = false;  // runs the query to its end, dropping what it gives
  PrefixList prefixes;       // IRIs are shortened by these
};

// `run_options.explain` is set here. When a measured run fails, its plan is written with what was
// measured until then, and the failure is the result.
Result<void> explain_query(const sparql::Query& query,
                           const std::shared_ptr<const sparql::Snapshot>& data,
                           sparql::RunOptions run_options, const PlanRequest& request,
                           const OpContext& op, CommandContext& context);

// All but these. InvalidInput for a name that is none, with the nearest one.
Result<sparql::PassSet> passes_without(const std::vector<std::string>& names);

// A line for each pass: its name and what it does.
std::string list_passes();

}  // namespace helve::cli
