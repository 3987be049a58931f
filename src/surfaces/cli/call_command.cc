// helve call and helve tools.
#include <fmt/format.h>

#include <algorithm>

#include "surfaces/cli/tool_arguments.h"
#include "surfaces/cli/tool_session.h"
#include "toolkit/tools/tool_words.h"

namespace helve::cli {

namespace {

bool is_listed(const toolkit::Tool& tool, const ToolsOptions& options) {
  return options.category.empty() || options.category == "all" ||
         toolkit::name_of(tool.category) == options.category;
}

// For a person: without the limits of a reply.
std::string tools_text(const toolkit::Registry& registry, const ToolsOptions& options) {
  std::string out;
  for (const toolkit::Tool& tool : registry.tools()) {
    if (!is_listed(tool, options)) continue;
    if (!options.is_verbose) {
      out += fmt::format("{}\n    {}\n", toolkit::signature_of(tool),
                         toolkit::first_sentence(tool.purpose));
      continue;
    }
    out += fmt::format("{}{}\n    {}\n", out.empty() ? "" : "\n", toolkit::long_signature_of(tool),
                       tool.purpose);
    std::string keys;
    for (const toolkit::ReturnKey& key : tool.returns) {
      keys += fmt::format("{}{}{}", keys.empty() ? "" : ", ", key.name, key.is_optional ? "?" : "");
    }
    if (!keys.empty()) out += fmt::format("    returns {}\n", keys);
    for (const toolkit::ToolExample& example : tool.examples) {
      out += fmt::format("    {} '{}'\n", tool.name, to_json(example.arguments));
    }
  }
  return out;
}

// Name, description and schemas of each, as machines want them.
std::string tools_json(const toolkit::Registry& registry, const ToolsOptions& options) {
  JsonValue::Array tools;
  for (const toolkit::Tool& tool : registry.tools()) {
    if (!is_listed(tool, options)) continue;
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
  if (is_json || outcome.format == "json") {
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

Result<void> call_tool(const CallOptions& options, CommandContext& context) {
  if (options.words.empty()) {
    return Error{ErrorCode::InvalidInput, "no tool is named", "'helve tools' lists them"};
  }
  std::vector<std::string> words(options.words.begin() + 1, options.words.end());
  for (std::string& word : words) {
    if (word.starts_with(" [")) word.erase(0, 1);  // words_for_parser
  }
  HELVE_ASSIGN(const auto session, ToolSession::open(options.session, context));
  const auto tool = session->toolkit().registry().find(options.words.front());
  HELVE_ASSIGN(const JsonValue arguments,
               read_tool_arguments(words, tool ? *tool : nullptr, context));
  auto shown =
      show_outcome(session->call(options.words.front(), arguments), options.is_json, context);
  session->finish();
  return shown;
}

Result<void> run_call(const CallOptions& options, CommandContext& context) {
  auto done = call_tool(options, context);
  if (done || !options.is_json || context.is_failure_reported) return done;
  // What failed before there was a call: the reader of the structured form gets it in that form.
  toolkit::ReplyFrame frame;
  frame.source = "session";
  HELVE_TRY(context.show(toolkit::render(toolkit::ToolError(done.error()), frame).json + "\n"));
  context.is_failure_reported = true;
  return done;
}

Result<void> run_tools(const ToolsOptions& options, CommandContext& context) {
  const toolkit::Registry registry = toolkit::make_registry();
  const std::string text =
      options.is_json ? tools_json(registry, options) : tools_text(registry, options);
  return context.show(text);
}

}  // namespace helve::cli
