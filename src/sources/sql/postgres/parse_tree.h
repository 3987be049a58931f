// Small looks into the tree that PostgreSQL's grammar makes of a statement, as JSON.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::sql {

// Empty where there is no such text.
inline std::string_view text_of(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

inline bool truth_of(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.find(key);
  const bool* truth = value == nullptr ? nullptr : value->if_bool();
  return truth != nullptr && *truth;
}

// None where it is no list, or null.
inline const JsonValue::Array& items_of(const JsonValue* list) {
  static const JsonValue::Array none;
  const auto* items = list == nullptr ? nullptr : list->if_array();
  return items == nullptr ? none : *items;
}

// Of [{"String": {"sval": "a"}}, ...]; empty where an item is something else.
inline std::vector<std::string_view> strings_of(const JsonValue* list) {
  std::vector<std::string_view> found;
  for (const JsonValue& item : items_of(list)) {
    const JsonValue* text = item.find("String");
    found.push_back(text == nullptr ? std::string_view() : text_of(*text, "sval"));
  }
  return found;
}

}  // namespace helve::sql
