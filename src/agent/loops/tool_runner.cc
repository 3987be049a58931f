#include "agent/loops/tool_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/loops/json_object.h"
#include "agent/loops/payload.h"
#include "agent/loops/prompt_words.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::size_t kPreviewChars = 500;
constexpr std::size_t kReplyChars = 2'000;

// An outcome of ours, in the form of those of the toolkit.
toolkit::CallOutcome refused_call(std::string_view tool, Error error) {
  toolkit::CallOutcome outcome;
  outcome.tool = tool;
  toolkit::ToolError failure(std::move(error));
  toolkit::ReplyFrame frame;
  frame.source = "session";
  frame.max_chars = kReplyChars;
  outcome.reply = toolkit::render(failure, frame);
  outcome.answer = std::move(failure);
  return outcome;
}

Error no_calls_left(std::uint64_t most) {
  return {ErrorCode::LimitExceeded, fmt::format("all {} tool calls of this run are used up", most),
          "answer from what is there"};
}

Error no_object(const llm::ToolUse& use) {
  const auto parsed = parse_json(use.written);
  return {ErrorCode::InvalidInput,
          parsed ? "the arguments are no JSON object"
                 : fmt::format("the arguments are no JSON: {}", parsed.error().full_message()),
          "give one JSON object with the parameters by name"};
}

// The tool that is meant: that of call_tool is inside.
std::string name_meant(std::string_view tool, const JsonValue& arguments) {
  if (tool != "call_tool") return std::string(tool);
  const std::string inner = text_of(arguments, "name");
  return inner.empty() ? "call_tool" : inner;
}

const JsonValue& arguments_meant(std::string_view tool, const JsonValue& arguments) {
  const JsonValue* const inner = tool == "call_tool" ? arguments.find("arguments") : nullptr;
  return inner != nullptr && inner->if_object() != nullptr ? *inner : arguments;
}

bool takes_kind(const toolkit::Tool& tool, SourceKind kind) {
  if (tool.needs_either) return true;
  if (kind == SourceKind::Tables) return tool.needs_tables;
  return tool.needs_graph || tool.takes_graph;
}

JsonValue result_json(const llm::ToolUse& use, const toolkit::CallOutcome& outcome,
                      const std::string& text) {
  JsonValue body = object_of({{"id", JsonValue(use.id)},
                              {"name", JsonValue(use.name)},
                              {"chars", JsonValue(std::uint64_t{utf8_length(text)})},
                              {"preview", JsonValue(head_of(text, kPreviewChars))}});
  JsonValue::Object& members = *body.if_object();
  const auto* const reply = std::get_if<toolkit::Reply>(&outcome.answer);
  if (reply != nullptr && reply->handle) {
    members.push_back({"handle", JsonValue(reply->handle->key)});
    members.push_back({"rows", JsonValue(reply->handle->rows)});
  }
  if (const auto* failure = std::get_if<toolkit::ToolError>(&outcome.answer)) {
    members.push_back({"error", JsonValue(failure->error.full_message())});
    members.push_back({"code", JsonValue(error_code_name(failure->error.code))});
  }
  members.push_back({"ms", JsonValue(outcome.ms)});
  return body;
}

}  // namespace

ToolRunner::ToolRunner(const RunRequest& request, const RunParts& parts, RunBudget& budget,
                       RunJournal& journal, EvidenceBook& evidence)
    : request_(request), parts_(parts), budget_(budget), journal_(journal), evidence_(evidence) {
  for (const toolkit::KnownSource& source : parts.toolkit.sources(parts.caller)) {
    if (source.info.name == request.source) source_kind_ = source.info.kind;
  }
}

// Only where the tool asks sources of that kind: another source is then meant than the run's.
JsonValue ToolRunner::with_source(std::string_view tool, const JsonValue& arguments) const {
  const JsonValue* const given = arguments.find("source");
  if (!source_kind_ || (given != nullptr && !given->is_null())) return arguments;
  const auto found = parts_.toolkit.registry().find(name_meant(tool, arguments));
  if (!found || !takes_kind(**found, *source_kind_)) return arguments;
  JsonValue all = arguments;
  JsonValue::Object& members = *all.if_object();
  std::erase_if(members, [](const JsonMember& member) { return member.key == "source"; });
  members.push_back({"source", JsonValue(request_.source)});
  return all;
}

toolkit::CallOutcome ToolRunner::call(const llm::ToolUse& use, bool is_granted,
                                      const OpContext& op) const {
  if (!is_granted) return refused_call(use.name, no_calls_left(request_.limits.tool_calls_max));
  if (use.arguments.if_object() == nullptr) return refused_call(use.name, no_object(use));
  if (auto going = op.check(); !going) return refused_call(use.name, std::move(going).error());
  auto outcome =
      parts_.toolkit.call(use.name, with_source(use.name, use.arguments), parts_.caller, op);
  if (request_.reply_form == ReplyForm::Payloads) {
    outcome.reply.text = payload_text(outcome, parts_.toolkit, parts_.caller, op);
  }
  return outcome;
}

