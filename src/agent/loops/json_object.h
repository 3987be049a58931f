// Small JSON objects as they are written down.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace helve::agent {

inline JsonValue object_of(std::initializer_list<std::pair<const char*, JsonValue>> members) {
  JsonValue::Object object;
  object.reserve(members.size());
  for (const auto& [key, value] : members) object.push_back({key, value});
  return JsonValue(std::move(object));
}

inline JsonValue array_of(const std::vector<std::string>& texts) {
  JsonValue::Array array;
  array.reserve(texts.size());
  for (const std::string& text : texts) array.emplace_back(text);
  return JsonValue(std::move(array));
}

// The text of a member; empty: it has none.
inline std::string text_of(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  const std::string* const text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

}  // namespace helve::agent
