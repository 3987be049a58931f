// ask: a question to a model that works with the tools, and an answer bound to what it rests on.
// Only in builds with the agent layer; helve.h does not include it. docs/agent.md tells more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/error.h"
#include "helve/export.h"
#include "helve/tools.h"

namespace helve::api {

// A call that a model wants made.
struct ModelCall {
  std::string id;
  std::string name;
  std::string arguments;  // a JSON object
};

struct ModelMessage {
  enum class Role : std::uint8_t { User, Assistant, Tool };
  Role role = Role::User;
  std::string text;
  std::vector<ModelCall> calls;  // of Assistant
  std::string call_id;           // of Tool: the call that it answers
  bool is_error = false;         // of Tool
};

struct ModelTool {
  std::string name;
  std::string description;
  std::string input_schema;  // JSON Schema of an object
};

struct ModelRequest {
  std::string system;
  std::vector<ModelMessage> messages;
  std::vector<ModelTool> tools;
  std::size_t output_tokens_max = 0;
  CancelToken cancel;  // of the call; a model that waits should look at it
};

struct ModelAnswer {
  std::string text;
  std::string reasoning;
  std::vector<ModelCall> calls;
  std::uint64_t input_tokens = 0;  // both 0: they are estimated
  std::uint64_t output_tokens = 0;
  std::optional<double> cost;
  std::string model;
};

// A model of the program's own. Must not throw; may be called from several threads at once.
using Model = std::function<Result<ModelAnswer>(const ModelRequest&)>;

// Which model is asked, in the words of the command line (docs/models.md). What is empty comes from
// the file, then from the environment: HELVE_PROVIDER, HELVE_MODEL, HELVE_MODEL_URL, ...
struct ModelSettings {
  std::string provider;  // "chat", "responses", "anthropic", "scripted"
  std::string model;
  std::string url;
  std::string key;          // "env:NAME" or "file:PATH", never the key itself
  std::string prices_file;  // TOML
  std::string script;       // answers of a file instead of a model
  std::string record;       // file that gets all exchanges
  std::string config_file;  // TOML with a section [model]: these, prices, headers, times, limits
};

struct AskLimits {
  std::uint64_t steps_max = 12;
  std::uint64_t tool_calls_max = 60;
  std::uint64_t model_calls_max = 25;  // that code makes, in loop "rlm"
  std::uint64_t tokens_max = 400'000;  // in and out
  std::optional<double> cost_max;
  std::chrono::nanoseconds time_max = std::chrono::minutes(10);
};

// The texts are valid during the callback only.
struct AskEvent {
  std::string_view kind;  // "tool_call", "tool_result", "text", ...: docs/agent.md
  std::uint64_t step = 0;
  std::string_view name;  // of the tool
  std::string_view text;
  double ms = 0;
  bool is_error = false;
};

// A word between two steps.
struct AskSteering {
  bool is_stop = false;  // the run ends, as cancelled, with what there is
  std::string message;   // put into the conversation ("wrong table"); may be empty
};

struct AgentOptions {
  Model model;             // empty: that of the settings
  ModelSettings settings;  // not looked at where there is a model
  // Loop "rlm": whom code asks with llm_query. Both empty: the same model. What the settings leave
  // out is that of `settings`; script, record and prices are never looked at here.
  Model sub_model;
  ModelSettings sub_settings;
  std::string loop = "react";  // or "rlm": the model writes Python in the sandbox
  // Loop "rlm": what its code is given and must hand in, "context, question -> sparql, answer:
  // str"; empty: "context, question -> answer".
  std::string signature;
  std::string source;           // asked first; empty: the first that there is
  std::string layers = "all";   // of the context, such as "L0,L1"
  std::string budget = "full";  // of the context: "full", "compact", characters, "l0=600,l2=0"
  std::vector<std::string> relevant;  // tables or classes that matter
  std::string business;               // what words mean here
  std::string schema_summary;         // instead of what L0 and L1 say; empty: not
  std::vector<std::pair<std::string, std::string>> history;  // earlier questions and answers
  AskLimits limits;
  std::string trajectory_file;  // every event is appended here, one line each; empty: none
  bool has_times = true;        // in the trajectory; without, the same run gives the same bytes
  // On threads of the run, one at a time; must not throw.
  std::function<void(const AskEvent&)> on_event;
  // Asked before every step, with its number from 1; must not throw. The run waits for it, as long
  // as it likes: that time does not count. What it answers goes into the trajectory.
  std::function<AskSteering(std::uint64_t step)> steering;
};

struct AskEvidence {
  std::string handle;
  std::string query;
  std::string query_hash;
  std::string source;
  std::uint64_t rows = 0;
};

struct AskAnswer {
  bool has_converged = false;  // submitted; otherwise `stop_reason` says what ended the run
  std::string stop_reason;     // "submitted", "step_cap", "failed", ...
  std::string content;         // may be partial, or empty, where it has not converged
  std::string query;           // that it rests on
  std::vector<AskEvidence> evidence;
  std::vector<std::string> tools_used;
  std::uint64_t steps = 0;
  std::uint64_t tool_calls = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::optional<double> cost;
  std::optional<Error> error;             // where it failed
  std::optional<Error> trajectory_error;  // the file lacks something; the run is not touched
  std::optional<Error> record_error;      // the same of ModelSettings::record
  std::string json;                       // all of it as one object
  double ms = 0;
};

// NotFound where no model is configured, InvalidInput for options that make no sense; what goes
// wrong in the run is a result. Make the tools with ToolsOptions::marks_data: models obey texts.
HELVE_API Result<AskAnswer> ask(const Tools& tools, std::string_view question,
                                const AgentOptions& options = {}, const CallOptions& call = {});

}  // namespace helve::api
