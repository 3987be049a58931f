#include "surfaces/cli/query_answer.h"

#include <fmt/core.h>

#include "base/text.h"
#include "surfaces/cli/empty_result.h"

namespace helve::cli {

namespace {

constexpr Duration kTimeoutDefault = std::chrono::seconds(60);

void note_rows_left_out(const Answered& answered, const RowLimits& limits, std::string_view noun,
                        const CommandContext& context) {
  if (!answered.has_more) return;
  if (limits.counted == limits.written) {
    context.note(fmt::format("there are more {}s than the {} that --limit allows", noun,
                             format_count(answered.rows)));
    return;
  }
  const bool is_counted = answered.left_out < limits.counted - limits.written;
  context.note(fmt::format("… {}{} more {}{} not shown; .limit N shows N, .limit 0 all",
                           is_counted ? "" : "at least ", format_count(answered.left_out), noun,
                           answered.left_out == 1 ? "" : "s"));
}

void summarise(const Question& question, const Answered& answered, bool is_graph, Duration elapsed,
               const CommandContext& context) {
  const std::string_view noun = is_graph ? "statement" : "row";
  note_rows_left_out(answered, question.rows, noun, context);
  const std::string what = answered.boolean ? "answered" : count_of(answered.rows, noun);
  context.note(question.is_timed ? fmt::format("{} in {}", what, format_duration(elapsed)) : what);
  if (answered.rows > 0 || answered.has_more || answered.boolean.value_or(false)) return;
  for (const std::string& sentence :
       explain_empty(question.query, *question.data, question.run.is_union_default)) {
    context.note("note: " + sentence);
  }
}

}  // namespace

Result<void> answer_question(const Question& question, const OpContext& op,
                             CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(auto run, sparql::QueryRun::start(question.query, question.data, question.run, op));
  HELVE_ASSIGN(const Answered answered, write_answer(run, question.format, shown_prefixes(question),
                                                     question.rows, context));
  summarise(question, answered, run.kind() == sparql::QueryRun::Kind::Graph,
            context.env.clock().now() - start, context);
  return {};
}

PrefixList shown_prefixes(const Question& question) {
  PrefixList prefixes = question.query.prefixes;
  const PrefixList& of_data = question.data->prefixes();
  prefixes.insert(prefixes.end(), of_data.begin(), of_data.end());
  return prefixes;
}

Result<void> within_time(const std::function<Result<void>(const OpContext&)>& work,
                         const CommandContext& context) {
  OpContext op = context.op;
  const Duration timeout = context.timeout.value_or(kTimeoutDefault);
  op.deadline = timeout > Duration::zero() ? Deadline(context.env.clock(), timeout) : Deadline();
  auto done = work(op);
  if (!done && done.error().code == ErrorCode::LimitExceeded && op.deadline.has_passed()) {
    Error error = std::move(done).error();
    error.message = fmt::format("the query took longer than {}", format_duration(timeout));
    error.hint = "--timeout allows more; LIMIT or a narrower pattern asks for less";
    return error;
  }
  return done;
}

void show_notes(const std::vector<sparql::ParseNote>& notes, const CommandContext& context) {
  for (const sparql::ParseNote& note : notes) context.note("note: " + note.text);
}

}  // namespace helve::cli
