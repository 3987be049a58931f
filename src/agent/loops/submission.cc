#include "agent/loops/submission.h"

#include <fmt/format.h>

#include <utility>

#include "agent/loops/json_object.h"
#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

constexpr std::size_t kHandlesMax = 50;
constexpr std::size_t kHandleBytesMax = 500;  // a Ref as it prints has less

JsonValue typed(const char* type, const char* description) {
  return object_of({{"type", JsonValue(type)}, {"description", JsonValue(description)}});
}

Error wrong_handles(std::string message) {
  return {ErrorCode::InvalidInput, std::move(message), R"(for example ["results_0"])"};
}

Result<void> add_handle(const std::string& key, std::vector<std::string>& handles) {
  if (key.size() > kHandleBytesMax) {
    return wrong_handles(fmt::format("a handle has {} bytes at most", kHandleBytesMax));
  }
  if (!key.empty()) handles.push_back(key);
  return {};
}

Result<void> read_handles(const JsonValue* given, std::vector<std::string>& handles) {
  if (given == nullptr || given->is_null()) return {};
  if (const std::string* const one = given->if_string()) return add_handle(*one, handles);
  const JsonValue::Array* const all = given->if_array();
  if (all == nullptr || all->size() > kHandlesMax) {
    return wrong_handles(fmt::format("handles must be a list of at most {} keys", kHandlesMax));
  }
  for (const JsonValue& value : *all) {
    const std::string* const key = value.if_string();
    if (key == nullptr) return wrong_handles("handles must be texts");
    HELVE_TRY(add_handle(*key, handles));
  }
  return {};
}

}  // namespace

llm::ToolDeclaration declare_submit() {
  JsonValue handles = typed(
      "array", "keys of the stored results that it rests on; an empty list: it rests on none");
  handles.if_object()->push_back({"items", object_of({{"type", JsonValue("string")}})});
  JsonValue properties =
      object_of({{"answer", typed("string", "the answer, complete and readable alone")},
                 {"query", typed("string", "the query that it rests on, as it was run")},
                 {"handles", std::move(handles)}});
  return {std::string(kSubmit), "Hands in the answer and ends the work.",
          object_of({{"type", JsonValue("object")},
                     {"properties", std::move(properties)},
                     {"required", array_of({"answer"})}})};
}

std::string read_answer(const JsonValue* given) {
  if (given == nullptr || given->is_null()) return {};
  const std::string* const text = given->if_string();
  return text != nullptr ? repaired_utf8(*text) : to_json(*given);
}

Result<EvidenceClaim> read_claim(const JsonValue& fields) {
  EvidenceClaim claim;
  for (const char* key : {"handles", "handle"}) {
    const JsonValue* const given = fields.find(key);
    HELVE_TRY(read_handles(given, claim.handles));
    claim.is_none |= given != nullptr && given->if_array() != nullptr && claim.handles.empty();
  }
  for (const char* key : {"query", "sparql", "sql"}) {
    const JsonValue* const given = fields.find(key);
    if (given == nullptr || given->is_null() || !claim.query.empty()) continue;
    if (given->if_string() == nullptr) {
      return Error{ErrorCode::InvalidInput, fmt::format("{} must be a text", key),
                   "give the query as it was run, or leave it out"};
    }
    claim.query = *given->if_string();
  }
  return claim;
}

Result<Submission> read_submission(JsonValue fields, std::string answer,
                                   std::size_t answer_chars_max) {
  if (is_blank(answer)) {
    return Error{ErrorCode::InvalidInput, "there is no answer in it", "give it as a text"};
  }
  if (const std::size_t chars = utf8_length(answer); chars > answer_chars_max) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the answer has {} characters, and {} are allowed",
                             format_count(chars), format_count(answer_chars_max)),
                 "say what matters, and name the handle that has the rest"};
  }
  Submission submission;
  HELVE_ASSIGN(submission.claim, read_claim(fields));
  submission.answer = std::move(answer);
  submission.fields = std::move(fields);
  return submission;
}

Result<Submission> read_submission(const llm::ToolUse& use, std::size_t answer_chars_max) {
  if (use.arguments.if_object() == nullptr) {
    return Error{ErrorCode::InvalidInput, "the arguments of submit are no JSON object",
                 R"(for example {"answer": "...", "handles": ["results_0"]})"};
  }
  return read_submission(use.arguments, read_answer(use.arguments.find("answer")),
                         answer_chars_max);
}

}  // namespace helve::agent
