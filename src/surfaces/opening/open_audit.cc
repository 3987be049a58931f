#include "surfaces/opening/open_audit.h"

namespace helve::opening {

Result<std::unique_ptr<toolkit::AuditSink>> open_audit(const AuditInput& input, Env& env,
                                                       const Environment& environment) {
  toolkit::AuditOptions options;
  options.is_fingerprints = input.is_fingerprints;
  if (!input.key.empty()) {
    if (input.file.empty()) {
      return Error{ErrorCode::InvalidInput, "there is a key for an audit file, and no audit file",
                   "name one, or leave the key out"};
    }
    HELVE_ASSIGN(options.key, read_secret(input.key, "", env, environment));
  }
  if (input.file.empty()) return std::unique_ptr<toolkit::AuditSink>();
  return toolkit::open_audit_file(input.file, env, std::move(options));
}

}  // namespace helve::opening
