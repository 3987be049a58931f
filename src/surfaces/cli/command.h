// What every command of the command line gets: the machine, the limits of the call, the streams.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"
#include "base/op_context.h"
#include "sources/rdf/format.h"
#include "sources/store/snapshot_cache.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/terminal.h"
#include "surfaces/opening/open_graph.h"

namespace helve::cli {

struct CommandContext {
  Env& env;
  OpContext op;
  ByteSink& out;          // data
  Terminal out_terminal;  // what standard output can show
  Terminal err_terminal;
  bool is_quiet = false;
  std::optional<Duration> timeout;  // as given; op.deadline follows it
  ShownText shown;                  // what an error of this command can point into
  // NotFound: no files are cached; InvalidInput: the environment says something senseless.
  Result<store::CacheOptions> cache = Error{ErrorCode::NotFound, "there is no cache"};
  bool is_failure_reported = false;  // the command told of its errors itself, as they came
  std::string temp;                  // the folder of --temp; empty: none was given

  // Data, all of it at once.
  Result<void> show(std::string_view text);
  // A line of information on standard error; nothing when quiet.
  void note(std::string_view text) const;
  // The same in the colour of warnings, quiet or not.
  void warn(std::string_view text) const;
  // Where progress is drawn; not interactive when quiet.
  Terminal progress_terminal() const;
};

// "1 statement", "1,234 statements".
std::string count_of(std::uint64_t count, std::string_view noun);

// 0 where there is nothing to divide by.
double ratio(std::uint64_t amount, std::uint64_t count);

using InputOptions = opening::GraphInput;

struct InfoOptions {
  InputOptions input;
  bool is_json = false;
  std::size_t top = 10;
};

struct FindOptions {
  InputOptions input;              // without paths
  std::vector<std::string> words;  // SOURCE... WORDS
  std::string kind = "any";
  std::size_t limit = 20;
  bool is_exact = false;
  bool is_json = false;
};

struct ConvertOptions {
  InputOptions input;
  std::string output = "-";
  std::optional<rdf::Format> to;
  bool is_streaming = false;
};

struct QueryOptions {
  InputOptions input;              // without paths
  std::vector<std::string> words;  // SOURCE... QUERY
  std::string query_file;          // -f; empty: the query is the last word
  std::string format;              // empty: table, or turtle for graphs
  std::string base_iri;
  std::vector<std::string> default_graphs;  // files
  std::vector<std::string> named_graphs;    // IRI=FILE
  std::optional<std::uint64_t> limit;
  std::string version = "1.1";
  bool is_parse_only = false;
  bool shows_algebra = false;
  bool is_union = false;
  bool is_strict = false;
  std::vector<std::string> passes_off;  // of the optimizer, by name
};

struct ExplainOptions {
  QueryOptions query;  // its format is "text" or "json"
  bool is_measured = false;
  bool lists_passes = false;
};

struct LoadCommandOptions {
  InputOptions input;
  std::vector<std::string> named_graphs;  // IRI=FILE
  std::string output;                     // folder
  bool is_forced = false;
  bool is_json = false;
};

struct IndexOptions {
  std::string folder;
  bool is_json = false;
};

struct IndexExportOptions {
  std::string folder;
  std::string output = "-";
  std::string to;  // a format; empty: by the name of the output
};

struct CacheCommandOptions {
  bool is_json = false;
};

struct BenchQueryOptions {
  std::string data;  // a file or an index folder
  std::size_t rounds = 3;
  std::vector<std::string> queries;  // files
};

struct BenchFindOptions {
  std::string data;  // a file or an index folder
  std::size_t rounds = 100;
  std::vector<std::string> texts;
};

Result<void> run_info(const InfoOptions& options, CommandContext& context);
Result<void> run_find(const FindOptions& options, CommandContext& context);
Result<void> run_convert(const ConvertOptions& options, CommandContext& context);
Result<void> run_query(const QueryOptions& options, CommandContext& context);
// A prompt for queries; or runs those that stand on standard input. The words are all sources.
Result<void> run_shell(const QueryOptions& options, CommandContext& context);
// Shows how a query is run; measured, or as it is planned.
Result<void> run_explain(const ExplainOptions& options, CommandContext& context);
Result<void> run_load(const LoadCommandOptions& options, CommandContext& context);
Result<void> run_index_info(const IndexOptions& options, CommandContext& context);
Result<void> run_index_verify(const IndexOptions& options, CommandContext& context);
Result<void> run_index_export(const IndexExportOptions& options, CommandContext& context);
Result<void> run_cache_info(const CacheCommandOptions& options, CommandContext& context);
Result<void> run_cache_clear(CommandContext& context);
Result<void> run_demo(CommandContext& context);
// Serves one request of result_sql (toolkit/sql/sql_worker.h).
Result<void> run_sql_worker(CommandContext& context);
// Loads and reports time and memory by stage, as JSON; what bench/ measures.
Result<void> run_bench_load(const InputOptions& options, CommandContext& context);
// Runs queries on a loaded graph and reports rounds, rows and a digest of each, as lines of JSON.
Result<void> run_bench_query(const BenchQueryOptions& options, CommandContext& context);

// Finds names and reports how long that took, as lines of JSON.
Result<void> run_bench_find(const BenchFindOptions& options, CommandContext& context);

}  // namespace helve::cli
