#include "agent/trajectory/recorded_run.h"

#include <map>
#include <utility>

#include "agent/llm/exchange_json.h"
#include "agent/trajectory/json_members.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

// A text, or an object with a message; empty for false and for none.
std::string words_of_error(const JsonValue& body) {
  const JsonValue error = member(body, "error");
  if (error.if_string() != nullptr) return *error.if_string();
  return text_member(error, "message");
}

// A text, or a list of layers with texts.
std::uint64_t chars_of_context(const JsonValue& body) {
  const JsonValue context = member(body, "context");
  if (context.if_string() != nullptr) return utf8_length(*context.if_string());
  const JsonValue layers = context.if_object() != nullptr ? member(context, "layers") : context;
  std::uint64_t chars = 0;
  if (layers.if_array() == nullptr) return utf8_length(text_member(context, "text"));
  for (const JsonValue& layer : *layers.if_array()) {
    chars += utf8_length(text_member(layer, "text"));
  }
  return chars;
}

RecordedRun started(const TrajectoryLine& line) {
  RecordedRun run;
  const JsonValue& body = line.event.body;
  run.number = line.run;
  run.first_line = line.number;
  run.time = line.time;
  run.task = text_member(body, "task");
  run.loop = text_member(body, "loop");
  run.model = text_member(body, "model");
  if (run.model.empty()) run.model = text_member(member(body, "config"), "model");
  run.context_chars = chars_of_context(body);
  run.system_chars = utf8_length(text_member(body, "system"));
  run.start = body;
  return run;
}

// A run as it grows, with what finds its parts: files may have any number of them.
struct GrowingRun {
  RecordedRun run;
  std::map<std::uint64_t, std::size_t> steps;                            // by n
  std::map<std::pair<std::uint64_t, std::string>, std::size_t> waiting;  // calls, by n and id
};

RecordedStep& step_of(GrowingRun& growing, const TrajectoryLine& line) {
  const std::uint64_t n = count_member(line.event.body, "n").value_or(0);
  std::vector<RecordedStep>& steps = growing.run.steps;
  const auto [place, is_new] = growing.steps.try_emplace(n, steps.size());
  if (is_new) {
    RecordedStep& step = steps.emplace_back();
    step.n = n;
    step.time = line.time;
  }
  return steps[place->second];
}

void take_call(GrowingRun& growing, const TrajectoryLine& line) {
  const JsonValue& body = line.event.body;
  RecordedStep& step = step_of(growing, line);
  const std::string id = text_member(body, "id");
  growing.waiting[{step.n, id}] = step.calls.size();
  step.calls.push_back({id, text_member(body, "name"), member(body, "arguments")});
}

void take_result(GrowingRun& growing, const TrajectoryLine& line) {
  const JsonValue& body = line.event.body;
  RecordedStep& step = step_of(growing, line);
  const std::string id = text_member(body, "id");
  const auto waits = growing.waiting.find({step.n, id});
  if (waits == growing.waiting.end()) step.calls.push_back({id, text_member(body, "name"), {}});
  RecordedCall& call =
      waits == growing.waiting.end() ? step.calls.back() : step.calls[waits->second];
  if (waits != growing.waiting.end()) growing.waiting.erase(waits);
  call.has_result = true;
  call.handle = text_member(body, "handle");
  call.rows = count_member(body, "rows");
  call.chars = count_member(body, "chars").value_or(0);
  call.preview = text_member(body, "preview");
  call.error = words_of_error(body);
  call.is_error =
      !call.error.empty() || is_true_member(body, "error") || is_true_member(body, "is_error");
}

void take_model_call(RecordedRun& run, RecordedStep& step, const JsonValue& body) {
  const JsonValue answer = member(body, "answer");
  RecordedModelCall& call = step.model_calls.emplace_back();
  call.prompt = text_member(body, "prompt");
  call.is_sub = !call.prompt.empty() || is_true_member(body, "sub");
  call.text = text_member(answer, "text");
  call.reasoning = text_member(answer, "reasoning");
  call.stop = text_member(answer, "stop");
  call.model = text_member(answer, "model");
  call.error = words_of_error(body);
  const JsonValue calls = member(answer, "calls");
  if (calls.if_array() != nullptr) {
    for (const JsonValue& one : *calls.if_array()) call.calls.push_back(text_member(one, "name"));
  }
  call.usage = llm::usage_in(member(body, "usage"));
  call.retries = count_member(body, "retries").value_or(0);
  call.chars = count_member(body, "chars");
  run.usage += call.usage;
  if (run.model.empty()) run.model = call.model;
}

void take_iteration(RecordedStep& step, const JsonValue& body) {
  step.reasoning = text_member(body, "reasoning");
  step.code = text_member(body, "code");
  step.output = text_member(body, "output");
  step.error = words_of_error(body);
}

void take_end(RecordedRun& run, const JsonValue& body) {
  run.has_end = true;
  run.stop_reason = text_member(body, "stop_reason");
  run.answer = text_member(body, "answer");
  run.query = text_member(body, "query");
  run.end = body;
  // What the run itself counted has what no line tells of.
  const JsonValue usage = member(body, "usage");
  if (usage.if_object() != nullptr) run.usage = llm::usage_in(usage);
}

void take_judgment(RecordedRun& run, const JsonValue& body) {
  RecordedJudgment& judgment = run.judgment.emplace();
  judgment.verdict = text_member(body, "verdict");
  judgment.by = text_member(body, "by");
  judgment.is_verified = is_true_member(body, "verified");
  judgment.f1 = number_member(body, "f1");
  judgment.says = text_member(body, "says");
}

void take(GrowingRun& growing, const TrajectoryLine& line) {
  const JsonValue& body = line.event.body;
  switch (line.event.kind) {
    case EventKind::Iteration:
      return take_iteration(step_of(growing, line), body);
    case EventKind::ToolCall:
      return take_call(growing, line);
    case EventKind::ToolResult:
      return take_result(growing, line);
    case EventKind::LlmCall:
      return take_model_call(growing.run, step_of(growing, line), body);
    case EventKind::RunEnd:
      return take_end(growing.run, body);
    case EventKind::Steering:
      // One that ended the run came before a step that was never made.
      if (!is_true_member(body, "stop")) {
        step_of(growing, line).message = text_member(body, "message");
      }
      return;
    case EventKind::Judgment:
      return take_judgment(growing.run, body);
    case EventKind::MemoryWrite:
      growing.run.memory.push_back(
          {text_member(body, "id"), text_member(body, "title"), text_member(body, "state")});
      return;
    case EventKind::RunStart:
      return;
  }
}

}  // namespace

std::vector<RecordedRun> runs_of(TrajectoryFile file) {
  std::map<std::uint64_t, GrowingRun> growing;  // by number; several may grow at once
  for (TrajectoryLine& line : file.lines) {
    GrowingRun& one = growing[line.run];
    if (line.event.kind == EventKind::RunStart) {
      one.run = started(line);
    } else {
      take(one, line);
    }
    one.run.events.push_back(std::move(line.event));
  }
  std::vector<RecordedRun> runs;
  runs.reserve(growing.size());
  for (auto& [number, one] : growing) runs.push_back(std::move(one.run));
  return runs;
}

}  // namespace helve::agent
