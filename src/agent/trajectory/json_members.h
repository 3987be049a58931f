// Members of objects that were read from outside, each with what stands for one that is not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::agent {

inline std::string text_member(const JsonValue& object, std::string_view key) {
  const JsonValue* const found = object.find(key);
  return found != nullptr && found->if_string() != nullptr ? *found->if_string() : std::string();
}

inline std::optional<std::uint64_t> count_member(const JsonValue& object, std::string_view key) {
  const JsonValue* const found = object.find(key);
  return found == nullptr ? std::nullopt : found->to_uint64();
}

inline std::optional<double> number_member(const JsonValue& object, std::string_view key) {
  const JsonValue* const found = object.find(key);
  return found == nullptr ? std::nullopt : found->to_double();
}

inline bool is_true_member(const JsonValue& object, std::string_view key) {
  const JsonValue* const found = object.find(key);
  return found != nullptr && found->if_bool() != nullptr && *found->if_bool();
}

// For counts that were read from outside.
inline std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

inline JsonValue member(const JsonValue& object, std::string_view key) {
  const JsonValue* const found = object.find(key);
  return found == nullptr ? JsonValue() : *found;
}

}  // namespace helve::agent
