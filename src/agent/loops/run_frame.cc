#include "agent/loops/run_frame.h"

#include <fmt/format.h>

#include <utility>

#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "base/digest.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::size_t kMessageChars = 20'000;  // of the caller to the model

JsonValue hints_json(const ContextHints& hints) {
  if (hints.relevant.empty() && hints.business.empty() && !hints.schema_summary) return {};
  return object_of(
      {{"relevant", array_of(hints.relevant)},
       {"business", JsonValue(hints.business)},
       {"schema_summary", hints.schema_summary ? JsonValue(*hints.schema_summary) : JsonValue()}});
}

JsonValue config_json(const RunRequest& request, const RunParts& parts) {
  const RunLimits& limits = request.limits;
  const llm::Provider& sub = parts.sub_model != nullptr ? *parts.sub_model : parts.model;
  return object_of(
      {{"provider", JsonValue(parts.model.name())},
       {"model", JsonValue(parts.model.model())},
       {"sub_model", JsonValue(sub.model())},
       {"source", JsonValue(request.source)},
       {"signature", JsonValue(request.signature)},
       {"hints", hints_json(request.hints)},
       {"replies", JsonValue(name_of(request.reply_form))},
       {"more_tools", array_of(request.more_tools)},
       {"iterations_max", JsonValue(limits.iterations_max)},
       {"tool_calls_max", JsonValue(limits.tool_calls_max)},
       {"model_calls_max", JsonValue(limits.model_calls_max)},
       {"tokens_max", JsonValue(limits.tokens_max)},
       {"cost_max", limits.cost_max ? JsonValue(*limits.cost_max) : JsonValue()},
       {"time_max_s", JsonValue(std::chrono::duration<double>(limits.time_max).count())},
       {"parallel_calls_max", JsonValue(std::uint64_t{limits.parallel_calls_max})},
       {"answer_chars_max", JsonValue(std::uint64_t{limits.answer_chars_max})}});
}

JsonValue to_json_value(const RunLeakage& leakage) {
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

JsonValue history_json(const RunRequest& request) {
  JsonValue::Array turns;
  for (const llm::Message& turn : request.history) {
    turns.push_back(
        object_of({{"role", JsonValue(turn.role == llm::Role::User ? "user" : "assistant")},
                   {"text", JsonValue(turn.text)}}));
  }
  return JsonValue(std::move(turns));
}

}  // namespace

RunFrame::RunFrame(const RunRequest& run_request, const RunParts& run_parts,
                   const OpContext& context)
    : request(run_request),
      parts(run_parts),
      budget(request.limits, context),
      journal(parts),
      evidence(parts.toolkit, parts.caller),
      tools(request, parts, budget, journal, evidence),
      model(request.limits, budget, journal),
      stored_before_(parts.toolkit.leakage(parts.caller).total.stored_chars) {}

void RunFrame::start(std::string_view loop, std::string_view system) {
  const std::string hash = digest_hex(DigestKind::Sha256, system);
  journal.record_whole(EventKind::RunStart,
                       object_of({{"task", JsonValue(request.question)},
                                  {"loop", JsonValue(loop)},
                                  {"config", config_json(request, parts)},
                                  {"versions", object_of({{"system", JsonValue(hash)}})},
                                  {"context", request.layers.is_null() ? JsonValue(request.context)
                                                                       : request.layers},
                                  {"history", history_json(request)},
                                  {"system", JsonValue(system)}}));
  if (!request.context.empty()) journal.tell(RunEventKind::SchemaLoaded, request.context);
  if (!request.limits.cost_max) return;
  // Before anything is paid for.
  if (!parts.model.tells_cost()) return fail(no_prices_error(parts.model.model()));
  if (parts.sub_model != nullptr && !parts.sub_model->tells_cost()) {
    fail(no_prices_error(parts.sub_model->model()));
  }
}

bool RunFrame::steer(std::string& message) {
  if (!parts.steering) return true;
  const MonotonicTime asked = real_clock().now();
  Steering word = parts.steering();
  budget.forgive(real_clock().now() - asked);
  if (word.word == Steering::Word::Stop) {
    end(StopReason::Cancelled);
    return false;
  }
  message = both_ends(word.message, kMessageChars);
  return true;
}

bool RunFrame::is_at_step_cap() const {
  return !is_over() && result_.iterations >= request.limits.iterations_max && !budget.exceeded();
}

