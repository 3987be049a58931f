// Toolkit: sources, sessions and tools put together; the one entrance for every surface. A call
// goes registry -> policy -> tool -> reply -> leakage meter and audit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/file_identity.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "toolkit/audit/audit.h"
#include "toolkit/handles/handle_store.h"
#include "toolkit/leakage/leakage.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/reply.h"

namespace helve::memory {
class MemoryBank;
}

namespace helve::toolkit {

class SkillSet;

struct ToolkitOptions {
  HandleStoreOptions handles;  // of each session; the folder has one folder for each of them unless
                               // there is one session alone
  bool is_one_session = true;  // library, stdio, command line
  // Handles of callers who do not share theirs among sessions are not kept in the folder: over HTTP
  // such a session ends with its connection.
  bool keeps_shared_handles_alone = false;
  // False: the process ends with the call, and no transaction can stay open.
  bool has_lasting_sessions = true;
  std::vector<std::string>
      worker_program;  // how result_sql starts its worker; empty: not available
  std::size_t sessions_max = 1'000;
  // Makes a folder for its owner alone, and an existing one so.
  std::function<Result<void>(const std::filesystem::path&)> make_folder = make_owned_folder;
  // In the text form, what comes from sources stands between marks: for readers that obey texts.
  bool marks_data = false;
  std::shared_ptr<const SkillSet> skills;    // null: those that come with the program
  std::shared_ptr<memory::MemoryBank> bank;  // null: there are no mem_ tools
  // The operator named the bank for writing. Otherwise no tool writes it, whatever policies say.
  bool has_memory_writes = false;
  // Who calls is believed when it says that a judgment is verified. Otherwise what is learnt of it
  // waits for a person all the same.
  bool trusts_judgments = false;
};

struct CallOutcome {
  RenderedReply reply;
  std::string tool;
  double ms = 0;
  // For surfaces that hand out values: what the tool answered, before it was cut to a number of
  // characters.
  ToolAnswer answer;
  std::string source;              // as the reply names it
  std::string format;              // "json" or "text", where the call asked for one
  std::uint64_t reply_chars = 0;   // that went out, as text
  std::uint64_t stored_chars = 0;  // that stayed behind a new handle
  // A change that waits for a word. A surface that can ask a person does, and on a clear yes makes
  // the same call again with Caller::confirmed.
  std::optional<ConfirmationRequest> confirmation;
};

// Stale: what is there is served, but is no longer what it was read from, which cannot be read.
// Unasked: a database that nothing was asked of yet; Failed: of databases, one that did not answer
// the last time, and is asked all the same.
enum class SourceState : std::uint8_t { Loading, Ready, Stale, Failed, Unasked };
std::string_view name_of(SourceState state);  // "loading"

// A source as a caller may know of it.
struct KnownSource {
  SourceInfo info;
  SourceState state = SourceState::Ready;
  std::optional<Error> failure;       // why it could not be loaded, or did not answer
  std::optional<WallTime> loaded_at;  // of databases: when it first answered
  std::optional<WallTime> failed_at;
};

// What all callers have stored.
struct ToolkitUsage {
  std::size_t sessions = 0;
  std::size_t handles = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;
};

// Thread-safe.
class Toolkit {
 public:
  static Result<std::unique_ptr<Toolkit>> make(ToolkitOptions options, Env& env,
                                               std::shared_ptr<GraphFactory> graphs,
                                               std::unique_ptr<AuditSink> audit = nullptr);
  virtual ~Toolkit() = default;

  // InvalidInput when the name is taken or no name (letters, digits, - and _).
  // Calls that are asked of it are within its policy as well as the caller's; null: it has none.
  Result<void> add_source(std::shared_ptr<const GraphSource> source,
                          std::shared_ptr<const Policy> policy = nullptr);
  Result<void> add_source(std::shared_ptr<const TableSource> source,
                          std::shared_ptr<const Policy> policy = nullptr);
  // The same for one that is still to be loaded: calls that need it wait, within their time, until
  // replace_source() or fail_source() is told of it.
  virtual Result<void> declare_source(SourceInfo info,
                                      std::shared_ptr<const Policy> policy = nullptr) = 0;
  // Takes the place of the source of the same name, NotFound where there is none. Calls that run
  // keep the old one.
  virtual Result<void> replace_source(std::shared_ptr<const GraphSource> source) = 0;
  virtual Result<void> replace_source(std::shared_ptr<const TableSource> source) = 0;
  // A source that was never there: every call that needs it says why. One that is there stays and
  // is stale: every reply that is asked of it warns, until one of the other two is called. A
  // database is asked all the same.
  virtual Result<void> fail_source(const std::string& name, Error error) = 0;
  // What is served is again what there is. NotFound where there is no source of that name.
  virtual Result<void> confirm_source(const std::string& name) = 0;

  virtual std::vector<SourceInfo> sources() const = 0;  // all
  // Those that the caller may see, in the order in which they came: the first is asked where a call
  // names none.
  virtual std::vector<KnownSource> sources(const Caller& caller) const = 0;
  virtual const Registry& registry() const = 0;
  virtual const SkillSet& skills() const = 0;

  // Never fails: what goes wrong is a reply that says so. `op` brings cancellation, executor and
  // the deadline of the surface, if it has one.
  virtual CallOutcome call(std::string_view tool, const JsonValue& arguments, const Caller& caller,
                           const OpContext& op) = 0;

  // No call of this session will come any more: its transactions are rolled back, its questions are
  // dropped, and the audit has both. Does not wait for that. Handles stay.
  virtual void end_session(const Caller& caller) = 0;

  virtual Result<std::shared_ptr<HandleStore>> handles(const Caller& caller,
                                                       const OpContext& op) = 0;
  virtual LeakageReport leakage(const Caller& caller) const = 0;
  // Without sessions that are just being opened.
  virtual ToolkitUsage usage() const = 0;
};

}  // namespace helve::toolkit
