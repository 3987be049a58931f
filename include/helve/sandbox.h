// Sandbox: a Python session for code that nobody trusts, held by the kernel of this machine. Only
// in builds with the agent layer; helve.h does not include it. docs/sandbox.md tells what it holds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/export.h"
#include "helve/tools.h"

namespace helve::api {

struct SandboxLimits {
  std::chrono::nanoseconds start_time = std::chrono::seconds(10);
  std::chrono::nanoseconds block_time = std::chrono::seconds(30);  // its tool calls included
  std::uint64_t cpu_seconds_max = 3'600;                           // of the session
  std::size_t memory_bytes_max = std::size_t{512} << 20;
  std::size_t output_bytes_kept = std::size_t{1} << 20;  // of what a block prints: both ends of it
  std::uint64_t output_bytes_max = std::uint64_t{64} << 20;  // a block that prints more is killed
  std::uint64_t tool_calls_max = 10'000;                     // of the session
  std::uint64_t model_calls_max = 25;                        // prompts of the session
};

// One field of what SUBMIT takes: str, int, float, bool, list, dict or object (anything).
struct SubmitField {
  std::string name;
  std::string type = "object";
};

// The texts are valid during the callback only.
struct SandboxEvent {
  std::string_view kind;  // "output", "tool_call", "tool_result", ...: docs/sandbox.md
  std::string_view name;  // of the tool
  std::string_view text;
  double ms = 0;
  bool is_error = false;
};

struct SandboxOptions {
  SandboxLimits limits;
  std::string python;                       // a CPython 3.9 or newer; empty: found in PATH
  std::vector<std::string> module_folders;  // to import from beside the standard library
  std::vector<SubmitField> submit_fields;   // empty: SUBMIT takes anything
  // Runs although a layer is missing. The code can then do whatever that layer would prevent.
  bool allows_missing_layers = false;
  std::function<void(const SandboxEvent&)> on_event;  // on the thread that calls; must not throw
};

struct SandboxParameter {
  std::string name;
  std::string type = "object";           // an annotation of built-in names: "str", "list[str]"
  std::optional<std::string> otherwise;  // its default, as JSON
  bool is_required = false;              // neither: None, which is not passed on
};

// `arguments` is a JSON object. It comes from code that nobody trusts.
struct SandboxCall {
  std::string_view arguments;
  std::chrono::nanoseconds time_left;  // of the block
};

// A Python function whose body is here. The answer is JSON; an error is an exception there.
struct SandboxTool {
  std::string name;
  std::string doc;
  std::vector<SandboxParameter> parameters;  // the required ones first
  std::string returns = "object";
  std::function<Result<std::string>(const SandboxCall&)> call;  // must not throw
};

struct SandboxVariable {
  std::string name;
  std::string json;
};

enum class BlockEnd : std::uint8_t {
  Finished,  // ran to its end, or left by sys.exit(0)
  Submitted,
  Raised,
  Interrupted,  // over its time or cancelled; the session lives on
  Lost,         // the session is over; BlockResult::lost says why
};

struct BlockError {
  std::string type;  // "ValueError"
  std::string message;
  std::string traceback;
  std::optional<std::uint64_t> line;  // in the block, from 1
};

// All that came of a block, together: none of it excludes another.
struct BlockResult {
  BlockEnd end = BlockEnd::Finished;
  std::string output;                      // what was printed
  std::uint64_t output_omitted_bytes = 0;  // from its middle
  std::string value;                       // repr of the last expression; empty: none
  std::string value_type;
  std::optional<BlockError> error;
  std::optional<std::string> submitted;  // a JSON object
  std::optional<Error> lost;
  std::uint64_t tool_calls = 0;
  std::uint64_t model_calls = 0;
  double ms = 0;
};

// A variable of the session as a prompt may see it.
struct SandboxView {
  std::string name;
  std::string type;
  std::optional<std::uint64_t> length;
  std::string preview;
};

struct SandboxLayer {
  std::string name;  // "landlock"
  std::string purpose;
  std::string detail;
  bool holds = false;
};

// Answers prompts of llm_query(), as many texts as prompts; must not throw.
using SandboxModel =
    std::function<Result<std::vector<std::string>>(const std::vector<std::string>& prompts)>;

// One session. Of one object, one thread at a time. Destroying it ends the process.
class HELVE_API Sandbox {
 public:
  // Denied where a layer is missing; NotFound without an interpreter.
  static Result<Sandbox> start(const SandboxOptions& options = {}, const CallOptions& call = {});
  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();

  // From the next block on it is there; one of the same name is replaced. InvalidInput where Python
  // would not take it.
  Result<void> register_tool(const SandboxTool& tool);
  // Every tool that the policy of the caller allows, as a function that answers values. Handles
  // have rows(offset, limit); those of the last Tools that were given are the ones that are read.
  Result<void> register_tools(const Tools& tools);
  void set_model(SandboxModel model);

  // Sets the variables, runs the code. An error means that nothing was run; what the code does
  // wrong is a result.
  Result<BlockResult> execute(std::string_view code,
                              const std::vector<SandboxVariable>& variables = {},
                              const CallOptions& call = {});
  // The JSON text of a variable. It is the guest's: parse it before anything believes it.
  Result<std::string> variable(std::string_view name, const CallOptions& call = {});
  // What the blocks have defined, in the order of definition.
  Result<std::vector<SandboxView>> variables(const CallOptions& call = {});

  std::vector<SandboxLayer> layers() const;
  std::string interpreter() const;
  bool is_alive() const;
  void shutdown();  // ends the process at once

 private:
  struct State;
  explicit Sandbox(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace helve::api