bool RunFrame::begin_step(std::string& message) {
  message.clear();
  if (is_over()) return false;
  if (const auto reason = budget.exceeded()) {
    end(*reason);
    return false;
  }
  if (result_.iterations >= request.limits.iterations_max) {
    end(StopReason::StepCap);
    return false;
  }
  if (!steer(message)) return false;
  // While the caller held it, it may have been cancelled.
  if (const auto reason = budget.exceeded()) {
    end(*reason);
    return false;
  }
  journal.begin_iteration(++result_.iterations);
  return true;
}

void RunFrame::keep_text(const std::string& text) {
  if (!text.empty()) last_text_ = text;
}

void RunFrame::end(StopReason reason, std::string content, BoundEvidence bound, JsonValue fields) {
  if (is_over()) return;
  stop_ = reason;
  result_.content = std::move(content);
  result_.evidence = std::move(bound.evidence);
  result_.query = std::move(bound.query);
  result_.fields = std::move(fields);
}

void RunFrame::end(StopReason reason) {
  if (is_over()) return;
  BoundEvidence bound = evidence.last();
  std::string content = last_text_;
  if (content.empty() && !bound.evidence.empty()) content = bound.evidence.back().ref;
  if (reason != StopReason::Failed) result_.is_extracted = !content.empty();
  end(reason, std::move(content), std::move(bound), JsonValue());
}

void RunFrame::fail(Error error) {
  if (is_over()) return;
  result_.error = std::move(error);
  end(StopReason::Failed);
}

void RunFrame::end_unanswered(Error error) {
  if (last_text_.empty()) keep_text(model.unfinished());
  const bool is_too_long = model.has_overrun() && error.code == ErrorCode::LimitExceeded;
  if (is_too_long && !budget.exceeded()) return end(StopReason::TokenBudget);
  fail_or_stop(std::move(error));
}

void RunFrame::fail_or_stop(Error error) {
  if (budget.op().cancel.is_cancelled() || error.code == ErrorCode::Cancelled) {
    return end(StopReason::Cancelled);
  }
  if (budget.op().deadline.has_passed()) return end(StopReason::TimeBudget);
  // What came of an answer counts too.
  if (const auto reason = budget.exceeded()) return end(*reason);
  fail(std::move(error));
}

// Replies as models read them: the toolkit's meter counts the digits of times too.
RunLeakage RunFrame::leakage() const {
  RunLeakage leakage;
  const ReplySizes& replies = tools.sizes();
  leakage.reply_chars = replies.chars;
  leakage.reply_chars_max = replies.chars_max;
  leakage.large_replies = replies.large;
  leakage.stored_chars = parts.toolkit.leakage(parts.caller).total.stored_chars - stored_before_;
  leakage.output_chars = output_chars_;
  leakage.context_chars = utf8_length(request.context);
  const PromptSizes prompts = model.sizes();
  leakage.prompt_chars = prompts.chars;
  leakage.prompt_chars_max = prompts.chars_max;
  leakage.model_calls = prompts.calls;
  return leakage;
}

RunResult RunFrame::finish() {
  if (!is_over()) fail(Error{ErrorCode::Internal, "the run ended without a reason"});
  result_.stop = *stop_;
  result_.tools_used = tools.used();
  result_.tool_calls = budget.calls();
  result_.refused_calls = tools.refused();
  result_.usage = budget.usage();
  result_.leakage = leakage();
  result_.ms = budget.ms();
  if (result_.error) journal.tell(RunEventKind::Error, result_.error->to_string());
  journal.tell(RunEventKind::FinalAnswer, result_.content);
  std::vector<std::string> handles;
  for (const Evidence& one : result_.evidence) handles.push_back(one.handle);
  const std::string hash =
      result_.query.empty() ? "" : digest_hex(DigestKind::Sha256, result_.query);
  journal.record_whole(
      EventKind::RunEnd,
      object_of({{"stop_reason", JsonValue(name_of(result_.stop))},
                 {"answer", JsonValue(result_.content)},
                 {"fields", result_.fields},
                 {"query", JsonValue(result_.query)},
                 {"query_hash", JsonValue(hash)},
                 {"handles", array_of(handles)},
                 {"extracted", JsonValue(result_.is_extracted)},
                 {"iterations", JsonValue(result_.iterations)},
                 {"tool_calls", JsonValue(result_.tool_calls)},
                 {"refused_calls", JsonValue(result_.refused_calls)},
                 {"usage", usage_json(result_.usage)},
                 {"leakage", to_json_value(result_.leakage)},
                 {"error", result_.error ? JsonValue(result_.error->to_string()) : JsonValue()}}));
  return std::move(result_);
}

}  // namespace helve::agent
