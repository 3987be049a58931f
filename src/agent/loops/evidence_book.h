// EvidenceBook: the queries that a run has made, the stored results that it has seen, and which of
// them its answer rests on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/loops/agent_run.h"

namespace helve::agent {

// What an answer says that it rests on; both may be empty.
struct EvidenceClaim {
  std::vector<std::string> handles;  // keys, or Refs as they print
  std::string query;
  bool is_none = false;  // it is said to rest on nothing
};

struct BoundEvidence {
  std::vector<Evidence> evidence;
  std::string query;  // that ran; empty: there is no evidence
  Binding bound = Binding::None;
};

// Not thread-safe. All outlive it.
class EvidenceBook {
 public:
  EvidenceBook(toolkit::Toolkit& toolkit, const toolkit::Caller& caller,
               const std::vector<std::string>& earlier_handles)
      : toolkit_(toolkit), caller_(caller), earlier_(earlier_handles) {}

  // Keeps what a call that went well has made or read: a handle of a query, a count, a yes or no.
  // `tool` is the one that is meant, not call_tool. In the order of the calls.
  void note(std::string_view tool, const JsonValue& arguments, const toolkit::CallOutcome& outcome,
            const OpContext& op);

  // The handles that are named, or else what came of the query; without a claim the last. NotFound
  // for a handle that this run has not seen and for a query that it has not run, InvalidInput where
  // they do not belong together: an answer must not name what it does not rest on.
  Result<BoundEvidence> bind(const EvidenceClaim& claim, const OpContext& op) const;
  // What ran last. Nobody says that the answer rests on it.
  BoundEvidence last() const;

  std::vector<std::string> handles() const;
  // The first rows of what was stored last, for people; empty: nothing was.
  const std::string& first_rows() const { return first_rows_; }

 private:
  std::optional<toolkit::Handle> look_up(const std::string& key, const OpContext& op) const;
  void note_stored(const std::string& key, const OpContext& op);
  void note_read(const std::string& key, const OpContext& op);
  Result<Evidence> named(const std::string& key, const OpContext& op) const;
  const Evidence* find(std::string_view key) const;
  std::string known_keys() const;

  toolkit::Toolkit& toolkit_;
  const toolkit::Caller& caller_;
  const std::vector<std::string>& earlier_;
  std::vector<Evidence> seen_;
  std::string first_rows_;
};

}  // namespace helve::agent
