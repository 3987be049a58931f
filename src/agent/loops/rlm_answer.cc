#include "agent/loops/rlm_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/loops/json_object.h"
#include "agent/loops/system_prompt.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::size_t kHandlesMax = 50;
constexpr std::array<std::string_view, 4> kInputs = {"context", "question", "hints", "history"};

JsonValue hints_value(const ContextHints& hints) {
  return object_of(
      {{"relevant", array_of(hints.relevant)}, {"business", JsonValue(hints.business)}});
}

JsonValue history_value(const RunRequest& request) {
  JsonValue::Array turns;
  for (const llm::Message& turn : history_of(request)) {
    turns.push_back(
        object_of({{"role", JsonValue(turn.role == llm::Role::User ? "user" : "assistant")},
                   {"text", JsonValue(turn.text)}}));
  }
  return JsonValue(std::move(turns));
}

std::string shown(const JsonValue& value) {
  const std::string* const text = value.if_string();
  return text != nullptr ? *text : to_json(value);
}

std::vector<std::string> handles_of(const JsonValue& fields) {
  std::vector<std::string> handles;
  for (const char* key : {"handles", "handle"}) {
    const JsonValue* const value = fields.find(key);
    if (value == nullptr) continue;
    if (const std::string* const one = value->if_string()) handles.push_back(*one);
    const JsonValue::Array* const all = value->if_array();
    for (std::size_t i = 0; all != nullptr && i < std::min(all->size(), kHandlesMax); ++i) {
      if (const std::string* const one = (*all)[i].if_string()) handles.push_back(*one);
    }
  }
  return handles;
}

// The field "answer", else the last one.
HandedIn handed_of(JsonValue fields) {
  HandedIn handed;
  const JsonValue* const answer = fields.find("answer");
  const JsonValue::Object& members = *fields.if_object();
  if (answer != nullptr) {
    handed.answer = shown(*answer);
  } else if (!members.empty()) {
    handed.answer = shown(members.back().value);
  }
  for (const char* key : {"query", "sparql", "sql"}) {
    if (handed.claim.query.empty()) handed.claim.query = text_of(fields, key);
  }
  handed.claim.handles = handles_of(fields);
  handed.fields = std::move(fields);
  return handed;
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
    variables.push_back({"history", to_json(history_value(request)), {}});
  }
  return variables;
}

Result<HandedIn> read_handed_in(const std::string& json, std::size_t answer_chars_max) {
  HELVE_ASSIGN(JsonValue fields, parse_json(json));
  if (fields.if_object() == nullptr) {
    return Error{ErrorCode::InvalidInput, "SUBMIT gave no object"};
  }
  HandedIn handed = handed_of(std::move(fields));
  if (const std::size_t chars = utf8_length(handed.answer); chars > answer_chars_max) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the answer has {} characters, and {} are allowed",
                             format_count(chars), format_count(answer_chars_max)),
                 "say what matters, and name the handle that has the rest"};
  }
  return handed;
}

std::string extraction_text(const Signature& signature) {
  std::vector<std::string> names;
  for (const sandbox::SubmitField& field : signature.outputs) names.push_back(field.name);
  return fmt::format(
      "The iterations are over, and no code runs any more. From what you have seen, give the "
      "answer as one JSON object with the keys {}, and nothing else.\n",
      fmt::join(names, ", "));
}

HandedIn read_extracted(const std::string& text, const Signature& signature) {
  auto fields = object_in(text);
  const bool is_known =
      fields && std::any_of(signature.outputs.begin(), signature.outputs.end(),
                            [&](const auto& field) { return fields->find(field.name) != nullptr; });
  if (is_known) return handed_of(*std::move(fields));
  HandedIn handed;
  handed.answer = text;
  return handed;
}

}  // namespace helve::agent
