#include "surfaces/cli/agent/ask_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "agent/loops/prompt_words.h"
#include "agent/trajectory/run_words.h"
#include "base/text.h"
#include "surfaces/cli/agent/pause_keys.h"
#include "surfaces/cli/shown_lines.h"

namespace helve::cli {

namespace {

using agent::RunEventKind;

constexpr std::size_t kEvidenceShown = 3;
constexpr std::int64_t kRowsShown = 5;
constexpr std::size_t kFirstLineBytes = 4 * kKiB;  // kept of what code prints

// A line and how many more there are.
std::string folded(std::string_view mark, std::string_view first, std::uint64_t more_lines,
                   std::size_t width) {
  const std::string more = more_lines == 0 ? ""
                                           : fmt::format(" (+{} {})", format_count(more_lines),
                                                         more_lines == 1 ? "line" : "lines");
  const std::size_t room = width - std::min(width - 1, display_width(mark) + more.size() + 1);
  return fmt::format("{} {}{}", mark, agent::one_line(first, room), more);
}

std::string folded(std::string_view mark, std::string_view text, std::size_t width) {
  const auto ends = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  const std::uint64_t more = ends != 0 && text.ends_with('\n') ? ends - 1 : ends;
  return folded(mark, text.substr(0, text.find('\n')), more, width);
}

std::string time_words(double ms) {
  return format_duration(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms)));
}

std::string partial_words(const agent::RunResult& run) {
  std::string reason(agent::name_of(run.stop));
  if (!run.note.empty()) reason += " (" + run.note + ")";
  if (run.content.empty()) return fmt::format("no answer: {}", reason);
  return fmt::format("partial: {}{}", reason,
                     run.is_extracted ? ", taken from what was said until then" : "");
}

void tell_failure(const agent::RunResult& run, CommandContext& context) {
  if (run.has_converged()) return;
  context.warn(partial_words(run));
  if (!run.error) return;
  context.warn(run.error->full_message());
  if (!run.error->hint.empty()) context.warn("hint: " + run.error->hint);
}

void tell_evidence(const agent::Evidence& evidence, CommandContext& context) {
  const bool is_stored = !evidence.handle.empty();
  std::string line = fmt::format("evidence: {}", is_stored ? evidence.handle : "an answer");
  if (!evidence.source.empty()) line += fmt::format(" of {}", evidence.source);
  if (is_stored) line += fmt::format(", {}", count_of(evidence.rows, "row"));
  if (!evidence.query.empty()) line += ": " + agent::one_line(evidence.query, agent::kLineChars);
  context.note(line);
}

// Marks of data and advice are for models.
std::string for_people(std::string_view reply) {
  const std::string text = agent::without_mark_lines(reply);
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!rest.starts_with("next: ")) out += fmt::format("{}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// What the answer does not say of itself.
void tell_binding(const agent::RunResult& run, CommandContext& context) {
  if (run.bound == agent::Binding::None && !run.content.empty()) context.note("evidence: none");
  if (run.bound == agent::Binding::Assumed) {
    context.note("evidence: assumed; the answer names none, and this ran last");
  }
}

Result<void> show_rows(const agent::Evidence& evidence, AskSession& session,
                       CommandContext& context) {
  if (evidence.handle.empty()) return {};
  JsonValue::Object arguments;
  arguments.push_back({"result", JsonValue(evidence.handle)});
  arguments.push_back({"limit", JsonValue(kRowsShown)});
  const auto outcome = session.tools().call("sparql_slice", JsonValue(std::move(arguments)));
  if (outcome.reply.is_error) return {};
  HELVE_TRY(context.show("\n" + shown_lines(for_people(outcome.reply.text))));
  context.note(session.is_kept()
                   ? fmt::format("more: helve call sparql_slice result={}", evidence.handle)
                   : "results end with this command; --session DIR keeps them for helve call");
  return {};
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
    case RunEventKind::Judgment:
      return folded("  judgment", event.text, width);
    case RunEventKind::Error:
      return folded("  error", event.text, width);
    case RunEventKind::Reasoning:
    case RunEventKind::Text:
    case RunEventKind::Output:
    case RunEventKind::FinalAnswer:
      break;
  }
  return {};
}

