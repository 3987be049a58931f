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

// The only JSON object with a verdict in the text, be there words or marks of code around it.
// "unsure", no object, one that cannot be read, and several that disagree mean Incorrect.
ModelVerdict read_verdict(std::string_view text);

}  // namespace helve::agent
