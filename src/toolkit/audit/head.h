// The head file beside an audit file: where the chain ends, so that a missing end shows. Two slots
// that are written in turn, so that a torn write leaves the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "toolkit/audit/chain.h"

namespace helve::toolkit {

struct AuditHead {
  ChainPlace place;
  std::uint64_t bytes = 0;  // of the audit file, up to the end of that record
};

inline constexpr std::size_t kHeadSlotBytes = 384;
inline constexpr std::size_t kHeadBytes = 2 * kHeadSlotBytes;

std::filesystem::path head_path(const std::filesystem::path& audit_file);

// One slot, kHeadSlotBytes long.
std::string head_slot(const AuditHead& head, const ChainHash& hash);

struct HeadReading {
  std::optional<AuditHead> head;  // the later of what the slots say
  bool is_ours = false;           // made with the same key, or both without
  std::size_t free_slot = 0;      // to be written next
};

// `text` is what the file has. What is damaged is passed over; what was made with another key
// counts only where there is nothing better.
HeadReading read_head(std::string_view text, const ChainHash& hash);

}  // namespace helve::toolkit
