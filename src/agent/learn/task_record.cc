#include "agent/learn/task_record.h"

#include <fmt/format.h>

#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "agent/trajectory/json_members.h"
#include "toolkit/memory/item_json.h"

namespace helve::agent {

namespace {

constexpr std::size_t kContentChars = 2'000;
constexpr std::size_t kRecordQueryChars = 20'000;
constexpr std::size_t kErrorChars = 500;
constexpr std::uint64_t kRunsMax = 1'000;

std::uint64_t count_of(const JsonValue& json, std::string_view key) {
  return count_member(json, key).value_or(0);
}

std::vector<std::string> texts_of(const JsonValue& json, std::string_view key) {
  std::vector<std::string> texts;
  const JsonValue list = member(json, key);
  if (list.if_array() == nullptr) return texts;
  for (const JsonValue& one : *list.if_array()) {
    if (one.if_string() != nullptr) texts.push_back(*one.if_string());
  }
  return texts;
}

StopReason read_stop(const std::string& name) {
  for (auto reason = StopReason::Submitted; reason != StopReason::Failed;
       reason = static_cast<StopReason>(static_cast<std::uint8_t>(reason) + 1)) {
    if (name_of(reason) == name) return reason;
  }
  return StopReason::Failed;
}

JsonValue leakage_json(const RunLeakage& leakage) {
  return object_of({{"reply_chars", JsonValue(leakage.reply_chars)},
                    {"reply_chars_max", JsonValue(leakage.reply_chars_max)},
                    {"large_replies", JsonValue(leakage.large_replies)},
                    {"stored_chars", JsonValue(leakage.stored_chars)},
                    {"output_chars", JsonValue(leakage.output_chars)},
                    {"context_chars", JsonValue(leakage.context_chars)},
                    {"prompt_chars", JsonValue(leakage.prompt_chars)},
                    {"prompt_chars_max", JsonValue(leakage.prompt_chars_max)},
                    {"model_calls", JsonValue(leakage.model_calls)}});
}

RunLeakage read_leakage(const JsonValue& json) {
  RunLeakage leakage;
  leakage.reply_chars = count_of(json, "reply_chars");
  leakage.reply_chars_max = count_of(json, "reply_chars_max");
  leakage.large_replies = count_of(json, "large_replies");
  leakage.stored_chars = count_of(json, "stored_chars");
  leakage.output_chars = count_of(json, "output_chars");
  leakage.context_chars = count_of(json, "context_chars");
  leakage.prompt_chars = count_of(json, "prompt_chars");
  leakage.prompt_chars_max = count_of(json, "prompt_chars_max");
  leakage.model_calls = count_of(json, "model_calls");
  return leakage;
}

JsonValue run_json(const RunResult& run) {
  JsonValue json = object_of({{"stop_reason", JsonValue(name_of(run.stop))},
                              {"extracted", JsonValue(run.is_extracted)},
                              {"content", JsonValue(run.content)},
                              {"query", JsonValue(run.query)},
                              {"iterations", JsonValue(run.iterations)},
                              {"tool_calls", JsonValue(run.tool_calls)},
                              {"refused_calls", JsonValue(run.refused_calls)},
                              {"usage", kept_usage(run.usage)},
                              {"leakage", leakage_json(run.leakage)},
                              {"ms", JsonValue(run.ms)}});
  if (run.error) json.if_object()->push_back({"error", JsonValue(run.error->full_message())});
  return json;
}

RunResult read_run(const JsonValue& json) {
  RunResult run;
  run.stop = read_stop(text_member(json, "stop_reason"));
  run.is_extracted = is_true_member(json, "extracted");
  run.content = text_member(json, "content");
  run.query = text_member(json, "query");
  run.iterations = count_of(json, "iterations");
  run.tool_calls = count_of(json, "tool_calls");
  run.refused_calls = count_of(json, "refused_calls");
  run.usage = read_usage(member(json, "usage"));
  run.leakage = read_leakage(member(json, "leakage"));
  run.ms = number_member(json, "ms").value_or(0);
  const std::string error = text_member(json, "error");
  if (!error.empty()) run.error = Error{ErrorCode::Unavailable, error};
  return run;
}

JsonValue judgment_json(const TaskJudgment& judgment) {
  JsonValue json = object_of({{"verdict", JsonValue(name_of(judgment.judgment.verdict))},
                              {"verified", JsonValue(judgment.judgment.is_verified)},
                              {"by", JsonValue(judgment.judgment.by)},
                              {"says", JsonValue(head_of(judgment.says, kContentChars))},
                              {"query_hash", JsonValue(judgment.query_hash)},
                              {"reference_hash", JsonValue(judgment.reference_hash)},
                              {"usage", kept_usage(judgment.usage)}});
  if (!judgment.comparison) return json;
  const Comparison& comparison = *judgment.comparison;
  json.if_object()->push_back(
      {"comparison", object_of({{"verdict", JsonValue(name_of(comparison.verdict))},
                                {"precision", JsonValue(comparison.precision)},
                                {"recall", JsonValue(comparison.recall)},
                                {"f1", JsonValue(comparison.f1)},
                                {"reference_rows", JsonValue(comparison.reference_rows)},
                                {"rows", JsonValue(comparison.rows)},
                                {"common", JsonValue(comparison.common)}})});
  return json;
}

learning::Verdict read_verdict(const JsonValue& json) {
  return learning::verdict_of(text_member(json, "verdict")).value_or(learning::Verdict::None);
}

TaskJudgment read_judgment(const JsonValue& json) {
  TaskJudgment judgment;
  judgment.judgment.verdict = read_verdict(json);
  judgment.judgment.is_verified = is_true_member(json, "verified");
  judgment.judgment.by = text_member(json, "by");
  judgment.says = text_member(json, "says");
  judgment.query_hash = text_member(json, "query_hash");
  judgment.reference_hash = text_member(json, "reference_hash");
  judgment.usage = read_usage(member(json, "usage"));
  const JsonValue compared = member(json, "comparison");
  if (compared.if_object() == nullptr) return judgment;
  Comparison& comparison = judgment.comparison.emplace();
  comparison.verdict = read_verdict(compared);
  comparison.precision = number_member(compared, "precision").value_or(0);
  comparison.recall = number_member(compared, "recall").value_or(0);
  comparison.f1 = number_member(compared, "f1").value_or(0);
  comparison.reference_rows = count_of(compared, "reference_rows");
  comparison.rows = count_of(compared, "rows");
  comparison.common = count_of(compared, "common");
  comparison.says = judgment.says;
  return judgment;
}

JsonValue attempt_json(const LearnedTask& task, std::size_t i) {
  return object_of({{"trajectory", JsonValue(task.trajectories[i])},
                    {"failed_calls", JsonValue(task.failed_calls[i])},
                    {"judgment", judgment_json(task.judgments[i])},
                    {"run", run_json(task.runs[i])}});
}

void read_attempts(const JsonValue& list, LearnedTask& task) {
  if (list.if_array() == nullptr) return;
  for (const JsonValue& one : *list.if_array()) {
    if (task.runs.size() == kRunsMax) return;
    task.trajectories.push_back(text_member(one, "trajectory"));
    task.failed_calls.push_back(count_of(one, "failed_calls"));
    task.judgments.push_back(read_judgment(member(one, "judgment")));
    task.runs.push_back(read_run(member(one, "run")));
  }
}

}  // namespace

JsonValue kept_usage(const llm::Usage& usage) {
  return object_of({{"input_tokens", JsonValue(usage.input_tokens)},
                    {"cached_tokens", JsonValue(usage.cached_tokens)},
                    {"cache_write_tokens", JsonValue(usage.cache_write_tokens)},
                    {"output_tokens", JsonValue(usage.output_tokens)},
                    {"cost", usage.cost ? JsonValue(*usage.cost) : JsonValue()},
                    {"estimated", JsonValue(usage.is_estimated)}});
}

llm::Usage read_usage(const JsonValue& json) {
  llm::Usage usage;
  usage.input_tokens = count_of(json, "input_tokens");
  usage.cached_tokens = count_of(json, "cached_tokens");
  usage.cache_write_tokens = count_of(json, "cache_write_tokens");
  usage.output_tokens = count_of(json, "output_tokens");
  usage.cost = number_member(json, "cost");
  usage.is_estimated = is_true_member(json, "estimated");
  return usage;
}

JsonValue::Object record_json(const TaskRecord& record) {
  const LearnedTask& task = record.task;
  JsonValue::Array attempts;
  for (std::size_t i = 0; i < task.runs.size(); ++i) attempts.push_back(attempt_json(task, i));
  JsonValue::Array lessons;
  for (const memory::Item& item : record.lessons) {
    // What we write ourselves can be read.
    lessons.push_back(*parse_json(memory::to_json(item, memory::ItemForm::Full)));
  }
  JsonValue::Object line;
  line.push_back({"task", JsonValue(task.id)});
  line.push_back({"best", JsonValue(std::uint64_t{task.best})});
  line.push_back({"runs", JsonValue(std::move(attempts))});
  line.push_back({"lessons", JsonValue(std::move(lessons))});
  line.push_back({"fresh", array_of(record.fresh)});
  line.push_back({"injected", array_of(record.injected)});
  line.push_back({"rejected", array_of(task.rejected)});
  return line;
}

Result<TaskRecord> read_record(const JsonValue& line) {
  TaskRecord record;
  record.phase = Phase::Judged;
  record.task.id = text_member(line, "task");
  read_attempts(member(line, "runs"), record.task);
  record.task.best = count_of(line, "best");
  if (record.task.best >= record.task.runs.size()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the best run of {} is none of its runs", record.task.id)};
  }
  record.task.rejected = texts_of(line, "rejected");
  record.fresh = texts_of(line, "fresh");
  record.injected = texts_of(line, "injected");
  const JsonValue lessons = member(line, "lessons");
  if (lessons.if_array() == nullptr) return record;
  for (const JsonValue& one : *lessons.if_array()) {
    HELVE_ASSIGN(memory::ReadItem read, memory::read_item(one));
    record.lessons.push_back(std::move(read.item));
  }
  return record;
}

RunResult bounded(RunResult run) {
  run.content = head_of(run.content, kContentChars);
  run.query = head_of(run.query, kRecordQueryChars);
  if (run.error) run.error->message = head_of(run.error->message, kErrorChars);
  run.fields = {};
  run.evidence.clear();
  return run;
}

}  // namespace helve::agent
