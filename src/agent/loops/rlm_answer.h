// What goes into an RLM run and comes out of it: variables by the signature, and the answer in what
// SUBMIT was given, or in a text at the cap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/loops/agent_run.h"
#include "agent/loops/signature.h"
#include "agent/loops/submission.h"
#include "agent/sandbox/sandbox.h"

namespace helve::agent {

// context, question, hints and history. InvalidInput where the signature wants another.
Result<std::vector<sandbox::Variable>> input_variables(const RunRequest& request,
                                                       const Signature& signature);

// The outputs, and what the answer rests on: handles and query, which need not be given.
std::vector<sandbox::SubmitField> submit_fields(const Signature& signature);

// What SUBMIT was given: the answer is the field of that name, else the last output.
std::string answer_in(const JsonValue& fields, const Signature& signature);

// What the model is asked for at the cap, and what it answers.
std::string extraction_text(const Signature& signature);
// Its fields are null where it was a text; code is no answer.
Submission read_extracted(const std::string& text, const Signature& signature);

}  // namespace helve::agent
