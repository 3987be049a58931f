// The ReAct loop: a model calls tools until it submits.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/loops/agent_run.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_texts.h"
#include "agent/loops/run_frame.h"
#include "agent/loops/submission.h"
#include "agent/loops/system_prompt.h"
#include "agent/loops/tool_offer.h"

namespace helve::agent {

namespace {

constexpr const char* kAskToSubmit =
    "If this is your answer, call submit with it, and name the handles of the results that it "
    "rests "
    "on. Otherwise go on with the tools.";

llm::Message user_message(std::string text) {
  llm::Message message;
  message.text = std::move(text);
  return message;
}

llm::Message reply_to(const llm::ToolUse& use, const Error& error) {
  llm::Message reply;
  reply.role = llm::Role::Tool;
  reply.call_id = use.id;
  reply.text = fmt::format("error {}: {}", error_code_name(error.code), error.to_string());
  reply.is_error = true;
  return reply;
}

class ReactRun {
 public:
  ReactRun(const RunRequest& request, const RunParts& parts, const OpContext& context)
      : frame_(request, parts, context) {
    talk_.system = system_prompt(prompts::react(), context_text(request), request);
    talk_.tools = declare_tools(offered_tools(parts.toolkit, parts.caller, request.more_tools),
                                request.reply_form);
    talk_.tools.push_back(declare_submit());
    talk_.messages = history_of(request);
    talk_.messages.push_back(user_message(question_text(request)));
  }

  RunResult run() {
    frame_.start("react", talk_.system);
    std::string message;
    while (frame_.begin_step(message)) {
      if (!message.empty()) talk_.messages.push_back(user_message(std::move(message)));
      step();
    }
    return frame_.finish();
  }

 private:
  void step() {
    talk_.output_tokens_max = frame_.budget.output_tokens_max(input_tokens(talk_));
    auto answer = frame_.model.ask(frame_.parts.model, talk_);
    if (!answer) return frame_.end_unanswered(std::move(answer).error());
    record_iteration(*answer);
    frame_.keep_text(answer->text);
    if (answer->stop == llm::Stop::Refusal) return frame_.end(StopReason::Refused);
    if (frame_.budget.lacks_prices())
      return frame_.fail(no_prices_error(frame_.parts.model.model()));
    name_calls(*answer);
    say(*answer);
    if (!answer->calls.empty()) run_calls(answer->calls);
    std::string word = frame_.check_form(*answer, talk_.output_tokens_max);
    if (frame_.is_over()) return;
    if (!word.empty()) {
      talk_.messages.push_back(user_message(std::move(word)));
    } else if (answer->calls.empty()) {
      take_text(*answer);
    }
  }

  void record_iteration(const llm::Answer& answer) {
    const std::string& thought = answer.reasoning.empty() ? answer.text : answer.reasoning;
    frame_.journal.record(EventKind::Iteration, object_of({{"reasoning", JsonValue(thought)}}));
  }

  // Replies are told apart by the ids of their calls: each must have one of its own.
  void name_calls(llm::Answer& answer) const {
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < answer.calls.size(); ++i) {
      std::string& id = answer.calls[i].id;
      if (id.empty() || std::find(seen.begin(), seen.end(), id) != seen.end()) {
        id = fmt::format("call_{}_{}", frame_.journal.iteration(), i + 1);
        answer.opaque.clear();
      }
      seen.push_back(id);
    }
  }

  // Servers take no message that says nothing.
  void say(const llm::Answer& answer) {
    if (answer.text.empty() && answer.calls.empty()) return;
    llm::Message message;
    message.role = llm::Role::Assistant;
    message.text = answer.text;
    message.calls = answer.calls;
    message.opaque = answer.opaque;
    talk_.messages.push_back(std::move(message));
  }

  // Asked once for the form; the second time the text is the answer, and is said to be extracted.
  void take_text(const llm::Answer& answer) {
    if (was_asked_ && !answer.text.empty()) {
      frame_.mark_extracted();
      return frame_.end(StopReason::NotSubmitted, answer.text, frame_.evidence.last(), JsonValue());
    }
    was_asked_ = true;
    talk_.messages.push_back(user_message(kAskToSubmit));
  }

  // Other calls of the same answer come first: what they store is evidence.
  void run_calls(const std::vector<llm::ToolUse>& calls) {
    if (const auto reason = reason_to_stop(calls)) return frame_.end(*reason);
    std::vector<llm::ToolUse> others;
    std::copy_if(calls.begin(), calls.end(), std::back_inserter(others),
                 [](const llm::ToolUse& use) { return use.name != kSubmit; });
    std::vector<llm::Message> replies = frame_.tools.run_all(others);
    auto reply = replies.begin();
    for (const llm::ToolUse& use : calls) {
      if (use.name == kSubmit) {
        submit(use);
      } else {
        talk_.messages.push_back(std::move(*reply++));
      }
      if (frame_.is_over()) return;
    }
    if (frame_.budget.is_out_of_calls()) frame_.end(StopReason::CallCap);
  }

  // A budget that this answer has used up leaves nobody to read replies; one that submits is heard.
  std::optional<StopReason> reason_to_stop(const std::vector<llm::ToolUse>& calls) const {
    const bool submits = std::any_of(calls.begin(), calls.end(),
                                     [](const llm::ToolUse& use) { return use.name == kSubmit; });
    return submits ? std::nullopt : frame_.budget.exceeded();
  }

  void submit(const llm::ToolUse& use) {
    auto submission = read_submission(use, frame_.request.limits.answer_chars_max);
    if (!submission) return refuse(use, submission.error());
    auto bound = frame_.evidence.bind(submission->claim, frame_.budget.op());
    if (!bound) return refuse(use, bound.error());
    frame_.tools.record_submission(use, std::nullopt);
    frame_.end(StopReason::Submitted, std::move(submission->answer), *std::move(bound),
               std::move(submission->fields));
  }

  void refuse(const llm::ToolUse& use, const Error& error) {
    frame_.journal.tell(RunEventKind::Error, error.to_string(), kSubmit);
    frame_.tools.record_submission(use, error);
    frame_.keep_refused(read_answer(use.arguments.find("answer")), error);
    talk_.messages.push_back(reply_to(use, error));
  }

  RunFrame frame_;
  llm::Request talk_;
  bool was_asked_ = false;
};

}  // namespace

RunResult run_react(const RunRequest& request, const RunParts& parts, const OpContext& context) {
  return ReactRun(request, parts, context).run();
}

}  // namespace helve::agent
