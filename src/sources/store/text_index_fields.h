// Which predicates of a graph name things: what the text index reads, and where labels come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sources/store/snapshot.h"

namespace helve::store {

// Best first.
enum class TextField : std::uint8_t { Label, Synonym, LocalName };
inline constexpr std::size_t kTextFields = 3;

struct LabelPredicate {
  Code predicate = 0;
  TextField field = TextField::Label;

  friend bool operator==(const LabelPredicate&, const LabelPredicate&) = default;
};

// Those of the well-known vocabularies, and others that are called alike. Preferred labels first,
// at most kLabelPredicatesMax.
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

// The label to show: of the first predicate that has any, without language or in English, or else
// the first. Null where there is none.
const LabelText* preferred_label(const std::vector<LabelText>& labels);

}  // namespace helve::store
