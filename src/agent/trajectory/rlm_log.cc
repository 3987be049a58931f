#include "agent/trajectory/rlm_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/trajectory/json_members.h"
#include "base/utc.h"

namespace helve::agent {

namespace {

// The viewer wants some time: that of runs recorded without is the epoch.
std::string time_of(const std::string& time) {
  return time.empty() ? "1970-01-01T00:00:00Z" : time;
}

double seconds_between(const std::string& from, const std::string& to) {
  const auto begin = read_utc(from);
  const auto end = read_utc(to);
  if (!begin || !end) return 0;
  return std::chrono::duration<double>(*end - *begin).count();
}

JsonValue text(std::string_view words) { return JsonValue(words); }

JsonValue message(std::string_view role, std::string_view content) {
  JsonValue::Object out;
  out.push_back({"role", text(role)});
  out.push_back({"content", text(content)});
  return JsonValue(std::move(out));
}

JsonValue metadata_of(const RecordedRun& run) {
  const JsonValue config = member(run.start, "config");
  const auto steps = count_member(config, "iterations_max");
  JsonValue::Object out;
  out.push_back({"type", text("metadata")});
  out.push_back({"timestamp", text(time_of(run.time))});
  out.push_back({"root_model", text(run.model)});
  out.push_back({"max_depth", JsonValue(1)});
  out.push_back({"max_iterations", steps ? JsonValue(*steps) : JsonValue()});
  out.push_back({"backend", text("helve")});
  out.push_back({"backend_kwargs", JsonValue(JsonValue::Object{})});
  out.push_back({"environment_type", text(run.loop)});
  out.push_back({"environment_kwargs", JsonValue(JsonValue::Object{})});
  out.push_back({"other_backends", JsonValue()});
  return JsonValue(std::move(out));
}

JsonValue sub_call(const RecordedModelCall& call) {
  JsonValue::Object out;
  out.push_back({"root_model", text(call.model)});
  out.push_back({"prompt", text(call.prompt)});
  out.push_back({"response", text(call.error.empty() ? call.text : call.error)});
  out.push_back({"prompt_tokens", JsonValue(call.usage.input_tokens)});
  out.push_back({"completion_tokens", JsonValue(call.usage.output_tokens)});
  out.push_back({"execution_time", JsonValue(0.0)});
  return JsonValue(std::move(out));
}

JsonValue block(std::string_view code, std::string_view out_text, std::string_view error,
                JsonValue::Array sub_calls) {
  JsonValue::Object result;
  result.push_back({"stdout", text(out_text)});
  result.push_back({"stderr", text(error)});
  result.push_back({"locals", JsonValue(JsonValue::Object{})});
  result.push_back({"execution_time", JsonValue(0.0)});
  result.push_back({"rlm_calls", JsonValue(std::move(sub_calls))});
  result.push_back({"final_answer", JsonValue()});
  JsonValue::Object out;
  out.push_back({"code", text(code)});
  out.push_back({"result", JsonValue(std::move(result))});
  return JsonValue(std::move(out));
}

// "sparql_query(query="SELECT ...", limit=5)"
std::string as_code(const RecordedCall& call) {
  std::string out = call.name + "(";
  if (const JsonValue::Object* const members = call.arguments.if_object()) {
    for (const JsonMember& one : *members) {
      out += fmt::format("{}{}={}", out.back() == '(' ? "" : ", ", one.key, to_json(one.value));
    }
  }
  return out + ")";
}

JsonValue blocks_of(const RecordedStep& step) {
  JsonValue::Array sub_calls;
  for (const RecordedModelCall& call : step.model_calls) {
    if (call.is_sub) sub_calls.push_back(sub_call(call));
  }
  JsonValue::Array blocks;
  if (!step.code.empty()) {
    blocks.push_back(block(step.code, step.output, step.error, std::move(sub_calls)));
    return JsonValue(std::move(blocks));
  }
  for (const RecordedCall& call : step.calls) {
    const std::string error = call.error.empty() && call.is_error ? call.preview : call.error;
    blocks.push_back(block(as_code(call), call.is_error ? "" : call.preview, error, {}));
  }
  return JsonValue(std::move(blocks));
}

// What the viewer shows above an iteration, and what is new in it: what the model was given at
// first, then what came back of the step before.
JsonValue prompt_of(const RecordedRun& run, std::size_t index) {
  JsonValue::Array out;
  if (index == 0) {
    out.push_back(message("system", text_member(run.start, "system")));
    out.push_back(message("user", run.task));
    return JsonValue(std::move(out));
  }
  const RecordedStep& before = run.steps[index - 1];
  std::string came = before.output;
  for (const RecordedCall& call : before.calls) {
    if (!run.is_rlm()) came += fmt::format("{}: {}\n", call.name, call.preview);
  }
  if (!came.empty()) out.push_back(message("user", came));
  const std::string& told = run.steps[index].message;
  if (!told.empty()) out.push_back(message("user", told));
  return JsonValue(std::move(out));
}

std::string response_of(const RecordedStep& step) {
  const auto found = std::find_if(step.model_calls.begin(), step.model_calls.end(),
                                  [](const RecordedModelCall& call) { return !call.is_sub; });
  const std::string said = found == step.model_calls.end() ? std::string() : found->text;
  return said.empty() ? step.reasoning : said;
}

JsonValue iteration_of(const RecordedRun& run, std::size_t index) {
  const RecordedStep& step = run.steps[index];
  const bool is_last = index + 1 == run.steps.size();
  JsonValue::Object out;
  out.push_back({"type", text("iteration")});
  out.push_back({"iteration", JsonValue(static_cast<std::uint64_t>(index + 1))});
  out.push_back({"timestamp", text(time_of(step.time))});
  out.push_back({"prompt", prompt_of(run, index)});
  out.push_back({"response", text(response_of(step))});
  out.push_back({"code_blocks", blocks_of(step)});
  out.push_back({"final_answer", is_last && !run.answer.empty() ? text(run.answer) : JsonValue()});
  out.push_back(
      {"iteration_time",
       is_last ? JsonValue() : JsonValue(seconds_between(step.time, run.steps[index + 1].time))});
  return JsonValue(std::move(out));
}

}  // namespace

Result<void> write_rlm_log(const RecordedRun& run, ByteSink& out) {
  HELVE_TRY(out.write(to_json(metadata_of(run)) + "\n"));
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    HELVE_TRY(out.write(to_json(iteration_of(run, i)) + "\n"));
  }
  return {};
}

}  // namespace helve::agent
