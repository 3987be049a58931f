// What a right query has and wrong ones lack.
#pragma once

#include <string>
#include <vector>

#include "toolkit/learning/generalise.h"

namespace helve::agent {

struct Contrast {
  std::vector<std::string> names;        // classes and properties of the right one alone
  std::vector<std::string> wrong_names;  // of all wrong ones, and not of the right one
  std::vector<std::string> shapes;       // "DISTINCT", "counting", likewise
  std::vector<std::string> wrong_shapes;

  bool is_empty() const {
    return names.empty() && wrong_names.empty() && shapes.empty() && wrong_shapes.empty();
  }
};

// Constants do not count: queries that differ in them alone have no contrast. REQUIRES: some wrong
// ones.
Contrast contrast_of(const learning::QueryPattern& right,
                     const std::vector<learning::QueryPattern>& wrong);

// Whether the other one uses the classes and properties of the right one, but for labels: what is
// wrong with it is not where it looks. `may_lack`: or some of them.
bool has_same_names(const learning::QueryPattern& right, const learning::QueryPattern& other,
                    bool may_lack);

// In sentences, a line each.
std::string words_of(const Contrast& contrast);

}  // namespace helve::agent
