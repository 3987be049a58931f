// The session itself: what is asked of the guest, and what it may ask of the host while it runs.
#include "agent/sandbox/sandbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "agent/sandbox/conversation.h"
#include "agent/sandbox/guest_process.h"
#include "agent/sandbox/guest_program.h"
#include "agent/sandbox/interpreter.h"
#include "agent/sandbox/messages.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/utf8.h"

namespace helve::sandbox {

namespace {

// Code that goes on asking after that many refusals is not going to stop.
constexpr std::uint64_t kRefusalsMax = 1'000;
constexpr std::size_t kCodeBytesMax = 4 * kMiB;
constexpr std::size_t kVersionBytesMax = 100;
constexpr std::size_t kHeadRoom = 64 * kKiB;  // of a message, around what it carries
constexpr std::uint64_t kSubmitsMax = 10;     // of one block

double ms_since(MonotonicTime start) {
  return std::chrono::duration<double, std::milli>(real_clock().now() - start).count();
}

bool is_variable_name(std::string_view name) {
  // Python has the same rule for both.
  return Function{std::string(name), {}, {}, "object", {}}.validate().has_value();
}

std::string shown_value(const FunctionValue& value) {
  return value.handle ? value.handle->text : to_json(value.value);
}

class Session final : public Sandbox {
 public:
  Session(SandboxOptions options, std::unique_ptr<GuestProcess> guest)
      : options_(std::move(options)),
        layers_(guest->layers()),
        talk_(std::make_unique<Conversation>(std::move(guest), options_.limits)),
        // Who does not look for it does not answer by accident.
        id_(real_env().random().next_u64() >> 16) {}

  Result<void> greet(const Interpreter& interpreter, const OpContext& context);

  Result<void> register_tool(Function function) override;
  void set_rows_reader(RowsReader reader) override { rows_ = std::move(reader); }
  void set_model(ModelQuery model) override { model_ = std::move(model); }
  void set_listener(std::function<void(const Event&)> on_event) override {
    options_.on_event = std::move(on_event);
  }
  Result<void> prepare(const OpContext& context) override;
  Result<BlockResult> execute(std::string_view code, const std::vector<Variable>& variables,
                              const OpContext& context) override;
  Result<std::string> variable(std::string_view name, const OpContext& context) override;
  Result<std::vector<VariableView>> variables(const OpContext& context) override;
  const LayerStates& layers() const override { return layers_; }
  const std::string& interpreter() const override { return interpreter_; }
  bool is_alive() const override { return !lost_ && !talk_->guest().has_ended(); }
  void shutdown() override {
    if (!lost_) lose({ErrorCode::Cancelled, "it was shut down"});
  }

 private:
  // From a block to the next nothing runs there.
  class PausedAfter {
   public:
    explicit PausedAfter(const Session& session) : session_(session) {}
    PausedAfter(const PausedAfter&) = delete;
    PausedAfter& operator=(const PausedAfter&) = delete;
    ~PausedAfter() {
      if (!session_.lost_) session_.talk_->guest().pause();
    }

   private:
    const Session& session_;
  };

  Result<void> check_alive() const;
  Result<void> set_variable(const Variable& variable, const OpContext& context);
  Turn make_turn(const OpContext& context) const;
  // Says a message and waits for an answer of that kind; serves requests if there is a block.
  Result<JsonValue> ask(std::string_view message, std::string_view answer, Turn& turn,
                        BlockResult* block = nullptr);
  void serve(GuestMessage message, Turn& turn, BlockResult* block);
  Result<FunctionValue> answer(const Request& request, Turn& turn, BlockResult& block);
  Result<FunctionValue> call(const CallRequest& request, Turn& turn, BlockResult& block);
  Result<FunctionValue> ask_model(const ModelRequest& request, Turn& turn, BlockResult& block);
  Result<FunctionValue> read_rows(const RowsRequest& request, Turn& turn, BlockResult& block);
  Result<FunctionValue> submit(const SubmitRequest& request, BlockResult& block);
  Result<void> count_call(BlockResult& block);
  void end_block(BlockResult& block, Turn& turn, const Result<JsonValue>& done);
  void lose(Error reason, Turn* turn = nullptr);
  Error lose_over(Error reason, Turn& turn);
  void keep_output(const Turn& turn);
  std::size_t request_bytes_max() const;
  Result<GuestMessage> too_long(std::size_t bytes) const;
  std::uint64_t next_id() { return ++id_; }
  void tell(const Event& event) const {
    if (options_.on_event) options_.on_event(event);
  }

