// The audit file of calls, as a command line or a program names it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "surfaces/opening/secret.h"
#include "toolkit/audit/audit.h"

namespace helve::opening {

struct AuditInput {
  std::filesystem::path file;    // empty: none is written
  std::string key;               // env:NAME or file:PATH; empty: none
  bool is_fingerprints = false;  // of queries, not their texts
};

// Null where there is no file. InvalidInput for a key without a file.
Result<std::unique_ptr<toolkit::AuditSink>> open_audit(const AuditInput& input, Env& env,
                                                       const Environment& environment);

}  // namespace helve::opening
