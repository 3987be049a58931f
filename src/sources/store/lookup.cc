#include "sources/store/lookup.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sources/store/key_ranges.h"

namespace helve::store {

namespace {

using sparql::kSkippedMax;
using sparql::LookupKeys;
using sparql::LookupKind;
using sparql::Matches;
using sparql::Parts;

class StoreLookup final : public sparql::Lookup {
 public:
  StoreLookup(const Snapshot& snapshot, LookupKind kind, Parts wanted)
      : snapshot_(snapshot), kind_(kind), wanted_(wanted), ranges_(snapshot) {}

  void start(const LookupKeys& keys) override {
    ranges_.find(keys);
    key_ = 0;
    at_ = keys.rows > 0 ? ranges_[0].first : 0;
    outputs_.clear();
    for (const Part part : {Part::Subject, Part::Predicate, Part::Object}) {
      if ((wanted_ & sparql::bit(part)) == 0) continue;
      outputs_.push_back({part, ranges_.depth(part), IdReader(snapshot_.dictionary())});
    }
    keys_ = keys;
  }

  bool next(Matches& matches, std::size_t rows_max) override {
    const std::size_t end = matches.rows.size() + rows_max;
    found_.clear();
    const bool is_plain = !ranges_.has_unwanted();
    skipped_ = 0;
    while (key_ < ranges_.size() && matches.rows.size() < end && skipped_ < kSkippedMax) {
      const RowRange range = ranges_[key_];
      if (is_plain && kind_ == LookupKind::All) {
        take_all(range, end, matches);
      } else {
        take_wanted(range, end, matches);
      }
    }
    for (Output& output : outputs_) read(output, matches);
    return key_ < ranges_.size();
  }
  std::optional<Order> order() const override { return ranges_.order(); }

 private:
  struct Output {
    Part part;
    std::size_t depth;
    IdReader id_of;
  };

  void next_key() {
    ++skipped_;
    if (++key_ < ranges_.size()) at_ = ranges_[key_].first;
  }

  void take_all(RowRange range, std::size_t end, Matches& matches) {
    const std::uint64_t count =
        std::min<std::uint64_t>(range.last - at_, end - matches.rows.size());
    if (count == 1) {
      matches.rows.push_back(static_cast<std::uint32_t>(key_));
    } else if (count > 0) {
      matches.rows.insert(matches.rows.end(), count, static_cast<std::uint32_t>(key_));
    }
    // Ascending keys have neighbouring rows, which are then read together.
    if (count > 0 && !found_.empty() && found_.back().last == at_) {
      found_.back().last += count;
    } else if (count > 0) {
      found_.push_back({at_, at_ + count});
    }
    at_ += count;
    if (at_ == range.last) next_key();
  }

  // Row by row: those of other graphs are passed over, or the first is enough.
  void take_wanted(RowRange range, std::size_t end, Matches& matches) {
    for (; at_ < range.last && matches.rows.size() < end && skipped_ < kSkippedMax; ++at_) {
      if (ranges_.has_unwanted() && !ranges_.is_wanted(at_, range.first)) {
        ++skipped_;
        continue;
      }
      matches.rows.push_back(static_cast<std::uint32_t>(key_));
      found_.push_back({at_, at_ + 1});
      if (kind_ != LookupKind::First) continue;
      at_ = range.last;
      break;
    }
    if (at_ == range.last) next_key();
  }

  void read(Output& output, Matches& matches) {
    auto& column = matches.columns[static_cast<std::size_t>(output.part)];
    const Permutation& in = ranges_.permutation();
    std::size_t to = column.size();
    column.resize(matches.rows.size());
    if (output.depth == 0) {
      // The leading part is a key, or the whole order is walked.
      for (const RowRange rows : found_) {
        for (std::uint64_t row = rows.first; row < rows.last; ++row) {
          column[to++] = output.id_of(in.leading(row));
        }
      }
      return;
    }
    for (const RowRange rows : found_) {
      constexpr std::uint64_t kWorthReading = 4;
      if (rows.size() < kWorthReading) {
        for (std::uint64_t row = rows.first; row < rows.last; ++row) {
          column[to++] = output.id_of(in.at(output.depth, row));
        }
        continue;
      }
      codes_.resize(rows.size());
      in.read(rows, output.depth, codes_.data());
      for (const Code code : codes_) column[to++] = output.id_of(code);
    }
  }

