// helve query: asks files a SPARQL query. helve explain: shows how that is done.
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/explain_output.h"
#include "surfaces/cli/query_answer.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/query_output.h"
#include "surfaces/opening/open_tables.h"

namespace helve::cli {

namespace {

class QueryCommand {
 public:
  // `explain`: shows the plan instead of the answer; null: the answer.
  QueryCommand(const QueryOptions& options, const ExplainOptions* explain, CommandContext& context)
      : options_(options), explain_(explain), context_(context) {}

  Result<void> run() {
    HELVE_ASSIGN(run_options_.passes, passes_without(options_.passes_off));
    run_options_.is_union_default = options_.is_union;
    run_options_.env = &context_.env;
    HELVE_ASSIGN(input_, find_query_input(options_, context_));
    std::vector<std::string> paths;
    for (const QuerySource& source : input_.sources) paths.push_back(source.path);
    HELVE_TRY(opening::check_no_database(paths, context_.env));
    context_.shown = {input_.name, input_.text};
    parse_options_ = parse_options_of(options_, context_);
    parse_options_.text_name = input_.name;
    if (options_.is_parse_only || options_.shows_algebra) return print_parsed();
    HELVE_TRY(check_before_loading());
    HELVE_TRY(load());
    auto answered = answer();
    const bool is_damaged = data_->failure().has_value();
    graph_.finish(is_damaged, context_.op);
    if (!answered && is_damaged && graph_.origin == GraphOrigin::Cache) {
      answered.error().hint = "it was a cached copy, which is removed: ask again";
    }
    return answered;
  }

 private:
  Result<void> print_parsed() {
    std::string text;
    if (auto parsed = sparql::parse_query(input_.text, parse_options_)) {
      show_notes(parsed->notes, context_);
      text = options_.shows_algebra ? sparql::to_tree(parsed->query)
                                    : sparql::to_sparql(parsed->query);
    } else {
      const auto update = sparql::parse_update(input_.text, parse_options_);
      if (!update || options_.shows_algebra) return std::move(parsed).error();
      show_notes(update->notes, context_);
      text = sparql::to_sparql(update->update);
    }
    if (!text.ends_with('\n')) text += '\n';
    return context_.show(text);
  }

  // Mistakes are told before large files are read; only prefixes may still come from the data.
  Result<void> check_before_loading() {
    sparql::ParseOptions before_data = parse_options_;
    before_data.awaits_prefixes = true;
    HELVE_ASSIGN(const auto parsed, sparql::parse_query(input_.text, before_data));
    return check_format(parsed.query);
  }

  Result<void> check_format(const sparql::Query& query) {
    if (explain_ != nullptr) return {};  // checked with the arguments
    HELVE_ASSIGN(format_, find_query_format(options_.format, query));
    return {};
  }

  Result<void> load() {
    HELVE_ASSIGN(graph_, open_sources(input_.sources, options_, context_));
    data_ = graph_.data;
    return {};
  }

  // Parses again, now with the prefixes of the data.
  Result<void> answer() {
    parse_options_.known_prefixes = data_->prefixes();
    HELVE_ASSIGN(const sparql::ParsedQuery parsed,
                 sparql::parse_query(input_.text, parse_options_));
    if (input_.sources.empty()) context_.note("no files are named: the query runs without data");
    show_notes(parsed.notes, context_);
    HELVE_TRY(check_format(parsed.query));
    const std::uint64_t limit = options_.limit.value_or(UINT64_MAX);
    const Question question{parsed.query, data_, run_options_, format_, {limit, limit}};
    return within_time([&](const OpContext& op) { return evaluate(question, op); }, context_);
  }

  Result<void> evaluate(const Question& question, const OpContext& op) {
    if (explain_ == nullptr) return answer_question(question, op, context_);
    const PlanFormat format = options_.format == "json" ? PlanFormat::Json : PlanFormat::Text;
    const PlanRequest request{format, explain_->is_measured, shown_prefixes(question)};
    return explain_query(question.query, data_, run_options_, request, op, context_);
  }

  const QueryOptions& options_;
  const ExplainOptions* explain_;
  CommandContext& context_;
  sparql::RunOptions run_options_;
  QueryInput input_;
  sparql::ParseOptions parse_options_;
  QueryFormat format_;
  OpenedGraph graph_;
  std::shared_ptr<const sparql::Snapshot> data_;
};

}  // namespace

Result<void> run_query(const QueryOptions& options, CommandContext& context) {
  return QueryCommand(options, nullptr, context).run();
}

Result<void> run_explain(const ExplainOptions& options, CommandContext& context) {
  if (!options.lists_passes) return QueryCommand(options.query, &options, context).run();
  return context.show(list_passes());
}

}  // namespace helve::cli
