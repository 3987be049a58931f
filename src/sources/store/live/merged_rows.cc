#include "sources/store/live/merged_rows.h"

#include <algorithm>

namespace helve::store {

namespace {

bool is_qualified(Tag tag) { return tag == Tag::LangString || tag == Tag::TypedLiteral; }

// The first code of the base whose term is not less, and whether it is the term.
struct CodePlace {
  Code code = 0;
  bool is_here = false;
};

CodePlace place_of_inlined(const Dictionary& dictionary, Id id) {
  const auto& inlined = dictionary.inlined();
  const std::uint64_t place = inlined.lower_bound(0, inlined.size(), id.bits());
  return {static_cast<Code>(dictionary.size() - inlined.size() + place),
          place < inlined.size() && inlined[place] == id.bits()};
}

CodePlace code_place(const LiveSnapshot& snapshot, Id id) {
  const Dictionary& dictionary = snapshot.base()->dictionary();
  if (id.is_inlined()) return place_of_inlined(dictionary, id);
  if (dictionary.has(id)) return {*dictionary.code_of(id), true};
  const std::string_view text = snapshot.delta().terms->term(id).value;
  const FrontCoded& strings = dictionary.section(id.tag()).strings;
  std::uint64_t place = strings.lower_bound(text);
  if (is_qualified(id.tag())) {
    const std::string_view qualifier = snapshot.qualifier(id);
    std::string other;
    for (; place < strings.size(); ++place) {
      strings.get(place, other);
      if (other != text || dictionary.qualifier(Id(id.tag(), place)) > qualifier) break;
    }
  }
  return {static_cast<Code>(dictionary.codes_of(id.tag()).first + place), false};
}

// The order of the terms themselves, which ids of terms that came do not have.
bool is_less(const LiveSnapshot& snapshot, Id a, Id b) {
  const Dictionary& dictionary = snapshot.base()->dictionary();
  const bool is_by_id = a.tag() != b.tag() || (dictionary.has(a) && dictionary.has(b));
  if (is_by_id) return a < b;
  std::array<std::string, 2> scratch;
  const std::string_view text = snapshot.term(a, scratch[0]).value;
  const std::string_view other = snapshot.term(b, scratch[1]).value;
  if (text != other || !is_qualified(a.tag())) return text < other;
  return snapshot.qualifier(a) < snapshot.qualifier(b);
}

}  // namespace

MergedRows::MergedRows(const LiveSnapshot& snapshot, Order order, std::span<const Id> prefix)
    : snapshot_(snapshot), rows_(snapshot.base()->indexes()[order]), depth_(prefix.size()) {
  const Dictionary& dictionary = snapshot.base()->dictionary();
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const auto code = dictionary.code_of(prefix[i]);
    if (i > 0 && range_.empty()) break;
    range_ = !code ? RowRange() : i == 0 ? rows_.rows_of(*code) : rows_.narrow(range_, i, *code);
  }
  row_ = range_.first;
  const KeyRange keys = KeyRange::of_prefix(prefix);
  for (auto at = snapshot.delta()[order].seek(keys.first);
       at.entry() != nullptr && at.entry()->key < keys.last; at.next()) {
    add(*at.entry());
  }
  std::sort(added_.begin(), added_.end(),
            [this](const Added& a, const Added& b) { return is_before(a, b); });
}

void MergedRows::add(const QuadEntry& entry) {
  Parts parts{};
  for (std::size_t depth = depth_; depth < 3; ++depth) {
    parts[depth - depth_] = entry.key.parts[depth];
  }
  std::uint64_t row = row_of(parts);
  if (entry.presence == Presence::Added) {
    added_.push_back({row, parts});
    return;
  }
  // Which of the graphs it was said in is of no importance.
  if (!removed_.empty()) row = std::max(row, removed_.back() + 1);
  if (row < range_.last) removed_.push_back(row);
}

// The first row of the base that is not less.
std::uint64_t MergedRows::row_of(const Parts& parts) const {
  RowRange rows = range_;
  for (std::size_t depth = depth_; depth < 3 && !rows.empty(); ++depth) {
    const CodePlace place = code_place(snapshot_, parts[depth - depth_]);
    if (!place.is_here) return rows_.seek(rows, depth, place.code);
    rows = rows_.narrow(rows, depth, place.code);
  }
  return rows.first;
}

bool MergedRows::is_before(const Added& a, const Added& b) const {
  if (a.row != b.row) return a.row < b.row;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    if (a.parts[i] != b.parts[i]) return is_less(snapshot_, a.parts[i], b.parts[i]);
  }
  return false;
}

MergedRows::Parts MergedRows::parts_of_base(std::uint64_t row) const {
  Parts parts{};
  for (std::size_t depth = depth_; depth < 3; ++depth) {
    parts[depth - depth_] = snapshot_.base()->dictionary().id_of(rows_.at(depth, row));
  }
  return parts;
}

MergedRows::Parts MergedRows::at(std::uint64_t rank) {
  while (true) {
    const bool has_added = next_added_ < added_.size();
    const bool has_removed = next_removed_ < removed_.size();
    const std::uint64_t until = std::min(has_added ? added_[next_added_].row : range_.last,
                                         has_removed ? removed_[next_removed_] : range_.last);
    if (rank - rank_ < until - row_) return parts_of_base(row_ + rank - rank_);
    rank_ += until - row_;
    row_ = until;
    if (has_added && added_[next_added_].row == row_) {
      if (rank == rank_) return added_[next_added_].parts;
      ++next_added_;
      ++rank_;
    } else if (has_removed) {
      ++next_removed_;
      ++row_;
    } else {
      return {};
    }
  }
}

}  // namespace helve::store
