// What goes into an RLM run and comes out of it: variables by the signature, and the answer in what
// SUBMIT was given, or in a text at the cap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/loops/agent_run.h"
#include "agent/loops/evidence_book.h"
#include "agent/loops/signature.h"
#include "agent/sandbox/sandbox.h"

namespace helve::agent {

// context, question, hints and history. InvalidInput where the signature wants another.
Result<std::vector<sandbox::Variable>> input_variables(const RunRequest& request,
                                                       const Signature& signature);

struct HandedIn {
  std::string answer;
  EvidenceClaim claim;
  JsonValue fields;  // null: it was a text
};

// Of SUBMIT: an object. InvalidInput where it is none, or its answer is too long.
Result<HandedIn> read_handed_in(const std::string& json, std::size_t answer_chars_max);

// What the model is asked for at the cap, and what it answers.
std::string extraction_text(const Signature& signature);
HandedIn read_extracted(const std::string& text, const Signature& signature);

}  // namespace helve::agent
