// Correct queries spoilt in every way that diagnosis must recognise, and questions that are good
// and have no answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/diagnosis/drafts.h"
#include "toolkit/diagnosis/diagnosis.h"

namespace helve::testing {

struct BrokenQuery {
  std::string kind;  // "unknown class"
  toolkit::EmptyCause cause = toolkit::EmptyCause::Unknown;
  std::string text;
  std::pair<std::size_t, std::size_t> span;  // what was spoilt, in bytes of the text
};

// Each gives no rows.
std::vector<BrokenQuery> broken_in_every_way(const GraphSample& sample, const Draft& draft,
                                             Random& random);

struct EmptyQuestion {
  std::string kind;
  std::string text;
};
// Nothing is wrong with them: real things and real names that have no such answer. At most `count`
// of each kind.
std::vector<EmptyQuestion> empty_questions(const GraphSample& sample, std::size_t count,
                                           Random& random);

}  // namespace helve::testing
