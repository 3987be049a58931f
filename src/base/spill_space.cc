#include "base/spill_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "base/text.h"

namespace helve {

namespace {

// A block that stands at another place is as wrong as a damaged one.
std::uint64_t checksum_of(std::span<const char> block, std::uint64_t place) {
  const auto bytes = block.subspan(SpillFile::kHeaderBytes);
  return hash_bytes({bytes.data(), bytes.size()}, place);
}

}  // namespace

SpillFile::~SpillFile() { space_.release(bytes_); }

Result<std::uint64_t> SpillFile::append(std::span<char> block) {
  HELVE_TRY(space_.reserve(block.size(), what_));
  const std::uint64_t place = bytes_;
  bytes_ += block.size();
  const std::uint64_t checksum = checksum_of(block, place);
  std::memcpy(block.data(), &checksum, sizeof(checksum));
  if (auto written = file_->append({block.data(), block.size()}); !written) {
    return space_.failed(std::move(written).error(), what_);
  }
  space_.written_.fetch_add(block.size(), std::memory_order_relaxed);
  return place;
}

Result<void> SpillFile::read(std::uint64_t place, std::span<char> block) const {
  if (auto read = file_->read(place, block); !read) {
    return space_.failed(std::move(read).error(), what_);
  }
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, block.data(), sizeof(checksum));
  if (checksum != checksum_of(block, place)) {
    return Error{ErrorCode::Unavailable,
                 fmt::format("{}: a temporary file in '{}' is damaged at byte {}", what_,
                             space_.folder_.native(), place),
                 "check the disk, or let --temp name a folder on another one"};
  }
  return {};
}

Result<std::unique_ptr<SpillFile>> SpillSpace::make_file(std::string_view what) {
  auto file = files_.make_scratch(folder_);
  if (!file) return failed(std::move(file).error(), what);
  return std::make_unique<SpillFile>(*this, *std::move(file), what);
}

Result<void> SpillSpace::reserve(std::uint64_t bytes, std::string_view what) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > bytes_max_ - std::min(used, bytes_max_)) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} needs more than the {} of temporary files that are allowed",
                               what, format_bytes(bytes_max_)),
                   "raise --max-temp or --memory, or work on less data at once"};
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return {};
}

Error SpillSpace::failed(Error error, std::string_view what) const {
  return {ErrorCode::Unavailable,
          fmt::format("{} exceeds its memory, and temporary files fail after {}: {}", what,
                      format_bytes(bytes_used()), error.full_message()),
          "let --temp name a folder with more room, or raise --memory"};
}

}  // namespace helve
