// Solution mappings and the operations of the algebra on them, as the specification defines them.
// https://www.w3.org/TR/sparql11-query/#sparqlAlgebra
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/id.h"

namespace helve::reference {

using rdf::Id;

// The variables of a query by number, in the order in which they are first met.
class Variables {
 public:
  std::size_t number(std::string_view name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    names_.emplace_back(name);
    return names_.size() - 1;
  }

 private:
  std::vector<std::string> names_;
};

// A mapping from variables to terms. Undefined ids, and numbers beyond the end, are unbound.
class Solution {
 public:
  Id operator[](std::size_t variable) const {
    return variable < ids_.size() ? ids_[variable] : Id();
  }
  void set(std::size_t variable, Id id) {
    if (variable >= ids_.size()) ids_.resize(variable + 1);
    ids_[variable] = id;
  }
  std::size_t size() const { return ids_.size(); }

  friend bool operator==(const Solution& a, const Solution& b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  std::vector<Id> ids_;
};

// A multiset: the order means nothing, how often a solution comes does.
using Solutions = std::vector<Solution>;

// Every variable that both bind has the same term.
inline bool are_compatible(const Solution& a, const Solution& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].is_defined() && b[i].is_defined() && a[i] != b[i]) return false;
  }
  return true;
}

// REQUIRES: they are compatible, or the terms of `a` are to win.
inline Solution merged(const Solution& a, const Solution& b) {
  Solution out = a;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!out[i].is_defined() && b[i].is_defined()) out.set(i, b[i]);
  }
  return out;
}

inline bool have_common_variable(const Solution& a, const Solution& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].is_defined() && b[i].is_defined()) return true;
  }
  return false;
}

}  // namespace helve::reference
