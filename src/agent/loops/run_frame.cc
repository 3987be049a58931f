#include "agent/loops/run_frame.h"

#include <fmt/format.h>

#include <utility>

#include "agent/llm/exchange_json.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "agent/loops/system_prompt.h"
#include "base/digest.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::size_t kMessageChars = 20'000;  // of the caller to the model
constexpr unsigned kCutMax = 2;                // answers in a row
constexpr unsigned kEmptyMax = 3;

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
       {"output_tokens_max", JsonValue(std::uint64_t{limits.output_tokens_max})},
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

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

// A Ref alone is nothing that anybody could read.
bool has_words(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && !line.substr(begin).starts_with("Ref('")) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

RunFrame::RunFrame(const RunRequest& run_request, const RunParts& run_parts,
                   const OpContext& context)
    : request(run_request),
      parts(run_parts),
      budget(request.limits, request.time_taken, context),
      journal(parts),
      evidence(parts.toolkit, parts.caller, request.earlier_handles),
      tools(request, parts, budget, journal, evidence),
      model(request.limits, budget, journal),
      stored_before_(parts.toolkit.leakage(parts.caller).total.stored_chars) {}

void RunFrame::start(std::string_view loop, std::string_view system) {
  const std::string hash = digest_hex(DigestKind::Sha256, system);
  JsonValue body = object_of(
      {{"task", JsonValue(request.question)},
       {"loop", JsonValue(loop)},
       {"config", config_json(request, parts)},
       {"versions", object_of({{"system", JsonValue(hash)}})},
       {"context", request.layers.is_null() ? JsonValue(request.context) : request.layers},
       {"history", history_json(request.history)},
       {"system", JsonValue(system)}});
  if (!request.origin.is_null()) body.if_object()->push_back({"origin", request.origin});
  journal.record_whole(EventKind::RunStart, std::move(body));
  if (!request.context.empty()) journal.tell(RunEventKind::SchemaLoaded, request.context);
  if (!request.limits.cost_max) return;
  // Before anything is paid for.
  if (!parts.model.tells_cost()) return fail(no_prices_error(parts.model.model()));
  if (parts.sub_model != nullptr && !parts.sub_model->tells_cost()) {
    fail(no_prices_error(parts.sub_model->model()));
  }
}

// What goes on without a word leaves no trace.
void RunFrame::record_word(const Steering& word) {
  const bool is_stop = word.word == Steering::Word::Stop;
  if (!is_stop && word.message.empty()) return;
  JsonValue body = object_of({{"n", JsonValue(result_.iterations + 1)}});
  if (is_stop) {
    body.if_object()->push_back({"stop", JsonValue(true)});
  } else {
    body.if_object()->push_back({"message", JsonValue(both_ends(word.message, kMessageChars))});
  }
  journal.record_whole(EventKind::Steering, std::move(body));
}

