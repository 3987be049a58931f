// The judge that executes: the reference and the query of the answer, and compares what they bring.
#include <fmt/format.h>

#include <utility>

#include "agent/judge/answer_words.h"
#include "agent/judge/graph_comparison.h"
#include "agent/judge/judge.h"
#include "agent/judge/judged_query.h"
#include "agent/judge/reference_cache.h"
#include "agent/loops/prompt_words.h"
#include "base/digest.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

using learning::Verdict;

constexpr std::size_t kExecutionReasonChars = 500;

TaskJudgment incorrect(std::string_view says, bool is_verified) {
  TaskJudgment judgment;
  judgment.judgment = {Verdict::Incorrect, is_verified, "execution"};
  judgment.says = head_of(repaired_utf8(says), kExecutionReasonChars);
  return judgment;
}

class ExecutionJudge final : public Judge {
 public:
  ExecutionJudge(const JudgeParts& parts, const ComparisonOptions& options)
      : queries_(parts, options.rows_max), options_(options) {}

  Result<TaskJudgment> judge(const TaskCase& task, const JudgedAnswer& answer,
                             const OpContext& context) override {
    if (task.reference.empty()) {
      return Error{ErrorCode::NotFound,
                   fmt::format("the task {} has no reference query to compare with", task.id),
                   "give it one"};
    }
    HELVE_ASSIGN(TaskJudgment judgment, judged(task, answer, context));
    judgment.reference_hash = digest_hex(DigestKind::Sha256, task.reference);
    if (!answer.query.empty()) {
      judgment.query_hash = digest_hex(DigestKind::Sha256, answer.query);
    }
    return judgment;
  }

 private:
  Result<TaskJudgment> judged(const TaskCase& task, const JudgedAnswer& answer,
                              const OpContext& context) {
    // Nothing was compared, so that nothing is verified.
    if (!answer.has_converged) return incorrect("the run ended without an answer", false);
    const std::string key = fmt::format("{} {}", learning::name_of(task.language), task.reference);
    const auto reference =
        references_.get(key, [&] { return queries_.run(task.reference, task.language, context); });
    if (!reference) {
      Error error = cannot_be_judged(reference.error(), "the reference does not run");
      if (!error.document.empty()) error.document = "reference";
      return error;
    }
    // Behind the reference: a task that is broken is no fault of those who find nothing either.
    if (answer.query.empty()) return incorrect("the answer rests on no query", false);
    return against(*reference, task, answer, context);
  }

  Result<TaskJudgment> against(const JudgedResult& reference, const TaskCase& task,
                               const JudgedAnswer& answer, const OpContext& context) const {
    const auto result = queries_.run(answer.query, task.language, context);
    auto judgment = result ? compared(reference, *result, task, context)
                           : failed(task, answer.query, result.error(), context);
    if (!judgment) return judgment;
    add_answer_words(reference, judgment->answer_words);
    if (result) add_answer_words(*result, judgment->answer_words);
    return judgment;
  }

  Result<TaskJudgment> compared(const JudgedResult& reference, const JudgedResult& result,
                                const TaskCase& task, const OpContext& context) const {
    if (result.is_graph != reference.is_graph) {
      return incorrect(result.is_graph ? "the query makes a graph, and rows were asked for"
                                       : "the query gives rows, and a graph was asked for",
                       true);
    }
    if (result.rows->columns().size() > options_.columns_max) {
      return incorrect(fmt::format("the query gives {} columns, and {} can be compared",
                                   result.rows->columns().size(), options_.columns_max),
                       false);
    }
    ComparisonOptions options = options_;
    options.is_ordered |= task.is_ordered;
    options.is_bag |= task.is_bag;
    const auto compare = result.is_graph ? compare_graphs : compare_results;
    auto comparison = compare(*reference.rows, *result.rows, options, context);
    if (!comparison) return cannot_be_judged(comparison.error(), "the results");
    TaskJudgment judgment;
    judgment.judgment = {comparison->verdict, true, "execution"};
    judgment.says = comparison->says;
    judgment.comparison = *std::move(comparison);
    return judgment;
  }

  // What hits a limit may be right, and so may what ran on handles of its own session: that nobody
  // can compare them is no proof.
  Result<TaskJudgment> failed(const TaskCase& task, const std::string& query, const Error& error,
                              const OpContext& context) const {
    const bool is_too_much = error.code == ErrorCode::LimitExceeded;
    if ((!is_too_much && !is_of_query(error)) || !context.check()) {
      return cannot_be_judged(error, "the query does not run to its end");
    }
    if (error.code != ErrorCode::InvalidInput) {
      const auto there = queries_.check_source(task.reference, task.language, context);
      if (!there) return cannot_be_judged(there.error(), "the source does not answer any more");
    }
    return incorrect(
        fmt::format("the query {}: {}", is_too_much ? "does not run to its end" : "fails",
                    error.full_message()),
        !is_too_much && !draws_on_handles(query));
  }

  const JudgedQueries queries_;
  const ComparisonOptions options_;
  ReferenceCache references_;
};

}  // namespace

std::unique_ptr<Judge> make_execution_judge(const JudgeParts& parts,
                                            const ComparisonOptions& options) {
  return std::make_unique<ExecutionJudge>(parts, options);
}

}  // namespace helve::agent
