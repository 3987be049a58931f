#include "agent/loops/rlm_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/loops/code_blocks.h"
#include "agent/loops/json_object.h"
#include "agent/loops/system_prompt.h"

namespace helve::agent {

namespace {

constexpr std::array<std::string_view, 4> kInputs = {"context", "question", "hints", "history"};

JsonValue hints_value(const ContextHints& hints) {
  return object_of(
      {{"relevant", array_of(hints.relevant)}, {"business", JsonValue(hints.business)}});
}

// From the first brace to the last.
std::optional<JsonValue> object_in(std::string_view text) {
  const std::size_t begin = text.find('{');
  const std::size_t end = text.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return std::nullopt;
  }
  auto parsed = parse_json(text.substr(begin, end - begin + 1));
  if (!parsed || parsed->if_object() == nullptr) return std::nullopt;
  return *std::move(parsed);
}

}  // namespace

Result<std::vector<sandbox::Variable>> input_variables(const RunRequest& request,
                                                       const Signature& signature) {
  for (const std::string& input : signature.inputs) {
    if (std::find(kInputs.begin(), kInputs.end(), input) != kInputs.end()) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the signature wants '{}', and a run has no such thing", input),
                 fmt::format("there are {}", fmt::join(kInputs, ", "))};
  }
  std::vector<sandbox::Variable> variables;
  variables.push_back({"context", to_json(JsonValue(context_text(request))), {}});
  variables.push_back({"question", to_json(JsonValue(request.question)), {}});
  if (!request.hints.relevant.empty() || !request.hints.business.empty()) {
    variables.push_back({"hints", to_json(hints_value(request.hints)), {}});
  }
  if (!request.history.empty()) {
    variables.push_back({"history", to_json(history_json(history_of(request))), {}});
  }
  return variables;
}

std::vector<sandbox::SubmitField> submit_fields(const Signature& signature) {
  std::vector<sandbox::SubmitField> fields = signature.outputs;
  for (const char* name : {"handles", "query"}) {
    const bool is_output = std::any_of(fields.begin(), fields.end(),
                                       [&](const auto& field) { return field.name == name; });
    if (!is_output) fields.push_back({name, "object", true});
  }
  return fields;
}

std::string answer_in(const JsonValue& fields, const Signature& signature) {
  const JsonValue* const answer = fields.find("answer");
  if (answer != nullptr || signature.outputs.empty()) return read_answer(answer);
  return read_answer(fields.find(signature.outputs.back().name));
}

std::string extraction_text(const Signature& signature) {
  std::vector<std::string> names;
  for (const sandbox::SubmitField& field : signature.outputs) names.push_back(field.name);
  return fmt::format(
      "The iterations are over, and no code runs any more. From what you have seen, give the "
      "answer as one JSON object with the keys {}, and nothing else. It may also have handles: the "
      "keys of the results that the answer rests on.\n",
      fmt::join(names, ", "));
}

Submission read_extracted(const std::string& text, const Signature& signature) {
  auto fields = object_in(text);
  const bool is_known =
      fields && std::any_of(signature.outputs.begin(), signature.outputs.end(),
                            [&](const auto& field) { return fields->find(field.name) != nullptr; });
  Submission submission;
  submission.answer = find_code(text).prose;
  if (!is_known) return submission;
  submission.answer = answer_in(*fields, signature);
  if (auto claim = read_claim(*fields)) submission.claim = *std::move(claim);
  submission.fields = *std::move(fields);
  return submission;
}

}  // namespace helve::agent
