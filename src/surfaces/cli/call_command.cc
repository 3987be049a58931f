// helve call and helve tools.
#include <fmt/format.h>

#include <algorithm>

#include "surfaces/cli/tool_arguments.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

namespace {

JsonValue list_arguments(const ToolsOptions& options) {
  JsonValue::Object arguments;
  if (!options.category.empty()) {
    arguments.push_back({"category", JsonValue(options.category)});
  }
  arguments.push_back({"verbose", JsonValue(options.is_verbose)});
  return JsonValue(std::move(arguments));
}

// Name, description and schemas of each, as machines want them.
std::string tools_json(const toolkit::Registry& registry, const ToolsOptions& options) {
  JsonValue::Array tools;
  for (const toolkit::Tool& tool : registry.tools()) {
    if (!options.category.empty() && options.category != "all" &&
        toolkit::name_of(tool.category) != options.category) {
      continue;
    }
    JsonValue::Object one;
    one.push_back({"name", JsonValue(tool.name)});
    one.push_back({"category", JsonValue(toolkit::name_of(tool.category))});
    one.push_back({"description", JsonValue(tool.purpose)});
    one.push_back({"input_schema", toolkit::input_schema(tool)});
    one.push_back({"output_schema", toolkit::output_schema(tool)});
    tools.emplace_back(std::move(one));
  }
  return to_json(JsonValue(std::move(tools)), JsonStyle::Indented) + "\n";
}

}  // namespace

Result<void> show_outcome(const toolkit::CallOutcome& outcome, bool is_json,
                          CommandContext& context) {
  const toolkit::RenderedReply& reply = outcome.reply;
  if (is_json) {
    HELVE_TRY(context.show(reply.json + "\n"));
  } else if (!reply.is_error) {
    HELVE_TRY(context.show(reply.text + "\n"));
  } else {
    std::string_view rest = reply.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      context.warn(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (!reply.is_error) return {};
  context.is_failure_reported = true;
  return Error{reply.code, outcome.tool + " failed"};
}

Result<void> run_call(const CallOptions& options, CommandContext& context) {
  if (options.words.empty()) {
    return Error{ErrorCode::InvalidInput, "no tool is named", "'helve tools' lists them"};
  }
  const std::vector<std::string> words(options.words.begin() + 1, options.words.end());
  HELVE_ASSIGN(const auto session, ToolSession::open(options.session, context));
  const auto tool = session->toolkit().registry().find(options.words.front());
  HELVE_ASSIGN(const JsonValue arguments,
               read_tool_arguments(words, tool ? *tool : nullptr, context));
  auto shown =
      show_outcome(session->call(options.words.front(), arguments), options.is_json, context);
  session->finish();
  return shown;
}

Result<void> run_tools(const ToolsOptions& options, CommandContext& context) {
  const toolkit::Registry registry = toolkit::make_registry();
  if (options.is_json) return context.show(tools_json(registry, options));
  ToolSessionOptions none;
  HELVE_ASSIGN(const auto session, ToolSession::open(none, context));
  toolkit::Caller caller;
  toolkit::Policy policy;
  constexpr std::size_t kCharsMax = 200'000;  // a person asked for all of it
  policy.max_chars = kCharsMax;
  caller.policy = std::make_shared<const toolkit::Policy>(policy);
  JsonValue arguments = list_arguments(options);
  arguments.if_object()->push_back({"max_chars", JsonValue(static_cast<int>(kCharsMax))});
  return show_outcome(session->toolkit().call("list_tools", arguments, caller, context.op), false,
                      context);
}

}  // namespace helve::cli
