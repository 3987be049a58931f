#include "surfaces/cli/agent/block_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/harmless_lines.h"
#include "base/text.h"
#include "surfaces/cli/agent/layer_lines.h"

namespace helve::cli {

namespace {

using sandbox::BlockEnd;
using sandbox::BlockResult;

std::string shown(std::string_view text, const CommandContext& context) {
  return context.out_terminal.is_interactive() ? harmless_lines(text) : std::string(text);
}

void warn_lines(std::string_view text, const CommandContext& context) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    context.warn(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// One line, whatever spaces the guest wrote.
std::string submitted_json(const std::string& text) {
  const auto parsed = parse_json(text);
  return to_json(parsed ? *parsed : JsonValue(text));
}

void write_error(JsonWriter& json, const BlockResult& result) {
  json.key("error");
  if (!result.error) return json.null();
  json.begin_object();
  json.member("type", result.error->type);
  json.member("message", result.error->message);
  json.member("traceback", result.error->traceback);
  json.key("line");
  result.error->line ? json.value(*result.error->line) : json.null();
  json.end_object();
}

void write_submitted(JsonWriter& json, const BlockResult& result) {
  json.key("submitted");
  if (!result.submitted) return json.null();
  const auto parsed = parse_json(*result.submitted);
  write_json(parsed ? *parsed : JsonValue(*result.submitted), json);
}

void write_lost(JsonWriter& json, const BlockResult& result) {
  json.key("lost");
  if (!result.lost) return json.null();
  json.begin_object();
  json.member("code", error_code_name(result.lost->code));
  json.member("message", result.lost->message);
  json.member("hint", result.lost->hint);
  json.end_object();
}

}  // namespace

void LiveOutput::take(std::string_view text) {
  if (text.empty()) return;
  is_line_open_ = text.back() != '\n';
  show(shown(text, context_));
}

void LiveOutput::show(std::string_view text) {
  if (!state_) return;
  state_ = context_.show(text);
  if (!state_) context_.op.cancel.cancel();
}

void LiveOutput::end_line() {
  if (is_line_open_) show("\n");
  is_line_open_ = false;
}

Result<void> show_block(const BlockResult& result, LiveOutput& output, CommandContext& context) {
  output.end_line();
  HELVE_TRY(Result<void>(output.state()));
  if (!result.value.empty()) HELVE_TRY(context.show(shown(result.value, context) + "\n"));
  if (result.submitted) {
    HELVE_TRY(context.show(shown(submitted_json(*result.submitted), context) + "\n"));
  }
  if (result.error) warn_lines(result.error->traceback, context);
  return {};
}

std::string block_json(const BlockResult& result, const sandbox::Sandbox& session) {
  return json_object([&](JsonWriter& json) {
    json.member("end", name_of(result.end));
    json.member("output", result.output);
    json.member("output_omitted_bytes", result.output_omitted_bytes);
    json.member("value", result.value);
    json.member("value_type", result.value_type);
    write_error(json, result);
    write_submitted(json, result);
    write_lost(json, result);
    json.member("tool_calls", result.tool_calls);
    json.member("model_calls", result.model_calls);
    json.member("ms", result.ms);
    json.member("interpreter", session.interpreter());
    write_layers(json, session.layers());
  });
}

Result<void> ending_of(const BlockResult& result, const CommandContext& context) {
  const std::string what = result.error
                               ? fmt::format("{}: {}", result.error->type, result.error->message)
                               : std::string(name_of(result.end));
  switch (result.end) {
    case BlockEnd::Finished:
    case BlockEnd::Submitted:
      return {};
    case BlockEnd::Raised:
      return Error{ErrorCode::InvalidInput, what};
    case BlockEnd::Interrupted:
      if (context.op.cancel.is_cancelled()) return Error{ErrorCode::Cancelled, "cancelled"};
      return Error{ErrorCode::LimitExceeded, fmt::format("the code was interrupted: {}", what),
                   "--time gives it more, e.g. --time 2min"};
    case BlockEnd::Lost:
      break;
  }
  Error lost = result.lost ? *result.lost : Error{ErrorCode::Unavailable, "the session was lost"};
  const bool is_of_ours =
      lost.code == ErrorCode::LimitExceeded || lost.code == ErrorCode::Cancelled;
  if (!is_of_ours) lost.code = ErrorCode::Unavailable;
  return lost;
}

}  // namespace helve::cli