bool RunFrame::steer(std::string& message) {
  if (!parts.steering) return true;
  const MonotonicTime asked = real_clock().now();
  Steering word = parts.steering();
  budget.forgive(real_clock().now() - asked);
  record_word(word);
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

void RunFrame::keep_text(std::string_view text) {
  if (has_words(text)) last_text_ = text;
}

void RunFrame::keep_output(std::string_view text) {
  if (has_words(text)) last_output_ = both_ends(text, request.limits.answer_chars_max);
}

void RunFrame::keep_refused(std::string_view answer, const Error& error) {
  if (!has_words(answer)) return;
  refused_answer_ = both_ends(answer, request.limits.answer_chars_max);
  refusal_ = error.message;
}

std::string RunFrame::partial_content() const {
  if (!refused_answer_.empty()) return refused_answer_;
  if (!last_text_.empty()) return last_text_;
  return last_output_.empty() ? evidence.first_rows() : last_output_;
}

std::string RunFrame::check_form(const llm::Answer& answer, std::size_t output_tokens_max) {
  if (is_over()) return {};
  const bool is_cut = answer.stop == llm::Stop::OutputCap;
  const bool is_empty = !is_cut && answer.text.empty() && answer.calls.empty();
  cut_in_row_ = is_cut ? cut_in_row_ + 1 : 0;
  empty_in_row_ = is_empty ? empty_in_row_ + 1 : 0;
  if (empty_in_row_ == kEmptyMax) {
    fail({ErrorCode::Unavailable,
          fmt::format("the model answered with nothing {} times in a row", kEmptyMax),
          "look at its server, or ask another model"});
  }
  if (!is_cut) return {};
  const bool is_own = output_tokens_max >= request.limits.output_tokens_max;
  const std::string what =
      fmt::format("an answer of the model was cut off at {} tokens; raise {}",
                  format_count(output_tokens_max), is_own ? "--max-output" : "--max-tokens");
  journal.tell(RunEventKind::Error, what);
  if (result_.notes.empty() || result_.notes.back() != what) result_.notes.push_back(what);
  if (cut_in_row_ == kCutMax) end(is_own ? StopReason::OutputCap : StopReason::TokenBudget);
  return fmt::format(
      "Your answer was cut off at {} tokens, and what stood behind is lost. Say less at once.",
      format_count(output_tokens_max));
}

void RunFrame::end(StopReason reason, std::string content, BoundEvidence bound, JsonValue fields) {
  if (is_over()) return;
  stop_ = reason;
  result_.content = std::move(content);
  result_.evidence = std::move(bound.evidence);
  result_.query = std::move(bound.query);
  result_.bound = bound.bound;
  result_.fields = std::move(fields);
}

void RunFrame::end(StopReason reason) {
  if (is_over()) return;
  std::string content = partial_content();
  if (!refusal_.empty()) result_.notes.push_back("this answer was refused: " + refusal_);
  if (reason != StopReason::Failed) result_.is_extracted = !content.empty();
  end(reason, std::move(content), evidence.last(), JsonValue());
}

void RunFrame::fail(Error error) {
  if (is_over()) return;
  result_.error = std::move(error);
  end(StopReason::Failed);
}

void RunFrame::end_unanswered(Error error) {
  if (last_text_.empty()) keep_text(split_thinking(model.unfinished()).rest);
  if (!model.unsent().empty() && !budget.exceeded()) return end(StopReason::TokenBudget);
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

std::string RunFrame::note_of(StopReason reason) const {
  const RunLimits& limits = request.limits;
  switch (reason) {
    case StopReason::StepCap:
      return fmt::format("after {}; raise --max-steps", counted(limits.iterations_max, "step"));
    case StopReason::CallCap:
      return fmt::format("after {}; raise --max-calls",
                         counted(limits.tool_calls_max, "tool call"));
    case StopReason::TokenBudget:
      return fmt::format("{}; raise --max-tokens",
                         model.unsent().empty()
                             ? fmt::format("after {} tokens", format_count(limits.tokens_max))
                             : model.unsent());
    case StopReason::CostBudget:
      return fmt::format("after a cost of {:.4g}; raise --max-cost", limits.cost_max.value_or(0));
    case StopReason::TimeBudget:
      return budget.is_out_of_time()
                 ? fmt::format("after {}; raise --time", format_duration(limits.time_max))
                 : "the time of the caller was over";
    case StopReason::OutputCap:
      return fmt::format("answers of the model were cut off at {} tokens; raise --max-output",
                         format_count(limits.output_tokens_max));
    case StopReason::NotSubmitted:
      return "the model said this and did not hand it in with submit; a model that does not call "
             "tools may do better with --loop rlm";
    case StopReason::Submitted:
    case StopReason::Refused:
    case StopReason::Cancelled:
    case StopReason::Failed:
      break;
  }
  return {};
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
  result_.note = note_of(*stop_);
  result_.handles = evidence.handles();
  result_.tools_used = tools.used();
  result_.tool_calls = budget.calls();
  result_.refused_calls = tools.refused();
  result_.usage = budget.usage();
  result_.leakage = leakage();
  result_.ms = budget.ms();
  if (result_.error) journal.tell(RunEventKind::Error, result_.error->to_string());
  journal.tell(RunEventKind::FinalAnswer, result_.content);
  std::vector<std::string> handles;
  for (const Evidence& one : result_.evidence) {
    if (!one.handle.empty()) handles.push_back(one.handle);
  }
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
                 {"bound", JsonValue(name_of(result_.bound))},
                 {"extracted", JsonValue(result_.is_extracted)},
                 {"note", JsonValue(result_.note)},
                 {"iterations", JsonValue(result_.iterations)},
                 {"tool_calls", JsonValue(result_.tool_calls)},
                 {"refused_calls", JsonValue(result_.refused_calls)},
                 {"usage", llm::to_json_value(result_.usage)},
                 {"leakage", to_json_value(result_.leakage)},
                 {"error", result_.error ? JsonValue(result_.error->to_string()) : JsonValue()}}));
  return std::move(result_);
}

}  // namespace helve::agent
