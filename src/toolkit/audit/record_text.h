// What a record says, as members of a JSON object; chain.h makes a line of the file of it.
#pragma once

#include <string>
#include <string_view>

#include "toolkit/audit/audit.h"

namespace helve::toolkit {

// "2025-01-01T00:00:00.250Z".
std::string audit_time(WallTime time);

// Members without braces: "kind":"call","at":... No name comes twice, secrets of known forms are
// left out, and however long the texts are, the members are well below kAuditLineBytesMax.
std::string record_text(const AuditRecord& record, bool is_fingerprints);

// Of the records that the file has about itself.
std::string header_text(WallTime at, std::string_view key_id);
// What a stopped writer left of a record that nobody was told of.
std::string recovered_text(WallTime at, std::string_view torn);
std::string headless_text(WallTime at);
// Records up to this one were written, and are not there any more.
std::string cut_text(WallTime at, std::uint64_t last_seq, std::string_view last_hash);
// Records that could not be written: their calls were refused.
std::string failure_text(WallTime at, std::uint64_t records, std::string_view reason);

}  // namespace helve::toolkit
