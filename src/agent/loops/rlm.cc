// The RLM loop: a model writes Python for a session of the sandbox until it submits. It sees what
// its code prints, and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/loops/agent_run.h"
#include "agent/loops/code_blocks.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "agent/loops/rlm_answer.h"
#include "agent/loops/rlm_prompt.h"
#include "agent/loops/run_frame.h"
#include "agent/loops/sub_model.h"
#include "agent/loops/system_prompt.h"
#include "agent/python_tools/python_tools.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::size_t kOutputEventBytes = 256 * kKiB;  // of one block
constexpr const char* kNoCode =
    "There was no block of code. Write one: ```python and ``` stand on lines of their own.\n";
constexpr const char* kOpenBlock = "The last block was not closed with ``` and was not run.\n";

// Models that code asks take their time; code that does not end must leave some for another turn.
Duration block_time(Duration time_max) {
  return std::clamp<Duration>(time_max / 4, std::chrono::seconds(30), std::chrono::minutes(5));
}

class RlmRun {
 public:
  RlmRun(const RunRequest& request, const RunParts& parts, const OpContext& context)
      : frame_(request, parts, context),
        sub_model_(parts, request.limits, frame_.budget, frame_.model) {}

  RunResult run() {
    prepare();
    std::string message;
    while (true) {
      if (frame_.is_at_step_cap()) extract();
      if (!frame_.begin_step(message)) break;
      step(message);
    }
    return frame_.finish();
  }

 private:
  // The sandbox begins before the model is asked anything: without one there is nothing to ask for.
  void prepare() {
    const auto signature = parse_signature(frame_.request.signature);
    if (signature) signature_ = *signature;
    talk_.system = rlm_system(frame_.request, frame_.parts, signature_);
    talk_.messages = history_of(frame_.request);
    frame_.start("rlm", talk_.system);
    if (!signature) return frame_.fail(signature.error());
    auto variables = input_variables(frame_.request, signature_);
    if (!variables) return frame_.fail(variables.error());
    if (auto begun = begin_session(*variables); !begun) {
      return frame_.fail_or_stop(std::move(begun).error());
    }
    turn_ = fmt::format("{}\n\n", question_text(frame_.request));
  }

  Result<void> begin_session(const std::vector<sandbox::Variable>& variables) {
    sandbox::SandboxOptions options;
    const RunLimits& limits = frame_.request.limits;
    // One more than there are: that it is wanted ends the run.
    options.limits.tool_calls_max =
        limits.tool_calls_max < UINT64_MAX ? limits.tool_calls_max + 1 : UINT64_MAX;
    options.limits.model_calls_max = limits.model_calls_max;
    options.limits.block_time = block_time(limits.time_max);
    options.submit_fields = submit_fields(signature_);
    const OpContext& op = frame_.budget.op();
    HELVE_ASSIGN(session_, frame_.parts.start_sandbox
                               ? frame_.parts.start_sandbox(std::move(options), op)
                               : sandbox::Sandbox::start(std::move(options), op));
    const toolkit::Policy& policy = *frame_.parts.caller.policy;
    const python_tools::CallTool call = [this](std::string_view tool, const JsonValue& arguments,
                                               const OpContext& context) {
      return frame_.tools.run(tool, arguments, context);
    };
    HELVE_TRY(session_->register_tools(
        python_tools::functions_of(frame_.parts.toolkit.registry(), policy, call)));
    session_->set_rows_reader(python_tools::rows_reader(policy, call));
    session_->set_model([this](const std::vector<std::string>& prompts, const OpContext& context) {
      return sub_model_.ask(prompts, context);
    });
    session_->set_listener([this](const sandbox::Event& event) { pass_output(event); });
    HELVE_TRY(session_->execute("", variables, op));
    return {};
  }

  void pass_output(const sandbox::Event& event) {
    if (event.kind == sandbox::EventKind::BlockStarted) printed_ = 0;
    if (event.kind != sandbox::EventKind::Output || printed_ > kOutputEventBytes) return;
    printed_ += event.text.size();
    frame_.journal.tell(RunEventKind::Output, event.text);
  }

  // What the code of the last turn did, the variables, and which turn this is.
  void say_turn(const std::string& message) {
    const auto views = session_->variables(frame_.budget.op());
    if (views) turn_ += "Variables:\n" + marked_data(variables_.show(*views));
    turn_ += iteration_line(frame_.journal.iteration(), frame_.request.limits.iterations_max);
    if (!message.empty()) turn_ += message + "\n";
    llm::Message turn;
    turn.text = std::exchange(turn_, {});
    talk_.messages.push_back(std::move(turn));
  }

  void step(const std::string& message) {
    say_turn(message);
    talk_.output_tokens_max = frame_.budget.output_tokens_max(input_tokens(talk_));
    auto answer = frame_.model.ask(frame_.parts.model, talk_);
    if (!answer) return frame_.end_unanswered(std::move(answer).error());
    say(*answer);
    const CodeBlocks code = find_code(answer->text);
    frame_.keep_text(code.prose);
    if (answer->stop != llm::Stop::Refusal) {
      run_code(code);
      const std::string word = frame_.check_form(*answer, talk_.output_tokens_max);
      if (!word.empty()) turn_ += word + "\n";
    }
    frame_.journal.record(
        EventKind::Iteration,
        object_of({{"reasoning", JsonValue(answer->reasoning)},
                   {"code", JsonValue(fmt::format("{}", fmt::join(code.blocks, "\n")))},
                   {"output", JsonValue(turn_)},
                   {"error", block_error_.empty() ? JsonValue() : JsonValue(block_error_)}}));
    if (answer->stop == llm::Stop::Refusal) frame_.end(StopReason::Refused);
    if (frame_.budget.lacks_prices()) frame_.fail(no_prices_error(frame_.parts.model.model()));
  }

