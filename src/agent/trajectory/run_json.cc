#include "agent/trajectory/run_json.h"

#include <utility>

#include "agent/trajectory/json_members.h"

namespace helve::agent {

namespace {

JsonValue optional_number(const std::optional<std::uint64_t>& count) {
  return count ? JsonValue(*count) : JsonValue();
}

void add_text(JsonValue::Object& out, const char* key, const std::string& text) {
  if (!text.empty()) out.push_back({key, JsonValue(text)});
}

JsonValue usage_json(const RecordedUsage& usage) {
  JsonValue::Object out;
  out.push_back({"input_tokens", JsonValue(usage.input_tokens)});
  out.push_back({"cached_tokens", JsonValue(usage.cached_tokens)});
  out.push_back({"output_tokens", JsonValue(usage.output_tokens)});
  out.push_back({"cost", usage.cost ? JsonValue(*usage.cost) : JsonValue()});
  return JsonValue(std::move(out));
}

JsonValue model_call_json(const RecordedModelCall& call) {
  JsonValue::Object out;
  out.push_back({"sub", JsonValue(call.is_sub)});
  add_text(out, "prompt", call.prompt);
  add_text(out, "reasoning", call.reasoning);
  out.push_back({"text", JsonValue(call.text)});
  JsonValue::Array calls;
  for (const std::string& name : call.calls) calls.emplace_back(name);
  out.push_back({"calls", JsonValue(std::move(calls))});
  add_text(out, "stop", call.stop);
  add_text(out, "model", call.model);
  add_text(out, "error", call.error);
  out.push_back({"usage", usage_json(call.usage)});
  out.push_back({"retries", JsonValue(call.retries)});
  out.push_back({"chars", optional_number(call.chars)});
  return JsonValue(std::move(out));
}

JsonValue call_json(const RecordedCall& call) {
  JsonValue::Object out;
  out.push_back({"id", JsonValue(call.id)});
  out.push_back({"name", JsonValue(call.name)});
  out.push_back({"arguments", call.arguments});
  if (!call.has_result) return JsonValue(std::move(out));
  add_text(out, "handle", call.handle);
  out.push_back({"rows", optional_number(call.rows)});
  out.push_back({"chars", JsonValue(call.chars)});
  out.push_back({"preview", JsonValue(call.preview)});
  out.push_back({"is_error", JsonValue(call.is_error)});
  add_text(out, "error", call.error);
  return JsonValue(std::move(out));
}

}  // namespace

JsonValue head_json(const RecordedRun& run) {
  JsonValue::Object out;
  out.push_back({"run", JsonValue(run.number)});
  out.push_back({"line", JsonValue(run.first_line)});
  out.push_back({"time", run.time.empty() ? JsonValue() : JsonValue(run.time)});
  out.push_back({"task", JsonValue(run.task)});
  out.push_back({"loop", JsonValue(run.loop)});
  out.push_back({"model", JsonValue(run.model)});
  out.push_back({"stop_reason", run.has_end ? JsonValue(run.stop_reason) : JsonValue()});
  out.push_back({"steps", JsonValue(std::uint64_t{run.steps.size()})});
  return JsonValue(std::move(out));
}

JsonValue step_json(const RecordedStep& step) {
  JsonValue::Object out;
  out.push_back({"n", JsonValue(step.n)});
  add_text(out, "time", step.time);
  add_text(out, "message", step.message);
  JsonValue::Array model_calls;
  for (const RecordedModelCall& call : step.model_calls) {
    model_calls.push_back(model_call_json(call));
  }
  out.push_back({"model_calls", JsonValue(std::move(model_calls))});
  JsonValue::Array calls;
  for (const RecordedCall& call : step.calls) calls.push_back(call_json(call));
  out.push_back({"calls", JsonValue(std::move(calls))});
  add_text(out, "reasoning", step.reasoning);
  add_text(out, "code", step.code);
  add_text(out, "output", step.output);
  add_text(out, "error", step.error);
  return JsonValue(std::move(out));
}

JsonValue run_json(const RecordedRun& run) {
  JsonValue value = head_json(run);
  JsonValue::Object& out = *value.if_object();
  out.pop_back();  // the number of steps: they follow
  out.push_back({"config", member(run.start, "config")});
  out.push_back({"origin", member(run.start, "origin")});
  JsonValue::Array steps;
  for (const RecordedStep& step : run.steps) steps.push_back(step_json(step));
  out.push_back({"steps", JsonValue(std::move(steps))});
  out.push_back({"answer", JsonValue(run.answer)});
  out.push_back({"query", JsonValue(run.query)});
  out.push_back({"usage", usage_json(run.usage)});
  return value;
}

}  // namespace helve::agent
