// submit: the tool by which a model ends a run, and what is handed in, in both loops.
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

// A number or a list is an answer too. Empty: there is none; `given` may be null.
std::string read_answer(const JsonValue* given);

// "handles" and "query" (or "sparql", "sql") of an object. InvalidInput where they are no such.
Result<EvidenceClaim> read_claim(const JsonValue& fields);

// InvalidInput says what is wrong, for the model to do it again: no answer, or too long a one.
Result<Submission> read_submission(JsonValue fields, std::string answer,
                                   std::size_t answer_chars_max);
Result<Submission> read_submission(const llm::ToolUse& use, std::size_t answer_chars_max);

}  // namespace helve::agent