  // Servers take no message that says nothing.
  void say(const llm::Answer& answer) {
    if (answer.text.empty()) return;
    llm::Message message;
    message.role = llm::Role::Assistant;
    message.text = answer.text;
    message.opaque = answer.opaque;
    talk_.messages.push_back(std::move(message));
  }

  void run_code(const CodeBlocks& code) {
    block_error_.clear();
    if (code.blocks.empty() && !code.is_open) turn_ += kNoCode;
    std::size_t done = 0;
    for (bool goes_on = true; goes_on && done < code.blocks.size(); ++done) {
      goes_on = run_block(code.blocks[done], ++blocks_);
    }
    const std::size_t left = code.blocks.size() - done + code.left_out;
    if (left > 0) turn_ += fmt::format("{} more blocks were not run.\n", left);
    if (code.is_open) turn_ += kOpenBlock;
    if (frame_.budget.is_out_of_calls()) frame_.end(StopReason::CallCap);
  }

  // False: the blocks behind it are not to run.
  bool run_block(const std::string& code, std::size_t number) {
    frame_.journal.tell(RunEventKind::Code, code);
    const auto result = session_->execute(code, {}, frame_.budget.op());
    if (!result) {
      note_failure(result.error().to_string());
      turn_ += fmt::format("Block {} was not run: {}\n", number, result.error().to_string());
      if (!session_->is_alive()) lose(result.error());
      return false;
    }
    if (result->error)
      note_failure(fmt::format("{}: {}", result->error->type, result->error->message));
    const std::string shown = shown_result(*result);
    frame_.keep_output(result->output);
    frame_.count_output(utf8_length(shown));
    turn_ += fmt::format("Output of block {}:\n{}", number, marked_data(shown));
    if (result->lost) {
      note_failure(result->lost->message);
      lose(*result->lost);
      return false;
    }
    if (result->submitted) return submit(*result->submitted);
    return result->end == sandbox::BlockEnd::Finished;
  }

  void note_failure(std::string message) {
    frame_.journal.tell(RunEventKind::Error, message);
    block_error_ = std::move(message);
  }

  // A limit of the run may be what ended it.
  void lose(const Error& reason) {
    if (frame_.budget.is_out_of_calls()) return frame_.end(StopReason::CallCap);
    frame_.fail_or_stop({ErrorCode::Unavailable,
                         fmt::format("the sandbox was lost: {}", reason.full_message()),
                         "its variables are gone; ask again"});
  }

  // True: it was refused, and the model is told why.
  bool submit(const std::string& json) {
    llm::ToolUse use;
    use.id = fmt::format("submit_{}", ++submissions_);
    use.name = kSubmit;
    use.written = json;
    auto fields = parse_json(json);
    if (fields && fields->if_object() != nullptr) use.arguments = *std::move(fields);
    const std::string answer = answer_in(use.arguments, signature_);
    auto submission =
        read_submission(use.arguments, answer, frame_.request.limits.answer_chars_max);
    auto bound = submission ? frame_.evidence.bind(submission->claim, frame_.budget.op())
                            : Result<BoundEvidence>(submission.error());
    frame_.tools.record_submission(use, bound ? std::nullopt : std::optional(bound.error()));
    if (!bound) {
      frame_.keep_refused(answer, bound.error());
      note_failure(bound.error().to_string());
      turn_ += fmt::format("SUBMIT was refused: {}\n", bound.error().to_string());
      return false;
    }
    frame_.end(StopReason::Submitted, std::move(submission->answer), *std::move(bound),
               std::move(submission->fields));
    return false;
  }

  // At the cap the model is asked once more, for the answer alone. It does not count as submitted.
  void extract() {
    llm::Message ask;
    ask.text = std::exchange(turn_, {}) + extraction_text(signature_);
    talk_.messages.push_back(std::move(ask));
    talk_.output_tokens_max = frame_.budget.output_tokens_max(input_tokens(talk_));
    const auto answer = frame_.model.ask(frame_.parts.model, talk_);
    if (!answer || answer->text.empty() || answer->stop == llm::Stop::Refusal) return;
    Submission taken = read_extracted(answer->text, signature_);
    if (taken.answer.empty()) return;
    taken.answer = both_ends(taken.answer, frame_.request.limits.answer_chars_max);
    auto bound = frame_.evidence.bind(taken.claim, frame_.budget.op());
    frame_.mark_extracted();
    frame_.end(StopReason::StepCap, std::move(taken.answer),
               bound ? *std::move(bound) : frame_.evidence.last(), std::move(taken.fields));
  }

  RunFrame frame_;
  SubModel sub_model_;
  Signature signature_;
  std::unique_ptr<sandbox::Sandbox> session_;
  llm::Request talk_;
  VariableList variables_;
  std::string turn_;         // what the next turn of the user begins with
  std::string block_error_;  // of this turn
  std::size_t printed_ = 0;  // of this block, as events
  std::size_t blocks_ = 0;   // that were run, as tracebacks count them
  std::size_t submissions_ = 0;
};

}  // namespace

RunResult run_rlm(const RunRequest& request, const RunParts& parts, const OpContext& context) {
  return RlmRun(request, parts, context).run();
}

}  // namespace helve::agent
