// submit: the tool by which a model ends a run, and what it hands in.
#pragma once

#include "agent/llm/provider.h"
#include "agent/loops/evidence_book.h"

namespace helve::agent {

inline constexpr std::string_view kSubmit = "submit";

llm::ToolDeclaration declare_submit();

struct Submission {
  std::string answer;
  EvidenceClaim claim;
  JsonValue fields;  // as they were given
};

// InvalidInput says what is wrong, for the model to do it again.
Result<Submission> read_submission(const llm::ToolUse& use, std::size_t answer_chars_max);

}  // namespace helve::agent