  SandboxOptions options_;
  const LayerStates layers_;
  const std::unique_ptr<Conversation> talk_;
  std::optional<Error> lost_;
  std::string interpreter_;
  std::unordered_map<std::string, Function> functions_;
  std::vector<std::string> undeclared_;  // names of functions that the guest does not know yet
  RowsReader rows_;
  ModelQuery model_;
  std::uint64_t id_;  // of what is asked now
  std::uint64_t tool_calls_ = 0;
  std::uint64_t model_calls_ = 0;
  std::uint64_t refusals_ = 0;
  std::uint64_t submits_ = 0;  // of this block
  std::string unshown_;        // printed while no block ran
};

Result<void> Session::greet(const Interpreter& interpreter, const OpContext& context) {
  Turn turn(context, options_.limits.start_time, options_.limits.output_bytes_kept);
  talk_->say_raw(guest_program());
  auto ready = ask(first_message(next_id(), options_), "ready", turn);
  if (!ready) {
    const std::string said = turn.output.text().substr(0, 500);
    return Error{ErrorCode::Unavailable,
                 fmt::format("the interpreter did not start: {}{}{}", ready.error().full_message(),
                             said.empty() ? "" : "; it said: ", said),
                 "'helve sandbox check' tells more"};
  }
  interpreter_ =
      fmt::format("{} {}, {}", text_of(*ready, "implementation", kVersionBytesMax),
                  text_of(*ready, "version", kVersionBytesMax), interpreter.program.string());
  tell({EventKind::Started, interpreter_, {}, 0, false});
  return {};
}

Result<void> Session::check_alive() const {
  if (!lost_) return {};
  return Error{ErrorCode::Unavailable,
               fmt::format("the sandbox is over: {}", lost_->full_message()),
               "start another; its variables are gone"};
}

Turn Session::make_turn(const OpContext& context) const {
  return {context, options_.limits.block_time, options_.limits.output_bytes_kept};
}

void Session::lose(Error reason, Turn* turn) {
  if (lost_) return;  // a listener or a handler has ended it
  const bool is_ending = reason.code == ErrorCode::Unavailable;
  const std::string end = talk_->end(is_ending);
  if (is_ending && end != "was ended") reason.message = "the interpreter " + end;
  lost_ = std::move(reason);
  // What it printed before is still in the pipe.
  if (turn != nullptr) static_cast<void>(talk_->hear_out(*turn));
  tell({EventKind::Lost, {}, lost_->full_message(), 0, true});
}

Result<void> Session::register_tool(Function function) {
  HELVE_TRY(function.validate());
  const auto known = functions_.find(function.name);
  if (known != functions_.end() && is_same_declaration(known->second, function)) {
    known->second.handler = std::move(function.handler);
    return {};
  }
  undeclared_.push_back(function.name);
  std::string name = function.name;
  functions_.insert_or_assign(std::move(name), std::move(function));
  return {};
}

Result<void> Session::prepare(const OpContext& context) {
  HELVE_TRY(check_alive());
  if (undeclared_.empty()) return {};
  std::vector<const Function*> functions;
  for (const std::string& name : undeclared_) functions.push_back(&functions_.at(name));
  Turn turn = make_turn(context);
  HELVE_ASSIGN(const JsonValue ready, ask(declare_message(next_id(), functions), "ready", turn));
  const std::vector<std::string> names = std::move(undeclared_);
  undeclared_.clear();
  const std::string failure = text_of(ready, "error", kKiB);
  if (failure.empty()) return {};
  for (const std::string& name : names) functions_.erase(name);
  return Error{ErrorCode::InvalidInput, fmt::format("Python does not take a tool: {}", failure)};
}

Result<JsonValue> Session::ask(std::string_view message, std::string_view answer, Turn& turn,
                               BlockResult* block) {
  talk_->guest().resume();
  talk_->say(message);
  for (;;) {
    auto text = talk_->listen(turn);
    if (!text) return lose_over(text.error(), turn);
    auto said = text->size() <= request_bytes_max() ? read_message(*text) : too_long(text->size());
    if (said && said->is_answer(answer, id_)) {
      // It wrote before it answered: what it printed is there.
      if (auto heard = talk_->hear_out(turn); !heard) return lose_over(heard.error(), turn);
      if (block == nullptr) keep_output(turn);
      return std::move(said->body);
    }
    if (!said) {
      ++refusals_;
      talk_->say(error_reply(said.error()));
    } else if (said->is_request()) {
      serve(*std::move(said), turn, block);
      if (lost_) return *lost_;
    } else {
      return lose_over(
          {ErrorCode::Denied,
           fmt::format("it broke the protocol: '{}' came where the answer '{}' was due", said->op,
                       answer)},
          turn);
    }
    if (refusals_ > kRefusalsMax) {
      return lose_over(
          {ErrorCode::LimitExceeded,
           fmt::format("it went on calling after {} calls were refused", kRefusalsMax)},
          turn);
    }
  }
}

Error Session::lose_over(Error reason, Turn& turn) {
  lose(std::move(reason), &turn);
  return *lost_;
}

// What it prints while no block runs is shown with the next one.
void Session::keep_output(const Turn& turn) {
  if (turn.output.total() == 0 || unshown_.size() > options_.limits.output_bytes_kept) return;
  unshown_ += turn.output.text();
}

std::size_t Session::request_bytes_max() const {
  const SandboxLimits& limits = options_.limits;
  return std::max(limits.argument_bytes_max, limits.submit_bytes_max) + kHeadRoom;
}

Result<GuestMessage> Session::too_long(std::size_t bytes) const {
  return Error{ErrorCode::LimitExceeded,
               fmt::format("{} bytes at once, and {} are allowed", bytes, request_bytes_max())};
}

void Session::serve(GuestMessage message, Turn& turn, BlockResult* block) {
  const auto answered = [&]() -> Result<FunctionValue> {
    if (block == nullptr) return Error{ErrorCode::Denied, "no block is running"};
    if (turn.is_interrupted) {
      return Error{ErrorCode::LimitExceeded, "the time of the block is over"};
    }
    HELVE_ASSIGN(const Request request, read_request(std::move(message)));
    // Nobody watches the guest meanwhile: its other threads, if there are any, wait too.
    const bool has_others = talk_->guest().threads() > 1;
    if (has_others) talk_->guest().pause();
    auto value = this->answer(request, turn, *block);
    if (has_others) talk_->guest().resume();
    return value;
  }();
  if (lost_) return;
  std::string reply = answered ? value_reply(*answered) : error_reply(answered.error());
  if (reply.size() > options_.limits.message_bytes_max) {
    reply = error_reply({ErrorCode::LimitExceeded,
                         fmt::format("the result takes {} bytes, and {} are allowed", reply.size(),
                                     options_.limits.message_bytes_max),
                         "ask for less at a time"});
  }
  if (!answered && answered.error().code == ErrorCode::Denied) ++refusals_;
  talk_->say(reply);
}

Result<FunctionValue> Session::answer(const Request& request, Turn& turn, BlockResult& block) {
  try {
    if (const auto* asked = std::get_if<CallRequest>(&request)) return call(*asked, turn, block);
    if (const auto* asked = std::get_if<ModelRequest>(&request)) {
      return ask_model(*asked, turn, block);
    }
    if (const auto* asked = std::get_if<RowsRequest>(&request)) {
      return read_rows(*asked, turn, block);
    }
    return submit(std::get<SubmitRequest>(request), block);
  } catch (const std::exception& failure) {  // handlers are of the caller
    return Error{ErrorCode::Internal, fmt::format("a tool failed: {}", failure.what())};
  } catch (...) {
    return Error{ErrorCode::Internal, "a tool failed"};
  }
}

Result<void> Session::count_call(BlockResult& block) {
  if (tool_calls_ >= options_.limits.tool_calls_max) {
    ++refusals_;
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("all {} tool calls are used up", options_.limits.tool_calls_max),
                 "work with what is there, and SUBMIT"};
  }
  ++tool_calls_;
  ++block.tool_calls;
  return {};
}

Result<FunctionValue> Session::call(const CallRequest& request, Turn& turn, BlockResult& block) {
  const std::string arguments = to_json(request.arguments);
  if (arguments.size() > options_.limits.argument_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the arguments take {} bytes, and {} are allowed", arguments.size(),
                             options_.limits.argument_bytes_max)};
  }
  const auto known = functions_.find(request.name);
  if (known == functions_.end() || !known->second.handler) {
    ++refusals_;
    return Error{ErrorCode::NotFound, fmt::format("there is no tool '{}' here", request.name)};
  }
  HELVE_TRY(count_call(block));
  tell({EventKind::ToolCall, request.name, arguments, 0, false});
  const MonotonicTime start = real_clock().now();
  auto value = known->second.handler(request.arguments, turn.context);
  if (options_.on_event) {
    const std::string shown = value ? shown_value(*value) : value.error().to_string();
    tell({EventKind::ToolResult, request.name, shown, ms_since(start), !value});
  }
  return value;
}

