#include "sources/sparql/engine/row_table.h"

#include <algorithm>
#include <numeric>

#include "sources/sparql/engine/charged_vector.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kFirstIds = 256;
constexpr std::size_t kFirstSlots = 64;

// Ids are numbers that a query may choose: every bit must reach every other.
std::uint64_t mix(std::uint64_t hash, Id id) {
  hash ^= id.bits();
  hash = (hash ^ (hash >> 31)) * 0x9E3779B97F4A7C15;
  return (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9;
}

std::uint64_t hash_ids(std::span<const Id> ids) {
  std::uint64_t hash = 0x243F6A8885A308D3;
  for (const Id id : ids) hash = mix(hash, id);
  return hash ^ (hash >> 32);
}

std::vector<std::size_t> all_columns(std::size_t width) {
  std::vector<std::size_t> columns(width);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

}  // namespace

Result<void> RowTable::grow() {
  if (rows_ >= kNone - 1) {
    return Error(ErrorCode::LimitExceeded, "more than four billion rows in memory at once",
                 "narrow the query");
  }
  if (ids_.size() + width_ <= ids_.capacity()) return {};
  return reserve_charged(ids_, std::max(kFirstIds, 2 * (ids_.size() + width_)), charge_, 0);
}

Result<void> RowTable::append(std::span<const Id> ids) {
  HELVE_TRY(grow());
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  ++rows_;
  return {};
}

Result<void> RowTable::append(const Batch& batch, std::size_t row) {
  HELVE_TRY(grow());
  for (std::size_t column = 0; column < width_; ++column) ids_.push_back(batch.at(column, row));
  ++rows_;
  return {};
}

void RowTable::clear() {
  ids_.clear();
  rows_ = 0;
}

std::uint64_t RowIndex::hash_row(std::uint32_t row) const {
  std::uint64_t hash = 0x243F6A8885A308D3;
  for (const std::size_t column : key_) hash = mix(hash, table_->at(row, column));
  return hash ^ (hash >> 32);
}

bool RowIndex::has_key(std::uint32_t row, std::span<const Id> key) const {
  for (std::size_t i = 0; i < key_.size(); ++i) {
    if (table_->at(row, key_[i]) != key[i]) return false;
  }
  return true;
}

Result<void> RowIndex::grow() {
  const std::size_t slots = std::max(kFirstSlots, 2 * heads_.size());
  const std::size_t bytes = sizeof(std::uint32_t);
  HELVE_TRY(charge_.resize((slots + heads_.size() + slots + next_.capacity()) * bytes));
  heads_.assign(slots, RowTable::kNone);
  next_.reserve(slots);
  HELVE_TRY(charge_.resize((heads_.capacity() + next_.capacity()) * bytes));
  for (std::uint32_t row = 0; row < next_.size(); ++row) {
    std::uint32_t& head = heads_[hash_row(row) & (slots - 1)];
    next_[row] = head;
    head = row;
  }
  return {};
}

Result<void> RowIndex::add(std::uint32_t row) {
  if (next_.size() == heads_.size()) HELVE_TRY(grow());
  std::uint32_t& head = heads_[hash_row(row) & (heads_.size() - 1)];
  next_.push_back(head);
  head = row;
  return {};
}

std::uint32_t RowIndex::find(std::span<const Id> key) const {
  if (heads_.empty()) return RowTable::kNone;
  std::uint32_t row = heads_[hash_ids(key) & (heads_.size() - 1)];
  while (row != RowTable::kNone && !has_key(row, key)) row = next_[row];
  return row;
}

std::uint32_t RowIndex::next(std::uint32_t row, std::span<const Id> key) const {
  do {
    row = next_[row];
  } while (row != RowTable::kNone && !has_key(row, key));
  return row;
}

// A large index that was used for little is cleared row by row: path searches do that often.
void RowIndex::clear() {
  constexpr std::size_t kWorthFilling = 8;
  if (next_.size() * kWorthFilling >= heads_.size()) {
    std::fill(heads_.begin(), heads_.end(), RowTable::kNone);
  } else {
    for (std::uint32_t row = 0; row < next_.size(); ++row) {
      heads_[hash_row(row) & (heads_.size() - 1)] = RowTable::kNone;
    }
  }
  next_.clear();
}

RowSet::RowSet(std::size_t width, MemoryBudget& budget, std::string_view what)
    : table_(width, budget, what), index_(table_, all_columns(width), budget, what) {}

Result<RowSet::Inserted> RowSet::insert(std::span<const Id> ids) {
  if (const std::uint32_t known = index_.find(ids); known != RowTable::kNone) {
    return Inserted{known, false};
  }
  HELVE_TRY(table_.append(ids));
  const std::uint32_t row = table_.rows() - 1;
  HELVE_TRY(index_.add(row));
  return Inserted{row, true};
}

std::size_t RowSet::bytes_with(std::size_t rows) const {
  return bytes() + (table_.has_room(rows) ? 0 : 2 * table_.bytes()) +
         (index_.has_room(rows) ? 0 : 2 * index_.bytes());
}

void RowSet::clear() {
  index_.clear();  // first: it looks at the rows
  table_.clear();
}

}  // namespace helve::sparql
