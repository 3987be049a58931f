// What both loops (react.h, rlm.h) are given and give back: a question, a model, tools under
// limits; an answer that is bound to what it rests on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/sandbox/sandbox.h"
#include "agent/trajectory/trajectory.h"
#include "base/json.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/toolkit.h"

namespace helve::agent {

struct RunLimits {
  std::uint64_t iterations_max = 12;
  std::uint64_t tool_calls_max = 60;
  std::uint64_t model_calls_max = 25;     // RLM: llm_query
  std::uint64_t tokens_max = 400'000;     // in and out
  std::size_t output_tokens_max = 4'096;  // of one answer of a model
  std::optional<double> cost_max;         // refused at the start where no prices are known
  Duration time_max = std::chrono::minutes(10);
  // Tool calls of one answer at once. With more than one, which of two queries is results_0 depends
  // on which ends first.
  std::size_t parallel_calls_max = 4;
  std::size_t answer_chars_max = 20'000;
};

enum class StopReason : std::uint8_t {
  Submitted,  // the only one that counts as converged
  StepCap,
  CallCap,
  TokenBudget,
  CostBudget,
  TimeBudget,
  OutputCap,     // answers of the model were cut off again and again
  NotSubmitted,  // it answered, but did not hand it in
  Refused,       // by the model
  Cancelled,
  Failed,  // the provider or the sandbox; `error` says why
};
std::string_view name_of(StopReason reason);  // "submitted"

enum class RunEventKind : std::uint8_t {
  SchemaLoaded,
  Reasoning,
  Text,  // a piece of the model's text, as it streams
  ToolCall,
  ToolResult,
  Code,    // RLM: what will run
  Output,  // RLM: what it printed
  Judgment,
  FinalAnswer,
  Error,
};
std::string_view name_of(RunEventKind kind);  // "schema_loaded"

// The texts are valid during the callback only.
struct RunEvent {
  RunEventKind kind = RunEventKind::Text;
  std::uint64_t iteration = 0;
  std::string_view name;  // of a tool
  std::string_view text;
  double ms = 0;
  bool is_error = false;
};

// From the caller, between two steps: go on, wait, stop, or with a word to the model.
struct Steering {
  enum class Word : std::uint8_t { GoOn, Stop } word = Word::GoOn;
  std::string message;  // put into the conversation; may be empty
};

struct ContextHints {
  std::vector<std::string> relevant;          // tables or classes
  std::string business;                       // what words mean here
  std::optional<std::string> schema_summary;  // instead of L0 and L1
};

// What ties an answer to its evidence: handles that it names, the query that it names, nothing but
// that it was the last to run, or nothing at all.
enum class Binding : std::uint8_t { None, Named, Query, Assumed };
std::string_view name_of(Binding binding);  // "none"

// What a model gets of a result: a handle and a preview, or all of it at once, as tools do that
// know no handles. The second is there to be measured against.
enum class ReplyForm : std::uint8_t { Handles, Payloads };
std::string_view name_of(ReplyForm form);  // "handles"

struct RunRequest {
  std::string question;
  std::string context;  // the layers, as text (toolkit/context)
  JsonValue layers;     // the same for the trajectory: [{layer, title, chars, text}]; may be null
  std::string source;   // asked by calls that name none; empty: the toolkit's first
  // Of what the run is made, for the trajectory: {helve, sources: [{name, uri, fingerprint}]}, put
  // into run_start as it is; may be null.
  JsonValue origin;
  std::vector<llm::Message> history;  // turns before this question, oldest first: texts alone
  ContextHints hints;
  RunLimits limits;
  Duration time_taken = Duration::zero();  // of limits.time_max, before the run
  // Of earlier turns of the same conversation: an answer may rest on them, as on what this run has
  // made or read itself.
  std::vector<std::string> earlier_handles;
  // RLM: "context, question -> sparql, answer"; the outputs are what SUBMIT takes.
  std::string signature = "context, question -> answer";
  ReplyForm reply_form = ReplyForm::Handles;  // ReAct
  // ReAct: tools that are declared to the model beside the usual ones, by name, where they are
  // there and the caller may call them.
  std::vector<std::string> more_tools;
};

// All outlive the run. The toolkit marks data (ToolkitOptions::marks_data): models obey texts.
struct RunParts {
  toolkit::Toolkit& toolkit;
  const toolkit::Caller& caller;
  llm::Provider& model;
  llm::Provider* sub_model = nullptr;  // RLM; null: the same
  TrajectorySink& trajectory;
  std::function<void(const RunEvent&)> on_event;  // may be empty; never two at once
  std::function<Steering()> steering;             // may be empty; asked before every step
  // RLM: how a session begins, for pools and other interpreters; empty: Sandbox::start.
  std::function<Result<std::unique_ptr<sandbox::Sandbox>>(sandbox::SandboxOptions,
                                                          const OpContext&)>
      start_sandbox = {};
};

// What the answer rests on.
struct Evidence {
  std::string handle;      // empty: a count, or a yes or no, which store nothing
  std::string ref;         // as it prints
  std::string query;       // SPARQL or SQL that made it
  std::string query_hash;  // SHA-256 of it
  std::string source;
  std::uint64_t rows = 0;
};

// How much went into the prompt. In characters; without times and marks, so that the same run has
// the same figures.
struct RunLeakage {
  std::uint64_t reply_chars = 0;       // of all that tools returned into the conversation
  std::uint64_t reply_chars_max = 0;   // of one reply
  std::uint64_t large_replies = 0;     // of more than kLargeReplyChars
  std::uint64_t stored_chars = 0;      // that stayed behind handles
  std::uint64_t output_chars = 0;      // RLM: what code printed
  std::uint64_t context_chars = 0;     // the layers
  std::uint64_t prompt_chars = 0;      // system and messages, of all steps together
  std::uint64_t prompt_chars_max = 0;  // of the largest step
  std::uint64_t model_calls = 0;
};
inline constexpr std::uint64_t kLargeReplyChars = 1'000;

struct RunResult {
  StopReason stop = StopReason::Failed;
  bool is_extracted = false;  // taken from the conversation at a cap, not submitted
  std::string content;        // the answer
  std::string query;          // that it rests on, and that has run; may be empty
  JsonValue fields;           // what SUBMIT was given, an object; null: nothing
  std::vector<Evidence> evidence;
  Binding bound = Binding::None;
  std::vector<std::string> handles;     // of queries, that the run has made or read
  std::vector<std::string> tools_used;  // each once, in the order of first use
  std::uint64_t iterations = 0;
  std::uint64_t tool_calls = 0;
  std::uint64_t refused_calls = 0;
  llm::Usage usage;
  RunLeakage leakage;
  double ms = 0;
  std::string note;                // why it ended without an answer, and what to do; may be empty
  std::vector<std::string> notes;  // what else the caller should know
  std::optional<Error> error;

  bool has_converged() const { return stop == StopReason::Submitted && !is_extracted; }
};

// Never fails: what goes wrong is a result. Thread-safe with other runs on the same parts.
RunResult run_react(const RunRequest& request, const RunParts& parts, const OpContext& context);
RunResult run_rlm(const RunRequest& request, const RunParts& parts, const OpContext& context);

}  // namespace helve::agent
