#include "surfaces/api/answer_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace helve::api {

namespace {

Term literal_of(std::string value, std::string_view type) {
  return {TermKind::Literal,
          std::move(value),
          type.empty() ? std::string() : fmt::format("http://www.w3.org/2001/XMLSchema#{}", type),
          {}};
}

}  // namespace

const ReplyValue* find_fact(const toolkit::Reply& reply, std::string_view key) {
  for (const auto& fact : reply.facts) {
    if (fact.key == key) return &fact.value;
  }
  return nullptr;
}

const ReplyList* find_list(const toolkit::Reply& reply, std::string_view key) {
  for (const ReplyList& list : reply.lists) {
    if (list.key == key) return &list;
  }
  return nullptr;
}

const ReplyValue* find_member(const ReplyValue& object, std::string_view key) {
  const auto* members = object.if_is<ReplyValue::Members>();
  if (members == nullptr) return nullptr;
  for (const auto& [name, value] : *members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string text_of(const ReplyValue* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->if_is<std::string>()) return *text;
  if (const auto* term = value->if_is<rdf::Term>()) return term->value;
  if (const auto* flag = value->if_is<bool>()) return *flag ? "true" : "false";
  if (const auto* number = value->if_is<std::int64_t>()) return fmt::format("{}", *number);
  if (const auto* number = value->if_is<std::uint64_t>()) return fmt::format("{}", *number);
  if (const auto* number = value->if_is<double>()) return fmt::format("{}", *number);
  return {};
}

std::optional<std::uint64_t> if_number(const ReplyValue* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* number = value->if_is<std::uint64_t>()) return *number;
  const auto* number = value->if_is<std::int64_t>();
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::uint64_t number_of(const ReplyValue* value) { return if_number(value).value_or(0); }

bool flag_of(const ReplyValue* value) {
  const auto* flag = value != nullptr ? value->if_is<bool>() : nullptr;
  return flag != nullptr && *flag;
}

std::vector<std::string> texts_of(const ReplyValue* list) {
  std::vector<std::string> texts;
  const auto* items = list != nullptr ? list->if_is<ReplyValue::List>() : nullptr;
  if (items == nullptr) return texts;
  texts.reserve(items->size());
  for (const ReplyValue& item : *items) texts.push_back(text_of(&item));
  return texts;
}

Term term_of(const ReplyValue& value) {
  if (const auto* term = value.if_is<rdf::Term>()) {
    return {static_cast<TermKind>(term->kind), term->value, term->datatype, term->language};
  }
  const char* type =
      value.if_is<bool>() != nullptr     ? "boolean"
      : value.if_is<double>() != nullptr ? "double"
      : value.if_is<std::int64_t>() != nullptr || value.if_is<std::uint64_t>() != nullptr
          ? "integer"
          : "";
  return literal_of(text_of(&value), type);
}

Cell cell_of(const ReplyValue& value) {
  if (value.if_is<std::monostate>() != nullptr) return std::nullopt;
  return term_of(value);
}

std::vector<Row> rows_of(const ReplyList& list) {
  std::vector<Row> rows;
  rows.reserve(list.items.size());
  for (const ReplyValue& item : list.items) {
    const auto* cells = item.if_is<ReplyValue::List>();
    if (cells == nullptr) continue;
    Row& row = rows.emplace_back();
    row.reserve(cells->size());
    for (const ReplyValue& cell : *cells) row.push_back(cell_of(cell));
  }
  return rows;
}

TypedCall& TypedCall::set(std::string key, JsonValue value) {
  arguments.push_back({std::move(key), std::move(value)});
  return *this;
}

TypedCall& TypedCall::set_text(std::string key, std::string_view value) {
  return set(std::move(key), JsonValue(value));
}

TypedCall& TypedCall::set_if(std::string key, std::string_view value) {
  return value.empty() ? *this : set_text(std::move(key), value);
}

TypedCall& TypedCall::set_number(std::string key, std::uint64_t value) {
  return set(std::move(key), JsonValue(value));
}

TypedCall& TypedCall::set_timeout(const std::optional<std::chrono::nanoseconds>& timeout,
                                  bool has_parameter) {
  options.timeout = timeout;
  if (timeout && has_parameter) {
    set("timeout", JsonValue(std::chrono::duration<double>(*timeout).count()));
  }
  return *this;
}

Result<toolkit::Reply> TypedCall::run(const Tools& tools, std::string_view tool) {
  auto outcome = run_call(tools.state(), tool, JsonValue(std::move(arguments)), {}, options);
  if (const auto* failed = std::get_if<toolkit::ToolError>(&outcome.answer)) {
    return to_public(failed->error);
  }
  auto reply = std::get<toolkit::Reply>(std::move(outcome.answer));
  answer = {std::move(outcome.source), reply.warnings, outcome.ms};
  return reply;
}

}  // namespace helve::api
