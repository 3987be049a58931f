// Sandbox: a Python session for code that nobody trusts. Blocks of code run one after the other in
// one namespace, in a process that the kernel holds (layers.h); tools of the host are functions
// there (function.h). Knows no model. Neighbour: pool.h keeps some of them ready.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/sandbox/function.h"
#include "agent/sandbox/layers.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve::sandbox {

struct SandboxLimits {
  Duration start_time = std::chrono::seconds(10);  // until the interpreter is ready
  Duration block_time = std::chrono::seconds(30);  // of one block, its tool calls included
  // A block that is over its time is interrupted, and the session lives on; one that does not stop
  // within this time is killed.
  Duration interrupt_time = std::chrono::milliseconds(250);
  std::uint64_t cpu_seconds_max = 3'600;  // of the session; the kernel ends it
  std::size_t memory_bytes_max = 512 * kMiB;

  // Of what a block prints, the first and the last half of this are kept; one that prints more than
  // the second is killed.
  std::size_t output_bytes_kept = 1 * kMiB;
  std::uint64_t output_bytes_max = 64 * kMiB;
  std::size_t message_bytes_max = 64 * kMiB;  // one message of the guest: a variable, arguments
  std::size_t argument_bytes_max = 4 * kMiB;  // of one tool call
  std::size_t submit_bytes_max = 4 * kMiB;

  // Of the session. Calls beyond are refused; code that goes on calling is killed.
  std::uint64_t tool_calls_max = 10'000;
  std::uint64_t model_calls_max = 25;  // prompts

  // The work folder, which ends with the session.
  std::uint64_t folder_bytes_max = 256 * kMiB;
  std::uint64_t folder_files_max = 1'000;
  std::uint64_t file_bytes_max = 64 * kMiB;
  std::uint64_t descriptors_max = 64;  // at most 128
  std::uint64_t threads_max = 32;
};

// One field of what SUBMIT takes: str, int, float, bool, list, dict or object (anything).
struct SubmitField {
  std::string name;
  std::string type = "object";
  bool is_optional = false;  // and given by its name
};

enum class EventKind : std::uint8_t {
  Started,       // name: the interpreter
  BlockStarted,  // text: the code
  Output,        // text: what was printed, as it comes
  ToolCall,      // name, text: the arguments as JSON
  ToolResult,    // name, text: the value as JSON, the handle or the error, ms, is_error
  ModelCall,     // text: the prompts as a JSON list
  ModelResult,   // text: the answers as a JSON list or the error, ms, is_error
  Submitted,     // text: JSON object
  BlockEnded,    // ms; is_error: it raised, was interrupted or lost
  Lost,          // text: why the session is over
};
std::string_view name_of(EventKind kind);  // "tool_call"

// The texts are valid during the callback only.
struct Event {
  EventKind kind = EventKind::Started;
  std::string_view name;
  std::string_view text;
  double ms = 0;
  bool is_error = false;
};

struct SandboxOptions {
  SandboxLimits limits;
  std::filesystem::path python;                       // a CPython 3.9 or newer; empty: found
  std::vector<std::filesystem::path> module_folders;  // to import from beside the standard library
  std::vector<SubmitField> submit_fields;             // empty: SUBMIT takes anything
  // Runs although a layer is missing. What it runs can then do whatever that layer would prevent.
  bool allows_missing_layers = false;
  bool is_preloaded = false;  // imports common modules before it is ready: for pools
  // On the thread that calls; must not throw. It, and handlers, may call is_alive() and shutdown()
  // of the session, and nothing else of it.
  std::function<void(const Event&)> on_event;
};

// A variable to set before a block: a JSON text, or a handle.
struct Variable {
  std::string name;
  std::string json;
  std::optional<HandleValue> handle;  // instead of json
};

// A variable of the session as a prompt may see it.
struct VariableView {
  std::string name;
  std::string type;                     // "list"
  std::optional<std::uint64_t> length;  // characters, items
  std::string preview;                  // its repr: the first and the last 500 characters
};

struct BlockError {
  std::string type;  // "ValueError"; "TimeLimit" where it was interrupted
  std::string message;
  std::string traceback;              // of the block's own lines
  std::optional<std::uint64_t> line;  // in the block, from 1
};

enum class BlockEnd : std::uint8_t {
  Finished,  // ran to its end, or left by sys.exit(0)
  Submitted,
  Raised,
  Interrupted,  // over its time or cancelled; the session lives on
  Lost,         // the session is over; `lost` says why
};
std::string_view name_of(BlockEnd end);  // "finished"

// All that came of a block, together: none of it excludes another.
struct BlockResult {
  BlockEnd end = BlockEnd::Finished;
  std::string output;                      // stdout and stderr in the order of printing, UTF-8
  std::uint64_t output_omitted_bytes = 0;  // from its middle
  std::string value;       // repr of the last expression, at most 10,000 characters; empty: none
  std::string value_type;  // "int"; empty: the block did not end in an expression, or in None
  std::optional<BlockError> error;
  std::optional<std::string> submitted;  // a JSON object
  std::optional<Error> lost;
  std::uint64_t tool_calls = 0;  // of this block
  std::uint64_t model_calls = 0;
  double ms = 0;
};

// One session. Not thread-safe. Destroying it ends the process and removes its folder; in a process
// that was forked it only lets go of it.
class Sandbox {
 public:
  // Denied where a layer is missing; NotFound without an interpreter.
  static Result<std::unique_ptr<Sandbox>> start(SandboxOptions options,
                                                const OpContext& context = {});
  virtual ~Sandbox() = default;

  // From the next block on it is there. One of the same name is replaced, and costs nothing where
  // both look the same. InvalidInput where Python would not take it.
  virtual Result<void> register_tool(Function function) = 0;
  Result<void> register_tools(std::vector<Function> functions);
  virtual void set_rows_reader(RowsReader reader) = 0;
  virtual void set_model(ModelQuery model) = 0;
  // Instead of SandboxOptions::on_event.
  virtual void set_listener(std::function<void(const Event&)> on_event) = 0;
  // Tells the guest of what was registered now, not with the next block.
  virtual Result<void> prepare(const OpContext& context = {}) = 0;

  // Sets the variables, runs the code. An error means that nothing was run: the session is over
  // (Unavailable), a variable is no JSON (InvalidInput). What the code does wrong is a result.
  virtual Result<BlockResult> execute(std::string_view code, const std::vector<Variable>& variables,
                                      const OpContext& context = {}) = 0;
  Result<BlockResult> execute(std::string_view code) { return execute(code, {}, {}); }

  // The JSON text of a variable. It is the guest's: parse it before anything believes it. NotFound;
  // InvalidInput where it has no JSON form; LimitExceeded beyond message_bytes_max.
  virtual Result<std::string> variable(std::string_view name, const OpContext& context = {}) = 0;
  // What the blocks have defined, in the order of definition, at most 200.
  virtual Result<std::vector<VariableView>> variables(const OpContext& context = {}) = 0;

  virtual const LayerStates& layers() const = 0;
  virtual const std::string& interpreter() const = 0;  // "CPython 3.11.2, /usr/bin/python3.11"
  virtual bool is_alive() const = 0;
  // Ends the process at once. Nothing but the destructor is left to do.
  virtual void shutdown() = 0;
};

}  // namespace helve::sandbox
