#include "sources/sparql/engine/spilled_rows.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/engine/charged_vector.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kHeldMin = 64 * kKiB;  // less is not worth a file
constexpr std::size_t kBlockMin = 4 * kKiB;
constexpr std::size_t kBlockMax = 64 * kKiB;
constexpr std::size_t kFanInMax = 64;
constexpr std::size_t kFirstPlaces = 16;
constexpr std::size_t kHeaderIds = SpillFile::kHeaderBytes / sizeof(Id);
static_assert(kHeaderIds * sizeof(Id) == SpillFile::kHeaderBytes);

std::span<char> bytes_of(std::vector<Id>& ids) {
  return {reinterpret_cast<char*>(ids.data()), ids.size() * sizeof(Id)};
}

}  // namespace

bool is_memory_short(const RunState& run, std::size_t bytes_needed, std::size_t bytes_charged) {
  if (!can_spill(run) || bytes_needed < kHeldMin) return false;
  return bytes_needed > (run.memory().bytes_free() + bytes_charged) / 2;
}

bool is_table_large(const RunState& run, std::size_t bytes_needed, std::size_t bytes_held) {
  constexpr std::size_t kTableMin = 16 * kKiB;
  if (bytes_held < kTableMin) return false;
  return is_memory_short(run, bytes_needed + RowPartitions::buffer_bytes(run), bytes_held);
}

std::size_t spill_block_bytes(const RunState& run) {
  constexpr std::size_t kBlocks = 256;
  return std::clamp(run.memory().bytes_limit() / kBlocks, kBlockMin, kBlockMax);
}

std::size_t spill_fan_in(const RunState& run) {
  return std::clamp<std::size_t>(run.memory().bytes_free() / 2 / spill_block_bytes(run), 2,
                                 kFanInMax);
}

SpilledRows::SpilledRows(std::shared_ptr<SpillFile> file, std::size_t width, RunState& run,
                         std::string_view what)
    : file_(std::move(file)),
      width_(width),
      run_(&run),
      block_rows_(std::max<std::size_t>(
          (spill_block_bytes(run) - SpillFile::kHeaderBytes) / (width * sizeof(Id)), 1)),
      charge_(run.memory(), what) {}

Result<void> SpilledRows::reserve() {
  const std::size_t ids = kHeaderIds + block_rows_ * width_;
  if (buffer_.capacity() < ids) {
    HELVE_TRY(charge_.add(ids * sizeof(Id)));
    buffer_.reserve(ids);
  }
  if (places_.capacity() > 0) return {};
  return reserve_charged(places_, kFirstPlaces, charge_, buffer_.capacity() * sizeof(Id));
}

Result<void> SpilledRows::append(std::span<const Id> row) {
  if (buffer_.empty()) {
    HELVE_TRY(reserve());
    buffer_.resize(kHeaderIds);
  }
  buffer_.insert(buffer_.end(), row.begin(), row.end());
  ++rows_;
  return buffer_.size() == kHeaderIds + block_rows_ * width_ ? write() : Result<void>();
}

Result<void> SpilledRows::write() {
  if (places_.size() == places_.capacity()) {
    const std::size_t other = buffer_.capacity() * sizeof(Id);
    HELVE_TRY(reserve_charged(places_, 2 * places_.size(), charge_, other));
  }
  const std::size_t bytes = buffer_.size() * sizeof(Id);
  HELVE_TRY(run_->pace.add(bytes));
  HELVE_ASSIGN(const std::uint64_t place, file_->append(bytes_of(buffer_)));
  places_.push_back(place);
  run_->spilled_bytes += bytes;
  buffer_.clear();
  return {};
}

Result<void> SpilledRows::finish() {
  if (!buffer_.empty()) HELVE_TRY(write());
  buffer_ = {};
  return charge_.resize(places_.capacity() * sizeof(std::uint64_t));
}

std::size_t SpilledRows::rows_in(std::size_t block) const {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(block_rows_, rows_ - block * std::uint64_t{block_rows_}));
}

SpilledRows::Reader::Reader(const SpilledRows& rows, RunState& run, std::string_view what,
                            bool is_backward)
    : rows_(&rows),
      run_(&run),
      width_(rows.width_),
      charge_(run.memory(), what),
      is_backward_(is_backward) {}

Result<bool> SpilledRows::Reader::next() {
  if (is_backward_) {
    if (at_ < kHeaderIds + width_) return load();
    at_ -= width_;
    return true;
  }
  at_ += width_;
  if (at_ < ids_.size()) [[likely]]
    return true;
  return load();
}

Result<bool> SpilledRows::Reader::load() {
  const std::size_t blocks = rows_->places_.size();
  if (blocks_read_ == blocks) {
    ids_ = {};
    at_ = 0;
    charge_.reset();
    return false;
  }
  const std::size_t block = is_backward_ ? blocks - 1 - blocks_read_ : blocks_read_;
  const std::size_t ids = kHeaderIds + rows_->rows_in(block) * width_;
  if (ids_.capacity() < ids) {
    HELVE_TRY(charge_.resize(ids * sizeof(Id)));
    ids_.reserve(ids);
  }
  ids_.resize(ids);
  HELVE_TRY(run_->pace.add(ids * sizeof(Id)));
  HELVE_TRY(rows_->file_->read(rows_->places_[block], bytes_of(ids_)));
  ++blocks_read_;
  at_ = is_backward_ ? ids - width_ : kHeaderIds;
  return true;
}

Result<std::shared_ptr<SpillFile>> make_spill_file(const RunState& run, std::string_view what) {
  HELVE_ASSIGN(std::unique_ptr<SpillFile> file, run.op.spill->make_file(what));
  return std::shared_ptr<SpillFile>(std::move(file));
}

Result<RowPartitions> RowPartitions::make(std::size_t width, int level, RunState& run,
                                          std::string_view what) {
  HELVE_ASSIGN(const std::shared_ptr<SpillFile> file, make_spill_file(run, what));
  RowPartitions made(level);
  made.parts_.reserve(kParts);
  for (std::size_t i = 0; i < kParts; ++i) made.parts_.emplace_back(file, width, run, what);
  return made;
}

// Apart from the hashes of the tables that parts are read into.
std::size_t RowPartitions::part_of(std::span<const Id> key, int level) {
  std::uint64_t hash = 0x452821E638D01377 + static_cast<std::uint64_t>(level) * 0x9E3779B97F4A7C15;
  for (const Id id : key) {
    hash ^= id.bits();
    hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93;
    hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9;
  }
  return (hash ^ (hash >> 32)) % kParts;
}

Result<void> RowPartitions::finish() {
  for (SpilledRows& part : parts_) HELVE_TRY(part.finish());
  return {};
}

}  // namespace helve::sparql
