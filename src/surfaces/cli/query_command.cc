// helve query: asks files a SPARQL query.
#include <fmt/core.h>

#include "base/text.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/dataset.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/empty_result.h"
#include "surfaces/cli/load_input.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/query_output.h"

namespace helve::cli {

namespace {

constexpr Duration kTimeoutDefault = std::chrono::seconds(60);

class QueryCommand {
 public:
  QueryCommand(const QueryOptions& options, CommandContext& context)
      : options_(options), context_(context) {}

  Result<void> run() {
    HELVE_ASSIGN(input_, find_query_input(options_, context_));
    context_.shown = {input_.name, input_.text};
    parse_options_.base_iri = options_.base_iri;
    parse_options_.text_name = input_.name;
    parse_options_.version =
        options_.version == "1.2" ? sparql::Version::Sparql12 : sparql::Version::Sparql11;
    parse_options_.is_strict = options_.is_strict;
    parse_options_.limits = context_.op.limits;
    if (options_.is_parse_only || options_.shows_algebra) return print_parsed();
    HELVE_TRY(check_before_loading());
    HELVE_TRY(load());
    auto answered = answer();
    const bool is_damaged = data_->failure().has_value();
    graph_.finish(is_damaged, context_);
    if (!answered && is_damaged && graph_.origin == GraphOrigin::Cache) {
      answered.error().hint = "it was a cached copy, which is removed: ask again";
    }
    return answered;
  }

 private:
  Result<void> print_parsed() {
    std::string text;
    if (auto parsed = sparql::parse_query(input_.text, parse_options_)) {
      show_notes(parsed->notes);
      text = options_.shows_algebra ? sparql::to_tree(parsed->query)
                                    : sparql::to_sparql(parsed->query);
    } else {
      const auto update = sparql::parse_update(input_.text, parse_options_);
      if (!update || options_.shows_algebra) return std::move(parsed).error();
      show_notes(update->notes);
      text = sparql::to_sparql(update->update);
    }
    if (!text.ends_with('\n')) text += '\n';
    HELVE_TRY(context_.out.write(text));
    return context_.out.flush();
  }

  // Mistakes are told before large files are read; only prefixes may still come from the data.
  Result<void> check_before_loading() {
    sparql::ParseOptions before_data = parse_options_;
    before_data.awaits_prefixes = true;
    HELVE_ASSIGN(const auto parsed, sparql::parse_query(input_.text, before_data));
    return check_format(parsed.query);
  }

  Result<void> check_format(const sparql::Query& query) {
    HELVE_ASSIGN(format_, find_query_format(options_.format, query));
    return {};
  }

  Result<void> load() {
    InputOptions input = options_.input;
    std::vector<std::string> graphs;
    for (const QuerySource& source : input_.sources) {
      input.paths.push_back(source.path);
      graphs.push_back(source.graph);
    }
    HELVE_ASSIGN(graph_, open_graph(input, context_, {std::move(graphs)}));
    const store::LoadReport& report = graph_.loaded.report;
    report_skipped(report.skipped, report.problems, context_);
    data_ = store::as_dataset(graph_.loaded.snapshot);
    return {};
  }

  // Parses again, now with the prefixes of the data.
  Result<void> answer() {
    parse_options_.known_prefixes = data_->prefixes();
    HELVE_ASSIGN(const sparql::ParsedQuery parsed,
                 sparql::parse_query(input_.text, parse_options_));
    if (input_.sources.empty()) context_.note("no files are named: the query runs without data");
    show_notes(parsed.notes);
    HELVE_TRY(check_format(parsed.query));
    OpContext op = context_.op;
    const Duration timeout = context_.timeout.value_or(kTimeoutDefault);
    op.deadline = timeout > Duration::zero() ? Deadline(context_.env.clock(), timeout) : Deadline();
    auto done = evaluate(parsed.query, op);
    if (!done && done.error().code == ErrorCode::LimitExceeded && op.deadline.has_passed()) {
      Error error = std::move(done).error();
      error.message = fmt::format("the query took longer than {}", format_duration(timeout));
      error.hint = "--timeout allows more; LIMIT or a narrower pattern asks for less";
      return error;
    }
    return done;
  }

  Result<void> evaluate(const sparql::Query& query, const OpContext& op) {
    const MonotonicTime start = context_.env.clock().now();
    const sparql::RunOptions run_options{options_.is_union, nullptr, &context_.env};
    HELVE_ASSIGN(auto run, sparql::QueryRun::start(query, data_, run_options, op));
    PrefixList prefixes = query.prefixes;
    prefixes.insert(prefixes.end(), data_->prefixes().begin(), data_->prefixes().end());
    HELVE_ASSIGN(
        const Answered answered,
        write_answer(run, format_, prefixes, options_.limit.value_or(UINT64_MAX), context_));
    summarise(query, answered, run.kind(), context_.env.clock().now() - start);
    return {};
  }

  void summarise(const sparql::Query& query, const Answered& answered, sparql::QueryRun::Kind kind,
                 Duration elapsed) {
    const bool is_graph = kind == sparql::QueryRun::Kind::Graph;
    const std::string_view noun = is_graph ? "statement" : "row";
    if (answered.has_more) {
      context_.note(fmt::format("there are more {}s than the {} that --limit allows", noun,
                                format_count(answered.rows)));
    }
    context_.note(fmt::format("{} in {}",
                              answered.boolean ? "answered" : count_of(answered.rows, noun),
                              format_duration(elapsed)));
    if (answered.rows > 0 || answered.has_more || answered.boolean.value_or(false)) return;
    for (const std::string& sentence : explain_empty(query, *data_, options_.is_union)) {
      context_.note("note: " + sentence);
    }
  }

  void show_notes(const std::vector<sparql::ParseNote>& notes) const {
    for (const sparql::ParseNote& note : notes) context_.note("note: " + note.text);
  }

  const QueryOptions& options_;
  CommandContext& context_;
  QueryInput input_;
  sparql::ParseOptions parse_options_;
  QueryFormat format_;
  OpenedGraph graph_;
  std::shared_ptr<const sparql::Snapshot> data_;
};

}  // namespace

Result<void> run_query(const QueryOptions& options, CommandContext& context) {
  return QueryCommand(options, context).run();
}

}  // namespace helve::cli
