// Figures as JSON and back. What is read may come from a file that somebody changed.
#include <fmt/format.h>

#include "agent/experiment/figures.h"
#include "agent/loops/json_object.h"
#include "agent/trajectory/json_members.h"

namespace helve::agent {

namespace {

constexpr std::uint64_t kVersion = 1;

Error damaged(std::string_view what) {
  return {ErrorCode::InvalidInput, fmt::format("the record of a pass lacks {}", what),
          "it was changed, or is of another version: remove the file, and the pass is run again"};
}

Result<std::uint64_t> count_of(const JsonValue& json, const char* key) {
  const auto count = count_member(json, key);
  if (!count) return damaged(key);
  return *count;
}

Result<double> share_of(const JsonValue& json, const char* key) {
  const auto number = number_member(json, key);
  if (!number || !(*number >= 0 && *number <= 1)) return damaged(key);
  return *number;
}

Result<bool> flag_of(const JsonValue& json, const char* key) {
  const JsonValue* const found = json.find(key);
  if (found == nullptr || found->if_bool() == nullptr) return damaged(key);
  return *found->if_bool();
}

Result<RunLeakage> read_leakage(const JsonValue& json) {
  RunLeakage leakage;
  HELVE_ASSIGN(leakage.reply_chars, count_of(json, "reply_chars"));
  HELVE_ASSIGN(leakage.reply_chars_max, count_of(json, "reply_chars_max"));
  HELVE_ASSIGN(leakage.large_replies, count_of(json, "large_replies"));
  HELVE_ASSIGN(leakage.stored_chars, count_of(json, "stored_chars"));
  HELVE_ASSIGN(leakage.output_chars, count_of(json, "output_chars"));
  HELVE_ASSIGN(leakage.context_chars, count_of(json, "context_chars"));
  HELVE_ASSIGN(leakage.prompt_chars, count_of(json, "prompt_chars"));
  HELVE_ASSIGN(leakage.prompt_chars_max, count_of(json, "prompt_chars_max"));
  HELVE_ASSIGN(leakage.model_calls, count_of(json, "model_calls"));
  return leakage;
}

JsonValue optional_number(const std::optional<double>& number) {
  return number ? JsonValue(*number) : JsonValue();
}

JsonValue bank_json(const BankFigures& bank) {
  return object_of({{"repeat", JsonValue(std::uint64_t{bank.repeat})},
                    {"pass", JsonValue(std::uint64_t{bank.pass})},
                    {"items", JsonValue(bank.items)},
                    {"active", JsonValue(bank.active)},
                    {"invalid", JsonValue(bank.invalid)}});
}

Result<BankFigures> read_bank(const JsonValue& json) {
  BankFigures bank;
  HELVE_ASSIGN(bank.repeat, count_of(json, "repeat"));
  HELVE_ASSIGN(bank.pass, count_of(json, "pass"));
  HELVE_ASSIGN(bank.items, count_of(json, "items"));
  HELVE_ASSIGN(bank.active, count_of(json, "active"));
  HELVE_ASSIGN(bank.invalid, count_of(json, "invalid"));
  return bank;
}

Result<void> read_places(const JsonValue& json, RunFigures& run) {
  run.task = text_member(json, "task");
  if (run.task.empty()) return damaged("task");
  HELVE_ASSIGN(run.repeat, count_of(json, "repeat"));
  HELVE_ASSIGN(run.pass, count_of(json, "pass"));
  HELVE_ASSIGN(run.rollout, count_of(json, "rollout"));
  run.stop_reason = text_member(json, "stop_reason");
  run.verdict = text_member(json, "verdict");
  run.query_hash = text_member(json, "query_hash");
  run.trajectory = text_member(json, "trajectory");
  run.error = text_member(json, "error");
  return {};
}

}  // namespace

JsonValue to_json(const RunLeakage& leakage) {
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

JsonValue to_json(const RunFigures& run) {
  return object_of({{"task", JsonValue(run.task)},
                    {"repeat", JsonValue(std::uint64_t{run.repeat})},
                    {"pass", JsonValue(std::uint64_t{run.pass})},
                    {"rollout", JsonValue(std::uint64_t{run.rollout})},
                    {"success", JsonValue(run.is_success)},
                    {"converged", JsonValue(run.has_converged)},
                    {"stop_reason", JsonValue(run.stop_reason)},
                    {"verdict", JsonValue(run.verdict)},
                    {"precision", JsonValue(run.precision)},
                    {"recall", JsonValue(run.recall)},
                    {"f1", JsonValue(run.f1)},
                    {"steps", JsonValue(run.steps)},
                    {"tool_calls", JsonValue(run.tool_calls)},
                    {"refused_calls", JsonValue(run.refused_calls)},
                    {"failed_calls", JsonValue(run.failed_calls)},
                    {"input_tokens", JsonValue(run.input_tokens)},
                    {"output_tokens", JsonValue(run.output_tokens)},
                    {"cost", optional_number(run.cost)},
                    {"leakage", to_json(run.leakage)},
                    {"query_hash", JsonValue(run.query_hash)},
                    {"trajectory", JsonValue(run.trajectory)},
                    {"error", JsonValue(run.error)}});
}

Result<RunFigures> read_run_figures(const JsonValue& json) {
  RunFigures run;
  HELVE_TRY(read_places(json, run));
  HELVE_ASSIGN(run.is_success, flag_of(json, "success"));
  HELVE_ASSIGN(run.has_converged, flag_of(json, "converged"));
  HELVE_ASSIGN(run.precision, share_of(json, "precision"));
  HELVE_ASSIGN(run.recall, share_of(json, "recall"));
  HELVE_ASSIGN(run.f1, share_of(json, "f1"));
  HELVE_ASSIGN(run.steps, count_of(json, "steps"));
  HELVE_ASSIGN(run.tool_calls, count_of(json, "tool_calls"));
  HELVE_ASSIGN(run.refused_calls, count_of(json, "refused_calls"));
  HELVE_ASSIGN(run.failed_calls, count_of(json, "failed_calls"));
  HELVE_ASSIGN(run.input_tokens, count_of(json, "input_tokens"));
  HELVE_ASSIGN(run.output_tokens, count_of(json, "output_tokens"));
  run.cost = number_member(json, "cost");
  HELVE_ASSIGN(run.leakage, read_leakage(member(json, "leakage")));
  return run;
}

JsonValue to_json(const PassRecord& record) {
  JsonValue::Array runs;
  for (const RunFigures& run : record.runs) runs.push_back(to_json(run));
  return object_of({{"version", JsonValue(kVersion)},
                    {"bank", record.bank ? bank_json(*record.bank) : JsonValue()},
                    {"items_added", JsonValue(record.items_added)},
                    {"drafts_rejected", JsonValue(record.drafts_rejected)},
                    {"input_tokens", JsonValue(record.usage.input_tokens)},
                    {"cached_tokens", JsonValue(record.usage.cached_tokens)},
                    {"output_tokens", JsonValue(record.usage.output_tokens)},
                    {"cost", optional_number(record.usage.cost)},
                    {"runs", JsonValue(std::move(runs))}});
}

Result<PassRecord> read_pass_record(const JsonValue& json) {
  if (count_member(json, "version") != kVersion) return damaged("its version");
  PassRecord record;
  HELVE_ASSIGN(record.items_added, count_of(json, "items_added"));
  HELVE_ASSIGN(record.drafts_rejected, count_of(json, "drafts_rejected"));
  HELVE_ASSIGN(record.usage.input_tokens, count_of(json, "input_tokens"));
  HELVE_ASSIGN(record.usage.cached_tokens, count_of(json, "cached_tokens"));
  HELVE_ASSIGN(record.usage.output_tokens, count_of(json, "output_tokens"));
  record.usage.cost = number_member(json, "cost");
  const JsonValue bank = member(json, "bank");
  if (!bank.is_null()) {
    HELVE_ASSIGN(record.bank, read_bank(bank));
  }
  const JsonValue* const runs = json.find("runs");
  if (runs == nullptr || runs->if_array() == nullptr) return damaged("runs");
  for (const JsonValue& one : *runs->if_array()) {
    HELVE_ASSIGN(RunFigures run, read_run_figures(one));
    record.runs.push_back(std::move(run));
  }
  return record;
}

}  // namespace helve::agent
