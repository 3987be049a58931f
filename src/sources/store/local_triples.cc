#include "sources/store/local_triples.h"

#include <algorithm>
#include <array>

namespace helve::store {

namespace {

constexpr std::uint64_t kRowsBetweenChecks = 65'536;

// The order that has the parts which are known in front.
Order order_for(const TripleIds& known) {
  if (known.subject.is_defined()) {
    const bool has_object_alone = known.object.is_defined() && !known.predicate.is_defined();
    return has_object_alone ? Order::Sop : Order::Spo;
  }
  if (known.predicate.is_defined()) return known.object.is_defined() ? Order::Pos : Order::Pso;
  return known.object.is_defined() ? Order::Osp : Order::Spo;
}

Id& id_of_part(TripleIds& ids, Part part) {
  if (part == Part::Subject) return ids.subject;
  return part == Part::Predicate ? ids.predicate : ids.object;
}

// Rows that say the same in several graphs stand side by side.
bool is_repeat(const Permutation& order, std::uint64_t row, std::uint64_t first) {
  return row > first && order.at(1, row) == order.at(1, row - 1) &&
         order.at(2, row) == order.at(2, row - 1);
}

// What was read from damaged data is not handed out.
Result<bool> ended(const Snapshot& snapshot, bool has_more) {
  if (auto failure = snapshot.failure()) return *std::move(failure);
  return has_more;
}

}  // namespace

Result<bool> read_triples(const Snapshot& snapshot, const TripleIds& known, std::uint64_t most,
                          std::vector<TripleIds>& triples, const OpContext& context) {
  const Dictionary& dictionary = snapshot.dictionary();
  const Order name = order_for(known);
  const Permutation& order = snapshot.indexes()[name];
  const std::array<Part, 4> parts = order_parts(name);
  TripleIds one = known;
  std::array<Code, 3> codes{};
  std::size_t bound = 0;
  for (; bound < 3 && id_of_part(one, parts[bound]).is_defined(); ++bound) {
    const auto code = dictionary.code_of(id_of_part(one, parts[bound]));
    if (!code) return false;
    codes[bound] = *code;
  }
  const RowRange rows = order.find({codes.data(), bound});
  const bool has_repeats = snapshot.indexes().has_named_graphs;
  IdReader id_of(dictionary);
  std::uint64_t taken = 0;
  std::uint64_t leading_end = 0;
  for (std::uint64_t row = rows.first; row < rows.last; ++row) {
    if (row % kRowsBetweenChecks == 0) HELVE_TRY(context.check());
    if (bound == 0 && row >= leading_end) {
      const auto [code, end] = order.leading_until(row);
      one.subject = id_of(code);
      leading_end = end;
    } else if (has_repeats && is_repeat(order, row, rows.first)) {
      continue;
    }
    if (taken++ == most) return ended(snapshot, true);
    for (std::size_t depth = std::max<std::size_t>(bound, 1); depth < 3; ++depth) {
      id_of_part(one, parts[depth]) = id_of(order.at(depth, row));
    }
    triples.push_back(one);
  }
  return ended(snapshot, false);
}

Result<bool> count_by_object(const Snapshot& snapshot, Id predicate, std::uint64_t most,
                             std::vector<TripleReader::ObjectCount>& counts,
                             const OpContext& context) {
  const Dictionary& dictionary = snapshot.dictionary();
  const auto code = dictionary.code_of(predicate);
  if (!code) return false;
  const Permutation& pos = snapshot.indexes()[Order::Pos];
  const bool has_repeats = snapshot.indexes().has_named_graphs;
  RowRange rows = pos.rows_of(*code);
  for (std::uint64_t taken = 0; !rows.empty(); ++taken) {
    if (taken == most) return ended(snapshot, true);
    const Code object = pos.at(1, rows.first);
    // Even where the column is damaged, each step goes on.
    const std::uint64_t end = std::max(pos.seek(rows, 1, object + 1), rows.first + 1);
    std::uint64_t n = end - rows.first;
    for (std::uint64_t row = rows.first; has_repeats && row < end; ++row) {
      if (row % kRowsBetweenChecks == 0) HELVE_TRY(context.check());
      if (is_repeat(pos, row, rows.first)) --n;
    }
    counts.emplace_back(dictionary.id_of(object), n);
    rows.first = end;
  }
  return ended(snapshot, false);
}

}  // namespace helve::store
