// The signature of a task: "context, question -> sparql, answer: str". What stands behind the arrow
// is what SUBMIT takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/sandbox/sandbox.h"
#include "base/result.h"

namespace helve::agent {

struct Signature {
  std::vector<std::string> inputs;
  std::vector<sandbox::SubmitField> outputs;  // one at least
};

// Names may have types: str, int, float, bool, list, dict or object, which is what has none.
// InvalidInput says what is wrong.
Result<Signature> parse_signature(std::string_view text);

// "SUBMIT(sparql, answer: str)".
std::string submit_text(const Signature& signature);

}  // namespace helve::agent
