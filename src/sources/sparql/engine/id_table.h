// IdTable: keys of a few ids each, in a hash table that takes whole columns of them. For DISTINCT
// and GROUP BY of one or two columns; row_table.h has the general form.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/sparql/engine/batch.h"

namespace helve::sparql {

// Open addressing: a key stands in the first free place from that of its hash on. Every growth is
// charged before it is made; `what` names the operator in errors.
template <std::size_t kWidth>
class IdTable {
 public:
  using Columns = std::array<const Id*, kWidth>;

  IdTable(MemoryBudget& budget, std::string_view what) : charge_(budget, what) {}

  std::uint32_t size() const { return size_; }
  std::size_t bytes() const { return charge_.bytes(); }
  // While so many more are inserted: a table that grows is there twice. Not for one that numbers.
  std::size_t bytes_with(std::size_t rows) const {
    const std::size_t places = places_for(rows);
    return places > keys_.size() ? (places + keys_.size()) * sizeof(Key) : bytes();
  }
  // Appends to `fresh` the rows whose keys were not there before, each key once. On an error the
  // table is as it was.
  Result<void> insert(const Columns& columns, std::size_t rows, std::vector<std::uint32_t>& fresh) {
    HELVE_TRY(prepare(columns, rows, false));
    for (std::size_t row = 0; row < rows; ++row) {
      prefetch(row);
      const Key key = key_of(columns, row);
      if (row > 0 && key == key_of(columns, row - 1)) continue;
      const std::size_t place = find(key, hashes_[row]);
      if (keys_[place] == key) continue;
      keys_[place] = key;
      ++size_;
      fresh.push_back(static_cast<std::uint32_t>(row));
    }
    return {};
  }
  // The number of each row's key, counted from 0 in the order in which keys were first met. A table
  // that numbers keys must only do that. On an error the table is as it was.
  Result<void> number(const Columns& columns, std::size_t rows, std::uint32_t* numbers) {
    HELVE_TRY(prepare(columns, rows, true));
    for (std::size_t row = 0; row < rows; ++row) {
      prefetch(row);
      const Key key = key_of(columns, row);
      if (row > 0 && key == key_of(columns, row - 1)) {
        numbers[row] = numbers[row - 1];
        continue;
      }
      const std::size_t place = find(key, hashes_[row]);
      if (keys_[place] != key) {
        keys_[place] = key;
        numbers_[place] = size_++;
      }
      numbers[row] = numbers_[place];
    }
    return {};
  }
  // The number of one key; nullopt: it is not there. A table that does not number has 0 for all.
  std::optional<std::uint32_t> find(std::span<const Id> ids) const {
    if (keys_.empty()) return std::nullopt;
    Key key;
    for (std::size_t i = 0; i < kWidth; ++i) key[i] = ids[i].bits();
    const std::size_t place = find(key, hash_of(key));
    if (keys_[place] != key) return std::nullopt;
    return numbers_.empty() ? 0 : numbers_[place];
  }
  bool contains(std::span<const Id> ids) const { return find(ids).has_value(); }
  // Empty. A large table that was used for little is given back: the next use may be as small, and
  // clearing must not cost more than filling did.
  void clear() {
    constexpr std::size_t kWorthKeeping = 16;
    if (size_ * kWorthKeeping >= keys_.size()) {
      std::fill(keys_.begin(), keys_.end(), kFree);
    } else if (size_ > 0 || keys_.size() > kFirstPlaces) {
      keys_ = {};
      numbers_ = {};
      static_cast<void>(charge_.resize(0));  // less is always granted
    }
    size_ = 0;
  }

 private:
  using Key = std::array<std::uint64_t, kWidth>;

  // No id has this tag.
  static constexpr Key make_free() {
    Key key{};
    key[0] = UINT64_MAX;
    return key;
  }
  static constexpr Key kFree = make_free();
  static constexpr std::size_t kFirstPlaces = 64;

  static Key key_of(const Columns& columns, std::size_t row) {
    Key key;
    for (std::size_t i = 0; i < kWidth; ++i) key[i] = columns[i][row].bits();
    return key;
  }
  // Ids are numbers that a query may choose: every bit must reach every other.
  static std::uint64_t hash_of(const Key& key) {
    std::uint64_t hash = 0x243F6A8885A308D3;
    for (const std::uint64_t bits : key) {
      hash ^= bits;
      hash = (hash ^ (hash >> 31)) * 0x9E3779B97F4A7C15;
      hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9;
    }
    return hash ^ (hash >> 32);
  }

  // Where the key is or belongs.
  std::size_t find(const Key& key, std::uint64_t hash) const {
    const std::size_t mask = keys_.size() - 1;
    std::size_t place = hash & mask;
    while (keys_[place] != key && keys_[place] != kFree) place = (place + 1) & mask;
    return place;
  }

  void prefetch(std::size_t row) const {
    constexpr std::size_t kAhead = 12;
    if (row + kAhead >= hashes_.size()) return;
    __builtin_prefetch(&keys_[hashes_[row + kAhead] & (keys_.size() - 1)]);
  }

  Result<void> prepare(const Columns& columns, std::size_t rows, bool is_numbered) {
    if (rows > UINT32_MAX - 1 - size_) {
      return Error(ErrorCode::LimitExceeded, "more than four billion rows in memory at once",
                   "narrow the query");
    }
    hashes_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) hashes_[row] = hash_of(key_of(columns, row));
    const std::size_t places = places_for(rows);
    if (places > keys_.size()) return grow(places, is_numbered);
    return {};
  }

  // At most two thirds full.
  std::size_t places_for(std::size_t rows) const {
    const std::size_t places_min = (size_ + rows) + (size_ + rows) / 2 + 1;
    std::size_t places = std::max(kFirstPlaces, keys_.size());
    while (places < places_min) places *= 2;
    return places;
  }

  Result<void> grow(std::size_t places, bool is_numbered) {
    const std::size_t bytes = sizeof(Key) + (is_numbered ? sizeof(std::uint32_t) : 0);
    HELVE_TRY(charge_.resize((places + keys_.size()) * bytes));
    std::vector<Key> keys(places, kFree);
    std::vector<std::uint32_t> numbers(is_numbered ? places : 0);
    keys.swap(keys_);
    numbers.swap(numbers_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == kFree) continue;
      const std::size_t place = find(keys[i], hash_of(keys[i]));
      keys_[place] = keys[i];
      if (is_numbered) numbers_[place] = numbers[i];
    }
    return charge_.resize(places * bytes);
  }

  MemoryCharge charge_;  // before the vectors: released after them
  std::vector<Key> keys_;
  std::vector<std::uint32_t> numbers_;  // by place
  std::vector<std::uint64_t> hashes_;   // of a batch
  std::uint32_t size_ = 0;
};

}  // namespace helve::sparql