Result<FunctionValue> Session::ask_model(const ModelRequest& request, Turn& turn,
                                         BlockResult& block) {
  if (!model_) {
    return Error{ErrorCode::Unavailable, "llm_query has no model to ask here",
                 "go on without it, or start the sandbox with a model"};
  }
  std::size_t bytes = 0;
  for (const std::string& prompt : request.prompts) bytes += prompt.size();
  if (request.prompts.empty() || bytes > options_.limits.argument_bytes_max) {
    ++refusals_;
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the prompts take {} bytes, and up to {} are allowed", bytes,
                             options_.limits.argument_bytes_max)};
  }
  const std::uint64_t left = options_.limits.model_calls_max - model_calls_;
  if (request.prompts.size() > left) {
    ++refusals_;
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} prompts are too many: {} of {} are left", request.prompts.size(),
                             left, options_.limits.model_calls_max),
                 "ask fewer questions, or put them together"};
  }
  model_calls_ += request.prompts.size();
  block.model_calls += request.prompts.size();
  JsonValue::Array prompts;
  for (const std::string& prompt : request.prompts) prompts.emplace_back(prompt);
  tell({EventKind::ModelCall, {}, to_json(JsonValue(std::move(prompts))), 0, false});
  const MonotonicTime start = real_clock().now();
  auto texts = model_(request.prompts, turn.context);
  if (texts && texts->size() != request.prompts.size()) {
    texts = Error{ErrorCode::Internal, "the model gave another number of answers than of prompts"};
  }
  if (!texts) {
    tell({EventKind::ModelResult, {}, texts.error().to_string(), ms_since(start), true});
    return std::move(texts).error();
  }
  JsonValue::Array list;
  for (std::string& text : *texts) list.emplace_back(std::move(text));
  JsonValue answers(std::move(list));
  tell({EventKind::ModelResult, {}, to_json(answers), ms_since(start), false});
  return FunctionValue{std::move(answers), {}};
}

