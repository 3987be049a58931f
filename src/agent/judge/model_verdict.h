// The verdict of a model that judges, read from what it wrote.
#pragma once

#include <string>
#include <string_view>

#include "toolkit/learning/extract.h"

namespace helve::agent {

struct ModelVerdict {
  learning::Verdict verdict = learning::Verdict::Incorrect;
  std::string reason;  // bounded, valid UTF-8
};

// The text is one JSON object, bare or in one block of code; thoughts may stand before it. All else
// means Incorrect, and so does "unsure": an object in the middle of words may be one that is
// quoted.
ModelVerdict read_verdict(std::string_view text);

}  // namespace helve::agent
