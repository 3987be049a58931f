#include "agent/llm/rules/talk_state.h"

#include <algorithm>

namespace helve::llm::rules {

namespace {

const ToolUse* call_with(const Request& request, std::size_t before, std::string_view id) {
  for (std::size_t i = before; i-- > 0;) {
    const auto& calls = request.messages[i].calls;
    const auto found =
        std::find_if(calls.begin(), calls.end(), [id](const ToolUse& use) { return use.id == id; });
    if (found != calls.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

Call call_of(std::string_view tool, std::string_view argument, std::string_view text) {
  JsonValue::Object arguments;
  arguments.push_back({std::string(argument), JsonValue(std::string(text))});
  return {std::string(tool), JsonValue(std::move(arguments))};
}

std::string text_argument(const JsonValue& arguments, std::string_view name) {
  const JsonValue* const found = arguments.if_object() != nullptr ? arguments.find(name) : nullptr;
  const std::string* const text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

const Exchange* Talk::find(const Call& call) const {
  const std::string wanted = to_json(call.arguments);
  const auto found = std::find_if(exchanges.begin(), exchanges.end(), [&](const Exchange& one) {
    return one.call.tool == call.tool && to_json(one.call.arguments) == wanted;
  });
  return found == exchanges.end() ? nullptr : &*found;
}

bool Talk::has_called(std::string_view tool) const {
  return std::any_of(exchanges.begin(), exchanges.end(),
                     [tool](const Exchange& one) { return one.call.tool == tool; });
}

bool Talk::has_handle() const {
  return std::any_of(exchanges.begin(), exchanges.end(),
                     [](const Exchange& one) { return !one.reply.handle.empty(); });
}

Talk read_talk(const Request& request) {
  Talk talk;
  const auto& messages = request.messages;
  // Turns before are texts alone: the question stands right before the first calls.
  const auto first = std::find_if(messages.begin(), messages.end(),
                                  [](const Message& one) { return !one.calls.empty(); });
  for (auto one = messages.begin(); one != first; ++one) {
    if (one->role == Role::User) talk.question = one->text;
  }
  for (auto one = first; one != messages.end(); ++one) {
    if (one->role == Role::User) ++talk.words_of_user;
    if (one->role == Role::Assistant) ++talk.steps;
    if (one->role != Role::Tool) continue;
    const auto index = static_cast<std::size_t>(one - messages.begin());
    const ToolUse* const use = call_with(request, index, one->call_id);
    if (use == nullptr) continue;
    talk.exchanges.push_back({{use->name, use->arguments}, read_reply(one->text, one->is_error)});
  }
  return talk;
}

bool takes(const Request& request, std::string_view tool, std::string_view argument) {
  return std::any_of(request.tools.begin(), request.tools.end(), [&](const ToolDeclaration& one) {
    if (one.name != tool || one.input_schema.if_object() == nullptr) return false;
    const JsonValue* const properties = one.input_schema.find("properties");
    return properties != nullptr && properties->if_object() != nullptr &&
           properties->find(argument) != nullptr;
  });
}

bool is_declared(const Request& request, std::string_view tool) {
  return std::any_of(request.tools.begin(), request.tools.end(),
                     [tool](const ToolDeclaration& one) { return one.name == tool; });
}

}  // namespace helve::llm::rules
