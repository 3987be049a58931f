// Which predicates of a graph name things: what the text index reads, and where labels come from.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/store/schema_rows.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Best first.
enum class TextField : std::uint8_t { Label, Synonym, LocalName };
inline constexpr std::size_t kTextFields = 3;

// A predicate that names things, by the code or the id that a store gives it.
template <typename Key>
struct NamingPredicate {
  Key predicate{};
  TextField field = TextField::Label;

  friend bool operator==(const NamingPredicate&, const NamingPredicate&) = default;
};
using LabelPredicate = NamingPredicate<Code>;

// How much a predicate that names things is preferred: less is better.
struct LabelRank {
  TextField field = TextField::Label;
  std::size_t place = 0;

  auto operator<=>(const LabelRank&) const = default;  // NOLINT(modernize-use-nullptr)
};
// Of those of the well-known vocabularies, and others that are called alike; nullopt: names
// nothing.
std::optional<LabelRank> label_rank(std::string_view predicate);

// Preferred labels first, at most kLabelPredicatesMax.
inline constexpr std::size_t kLabelPredicatesMax = 64;
std::vector<LabelPredicate> find_label_predicates(const Snapshot& snapshot);

struct LabelText {
  std::string text;
  std::string language;
  TextField field = TextField::Label;
};

// Literals that name a subject, preferred ones first; no more than `labels_max`, and of longer ones
// than `bytes_max` bytes the beginning.
std::vector<LabelText> labels_of(const Snapshot& snapshot,
                                 const std::vector<LabelPredicate>& predicates, Code subject,
                                 std::size_t labels_max, std::size_t bytes_max = 512);

// The same of a store with other rows.
std::vector<LabelText> labels_of(const SchemaRows& rows,
                                 const std::vector<NamingPredicate<Id>>& predicates, Id subject,
                                 std::size_t labels_max, std::size_t bytes_max = 512);

// Labels of a class or property that a schema chooses from.
inline constexpr std::size_t kLabelsOfSchema = 16;

// The label to show: of the first predicate that has any, without language or in English, or else
// the first. Null where there is none.
const LabelText* preferred_label(const std::vector<LabelText>& labels);

}  // namespace helve::store
