// AuditSink: where a record of every call goes, refused and failed ones included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/result.h"

namespace helve::toolkit {

// Intent: a change of a source is about to be committed. The call that follows with the same
// `call_id` is its outcome; where none follows, the effect of the change is unknown.
// Event: what was done by nobody's call, as rolling back what was left open.
enum class AuditKind : std::uint8_t { Call, Intent, Event };
std::string_view name_of(AuditKind kind);  // "call"

// Rows as they were before or after a change: kept behind a handle, known by their hash.
struct AuditSnapshot {
  std::string handle;
  std::string hash;
};

// Texts longer than what is kept of them are cut; how long they were is recorded.
struct AuditRecord {
  AuditKind kind = AuditKind::Call;
  WallTime at;
  std::string identity;
  std::string session;
  std::string tool;
  std::string source;
  std::string query_hash;  // of the call: tool, arguments and source
  // SHA-256 of the SPARQL or SQL alone, as answers of the agent name it; empty: there is none.
  std::string query_sha256;
  std::string query;  // its text
  // "ok", "asked" of a change that waits for a word, or the name of the error's code; of an intent
  // ""; of an event "rolled_back" or "unanswered".
  std::string verdict;
  std::string rule;    // the policy key or rule that refused; "" otherwise
  std::string reason;  // of an event
  std::uint64_t rows = 0;
  std::uint64_t reply_chars = 0;
  double ms = 0;
  // Of calls that write. What is not set is not written.
  std::string call_id;                     // the same in an intent and its outcome; unique
  std::string transaction;                 // the same in all calls of one transaction
  std::optional<std::uint64_t> estimated;  // rows that would change, before
  std::optional<std::uint64_t> affected;   // rows that did change
  // "token", "person", "not required", "refused" or "timeout".
  std::string confirmation;
  std::optional<AuditSnapshot> before;
  std::optional<AuditSnapshot> after;
  // What the caller says of where the call comes from: id of the prompt, of a trace, name of the
  // client. The first kAuditLineageMax pairs, each text cut to kAuditLineageChars characters.
  std::vector<std::pair<std::string, std::string>> lineage;
};

inline constexpr std::size_t kAuditLineageMax = 16;
inline constexpr std::size_t kAuditLineageChars = 256;

// Thread-safe. An error refuses the call: what cannot be recorded is not done.
class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // Asked before a call runs.
  virtual Result<void> check() = 0;
  // Durable when it returns. Records of several threads may share a write.
  virtual Result<void> write(const AuditRecord& record) = 0;
};

struct AuditOptions {
  std::string key;               // of at least 16 characters; empty: edits show, forgeries do not
  bool is_fingerprints = false;  // the hashes of queries, not their texts
};

// One line of JSON for each record, appended.
Result<std::unique_ptr<AuditSink>> open_audit_file(const std::filesystem::path& path, Env& env,
                                                   AuditOptions options = {});

}  // namespace helve::toolkit
