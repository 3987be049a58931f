// helve bench-tools: how long calls of tools take in one process, once the source is open. Reports
// line by line, as bench_query_command.cc does.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

Result<void> write_line(JsonValue::Object event, CommandContext& context) {
  return context.show(to_json(JsonValue(std::move(event)), JsonStyle::Compact) + "\n");
}

// One line of the file of calls: {"case": NAME, "tool": TOOL, "arguments": ...}.
Result<void> measure_call(std::string_view line, ToolSession& session, CommandContext& context) {
  HELVE_ASSIGN(const JsonValue call, parse_json(line, context.op.limits));
  const JsonValue* const name = call.find("case");
  const JsonValue* const tool = call.find("tool");
  const JsonValue* const arguments = call.find("arguments");
  if (name == nullptr || tool == nullptr || tool->if_string() == nullptr || arguments == nullptr) {
    return Error{ErrorCode::InvalidInput, fmt::format("no call of a tool: {}", line)};
  }
  const MonotonicTime start = context.env.clock().now();
  const toolkit::CallOutcome outcome = session.call(*tool->if_string(), *arguments);
  const Duration elapsed = context.env.clock().now() - start;
  JsonValue::Object event;
  event.push_back({"event", JsonValue("call")});
  event.push_back({"case", *name});
  event.push_back({"seconds", JsonValue(seconds(elapsed))});
  event.push_back({"chars", JsonValue(std::uint64_t{outcome.reply.text.size()})});
  if (outcome.reply.is_error) event.push_back({"error", JsonValue(outcome.reply.text)});
  return write_line(std::move(event), context);
}

}  // namespace

Result<void> run_bench_tools(const BenchToolsOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto calls, context.env.files().map(options.calls));
  const MonotonicTime start = context.env.clock().now();
  HELVE_ASSIGN(const auto session, ToolSession::open(options.session, context));
  JsonValue::Object opened;
  opened.push_back({"event", JsonValue("open")});
  opened.push_back({"seconds", JsonValue(seconds(context.env.clock().now() - start))});
  HELVE_TRY(write_line(std::move(opened), context));
  std::string_view rest = calls->text();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0) HELVE_TRY(measure_call(rest.substr(0, end), *session, context));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace helve::cli
