// Verifying audit files: whether every record is there, in its place and as it was written.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/op_context.h"
#include "toolkit/audit/chain.h"
#include "toolkit/audit/head.h"
#include "toolkit/audit/lines.h"

namespace helve::toolkit {

// The first thing that is wrong.
struct AuditFault {
  std::string file;
  std::uint64_t line = 0;            // 0: of the file as a whole
  std::optional<std::uint64_t> seq;  // of the record there, where it can be told
  std::string kind;                  // "edited", "missing", "truncated", ...: docs/audit.md
  std::string text;                  // in words
};

// A change that was about to be committed, and no record says what became of it.
struct AuditInterrupted {
  std::uint64_t seq = 0;
  std::string at;
  std::string identity;
  std::string tool;
  std::string source;
  std::string call_id;
  std::string transaction;
};

struct AuditReport {
  std::uint64_t files = 0;
  std::uint64_t records = 0;  // headers included
  std::string key_id;         // empty: not keyed
  std::string first_at;
  std::string last_at;
  std::optional<ChainPlace> before;  // what the first file goes on from, and is not among them
  std::optional<ChainPlace> last;
  std::vector<std::string> notes;  // what is no fault and yet worth knowing; at most kNotesMax
  std::vector<AuditInterrupted> interrupted;  // at most kInterruptedMax, by number
  std::uint64_t interrupted_count = 0;
  std::optional<AuditFault> fault;
};

// How the end is to be known, so that a missing one shows.
struct AuditEnd {
  std::optional<std::string> head_text;  // what the head file of the last file has
  std::optional<ChainPlace> anchor;      // kept elsewhere
  bool is_open = false;                  // a missing head is no fault
};

// Not thread-safe. Add files in the order in which they were written, then finish(). Memory is
// bounded, whatever the files have.
class AuditVerifier {
 public:
  static constexpr std::size_t kNotesMax = 20;
  static constexpr std::size_t kInterruptedMax = 1'000;

  AuditVerifier(ChainHash hash, AuditEnd end);
  // Errors are those of reading alone. Nothing is read after a fault.
  Result<void> add(const std::string& name, ByteSource& source, const OpContext& op);
  // The last file is not there.
  void miss(const std::string& name);
  AuditReport finish();

 private:
  void take_line(const AuditLine& line);
  bool take_header(const ChainLine& parsed, const JsonValue& json);
  void check_place(const ChainLine& parsed, const std::string& kind);
  void check_known_places(const ChainPlace& place);
  bool goes_on_from_recent(const ChainLine& parsed);
  void take_content(const ChainLine& parsed, const std::string& kind, const JsonValue& json);
  void take_intent(const ChainLine& parsed, const JsonValue& json);
  void check_head();
  std::string missing_text(std::uint64_t to, std::string_view how) const;
  void fail(std::string kind, std::string text, std::optional<std::uint64_t> seq = {});
  void note(std::string text);

  ChainHash hash_;
  AuditEnd end_;
  std::optional<AuditHead> head_;
  bool is_head_met_ = false;
  bool is_anchor_met_ = false;
  std::optional<AuditFault> unmet_;  // where another record stands than head or anchor name
  std::deque<ChainPlace> recent_;    // of the file, the last at the end
  AuditReport report_;
  std::string file_;
  std::uint64_t line_ = 0;
  std::optional<std::uint64_t> first_seq_;
  std::map<std::string, AuditInterrupted> open_intents_;  // by the id of the call
  std::uint64_t notes_left_out_ = 0;
  std::uint64_t intents_left_out_ = 0;
};

}  // namespace helve::toolkit
