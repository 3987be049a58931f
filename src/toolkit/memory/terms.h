// Words of items and questions as they are looked for, and the bag of an item's words that ranking
// (rank.h) needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolkit/memory/item.h"

namespace helve::memory {

// Changes with every change of terms_of() and filter_tokens(): banks that were made with another
// are indexed anew.
inline constexpr int kTermsVersion = 3;

// In order, with repetitions: without case and accents, an English plural as its singular, a
// camelCase name whole and in its parts, scripts without spaces by characters.
// REQUIRES: valid UTF-8.
std::vector<std::string> terms_of(std::string_view text);
// The same for a question: each once, at most so many. What is not UTF-8 is left out.
std::vector<std::string> query_terms(std::string_view text, std::size_t terms_max = 64);

// How often words stand in an item, by the weight of the field that they stand in. A word is a
// hash: of some hundred in an item two are the same once in ten million items.
class Bag {
 public:
  static Bag of(const Item& item, std::vector<std::string>& distinct_terms);
  // What bytes() gave; anything else is an empty bag.
  static Bag from_bytes(std::string_view bytes);
  std::string bytes() const;

  std::uint32_t weight_of(std::string_view term) const { return weight_of_hash(hash_of(term)); }
  std::uint32_t weight_of_hash(std::uint32_t hash) const;
  static std::uint32_t hash_of(std::string_view term);

  // What from_bytes(bytes) would say, without making it.
  static std::uint32_t weight_in(std::string_view bytes, std::uint32_t hash);
  friend bool operator==(const Bag&, const Bag&) = default;
  template <typename Visit>
  void visit(const Visit& visit) const {
    for (const auto& [hash, weight] : weights_) visit(hash, weight);
  }

 private:
  friend struct ItemTerms item_terms(const Item& item);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> weights_;  // ascending by hash
};

// All that an index has of an item, in one go.
struct ItemTerms {
  std::vector<std::string> distinct;  // ascending
  Bag bag;
  std::uint64_t length = 0;
};
ItemTerms item_terms(const Item& item);

// Of all words together, in the unit of Bag; kWeightUnit is one word of the content.
std::uint64_t length_of(const Item& item);
inline constexpr std::uint32_t kWeightUnit = 2;

}  // namespace helve::memory