void ToolRunner::announce(const llm::ToolUse& use) {
  const std::string written = use.arguments.is_null() ? use.written : to_json(use.arguments);
  journal_.tell(RunEventKind::ToolCall, written, use.name);
  record_call(use);
}

void ToolRunner::record_call(const llm::ToolUse& use) {
  journal_.record(
      EventKind::ToolCall,
      object_of({{"id", JsonValue(use.id)},
                 {"name", JsonValue(use.name)},
                 {"arguments", use.arguments.is_null() ? JsonValue(use.written) : use.arguments}}));
}

void ToolRunner::record_submission(const llm::ToolUse& use, const std::optional<Error>& refused) {
  record_call(use);
  const std::string text = refused ? refused->to_string() : std::string();
  JsonValue body = object_of({{"id", JsonValue(use.id)},
                              {"name", JsonValue(use.name)},
                              {"chars", JsonValue(std::uint64_t{utf8_length(text)})},
                              {"preview", JsonValue(head_of(text, kPreviewChars))}});
  if (refused) {
    body.if_object()->push_back({"error", JsonValue(refused->message)});
    body.if_object()->push_back({"code", JsonValue(error_code_name(refused->code))});
  }
  journal_.record(EventKind::ToolResult, std::move(body));
}

void ToolRunner::tell_result(const llm::ToolUse& use, const toolkit::CallOutcome& outcome) {
  RunEvent event;
  event.kind = RunEventKind::ToolResult;
  event.name = use.name;
  event.text = outcome.reply.text;
  event.ms = outcome.ms;
  event.is_error = outcome.reply.is_error;
  journal_.tell(event);
}

void ToolRunner::finish(const llm::ToolUse& use, const toolkit::CallOutcome& outcome) {
  const std::string text = without_time(without_marks(outcome.reply.text));
  const std::uint64_t chars = utf8_length(text);
  sizes_.chars += chars;
  sizes_.chars_max = std::max(sizes_.chars_max, chars);
  if (chars > kLargeReplyChars) ++sizes_.large;
  journal_.record(EventKind::ToolResult, result_json(use, outcome, text));
  const std::string name = name_meant(use.name, use.arguments);
  const bool is_known = parts_.toolkit.registry().find(name).has_value();
  if (is_known && std::find(used_.begin(), used_.end(), name) == used_.end()) {
    used_.push_back(name);
  }
  if (outcome.reply.is_error && outcome.reply.code == ErrorCode::Denied) ++refused_;
  if (!outcome.reply.is_error) {
    evidence_.note(name, arguments_meant(use.name, use.arguments), outcome, budget_.op());
  }
}

std::vector<llm::Message> ToolRunner::run_all(const std::vector<llm::ToolUse>& calls) {
  std::vector<bool> is_granted;
  for (const llm::ToolUse& use : calls) {
    announce(use);
    is_granted.push_back(budget_.take_call());
  }
  std::vector<toolkit::CallOutcome> outcomes(calls.size());
  const OpContext& op = budget_.op();
  const auto run_one = [&](std::size_t i) {
    outcomes[i] = call(calls[i], is_granted[i], op);
    tell_result(calls[i], outcomes[i]);
    return Result<void>();
  };
  const std::size_t at_once = std::max<std::size_t>(request_.limits.parallel_calls_max, 1);
  if (calls.size() > 1 && at_once > 1) {
    if (threads_ == nullptr) threads_ = std::make_unique<Executor>(at_once - 1);
    // Each call looks at the end of the run for itself, and says so.
    const auto all = threads_->parallel_for(calls.size(), OpContext{}, run_one);
    for (std::size_t i = 0; i < calls.size() && !all; ++i) {
      if (outcomes[i].tool.empty()) outcomes[i] = refused_call(calls[i].name, all.error());
    }
  } else {
    for (std::size_t i = 0; i < calls.size(); ++i) static_cast<void>(run_one(i));
  }
  std::vector<llm::Message> replies;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    finish(calls[i], outcomes[i]);
    llm::Message reply;
    reply.role = llm::Role::Tool;
    reply.call_id = calls[i].id;
    reply.text = without_time(std::move(outcomes[i].reply.text));
    reply.is_error = outcomes[i].reply.is_error;
    replies.push_back(std::move(reply));
  }
  return replies;
}

toolkit::CallOutcome ToolRunner::run(std::string_view tool, const JsonValue& arguments,
                                     const OpContext& op) {
  llm::ToolUse use;
  use.id = fmt::format("call_{}", ++numbered_);
  use.name = tool;
  use.arguments = arguments;
  announce(use);
  toolkit::CallOutcome outcome = call(use, budget_.take_call(), op);
  tell_result(use, outcome);
  finish(use, outcome);
  return outcome;
}

}  // namespace helve::agent
