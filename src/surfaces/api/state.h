// What the opaque types of include/helve hold, and how values pass between them and the layers
// below.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/executor.h"
#include "base/op_context.h"
#include "helve/tools.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "surfaces/opening/policies.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/toolkit.h"

namespace helve::api {

struct CancelToken::State {
  helve::CancelToken token;
};

struct Source::State {
  std::shared_ptr<const GraphSource> graph;  // or:
  std::shared_ptr<const TableSource> tables;

  const helve::Source& source() const {
    if (graph != nullptr) return *graph;
    return *tables;
  }
};

// What the callers of one get_tools() share.
struct SharedTools {
  std::shared_ptr<Executor> executor;  // null: one core
  std::unique_ptr<toolkit::Toolkit> toolkit;
  bool has_many_sessions = false;
  std::optional<opening::Policies> policies;  // of the policy file, where there is one
  Events events;
  // Recursive: a callback may call a tool.
  std::recursive_mutex events_mutex;
  std::atomic<std::uint64_t> calls{0};
};

struct Tools::State {
  std::shared_ptr<SharedTools> shared;
  toolkit::Caller caller;
};

Error to_public(const helve::Error& error);

// What is thrown below ends here: the machine has no memory left, or there is a bug of ours.
template <typename Body>
auto without_throwing(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return helve::Error{helve::ErrorCode::LimitExceeded, "the machine has no memory left",
                        "ask for less at once, or lower Policy::memory_bytes_max"};
  } catch (const std::exception& failure) {
    return helve::Error{helve::ErrorCode::Internal, failure.what(), "please report this"};
  }
}

// How workers for SQL are started: `program`, or HELVE_PROGRAM, or `helve` in PATH.
std::vector<std::string> worker_command(const std::string& program);

// One pool for all sources and tools; it ends with the last of them. Null where there is one core.
std::shared_ptr<Executor> shared_executor();

OpContext context_of(const std::optional<std::chrono::nanoseconds>& timeout,
                     const CancelToken& cancel, Executor* executor);

// A call with its events. `text`: the arguments as they were given; empty: as JSON of them.
toolkit::CallOutcome run_call(const Tools::State& state, std::string_view tool,
                              const JsonValue& arguments, std::string_view text,
                              const CallOptions& options);
// The same within a context; the executor of the tools where it has none.
toolkit::CallOutcome run_call(const Tools::State& state, std::string_view tool,
                              const JsonValue& arguments, std::string_view text,
                              const OpContext& context);

// InvalidInput for numbers that would allow nothing or everything.
helve::Result<toolkit::Policy> checked_policy(const Policy& policy);

}  // namespace helve::api
