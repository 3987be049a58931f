#include "surfaces/cli/explain_output.h"

#include <fmt/format.h>

#include <utility>

#include "base/near_names.h"
#include "base/text.h"
#include "sources/sparql/engine/explain.h"
#include "surfaces/cli/json_output.h"

namespace helve::cli {

namespace {

using sparql::QueryRun;

class DroppedStatements final : public rdf::StatementSink {
 public:
  explicit DroppedStatements(std::uint64_t& count) : count_(count) {}
  Result<void> statement(const rdf::StatementView& statement) override {
    static_cast<void>(statement);
    ++count_;
    return {};
  }

 private:
  std::uint64_t& count_;
};

// What the whole run took.
struct Totals {
  Duration planning{};
  Duration running{};
  std::uint64_t rows = 0;
  std::size_t peak_bytes = 0;
  std::uint64_t spilled_bytes = 0;
};

Result<void> drop_all(QueryRun& run, std::uint64_t& rows) {
  if (run.kind() == QueryRun::Kind::Graph) {
    DroppedStatements sink(rows);
    HELVE_TRY(run.send(sink));
    return {};
  }
  sparql::Batch batch;
  while (true) {
    HELVE_ASSIGN(const bool has_rows, run.next(batch));
    rows += batch.rows;
    if (!has_rows || run.kind() == QueryRun::Kind::Boolean) return {};
  }
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < sparql::kPasses; ++i) {
    names.push_back(sparql::name_of(static_cast<sparql::Pass>(i)));
  }
  return names;
}

std::string plan_json(const sparql::PlanNode& plan, const sparql::PlanView& view,
                      const sparql::PassSet& passes, const Totals& totals, const Error* failure) {
  // Deep plans indented would be mostly spaces.
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("planning_seconds", seconds(totals.planning));
  if (view.is_measured) {
    json.member("seconds", seconds(totals.running));
    json.member("rows", totals.rows);
    json.member("peak_bytes", totals.peak_bytes);
    if (totals.spilled_bytes > 0) json.member("spilled_bytes", totals.spilled_bytes);
    if (failure != nullptr) {
      json.member("is_cut_short", true);
      json.member("error", failure->to_string());
    }
  }
  json.key("passes_off");
  json.begin_array();
  for (std::size_t i = 0; i < sparql::kPasses; ++i) {
    const auto pass = static_cast<sparql::Pass>(i);
    if (!passes.has(pass)) json.value(sparql::name_of(pass));
  }
  json.end_array();
  json.key("plan");
  sparql::write_plan(json, plan, view);
  json.end_object();
  return out + "\n";
}

void note_totals(const QueryRun& run, const Totals& totals, bool is_measured,
                 const CommandContext& context) {
  context.note(fmt::format("planned in {}", format_duration(totals.planning)));
  if (!is_measured) return;
  const bool is_graph = run.kind() == QueryRun::Kind::Graph;
  context.note(fmt::format(
      "{} in {}, peak memory {}{}",
      run.kind() == QueryRun::Kind::Boolean ? "answered"
                                            : count_of(totals.rows, is_graph ? "statement" : "row"),
      format_duration(totals.running), format_bytes(totals.peak_bytes),
      totals.spilled_bytes > 0 ? fmt::format(", {} on disk", format_bytes(totals.spilled_bytes))
                               : ""));
}

}  // namespace

Result<void> explain_query(const sparql::Query& query,
                           const std::shared_ptr<const sparql::Snapshot>& data,
                           sparql::RunOptions run_options, const PlanRequest& request,
                           const OpContext& op, CommandContext& context) {
  const sparql::PlanView view{request.is_measured, request.prefixes};
  run_options.explain = view.is_measured ? sparql::Explain::Measured : sparql::Explain::Plan;
  MemoryBudget memory("query", op.memory->bytes_max(), op.memory);
  OpContext run_op = op;
  run_op.memory = &memory;
  Totals totals;
  const Clock& clock = context.env.clock();
  const MonotonicTime start = clock.now();
  HELVE_ASSIGN(QueryRun run, QueryRun::start(query, data, run_options, run_op));
  const MonotonicTime planned = clock.now();
  totals.planning = planned - start;
  Result<void> done;
  if (view.is_measured) done = drop_all(run, totals.rows);
  totals.running = clock.now() - planned;
  totals.peak_bytes = memory.bytes_peak();
  totals.spilled_bytes = run.spilled_bytes();
  const sparql::PlanNode* const plan = run.plan();
  if (plan == nullptr) return Error{ErrorCode::Internal, "the query has no plan to show", ""};
  const Error* const failure = done ? nullptr : &done.error();
  HELVE_TRY(context.show(request.format == PlanFormat::Json
                             ? plan_json(*plan, view, run_options.passes, totals, failure)
                             : sparql::plan_to_text(*plan, view)));
  if (done) {
    note_totals(run, totals, view.is_measured, context);
  } else {
    context.warn("the query did not run to its end: the plan shows what was measured until then");
  }
  return done;
}

Result<sparql::PassSet> passes_without(const std::vector<std::string>& names) {
  sparql::PassSet passes = sparql::PassSet::all();
  for (const std::string& name : names) {
    const auto pass = sparql::find_pass(name);
    if (!pass) {
      const auto near = near_names(name, all_names(), 1);
      return Error{ErrorCode::InvalidInput, fmt::format("there is no pass '{}'", name),
                   near.empty() ? "helve explain --passes lists them"
                                : fmt::format("did you mean '{}'? helve explain --passes lists "
                                              "them",
                                              near.front())};
    }
    passes = passes.without(*pass);
  }
  return passes;
}

std::string list_passes() {
  std::size_t width = 0;
  for (const std::string_view name : all_names()) width = std::max(width, name.size());
  std::string out;
  for (std::size_t i = 0; i < sparql::kPasses; ++i) {
    const auto pass = static_cast<sparql::Pass>(i);
    out += fmt::format("{:<{}}  {}\n", sparql::name_of(pass), width, sparql::describe(pass));
  }
  return out;
}

}  // namespace helve::cli
