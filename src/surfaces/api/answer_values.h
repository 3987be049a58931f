// Reads the values of a tool's answer into the plain types of typed.h. What an answer does not have
// reads as empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/typed.h"
#include "surfaces/api/state.h"
#include "toolkit/tools/reply.h"

namespace helve::api {

using toolkit::ReplyList;
using toolkit::ReplyValue;

// Null where there is none.
const ReplyValue* find_fact(const toolkit::Reply& reply, std::string_view key);
const ReplyList* find_list(const toolkit::Reply& reply, std::string_view key);
const ReplyValue* find_member(const ReplyValue& object, std::string_view key);

// Of an IRI or another term its value, of a number its digits.
std::string text_of(const ReplyValue* value);
std::uint64_t number_of(const ReplyValue* value);
std::optional<std::uint64_t> if_number(const ReplyValue* value);
bool flag_of(const ReplyValue* value);
std::vector<std::string> texts_of(const ReplyValue* list);
Term term_of(const ReplyValue& value);
Cell cell_of(const ReplyValue& value);  // nullopt for null
std::vector<Row> rows_of(const ReplyList& list);

// A call whose answer is wanted as values.
struct TypedCall {
  TypedCall& set(std::string key, JsonValue value);
  TypedCall& set_text(std::string key, std::string_view value);
  // Left out where it is empty.
  TypedCall& set_if(std::string key, std::string_view value);
  TypedCall& set_number(std::string key, std::uint64_t value);
  // Ends the call; for tools that take a timeout of their own, that one too.
  TypedCall& set_timeout(const std::optional<std::chrono::nanoseconds>& timeout,
                         bool has_parameter);

  Result<toolkit::Reply> run(const Tools& tools, std::string_view tool);

  JsonValue::Object arguments;
  CallOptions options;
  Answer answer;  // of the reply, after run()
};

}  // namespace helve::api
