// TextIndex: finds the IRIs of a snapshot by words of their labels, synonyms and local names. This
// is its data; text_index_builder.h makes it, text_index_search.h asks it, text_index_file.h keeps
// it on disk.
//
// Names are the IRIs, numbered by rank: classes first, then properties, then instances, and among
// these by how much the graph says about them. So every list of names, which is ascending, has the
// best first, and those of one kind are a stretch of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "sources/graph_source.h"
#include "sources/store/front_coded.h"
#include "sources/store/packed_column.h"
#include "sources/store/snapshot.h"
#include "sources/store/text_index_fields.h"

namespace helve::store {

using Name = std::uint32_t;
inline constexpr std::uint64_t kNamesMax = std::uint64_t{1} << 30;

// Immutable; thread-safe.
struct TextIndex {
  FrontCoded words;                     // folded, ascending
  PackedColumn<std::uint64_t> starts;   // into lists: by word and field, and one more
  PackedColumn<Name> lists;             // names that have the word in the field, ascending
  PackedColumn<Name> bests;             // by group of words and kind: the least name in its lists
  PackedColumn<std::uint32_t> wholes;   // checksums of whole texts, ascending
  PackedColumn<std::uint32_t> holders;  // by whole: its name and field; ascending for equal ones
  PackedColumn<Code> codes;             // by name
  PackedColumn<Name> names;             // by code of an IRI
  Name classes_end = 0;                 // names before it are classes
  Name properties_end = 0;
  std::vector<LabelPredicate> labels;
  MemoryCharge charge;
  std::shared_ptr<const Damage> damage;  // of the file it lies in, if it lies in one

  // Words of one entry of bests.
  static constexpr std::uint64_t kGroupWords = 64;
  static constexpr std::uint64_t kKinds = 3;
  static constexpr std::uint64_t groups_of(std::uint64_t words) {
    return (words + kGroupWords - 1) / kGroupWords;
  }

  struct Holder {
    Name name = 0;
    TextField field = TextField::Label;
  };

  std::uint64_t size() const { return codes.size(); }
  NameKind kind_of(Name name) const {
    if (name < classes_end) return NameKind::Class;
    return name < properties_end ? NameKind::Property : NameKind::Instance;
  }
  // Names of a kind: [first, last). Any has all.
  std::pair<Name, Name> names_of(NameKind kind) const;
  // The list of a word in a field.
  RowRange list_of(std::uint64_t word, TextField field) const {
    const auto [first, last] = starts.pair_at(word * kTextFields + static_cast<std::size_t>(field));
    return first <= last && last <= lists.size() ? RowRange{first, last} : RowRange{};
  }
  Holder holder(std::uint64_t i) const {
    const std::uint32_t bits = holders[i];
    return {bits / 4, static_cast<TextField>(std::min<std::uint32_t>(bits % 4, kTextFields - 1))};
  }
  std::size_t memory_bytes() const;
  // Set once a damaged part was met: what was found since must not be used.
  std::optional<Error> failure() const {
    return damage != nullptr ? damage->error() : std::nullopt;
  }
};

// Of a text without gaps (WordSplitter::whole()).
std::uint32_t whole_checksum(std::string_view whole);

// Instances of a class, triples of a property, triples about an instance.
std::uint64_t count_of(const Snapshot& snapshot, Code code, NameKind kind);

// What a count is worth: about eight for each doubling. The order of names follows it.
std::uint32_t degree_of(std::uint64_t count);

}  // namespace helve::store
