// ToolCall: what a handler sees while it runs. Everything in it is within the caller's policy
// already: the source is a restricted view, limits are clamped, the deadline is set.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"
#include "toolkit/handles/handle_store.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/fact_cache.h"
#include "toolkit/tools/tool.h"
#include "toolkit/writes/session_writes.h"
#include "toolkit/writes/write_notes.h"

namespace helve::memory {
class MemoryBank;
class MemoryReader;
}  // namespace helve::memory

namespace helve::toolkit {

class Registry;
class SqlOverHandles;

struct ToolCall {
  const Tool& tool;
  const Arguments& arguments;
  const Policy& policy;
  const Caller& caller;
  OpContext op;  // deadline, cancellation, memory of this call
  // Null where the tool does not need or take one and none was named; null also where it takes one
  // and there is none.
  const GraphSource* graph;
  std::shared_ptr<const TableSource> tables;  // null where the tool does not need one
  const TableWriter* writer;  // null unless the tool writes, and the database may be written
  HandleStore& handles;       // of the session
  GraphFactory& graphs;
  SqlOverHandles* sql;  // null: not available here
  const Registry& registry;
  Env& env;
  FactCache& facts;                              // about graphs, kept from call to call
  SessionWrites& writes;                         // of the session
  WriteSession write_session;                    // whose changes they are
  bool trusts_judgments = false;                 // of the caller; ToolkitOptions
  const memory::MemoryReader* memory = nullptr;  // never null for tools of the category Memory
  // Null unless the tool, the policy and the operator allow writing the memory bank.
  memory::MemoryBank* memory_writer = nullptr;
  std::size_t max_chars = 2'000;
  std::string call_hash;  // of the tool and its arguments, for HandleOrigin
  // Set by a tool whose change waits for a word: goes out with the reply.
  std::optional<ConfirmationRequest> confirmation = std::nullopt;
  // For the record of a call that writes; record_intent() must succeed before a change is
  // committed.
  WriteNotes notes = {};
  std::function<Result<void>(const WriteNotes& notes)> record_intent;
  // A view of a graph of a handle, restricted as the sources are.
  std::function<std::shared_ptr<const GraphSource>(std::shared_ptr<const GraphSource>)>
      within_policy;
  // For call_tool: calls another tool of this session, policy and all.
  std::function<ToolAnswer(const std::string& name, const JsonValue& arguments)> call_other;
};

}  // namespace helve::toolkit