void AskView::take(const agent::RunEvent& event) {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  if (!options_.is_live) return;
  if (event.iteration != iteration_ && event.iteration != 0) {
    end_all();
    iteration_ = event.iteration;
    context_.note(fmt::format("step {}", iteration_));
  }
  if (event.kind == RunEventKind::Output) return print(event.text);
  end_printed();
  const bool is_text = event.kind == RunEventKind::Text || event.kind == RunEventKind::Reasoning;
  if (is_text) {
    if (options_.is_streaming) stream(event.kind, event.text);
    return;
  }
  const std::string line = event_line(event, context_.err_terminal.width(), options_.has_times);
  if (line.empty()) return;
  end_line();
  if (event.is_error) {
    context_.warn(line);
  } else {
    context_.note(line);
  }
}

void AskView::begin_step() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  end_all();
  ++step_;
}

void AskView::wait(bool is_waiting) {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  if (!is_waiting || !options_.is_live || is_inside_line_) return;
  waiting_ = std::make_unique<WaitingLine>(context_.progress_terminal(),
                                           fmt::format("step {}: waiting for {}", step_, model_));
}

void AskView::print(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t line_end = std::min(piece.find('\n'), piece.size());
    const std::string_view line = piece.substr(0, line_end);
    if (printed_.lines == 0 && printed_.first.size() < kFirstLineBytes) printed_.first += line;
    if (line.find_first_not_of(' ') != std::string_view::npos) printed_.is_empty = false;
    printed_.is_inside_line = line_end == piece.size();
    if (!printed_.is_inside_line) ++printed_.lines;
    piece.remove_prefix(std::min(line_end + 1, piece.size()));
  }
}

void AskView::end_printed() {
  const Printed printed = std::exchange(printed_, {});
  if (printed.is_empty) return;
  const std::uint64_t lines = printed.lines + (printed.is_inside_line ? 1 : 0);
  end_line();
  context_.note(folded("  output", printed.first, lines - 1, context_.err_terminal.width()));
}

void AskView::stream(RunEventKind kind, std::string_view piece) {
  if (context_.is_quiet) return;
  if (is_inside_line_ && kind != streamed_) end_line();
  streamed_ = kind;
  std::string out;
  while (!piece.empty()) {
    const std::size_t line_end = std::min(piece.find('\n'), piece.size());
    if (!is_inside_line_) out += kind == RunEventKind::Reasoning ? "  thinks: " : "  ";
    out += escape_for_terminal(piece.substr(0, line_end));
    is_inside_line_ = line_end == piece.size();
    if (!is_inside_line_) out += '\n';
    piece.remove_prefix(std::min(line_end + 1, piece.size()));
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

void AskView::end_line() {
  if (is_inside_line_) std::fputc('\n', stderr);
  is_inside_line_ = false;
}

void AskView::end_all() {
  end_printed();
  end_line();
}

void AskView::end() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  end_all();
}

AskHooks hooks_of(AskView& view, PauseKeys& keys) {
  AskHooks hooks;
  hooks.on_event = [&view](const agent::RunEvent& event) { view.take(event); };
  hooks.on_wait = [&view](bool is_waiting) { view.wait(is_waiting); };
  hooks.steering = [&view, &keys] {
    view.begin_step();
    return keys.ask();
  };
  return hooks;
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

Result<void> show_answer(const agent::AskResult& result, AskSession& session, bool has_times,
                         CommandContext& context) {
  const agent::RunResult& run = result.run;
  if (!run.content.empty()) HELVE_TRY(context.show(shown_lines(run.content)));
  tell_failure(run, context);
  for (const std::string& note : run.notes) context.warn(note);
  tell_binding(run, context);
  for (std::size_t i = 0; i < std::min(run.evidence.size(), kEvidenceShown); ++i) {
    tell_evidence(run.evidence[i], context);
  }
  if (context.out_terminal.is_interactive() && !run.evidence.empty()) {
    HELVE_TRY(show_rows(run.evidence.front(), session, context));
  }
  context.note(cost_line(run, has_times));
  return {};
}

}  // namespace helve::cli
