// AuditSink: where a record of every call goes, refused and failed ones included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/env.h"
#include "base/result.h"

namespace helve::toolkit {

struct AuditRecord {
  WallTime at;
  std::string identity;
  std::string session;
  std::string tool;
  std::string source;
  std::string query_hash;  // of the query or the arguments
  std::string query;       // its text
  std::string verdict;     // "ok", or the name of the error's code
  std::uint64_t rows = 0;
  std::uint64_t reply_chars = 0;
  double ms = 0;
};

// Thread-safe. An error refuses the call: what cannot be recorded is not done.
class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // Asked before a call runs.
  virtual Result<void> check() = 0;
  virtual Result<void> write(const AuditRecord& record) = 0;
};

// One line of JSON for each record, appended.
Result<std::unique_ptr<AuditSink>> open_audit_file(const std::filesystem::path& path, Env& env);

}  // namespace helve::toolkit
