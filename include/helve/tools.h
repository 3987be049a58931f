// Tools: what an agent or a person may call on some sources. typed.h has the commonest of them as
// functions with values.
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

#include "helve/cancel.h"
#include "helve/error.h"
#include "helve/events.h"
#include "helve/export.h"
#include "helve/policy.h"
#include "helve/source.h"

namespace helve::api {

struct ToolsOptions {
  // Where results are kept beyond this process; one process at a time holds it. Empty: in memory,
  // until the last copy of the Tools is gone.
  std::string session_folder;
  // How long to wait where another process holds the folder.
  std::chrono::nanoseconds lock_timeout = std::chrono::seconds(5);
  std::size_t session_memory_bytes_max = std::size_t{512} << 20;  // of stored results

  // Who calls. With `has_many_sessions` each pair of identity and session has results of its own
  // (in a folder of its own inside of session_folder), and Tools::as() gives the tools to others.
  // Without, there is one session, and these two are only told to audit and events.
  std::string identity = "local";
  std::string session = "default";
  bool has_many_sessions = false;
  bool has_secret_handles = false;  // keys of 128 random bits instead of results_0, results_1, ...

  // A policy file of TOML or JSON, with callers and sources (docs/policies.md). What it says of
  // `identity` takes the place of the policy that get_tools() is given; an identity other than
  // "local" that it does not name is InvalidInput unless it says what others may. Empty: none.
  std::string policy_file;

  // A memory bank: a path, made where there is none, or "postgresql://user@host/database" with
  // password=env:NAME or file:PATH. With one, the tools of the memory are there. Empty: none.
  std::string bank;
  // Whether a caller is believed that says of a judgment that it is verified (mem_extract).
  // Otherwise what is learnt of it is quarantined until a person verifies it.
  bool trusts_judgments = false;

  // Asks a person to confirm a change, which `question` describes in a few lines; true applies it.
  // Empty: no person can be asked, and changes are refused unless Policy::require_confirmation
  // allows them without one. Called on the thread of the call, one question at a time; time
  // limits run on. It must not throw.
  std::function<bool(std::string_view question)> confirm;

  // In texts of replies, what comes from sources stands between marks: for readers that obey texts,
  // such as the model of ask().
  bool marks_data = false;

  // A record of every call is appended here, one line of JSON each, on the disk before the call
  // returns. Where it cannot be written, calls are refused. Records are chained by their hashes:
  // `helve audit verify` shows what was changed or removed. Empty: none.
  std::string audit_file;
  // The key of these hashes, so that nobody without it can make them: "env:NAME" or "file:PATH".
  // Empty: none.
  std::string audit_key;
  bool audit_fingerprints = false;  // hashes of queries, not their texts
  // The `helve` program, a path or a name in PATH: result_sql runs in a process of its own. Empty:
  // the environment's HELVE_PROGRAM, or else `helve` in PATH. Where it cannot be started,
  // result_sql answers Unavailable; the other tools need no program.
  std::string worker_program;
  Events events;
};

struct CallOptions {
  // Ends the call in any case; the tool's own timeout and that of the policy hold as well.
  std::optional<std::chrono::nanoseconds> timeout;
  CancelToken cancel;
};

// Two forms of one answer. Each has at most as many characters as the call and the policy allow.
struct Reply {
  std::string text;  // compact, for reading
  std::string json;  // one object
  bool is_error = false;
  ErrorCode code = ErrorCode::Internal;  // where it is an error
  std::string source;                    // that was asked
  std::string handle;                    // that the reply is about; may be empty
  bool is_complete = true;               // false: the handle lacks something; warnings say what
  double ms = 0;
};

struct ToolInfo {
  std::string name;
  std::string category;  // "query", "explore", ...
  std::string purpose;
};

struct ToolParameter {
  std::string name;
  // "string", "integer", "number", "boolean", "array", "object", "handle" (a key), "any".
  std::string type;
  std::string items;  // of "array": "string" or "any"
  std::string doc;
  std::optional<std::string> otherwise;  // its default, as JSON
  bool is_required = false;
  std::vector<std::string> choices;
  std::vector<std::string> aliases;  // that a call may use for the name
};

struct ToolReturn {
  std::string name;
  std::string type;  // of JSON Schema
  std::string doc;
  bool is_optional = false;
};

// All that a surface needs to offer a tool in its own way; input_schema() is the same for models.
struct ToolShape {
  ToolInfo info;
  std::string title;
  // Whether it is offered where few are: the sources have what it is for, and it is no special one.
  // The others are reached by list_tools and call_tool.
  bool is_usual = true;
  std::vector<ToolParameter> parameters;  // those that every tool takes come last
  std::vector<ToolReturn> returns;
};

// How many characters of what was asked for went into replies, and how many stayed behind handles.
struct LeakageLine {
  std::string tool;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::uint64_t reply_chars = 0;
  std::uint64_t reply_chars_max = 0;  // of one call
  std::uint64_t stored_chars = 0;
};

struct Leakage {
  std::vector<LeakageLine> tools;  // by name
  LeakageLine total;
};

// The tools for one caller. Copies share everything; sources and results live as long as the last
// copy. Thread-safe: calls may be made from several threads at once.
class HELVE_API Tools {
 public:
  // Calls a tool. `arguments` is JSON: an object of named arguments, an array of positional ones,
  // or empty for none. Binding forgives and says so: docs/tools.md has names and aliases. Never
  // fails: what goes wrong is a reply that says so.
  Reply call(std::string_view tool, std::string_view arguments = {},
             const CallOptions& options = {}) const;

  // Those that the policy allows.
  std::vector<ToolInfo> list() const;
  std::vector<std::string> names() const;
  // JSON Schema of what a tool takes and gives. NotFound with the nearest names.
  Result<std::string> input_schema(std::string_view tool) const;
  Result<std::string> output_schema(std::string_view tool) const;

  Result<ToolShape> shape(std::string_view tool) const;

  std::vector<std::string> source_names() const;
  Leakage leakage() const;  // of this session, since the process started

  // The same tools for another caller, or with another policy. InvalidInput for another session
  // unless ToolsOptions::has_many_sessions.
  Result<Tools> as(std::string identity, std::string session, const Policy& policy) const;
  // With the policy that ToolsOptions::policy_file has for the identity; InvalidInput without such
  // a file.
  Result<Tools> as(std::string identity, std::string session) const;

  struct State;
  explicit Tools(std::shared_ptr<const State> state);      // for the library itself
  const State& state() const noexcept { return *state_; }  // for the library itself

 private:
  std::shared_ptr<const State> state_;
};

// Opens the session folder and the audit file, if there are such. InvalidInput where two sources
// have one name; Unavailable where another process holds the session folder.
HELVE_API Result<Tools> get_tools(const Source& source, const Policy& policy = {},
                                  const ToolsOptions& options = {});
HELVE_API Result<Tools> get_tools(const std::vector<Source>& sources, const Policy& policy = {},
                                  const ToolsOptions& options = {});

// For programs that want to be their own worker of result_sql and of SQLite files: call it first
// thing in main() when the only argument is "sql-worker", return what it returns, and set
// ToolsOptions::worker_program to the path of the program ("/proc/self/exe" will do).
HELVE_API int serve_sql_worker();

}  // namespace helve::api
