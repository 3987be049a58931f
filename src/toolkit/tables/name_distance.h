// How far one name of a table or column is from another, the way people and models get them wrong:
// letters, case, underscores, plurals, words left out. name_repair.h and catalogue_search.h rank by
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::toolkit {

// The words of a name in lower case: "unitPrice", "unit_price" and "UnitPrice" have two.
std::vector<std::string> words_of_name(std::string_view name);

// A name made ready to be compared with many.
class NameToCompare {
 public:
  explicit NameToCompare(std::string_view name);

  // 0 where only the case differs; below 1 where it is the same name written otherwise; then about
  // the number of letters to change. nullopt: too far to be meant. Takes at most some thousand
  // steps: long names are compared no more.
  std::optional<double> distance_to(std::string_view other) const;

 private:
  std::string lower_;
  std::string bare_;  // without marks between words
  std::string singular_;
  std::vector<std::string> words_;
};

}  // namespace helve::toolkit
