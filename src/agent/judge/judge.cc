#include "agent/judge/judge.h"

#include <fmt/format.h>

#include <utility>

#include "agent/loops/json_object.h"

namespace helve::agent {

namespace {

JsonValue columns_json(const Comparison& comparison) {
  JsonValue::Array columns;
  for (const auto& column : comparison.columns) {
    columns.push_back(column ? JsonValue(std::uint64_t{*column}) : JsonValue());
  }
  return JsonValue(std::move(columns));
}

class EitherJudge final : public Judge {
 public:
  EitherJudge(std::unique_ptr<Judge> execution, std::unique_ptr<Judge> other)
      : execution_(std::move(execution)), other_(std::move(other)) {}

  Result<TaskJudgment> judge(const TaskCase& task, const JudgedAnswer& answer,
                             const OpContext& context) override {
    if (!task.reference.empty() && execution_ != nullptr) {
      return execution_->judge(task, answer, context);
    }
    if (other_ != nullptr) return other_->judge(task, answer, context);
    return Error{ErrorCode::NotFound, fmt::format("the task {} has no reference query", task.id),
                 "give it one, or a model that judges"};
  }

 private:
  std::unique_ptr<Judge> execution_;
  std::unique_ptr<Judge> other_;
};

}  // namespace

JudgedAnswer judged_answer(const RunResult& run) {
  return {run.content, run.query, run.evidence, run.has_converged()};
}

JsonValue TaskJudgment::to_json() const {
  JsonValue json = object_of({{"verdict", JsonValue(learning::name_of(judgment.verdict))},
                              {"verified", JsonValue(judgment.is_verified)},
                              {"by", JsonValue(judgment.by)},
                              {"says", JsonValue(says)}});
  JsonValue::Object& members = *json.if_object();
  if (!query_hash.empty()) members.push_back({"query_hash", JsonValue(query_hash)});
  if (!reference_hash.empty()) members.push_back({"reference_hash", JsonValue(reference_hash)});
  if (comparison) {
    members.push_back({"precision", JsonValue(comparison->precision)});
    members.push_back({"recall", JsonValue(comparison->recall)});
    members.push_back({"f1", JsonValue(comparison->f1)});
    members.push_back({"reference_rows", JsonValue(comparison->reference_rows)});
    members.push_back({"rows", JsonValue(comparison->rows)});
    members.push_back({"common", JsonValue(comparison->common)});
    members.push_back({"columns", columns_json(*comparison)});
    members.push_back({"more_columns", JsonValue(std::uint64_t{comparison->more_columns})});
    members.push_back({"order_wrong", JsonValue(comparison->is_order_wrong)});
  }
  if (usage.input_tokens + usage.output_tokens > 0) {
    members.push_back(
        {"usage", object_of({{"input_tokens", JsonValue(usage.input_tokens)},
                             {"cached_tokens", JsonValue(usage.cached_tokens)},
                             {"output_tokens", JsonValue(usage.output_tokens)},
                             {"cost", usage.cost ? JsonValue(*usage.cost) : JsonValue()}})});
  }
  return json;
}

std::unique_ptr<Judge> make_judge(std::unique_ptr<Judge> execution, std::unique_ptr<Judge> other) {
  return std::make_unique<EitherJudge>(std::move(execution), std::move(other));
}

}  // namespace helve::agent
