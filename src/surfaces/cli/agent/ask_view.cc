#include "surfaces/cli/agent/ask_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "agent/trajectory/run_words.h"
#include "base/text.h"
#include "surfaces/cli/shown_lines.h"

namespace helve::cli {

namespace {

using agent::RunEventKind;

constexpr std::size_t kEvidenceShown = 3;
constexpr std::int64_t kRowsShown = 5;

std::string lines_more(std::string_view text) {
  const auto more = std::count(text.begin(), text.end(), '\n') - (text.ends_with('\n') ? 1 : 0);
  return more <= 0 ? "" : fmt::format(" (+{} {})", more, more == 1 ? "line" : "lines");
}

// The first line of a text and how many more there are.
std::string folded(std::string_view mark, std::string_view text, std::size_t width) {
  const std::string more = lines_more(text);
  const std::size_t room = width - std::min(width - 1, display_width(mark) + more.size() + 1);
  return fmt::format("{} {}{}", mark, agent::one_line(text.substr(0, text.find('\n')), room), more);
}

std::string time_words(double ms) {
  return format_duration(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms)));
}

std::string partial_words(const agent::RunResult& run) {
  const std::string_view reason = agent::name_of(run.stop);
  if (run.content.empty()) return fmt::format("no answer: {}", reason);
  return fmt::format("partial: {}{}", reason,
                     run.is_extracted ? ", taken from what was said until then" : "");
}

void tell_failure(const agent::RunResult& run, CommandContext& context) {
  if (run.has_converged()) return;
  context.warn(partial_words(run));
  if (!run.error) return;
  context.warn(run.error->message);
  if (!run.error->hint.empty()) context.warn("hint: " + run.error->hint);
}

void tell_evidence(const agent::Evidence& evidence, CommandContext& context) {
  std::string line = fmt::format("evidence: {}", evidence.handle);
  if (!evidence.source.empty()) line += fmt::format(" of {}", evidence.source);
  line += fmt::format(", {}", count_of(evidence.rows, "row"));
  if (!evidence.query.empty()) line += ": " + agent::one_line(evidence.query, agent::kLineChars);
  context.note(line);
}

// Marks of data are for models.
std::string without_marks(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool is_mark =
        line.ends_with('>') && (line.starts_with("<data ") || line.starts_with("</data "));
    if (!is_mark) out += fmt::format("{}\n", line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Result<void> show_rows(const agent::Evidence& evidence, ToolSession& tools,
                       CommandContext& context) {
  if (evidence.handle.empty()) return {};
  JsonValue::Object arguments;
  arguments.push_back({"result", JsonValue(evidence.handle)});
  arguments.push_back({"limit", JsonValue(kRowsShown)});
  const auto outcome = tools.call("sparql_slice", JsonValue(std::move(arguments)));
  if (outcome.reply.is_error) return {};
  return context.show("\n" + shown_lines(without_marks(outcome.reply.text)));
}

}  // namespace

std::string event_line(const agent::RunEvent& event, std::size_t width, bool has_times) {
  switch (event.kind) {
    case RunEventKind::SchemaLoaded:
      return folded("context", event.text, width);
    case RunEventKind::ToolCall:
      return folded(fmt::format("  call {}", agent::one_line(event.name, agent::kNameChars)),
                    event.text, width);
    case RunEventKind::ToolResult: {
      const std::string took = has_times ? fmt::format(", {}", time_words(event.ms)) : "";
      return folded(event.is_error ? "  error" : "  result", event.text,
                    width - std::min(width / 2, took.size())) +
             took;
    }
    case RunEventKind::Code:
      return folded("  code", event.text, width);
    case RunEventKind::Output:
      if (event.text.find_first_not_of(" \n") == std::string_view::npos) return {};
      return folded("  output", event.text, width);
    case RunEventKind::Judgment:
      return folded("  judgment", event.text, width);
    case RunEventKind::Error:
      return folded("  error", event.text, width);
    case RunEventKind::Reasoning:
    case RunEventKind::Text:
    case RunEventKind::FinalAnswer:
      break;
  }
  return {};
}

void AskView::take(const agent::RunEvent& event) {
  if (!options_.is_live) return;
  if (event.iteration != iteration_ && event.iteration != 0) {
    end();
    iteration_ = event.iteration;
    context_.note(fmt::format("step {}", iteration_));
  }
  const bool is_text = event.kind == RunEventKind::Text || event.kind == RunEventKind::Reasoning;
  if (is_text) {
    if (options_.is_streaming) stream(event.text);
    return;
  }
  const std::string line = event_line(event, context_.err_terminal.width(), options_.has_times);
  if (line.empty()) return;
  end();
  if (event.is_error) {
    context_.warn(line);
  } else {
    context_.note(line);
  }
}

void AskView::stream(std::string_view piece) {
  if (context_.is_quiet) return;
  std::string out;
  while (!piece.empty()) {
    const std::size_t line_end = std::min(piece.find('\n'), piece.size());
    if (!is_inside_line_) out += "  ";
    out += escape_for_terminal(piece.substr(0, line_end));
    is_inside_line_ = line_end == piece.size();
    if (!is_inside_line_) out += '\n';
    piece.remove_prefix(std::min(line_end + 1, piece.size()));
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

void AskView::end() {
  if (is_inside_line_) std::fputc('\n', stderr);
  is_inside_line_ = false;
}

std::string cost_line(const agent::RunResult& run, bool has_times) {
  std::string line =
      fmt::format("{}, {}, {} tokens in", count_of(run.iterations, "step"),
                  count_of(run.tool_calls, "tool call"), format_count(run.usage.input_tokens));
  if (run.usage.cached_tokens != 0) {
    line += fmt::format(" ({} cached)", format_count(run.usage.cached_tokens));
  }
  line += fmt::format(", {} out{}", format_count(run.usage.output_tokens),
                      run.usage.is_estimated ? " (estimated)" : "");
  if (run.usage.cost) line += fmt::format(", cost {:.4f}", *run.usage.cost);
  if (has_times) line += fmt::format(", {}", time_words(run.ms));
  return line;
}

Result<void> show_answer(const agent::AskResult& result, ToolSession& tools, bool has_times,
                         CommandContext& context) {
  const agent::RunResult& run = result.run;
  if (!run.content.empty()) HELVE_TRY(context.show(shown_lines(run.content)));
  tell_failure(run, context);
  for (std::size_t i = 0; i < std::min(run.evidence.size(), kEvidenceShown); ++i) {
    tell_evidence(run.evidence[i], context);
  }
  if (context.out_terminal.is_interactive() && !run.evidence.empty()) {
    HELVE_TRY(show_rows(run.evidence.front(), tools, context));
  }
  context.note(cost_line(run, has_times));
  return {};
}

}  // namespace helve::cli
