// Rollouts of one task by their verdicts.
#pragma once

#include <algorithm>
#include <vector>

#include "agent/learn/extraction.h"

namespace helve::agent {

inline bool is_wrong(const JudgedRun& run) {
  const learning::Verdict verdict = run.judgment.judgment.verdict;
  return verdict == learning::Verdict::Incorrect || verdict == learning::Verdict::Partial;
}

// Null: there is none.
inline const JudgedRun* best_right(const std::vector<JudgedRun>& runs) {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [](const JudgedRun& run) { return run.judgment.is_success(); });
  return found != runs.end() ? &*found : nullptr;
}

// One that is wrong altogether before one that is partly right.
inline const JudgedRun* first_wrong(const std::vector<JudgedRun>& runs) {
  auto found = std::find_if(runs.begin(), runs.end(), [](const JudgedRun& run) {
    return run.judgment.judgment.verdict == learning::Verdict::Incorrect;
  });
  if (found == runs.end()) found = std::find_if(runs.begin(), runs.end(), is_wrong);
  return found != runs.end() ? &*found : nullptr;
}

// By verdict, then f1, then the first. REQUIRES: there are some.
inline std::size_t best_of(const std::vector<TaskJudgment>& judgments) {
  const auto rank = [](const TaskJudgment& one) {
    switch (one.judgment.verdict) {
      case learning::Verdict::Correct:
        return 3;
      case learning::Verdict::Partial:
        return 2;
      case learning::Verdict::Incorrect:
        return 1;
      case learning::Verdict::None:
        break;
    }
    return 0;
  };
  const auto is_less = [&](const TaskJudgment& left, const TaskJudgment& right) {
    if (rank(left) != rank(right)) return rank(left) < rank(right);
    const auto f1 = [](const TaskJudgment& one) { return one.comparison ? one.comparison->f1 : 0; };
    return f1(left) < f1(right);
  };
  return static_cast<std::size_t>(std::max_element(judgments.begin(), judgments.end(), is_less) -
                                  judgments.begin());
}

}  // namespace helve::agent
