// StateTrail: in which states something may be found after a crash, where one change is made after
// the other: the last that was acknowledged, or any that was begun behind it. Never a mixture.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sources/store/live/live_testing.h"

namespace helve {

// What of the first is not in the second.
inline store::live_testing::Model missing_of(const store::live_testing::Model& wanted,
                                             const store::live_testing::Model& found) {
  store::live_testing::Model missing;
  std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(),
                      std::inserter(missing, missing.end()));
  return missing;
}

// How many they are, and a few of them.
inline std::string some_of(const store::live_testing::Model& model) {
  store::live_testing::Model few;
  for (const auto& one : model) {
    if (few.size() < 5) few.insert(one);
  }
  return fmt::format("{} statements, as\n{}", model.size(), store::live_testing::to_nquads(few));
}

class StateTrail {
 public:
  using Model = store::live_testing::Model;

  explicit StateTrail(Model first) { states_.push_back(std::move(first)); }

  const Model& last() const { return states_.back(); }
  void begin(Model next) { states_.push_back(std::move(next)); }
  void acknowledge() { states_.erase(states_.begin(), states_.end() - 1); }

  // What is wrong with this; empty: nothing.
  std::string check(const Model& found) const {
    if (std::find(states_.begin(), states_.end(), found) != states_.end()) return "";
    std::string wrong = "none of the states that may be there";
    for (const Model& state : states_) {
      const Model lost = missing_of(state, found);
      const Model more = missing_of(found, state);
      wrong += fmt::format("\nbeside one of {}, it lacks {}and has more: {}", state.size(),
                           some_of(lost), some_of(more));
    }
    return wrong;
  }
  // Goes on from what was found. Where that is not durable, states before it may yet come back.
  void settle(const Model& found, bool is_durable) {
    const auto at = std::find(states_.rbegin(), states_.rend(), found);
    states_.erase(at.base(), states_.end());
    if (is_durable) acknowledge();
  }

 private:
  std::vector<Model> states_;  // never empty
};

}  // namespace helve
