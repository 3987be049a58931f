#include "surfaces/cli/agent/dry_run.h"

#include <fmt/format.h>

#include <optional>

#include "agent/llm/answer_parts.h"
#include "base/text.h"
#include "base/utf8.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/shown_lines.h"

namespace helve::cli {

namespace {

// Keeps the first request, and ends the run with it.
class NobodyToAsk final : public llm::Provider {
 public:
  Result<llm::Answer> complete(const llm::Request& request, const OpContext& /*context*/,
                               const llm::StreamSink* /*sink*/) override {
    if (!first_) first_ = request;
    return Error{ErrorCode::Cancelled, "nobody is asked"};
  }
  std::string name() const override { return "none"; }
  std::string model() const override { return "none"; }
  const std::optional<llm::Request>& first() const { return first_; }

 private:
  std::optional<llm::Request> first_;
};

std::uint64_t request_chars(const llm::Request& request) {
  std::uint64_t chars = utf8_length(request.system);
  for (const llm::Message& message : request.messages) chars += utf8_length(message.text);
  for (const llm::ToolDeclaration& tool : request.tools) {
    chars += utf8_length(tool.name) + utf8_length(tool.description) +
             utf8_length(to_json(tool.input_schema));
  }
  return chars;
}

std::string_view role_words(llm::Role role) {
  return role == llm::Role::Assistant ? "assistant" : "user";
}

JsonValue request_json(const llm::Request& request) {
  JsonValue::Array messages;
  for (const llm::Message& message : request.messages) {
    messages.emplace_back(JsonValue::Object{{"role", JsonValue(role_words(message.role))},
                                            {"text", JsonValue(message.text)}});
  }
  JsonValue::Array tools;
  for (const llm::ToolDeclaration& tool : request.tools) tools.emplace_back(tool.name);
  return JsonValue(JsonValue::Object{
      {"system", JsonValue(request.system)},
      {"messages", JsonValue(std::move(messages))},
      {"tools", JsonValue(std::move(tools))},
      {"chars", JsonValue(request_chars(request))},
      {"estimated_tokens", JsonValue(llm::estimated_usage(request, 0).input_tokens)}});
}

std::string request_text(const llm::Request& request) {
  std::string out = fmt::format("system\n{}", shown_lines(request.system));
  for (const llm::Message& message : request.messages) {
    out += fmt::format("\n{}\n{}", role_words(message.role), shown_lines(message.text));
  }
  if (request.tools.empty()) return out;
  out += "\ntools\n";
  for (const llm::ToolDeclaration& tool : request.tools) {
    out += escape_for_terminal(tool.name) + "\n";
  }
  return out;
}

}  // namespace

Result<void> show_dry_run(const AskOptions& options, const std::string& question,
                          CommandContext& context) {
  const auto model = std::make_shared<NobodyToAsk>();
  HELVE_ASSIGN(const auto session, AskSession::open_with(model, options.agent, context));
  const agent::AskResult result = session->ask(question, {}, {});
  session->finish();
  if (!model->first()) {
    if (result.run.error) return *result.run.error;
    return Error{ErrorCode::Cancelled, "cancelled before the prompt was made"};
  }
  const llm::Request& request = *model->first();
  if (options.is_json) {
    return context.show(to_json(request_json(request), JsonStyle::Indented) + "\n");
  }
  HELVE_TRY(context.show(request_text(request)));
  context.note(
      fmt::format("{} characters with the declarations of tools, about {} tokens; nobody "
                  "was asked",
                  format_count(request_chars(request)),
                  format_count(llm::estimated_usage(request, 0).input_tokens)));
  return {};
}

}  // namespace helve::cli