  const Snapshot& snapshot_;
  LookupKind kind_;
  Parts wanted_;
  KeyRanges ranges_;
  LookupKeys keys_;
  std::vector<Output> outputs_;
  std::vector<RowRange> found_;  // of this call
  std::vector<Code> codes_;
  std::size_t key_ = 0;
  std::uint64_t at_ = 0;     // in the rows of key_
  std::size_t skipped_ = 0;  // keys and rows, by this call
};

// Leapfrog: each list in turn jumps to what the one before it stands at.
// https://arxiv.org/abs/1210.0481
class StoreIntersection final : public sparql::Intersection {
 public:
  StoreIntersection(const Snapshot& snapshot, std::span<const Part> free)
      : id_of_(snapshot.dictionary()) {
    for (const Part part : free) lists_.push_back({part, KeyRanges(snapshot), {}, 0, 0, {}, {}});
  }

  void start(std::span<const LookupKeys> patterns) override {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      List& list = lists_[i];
      list.ranges.find(patterns[i], list.free);
      list.depth = list.ranges.depth(list.free);
      list.decoded = {};
    }
    keys_ = patterns.empty() ? 0 : patterns.front().rows;
    key_ = 0;
    open();
  }

  bool next(std::vector<std::uint32_t>& rows, std::vector<Id>& values,
            std::size_t rows_max) override {
    const std::size_t end = rows.size() + rows_max;
    skipped_ = 0;
    while (key_ < keys_ && rows.size() < end && skipped_ < kSkippedMax) {
      if (is_short_) {
        take_common(rows, values, end);
      } else if (const auto code = next_common()) {
        rows.push_back(static_cast<std::uint32_t>(key_));
        values.push_back(id_of_(*code));
        ++lists_.front().rest.first;
      } else if (is_at_end_) {
        next_key();
      }
    }
    return key_ < keys_;
  }

 private:
  // Longer lists are not decoded but jumped over.
  static constexpr std::uint64_t kShort = 64;

  struct List {
    Part free;
    KeyRanges ranges;
    RowRange rest;
    std::size_t depth = 0;
    std::uint64_t first = 0;  // of the key's rows
    RowRange decoded;         // whose codes are in `codes`
    std::array<Code, kShort> codes{};

    Code code() const { return ranges.permutation().at(depth, rest.first); }
    // To the first code that is not less; false at the end.
    bool seek(Code code) {
      rest.first = ranges.permutation().seek(rest, depth, code);
      while (ranges.has_unwanted() && !rest.empty() && !ranges.is_wanted(rest.first, first)) {
        ++rest.first;
      }
      return !rest.empty();
    }
    // Neighbouring keys often have the same list.
    void decode() {
      if (decoded.first == rest.first && decoded.last == rest.last) return;
      ranges.permutation().read(rest, depth, codes.data());
      decoded = rest;
    }
  };

  void next_key() {
    ++skipped_;
    ++key_;
    open();
  }

  // Past the keys that have an empty list.
  void open() {
    for (; key_ < keys_; ++key_) {
      bool is_empty = false;
      is_short_ = true;
      for (List& list : lists_) {
        list.rest = list.ranges[key_];
        list.first = list.rest.first;
        is_empty = is_empty || list.rest.empty();
        is_short_ = is_short_ && list.rest.size() <= kShort && !list.ranges.has_unwanted();
      }
      if (!is_empty) break;
    }
    if (key_ < keys_ && is_short_) intersect_short();
  }

  // What all lists have, in memory.
  void intersect_short() {
    lists_.front().decode();
    common_.assign(
        lists_.front().codes.begin(),
        lists_.front().codes.begin() + static_cast<std::ptrdiff_t>(lists_.front().decoded.size()));
    for (std::size_t i = 1; i < lists_.size() && !common_.empty(); ++i) {
      List& list = lists_[i];
      list.decode();
      const Code* at = list.codes.data();
      const Code* const end = at + list.decoded.size();
      std::size_t kept = 0;
      for (const Code code : common_) {
        while (at != end && *at < code) ++at;
        if (at == end) break;
        if (*at == code) common_[kept++] = code;
      }
      common_.resize(kept);
    }
    given_ = 0;
  }

