// EvidenceBook: the stored results that a run has made, and which of them its answer rests on.
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
};

struct BoundEvidence {
  std::vector<Evidence> evidence;
  std::string query;  // that ran, where there is evidence; else the one that is claimed
};

// Not thread-safe. Toolkit and caller outlive it.
class EvidenceBook {
 public:
  EvidenceBook(toolkit::Toolkit& toolkit, const toolkit::Caller& caller)
      : toolkit_(toolkit), caller_(caller) {}

  // Keeps the handle of a query that went well. In the order of the calls.
  void note(const toolkit::CallOutcome& outcome, const OpContext& op);

  // The handles that are named, else that of the query, else the last. NotFound for a handle that
  // does not exist: an answer must not name what nobody can look at.
  Result<BoundEvidence> bind(const EvidenceClaim& claim, const OpContext& op) const;
  BoundEvidence last() const;

 private:
  std::optional<Evidence> look_up(const std::string& key, const OpContext& op) const;
  const Evidence* find(std::string_view key) const;
  const Evidence* find_query(std::string_view query) const;
  std::string known_keys() const;

  toolkit::Toolkit& toolkit_;
  const toolkit::Caller& caller_;
  std::vector<Evidence> made_;
};

}  // namespace helve::agent
