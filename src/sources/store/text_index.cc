#include "sources/store/text_index.h"

#include <algorithm>
#include <bit>

#include "sources/store/snapshot_layout.h"

namespace helve::store {

std::pair<Name, Name> TextIndex::names_of(NameKind kind) const {
  const auto end = static_cast<Name>(size());
  switch (kind) {
    case NameKind::Class:
      return {0, classes_end};
    case NameKind::Property:
      return {classes_end, properties_end};
    case NameKind::Instance:
      return {properties_end, end};
    case NameKind::Any:
      break;
  }
  return {0, end};
}

std::size_t TextIndex::memory_bytes() const {
  return words.memory_bytes() + starts.bytes() + lists.bytes() + bests.bytes() + wholes.bytes() +
         holders.bytes() + codes.bytes() + names.bytes();
}

std::uint32_t whole_checksum(std::string_view whole) {
  return static_cast<std::uint32_t>(checksum(whole));
}

std::uint64_t count_of(const Snapshot& snapshot, Code code, NameKind kind) {
  const Statistics& statistics = snapshot.statistics();
  const Id id = snapshot.dictionary().id_of(code);
  if (kind == NameKind::Class) {
    const auto& classes = statistics.classes;
    const auto found =
        std::lower_bound(classes.begin(), classes.end(), id,
                         [](const auto& one, Id wanted) { return one.type < wanted; });
    return found != classes.end() && found->type == id ? found->instances : 0;
  }
  if (kind == NameKind::Property) {
    const auto& predicates = statistics.predicates;
    const auto found =
        std::lower_bound(predicates.begin(), predicates.end(), id,
                         [](const auto& one, Id wanted) { return one.predicate < wanted; });
    return found != predicates.end() && found->predicate == id ? found->triples : 0;
  }
  return snapshot.indexes()[Order::Spo].rows_of(code).size();
}

std::uint32_t degree_of(std::uint64_t count) {
  const std::uint64_t n = count + 1;
  const auto width = static_cast<std::uint32_t>(std::bit_width(n));
  // The three bits behind the highest one.
  const std::uint64_t rest = width > 4 ? n >> (width - 4) : n << (4 - width);
  return (width - 1) * 8 + static_cast<std::uint32_t>(rest & 7);
}

}  // namespace helve::store