Result<FunctionValue> Session::read_rows(const RowsRequest& request, Turn& turn,
                                         BlockResult& block) {
  if (!rows_) return Error{ErrorCode::Unavailable, "there are no rows behind handles here"};
  HELVE_TRY(count_call(block));
  tell({EventKind::ToolCall, "rows", request.key, 0, false});
  const MonotonicTime start = real_clock().now();
  auto rows = rows_(request.key, request.offset, request.limit, turn.context);
  tell({EventKind::ToolResult, "rows", rows ? std::string_view() : rows.error().message,
        ms_since(start), !rows});
  if (!rows) return std::move(rows).error();
  return FunctionValue{*std::move(rows), {}};
}

Result<FunctionValue> Session::submit(const SubmitRequest& request, BlockResult& block) {
  if (++submits_ > kSubmitsMax) {
    ++refusals_;
    return Error{ErrorCode::LimitExceeded, "SUBMIT was called too often in one block"};
  }
  HELVE_TRY(check_submitted(request.value, options_.submit_fields));
  std::string text = to_json(request.value);
  if (text.size() > options_.limits.submit_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("SUBMIT takes at most {} bytes", options_.limits.submit_bytes_max)};
  }
  tell({EventKind::Submitted, {}, text, 0, false});
  block.submitted = std::move(text);
  return FunctionValue{};
}

Result<void> Session::set_variable(const Variable& variable, const OpContext& context) {
  if (!is_variable_name(variable.name)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("'{}' is no name for a variable", variable.name),
                 "letters, digits and _, no keyword of Python, and no _ in front"};
  }
  if (variable.json.size() > options_.limits.message_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the variable '{}' takes {} bytes, and {} are allowed", variable.name,
                             variable.json.size(), options_.limits.message_bytes_max),
                 "pass it as a handle"};
  }
  Turn turn = make_turn(context);
  const std::string message = set_message(next_id(), variable);
  if (!variable.handle) talk_->say(message);  // and its value is the next
  HELVE_ASSIGN(const JsonValue set, ask(variable.handle ? message : variable.json, "set", turn));
  const std::string failure = text_of(set, "error", kKiB);
  if (failure.empty()) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("the variable '{}' is no JSON: {}", variable.name, failure)};
}

