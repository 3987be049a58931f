// helve audit: whether audit files are whole, and what is in them.
#pragma once

#include <string>
#include <vector>

#include "surfaces/cli/command.h"
#include "toolkit/audit/search.h"

namespace helve::cli {

struct AuditVerifyOptions {
  std::vector<std::string> files;  // the oldest first
  std::string key;                 // env:NAME or file:PATH
  std::string head;                // SEQ:HASH, kept elsewhere
  bool is_open = false;            // a missing head file is no fault
  bool is_json = false;
};

struct AuditHeadOptions {
  std::string file;
};

struct AuditListOptions {
  std::vector<std::string> files;
  toolkit::AuditFilter filter;  // times as they are given
  std::size_t count = 0;        // the last ones; 0: all
  bool is_following = false;
  bool is_json = false;
};

// InvalidInput where something is wrong with a file, which is told as the error.
Result<void> run_audit_verify(const AuditVerifyOptions& options, CommandContext& context);
// Prints the place of the last record, to be kept elsewhere.
Result<void> run_audit_head(const AuditHeadOptions& options, CommandContext& context);
// The last records of one file; following, those that come too.
Result<void> run_audit_tail(const AuditListOptions& options, CommandContext& context);
Result<void> run_audit_search(const AuditListOptions& options, CommandContext& context);

}  // namespace helve::cli