  void take_common(std::vector<std::uint32_t>& rows, std::vector<Id>& values, std::size_t end) {
    for (; given_ < common_.size() && rows.size() < end; ++given_) {
      rows.push_back(static_cast<std::uint32_t>(key_));
      values.push_back(id_of_(common_[given_]));
    }
    if (given_ == common_.size()) next_key();
  }

  // Where all lists agree; nullopt when one of them ends, or when much was passed over.
  std::optional<Code> next_common() {
    is_at_end_ = !lists_.front().seek(0);
    if (is_at_end_) return std::nullopt;
    Code code = lists_.front().code();
    std::size_t i = 0;
    for (std::size_t agreeing = 1; agreeing < lists_.size(); ++agreeing) {
      i = i + 1 == lists_.size() ? 0 : i + 1;
      is_at_end_ = !lists_[i].seek(code);
      if (is_at_end_) return std::nullopt;
      if (lists_[i].code() == code) continue;
      if (++skipped_ >= kSkippedMax) return std::nullopt;
      code = lists_[i].code();
      agreeing = 0;
    }
    return code;
  }

  IdReader id_of_;
  std::vector<List> lists_;
  std::size_t keys_ = 0;
  std::size_t key_ = 0;
  bool is_short_ = false;    // the lists of this key
  bool is_at_end_ = false;   // one of them
  std::size_t skipped_ = 0;  // by this call
  std::vector<Code> common_;
  std::size_t given_ = 0;  // of common_
};

// Runs of equal codes, found by jumping from one to the next.
class StoreGroupScan final : public sparql::GroupScan {
 public:
  StoreGroupScan(const Snapshot& snapshot, KeyRanges ranges, Part by)
      : ranges_(std::move(ranges)),
        rows_(ranges_[0]),
        depth_(ranges_.depth(by)),
        id_of_(snapshot.dictionary()) {}

  bool next(sparql::GroupBatch& batch, std::size_t rows_max) override {
    batch.values.clear();
    batch.counts.clear();
    while (!rows_.empty() && batch.values.size() < rows_max) {
      const auto [code, last] = run_at_front();
      batch.values.push_back(id_of_(code));
      batch.counts.push_back(last - rows_.first);
      rows_.first = last;
    }
    return !batch.values.empty();
  }

 private:
  // The first code, and the row behind its last one.
  std::pair<Code, std::uint64_t> run_at_front() const {
    const Permutation& in = ranges_.permutation();
    if (depth_ == 0) {
      const auto [code, last] = in.leading_until(rows_.first);
      return {code, std::min(last, rows_.last)};
    }
    const Code code = in.at(depth_, rows_.first);
    return {code, in.seek(rows_, depth_, code + 1)};
  }

  KeyRanges ranges_;
  RowRange rows_;
  std::size_t depth_;
  IdReader id_of_;
};

}  // namespace

std::unique_ptr<sparql::Lookup> make_lookup(const Snapshot& snapshot, LookupKind kind,
                                            Parts wanted) {
  return std::make_unique<StoreLookup>(snapshot, kind, wanted);
}

std::unique_ptr<sparql::Intersection> make_intersection(const Snapshot& snapshot,
                                                        std::span<const Part> free) {
  return std::make_unique<StoreIntersection>(snapshot, free);
}

std::unique_ptr<sparql::GroupScan> make_group_scan(const Snapshot& snapshot,
                                                   const QuadPattern& pattern, Part by) {
  LookupKeys keys;
  keys.parts[0].constant = pattern.subject;
  keys.parts[1].constant = pattern.predicate;
  keys.parts[2].constant = pattern.object;
  keys.graph = pattern.graph;
  keys.rows = 1;
  if (pattern.graph.kind == GraphChoice::Kind::Named) return nullptr;
  KeyRanges ranges(snapshot);
  ranges.find(keys, by);
  if (ranges.has_unwanted()) return nullptr;
  return std::make_unique<StoreGroupScan>(snapshot, std::move(ranges), by);
}

}  // namespace helve::store