Result<BlockResult> Session::execute(std::string_view code, const std::vector<Variable>& variables,
                                     const OpContext& context) {
  HELVE_TRY(check_alive());
  HELVE_TRY(context.check());
  if (code.size() > kCodeBytesMax || utf8_valid_prefix(code) != code.size() ||
      code.find('\0') != std::string_view::npos) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("the code must be UTF-8 without NUL, of at most {} MiB", kCodeBytesMax / kMiB)};
  }
  const PausedAfter paused(*this);
  HELVE_TRY(prepare(context));
  for (const Variable& variable : variables) HELVE_TRY(set_variable(variable, context));
  tell({EventKind::BlockStarted, {}, code, 0, false});
  const MonotonicTime start = real_clock().now();
  Turn turn = make_turn(context);
  if (options_.on_event) {
    turn.on_output = [this](std::string_view text) {
      tell({EventKind::Output, {}, text, 0, false});
    };
  }
  turn.output.add(unshown_);
  unshown_.clear();
  submits_ = 0;
  BlockResult block;
  const auto done = ask(execute_message(next_id(), code), "done", turn, &block);
  end_block(block, turn, done);
  block.ms = ms_since(start);
  tell({EventKind::BlockEnded, name_of(block.end), {}, block.ms, block.error || block.lost});
  return block;
}

void Session::end_block(BlockResult& block, Turn& turn, const Result<JsonValue>& done) {
  if (done && !lost_) {
    talk_->guest().pause();
    read_done(*done, block);
    if (auto use = talk_->check_use(); !use) lose(use.error(), &turn);
  }
  block.output = turn.output.text();
  block.output_omitted_bytes = turn.output.omitted();
  block.lost = lost_;
  if (block.lost) {
    block.end = BlockEnd::Lost;
  } else if (block.error && turn.is_interrupted) {
    block.end = BlockEnd::Interrupted;
    block.error->type = turn.is_cancelled ? "Cancelled" : "TimeLimit";
    block.error->message = turn.is_cancelled
                               ? "the block was cancelled"
                               : "the block was stopped: its time was over; variables are kept";
  } else if (block.error) {
    block.end = BlockEnd::Raised;
  } else {
    block.end = block.submitted ? BlockEnd::Submitted : BlockEnd::Finished;
  }
}

Result<std::string> Session::variable(std::string_view name, const OpContext& context) {
  HELVE_TRY(check_alive());
  const PausedAfter paused(*this);
  Turn turn = make_turn(context);
  HELVE_ASSIGN(const JsonValue found, ask(get_message(next_id(), name), "value", turn));
  if (found.find("missing") != nullptr) {
    return Error{ErrorCode::NotFound, fmt::format("there is no variable '{}'", name)};
  }
  if (const std::string failure = text_of(found, "error", kKiB); !failure.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the variable '{}' cannot be read: {}", name, failure),
                 "make it of texts, numbers, lists and dicts"};
  }
  if (const JsonValue* const bytes = found.find("bytes")) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the variable '{}' takes {} bytes, and {} are allowed", name,
                             bytes->to_uint64().value_or(0), options_.limits.message_bytes_max),
                 "read a part of it"};
  }
  auto text = talk_->listen(turn);
  keep_output(turn);
  if (!text) return lose_over(text.error(), turn);
  if (utf8_valid_prefix(*text) != text->size()) {
    lose({ErrorCode::Denied, "it broke the protocol: a variable that is not UTF-8"});
    return *lost_;
  }
  return text;
}

Result<std::vector<VariableView>> Session::variables(const OpContext& context) {
  HELVE_TRY(check_alive());
  const PausedAfter paused(*this);
  HELVE_TRY(prepare(context));
  Turn turn = make_turn(context);
  HELVE_ASSIGN(const JsonValue body, ask(views_message(next_id()), "views", turn));
  return read_views(body);
}

}  // namespace

Result<void> Sandbox::register_tools(std::vector<Function> functions) {
  for (Function& function : functions) HELVE_TRY(register_tool(std::move(function)));
  return {};
}

Result<std::unique_ptr<Sandbox>> Sandbox::start(SandboxOptions options, const OpContext& context) {
  HELVE_ASSIGN(const Interpreter interpreter, find_interpreter(options.python));
  HELVE_ASSIGN(auto guest, GuestProcess::start(options, interpreter, guest_program()));
  auto session = std::make_unique<Session>(std::move(options), std::move(guest));
  HELVE_TRY(session->greet(interpreter, context));
  return session;
}

}  // namespace helve::sandbox
