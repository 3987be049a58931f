// An audit file on files of one's own choice, for tests; audit.h has the one on the machine's.
#pragma once

#include "base/shared_file.h"
#include "toolkit/audit/audit.h"

namespace helve::toolkit {

Result<std::unique_ptr<AuditSink>> open_audit_file(const std::filesystem::path& path, Env& env,
                                                   AuditOptions options, SharedFiles& files);

}  // namespace helve::toolkit
