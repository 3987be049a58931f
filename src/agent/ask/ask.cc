#include "agent/ask/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/llm/exchange_json.h"
#include "agent/loops/json_object.h"
#include "base/redaction.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/seen_source.h"

namespace helve::agent {

namespace {

constexpr Duration kContextTime = std::chrono::seconds(30);

// What may be late or away: the tools will say so themselves, to a model that can ask again.
bool can_go_without(const Error& error) {
  return error.code == ErrorCode::Unavailable || error.code == ErrorCode::LimitExceeded;
}

OpContext limited(const OpContext& context, const toolkit::Policy& policy, Duration time_max) {
  OpContext op = context;
  const Duration granted = std::min(toolkit::clamp_timeout(policy, kContextTime), time_max);
  if (op.deadline.is_never() || granted < op.deadline.remaining()) {
    op.deadline = Deadline(real_clock(), granted);
  }
  return op;
}

Result<context::BuiltContext> build(const AskRequest& request, const toolkit::SeenSource& source,
                                    const OpContext& op) {
  if (source.name.empty()) {
    context::BuiltContext none;
    none.notes.emplace_back("there is no source");
    return none;
  }
  context::ContextRequest wanted = request.context;
  wanted.task = request.question;
  if (!wanted.schema_summary) wanted.schema_summary = request.hints.schema_summary;
  context::ContextParts parts;
  parts.graph = source.graph.get();
  parts.tables = source.tables.get();
  parts.memory = request.lessons ? request.lessons : source.memory;
  auto built = build_context(parts, wanted, op);
  if (!built) return built;
  if (!request.lessons && source.memory_writer != nullptr) {
    for (const std::string& id : built->injected) {
      source.memory_writer->note_use(id, memory::Usage::Retrieved);
    }
  }
  if (!source.staleness.empty()) built->notes.push_back(source.staleness);
  return built;
}

// One that is another at each look says nothing of the data.
template <typename Source>
std::string steady_fingerprint(const std::shared_ptr<Source>& source) {
  if (source == nullptr || source->info().is_remote) return {};
  std::string fingerprint = source->fingerprint();
  return fingerprint == source->fingerprint() ? fingerprint : std::string();
}

// What a replay must be given, and what it can be told to have changed. Addresses are written
// without their passwords.
JsonValue origin_json(const toolkit::SeenSource& seen, const RunParts& parts) {
  JsonValue::Array sources;
  for (const toolkit::KnownSource& source : parts.toolkit.sources(parts.caller)) {
    JsonValue one = object_of(
        {{"name", JsonValue(source.info.name)}, {"uri", JsonValue(redact(source.info.uri))}});
    const bool is_seen = source.info.name == seen.name;
    const std::string fingerprint =
        !is_seen ? "" : steady_fingerprint(seen.graph) + steady_fingerprint(seen.tables);
    if (!fingerprint.empty()) one.if_object()->push_back({"fingerprint", JsonValue(fingerprint)});
    sources.push_back(std::move(one));
  }
  return object_of(
      {{"helve", JsonValue(HELVE_PROJECT_VERSION)}, {"sources", JsonValue(std::move(sources))}});
}

JsonValue layers_json(const context::BuiltContext& built) {
  JsonValue::Array layers;
  for (const context::BuiltLayer& layer : built.layers) {
    layers.push_back(object_of({{"layer", JsonValue(name_of(layer.layer))},
                                {"title", JsonValue(title_of(layer.layer))},
                                {"chars", JsonValue(std::uint64_t{layer.text.chars})},
                                {"text", JsonValue(layer.text.text)}}));
  }
  return JsonValue(std::move(layers));
}

// Nothing was asked of a model; the trajectory is whole all the same.
RunResult failed_run(const AskRequest& request, const RunParts& parts, const Error& error) {
  RunResult result;
  if (error.code == ErrorCode::Cancelled) {
    result.stop = StopReason::Cancelled;
  } else {
    result.error = error;
  }
  parts.trajectory.add(EventKind::RunStart,
                       object_of({{"task", JsonValue(request.question)},
                                  {"loop", JsonValue(name_of(request.loop))}}));
  if (parts.on_event) {
    const std::string text = error.to_string();
    RunEvent event;
    event.kind = RunEventKind::Error;
    event.text = text;
    event.is_error = true;
    parts.on_event(event);
  }
  parts.trajectory.add(EventKind::RunEnd,
                       object_of({{"stop_reason", JsonValue(name_of(result.stop))},
                                  {"error", JsonValue(error.to_string())}}));
  return result;
}

// In how many pieces it comes says nothing.
bool is_piece(RunEventKind kind) {
  return kind == RunEventKind::Text || kind == RunEventKind::Reasoning ||
         kind == RunEventKind::Output;
}

// Counts what is told on its way to the caller: of pieces, one for each kind and step.
RunParts counted(const RunParts& parts, AskResult& result) {
  RunParts all = parts;
  all.on_event = [&parts, &result, seen = std::set<std::pair<RunEventKind, std::uint64_t>>()](
                     const RunEvent& event) mutable {
    if (is_piece(event.kind) && !seen.emplace(event.kind, event.iteration).second) {
      if (parts.on_event) parts.on_event(event);
      return;
    }
    const std::string_view name = name_of(event.kind);
    const auto known = std::find_if(result.events.begin(), result.events.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (known != result.events.end()) {
      ++known->second;
    } else {
      result.events.emplace_back(name, 1);
    }
    if (parts.on_event) parts.on_event(event);
  };
  return all;
}

RunRequest run_request(const AskRequest& request, const toolkit::SeenSource& source,
                       const context::BuiltContext& built) {
  RunRequest run;
  run.question = request.question;
  run.context = built.text;
  run.layers = layers_json(built);
  run.source = source.name;
  run.history = request.history;
  run.hints = request.hints;
  run.hints.schema_summary.reset();  // it is in the context
  run.limits = request.limits;
  run.earlier_handles = request.earlier_handles;
  run.reply_form = request.reply_form;
  run.more_tools = request.more_tools;
  if (!request.signature.empty()) run.signature = request.signature;
  return run;
}

}  // namespace

std::string_view name_of(Loop loop) { return loop == Loop::React ? "react" : "rlm"; }

Result<Loop> read_loop(std::string_view name) {
  if (name == "react") return Loop::React;
  if (name == "rlm") return Loop::Rlm;
  return Error{ErrorCode::InvalidInput, fmt::format("there is no loop named {}", name),
               "there are react and rlm"};
}

AskResult ask(const AskRequest& request, const RunParts& parts, const OpContext& context) {
  AskResult result;
  const MonotonicTime started = real_clock().now();
  const RunParts all = counted(parts, result);
  const Duration time_max = std::max(request.limits.time_max, Duration::zero());
  const OpContext op = limited(context, *parts.caller.policy, time_max);
  const auto source = see_source(parts.toolkit, request.source, parts.caller, op);
  if (!source) {
    result.run = failed_run(request, all, source.error());
    return result;
  }
  auto built = build(request, *source, op);
  if (!built && !can_go_without(built.error())) {
    result.run = failed_run(request, all, built.error());
    return result;
  }
  if (built) {
    result.context = *std::move(built);
  } else {
    result.context.notes.push_back("no context: " + built.error().full_message());
  }
  RunRequest run = run_request(request, *source, result.context);
  run.origin = origin_json(*source, parts);
  const Duration taken = real_clock().now() - started;
  run.time_taken = taken;
  result.run =
      request.loop == Loop::React ? run_react(run, all, context) : run_rlm(run, all, context);
  result.run.ms += std::chrono::duration<double, std::milli>(taken).count();
  return result;
}

JsonValue AskResult::to_json() const {
  JsonValue::Array artifacts;
  for (const Evidence& one : run.evidence) {
    artifacts.push_back(object_of({{"handle", JsonValue(one.handle)},
                                   {"ref", JsonValue(one.ref)},
                                   {"query", JsonValue(one.query)},
                                   {"query_hash", JsonValue(one.query_hash)},
                                   {"source", JsonValue(one.source)},
                                   {"rows", JsonValue(one.rows)}}));
  }
  std::vector<std::string> all_notes = context.notes;
  all_notes.insert(all_notes.end(), run.notes.begin(), run.notes.end());
  JsonValue::Object counts;
  for (const auto& [name, count] : events) counts.push_back({name, JsonValue(count)});
  JsonValue json = object_of({{"content", JsonValue(run.content)},
                              {"query", JsonValue(run.query)},
                              {"fields", run.fields},
                              {"structured_artifacts", JsonValue(std::move(artifacts))},
                              {"bound", JsonValue(name_of(run.bound))},
                              {"tools_used", array_of(run.tools_used)},
                              {"events", JsonValue(std::move(counts))},
                              {"usage", llm::to_json_value(run.usage)},
                              {"stop_reason", JsonValue(name_of(run.stop))},
                              {"converged", JsonValue(run.has_converged())},
                              {"extracted", JsonValue(run.is_extracted)},
                              {"iterations", JsonValue(run.iterations)},
                              {"note", JsonValue(run.note)},
                              {"notes", array_of(all_notes)},
                              {"ms", JsonValue(run.ms)}});
  if (run.error) {
    json.if_object()->push_back(
        {"error", object_of({{"code", JsonValue(error_code_name(run.error->code))},
                             {"message", JsonValue(run.error->message)},
                             {"detail", JsonValue(run.error->detail)},
                             {"hint", JsonValue(run.error->hint)}})});
  }
  return json;
}

}  // namespace helve::agent
