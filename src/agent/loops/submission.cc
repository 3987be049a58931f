#include "agent/loops/submission.h"

#include <fmt/format.h>

#include "agent/loops/json_object.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

constexpr std::size_t kHandlesMax = 50;

JsonValue typed(const char* type, const char* description) {
  return object_of({{"type", JsonValue(type)}, {"description", JsonValue(description)}});
}

Result<std::vector<std::string>> read_handles(const JsonValue* given) {
  std::vector<std::string> handles;
  if (given == nullptr || given->is_null()) return handles;
  if (const std::string* const one = given->if_string()) {
    if (!one->empty()) handles.push_back(*one);
    return handles;
  }
  const JsonValue::Array* const all = given->if_array();
  if (all == nullptr || all->size() > kHandlesMax) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("handles must be a list of at most {} keys", kHandlesMax),
                 R"(for example ["results_0"])"};
  }
  for (const JsonValue& value : *all) {
    const std::string* const key = value.if_string();
    if (key == nullptr) {
      return Error{ErrorCode::InvalidInput, "handles must be texts",
                   R"(for example ["results_0"])"};
    }
    handles.push_back(*key);
  }
  return handles;
}

// A number or a list is an answer too.
std::string read_answer(const JsonValue* given) {
  if (given == nullptr || given->is_null()) return {};
  const std::string* const text = given->if_string();
  return text != nullptr ? repaired_utf8(*text) : to_json(*given);
}

}  // namespace

llm::ToolDeclaration declare_submit() {
  JsonValue handles = typed("array", "keys of the stored results that it rests on");
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

Result<Submission> read_submission(const llm::ToolUse& use, std::size_t answer_chars_max) {
  if (use.arguments.if_object() == nullptr) {
    return Error{ErrorCode::InvalidInput, "the arguments of submit are no JSON object",
                 R"(for example {"answer": "...", "handles": ["results_0"]})"};
  }
  Submission submission;
  submission.answer = read_answer(use.arguments.find("answer"));
  if (submission.answer.empty()) {
    return Error{ErrorCode::InvalidInput, "submit lacks an answer", "give it as a text"};
  }
  if (const std::size_t chars = utf8_length(submission.answer); chars > answer_chars_max) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the answer has {} characters, and {} are allowed",
                             format_count(chars), format_count(answer_chars_max)),
                 "say what matters, and name the handle that has the rest"};
  }
  submission.claim.query = text_of(use.arguments, "query");
  HELVE_ASSIGN(submission.claim.handles, read_handles(use.arguments.find("handles")));
  submission.fields = use.arguments;
  return submission;
}

}  // namespace helve::agent
