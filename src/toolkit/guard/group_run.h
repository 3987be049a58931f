// Runs a group in thought, in the cheapest order that can be told, and keeps account of the work.
// workload.h is its user.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "toolkit/guard/workload.h"

namespace helve::toolkit {

// What the parts around a group have told. Variables can be forgotten again, so that branches of a
// UNION do not each need a copy of all that went before.
class Knowledge {
 public:
  bool is_bound(const std::string& name) const { return bound_.contains(name); }
  void bind(const std::string& name) {
    if (bound_.insert(name).second) order_.push_back(name);
  }
  std::size_t mark() const { return order_.size(); }
  void forget(std::size_t mark) {
    for (; order_.size() > mark; order_.pop_back()) bound_.erase(order_.back());
  }

  std::unordered_map<std::string, std::string> classes;  // variables with a class
  std::unordered_map<std::string, std::vector<rdf::Term>> values;

 private:
  std::unordered_set<std::string> bound_;
  std::vector<std::string> order_;
};

// Rows on their way, and the steps that made them many.
struct Flow {
  double rows = 1;
  std::vector<Place> bulk;
};

// Adds what makes the group expensive to `out`, and leaves the rows that it gives in `at`.
// Returns the work of the whole.
double run_group(const Group& group, Knowledge& known, Flow& at, QueryWork& out);

// Few rows pass its conditions.
bool is_selective(const Group& group);

}  // namespace helve::toolkit
