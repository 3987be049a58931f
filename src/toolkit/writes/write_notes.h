// What the record of a call that writes tells beside what all records do (audit/audit.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "toolkit/audit/audit.h"

namespace helve::toolkit {

struct WriteNotes {
  std::string call_id;      // set before the intent is recorded
  std::string transaction;  // empty: the change is one of its own
  std::optional<std::uint64_t> estimated;
  std::optional<std::uint64_t> affected;  // that are, or may be, changed
  std::string confirmation;               // as AuditRecord has it
  std::optional<AuditSnapshot> before;
  std::optional<AuditSnapshot> after;
  std::string rule;           // the policy key that refused
  bool is_asking = false;     // nothing is done yet: somebody is asked
  bool is_made = false;       // committed: whatever comes after does not undo it
  bool is_uncertain = false;  // the connection broke while it was committed
};

}  // namespace helve::toolkit
