// Rules of policy keys: for a type of value, how a file writes it, and what two of them allow
// together. policy_keys.cc gives each key one of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit::policy_rules {

using Names = Policy::Names;
using Tools = std::set<std::string>;

// "policy: KEY must be EXPECTED".
Error must_be(std::string_view key, std::string_view expected);

using CheckNames = Result<void> (*)(std::string_view key, const Names& names);
Result<void> any_names(std::string_view key, const Names& names);
Result<void> check_tables(std::string_view key, const Names& names);
Result<void> check_columns(std::string_view key, const Names& names);
Result<void> check_graphs(std::string_view key, const Names& names);
Result<Names> read_names(const JsonMember& member, CheckNames check);

bool contains_name(const Names& names, std::string_view name);

using CommonNames = Names (*)(const Names& a, const Names& b);
Names common_names(const Names& a, const Names& b);
Names common_tables(const Names& a, const Names& b);
Names common_folders(const Names& a, const Names& b);

// kFree restricts nothing; the other value does.
template <bool kFree>
struct Flag {
  using Value = bool;
  static std::string type() { return "true or false"; }
  static Result<Value> parse(const JsonMember& member) {
    const bool* flag = member.value.if_bool();
    if (flag == nullptr) return must_be(member.key, type());
    return *flag;
  }
  static Value intersect(Value a, Value b) { return a == kFree ? b : a; }
  static Value free() { return kFree; }
  static JsonValue to_json(Value value) { return JsonValue(value); }
};

template <typename Number, std::uint64_t kMin, std::uint64_t kMax>
struct Smallest {
  using Value = Number;
  static std::string type() { return fmt::format("a whole number from {} to {}", kMin, kMax); }
  static Result<Value> parse(const JsonMember& member) {
    const auto number = member.value.to_uint64();
    if (!number || *number < kMin || *number > kMax) return must_be(member.key, type());
    return static_cast<Value>(*number);
  }
  static Value intersect(Value a, Value b) { return std::min(a, b); }
  static Value free() { return std::numeric_limits<Value>::max(); }
  static JsonValue to_json(Value value) { return JsonValue(std::uint64_t{value}); }
};

struct ShortestTime {
  using Value = Duration;
  static std::string type() { return "a number of seconds above 0, at most 86400"; }
  static Result<Value> parse(const JsonMember& member) {
    const auto seconds = member.value.to_double();
    if (!seconds || *seconds < 1e-9 || *seconds > 86'400) return must_be(member.key, type());
    return Duration(std::llround(*seconds * 1e9));
  }
  static Value intersect(Value a, Value b) { return std::min(a, b); }
  static Value free() { return Duration::max(); }
  static JsonValue to_json(Value value) {
    return JsonValue(std::chrono::duration<double>(value).count());
  }
};

template <typename Word>
Result<Word> read_word(const JsonMember& member, Word if_true, Word if_false,
                       std::initializer_list<Word> words, const std::string& expected) {
  if (const bool* flag = member.value.if_bool()) return *flag ? if_true : if_false;
  if (const std::string* text = member.value.if_string()) {
    for (const Word word : words) {
      if (name_of(word) == *text) return word;
    }
  }
  return must_be(member.key, expected);
}

struct MostConfirmed {
  using Value = Confirmation;
  static std::string type() { return "true, false, \"person\" or \"two_step\""; }
  static Result<Value> parse(const JsonMember& member) {
    return read_word(member, Value::Person, Value::None, {Value::TwoStep, Value::Person}, type());
  }
  static Value intersect(Value a, Value b) { return std::max(a, b); }
  static Value free() { return Value::None; }
  static JsonValue to_json(Value value) {
    return value == Value::None ? JsonValue(false) : JsonValue(name_of(value));
  }
};

// A policy that asks for records wins over one that wants none, and one that stores less of a text
// over one that stores more.
struct AuditRule {
  using Value = std::optional<AuditMode>;
  static std::string type() { return "true, false, \"full\", \"fingerprint\" or \"off\""; }
  static Result<Value> parse(const JsonMember& member) {
    HELVE_ASSIGN(const AuditMode mode,
                 read_word(member, AuditMode::Full, AuditMode::Off,
                           {AuditMode::Full, AuditMode::Fingerprint, AuditMode::Off}, type()));
    return Value(mode);
  }
  static Value intersect(Value a, Value b) {
    if (!a || !b) return a ? a : b;
    if (*a == AuditMode::Off || *b == AuditMode::Off) return std::max(*a, *b);
    return std::min(*a, *b);
  }
  static Value free() { return std::nullopt; }
  static JsonValue to_json(Value value) { return value ? JsonValue(name_of(*value)) : JsonValue(); }
};

JsonValue json_of_names(const auto& names) {
  JsonValue::Array array;
  for (const std::string& name : names) array.emplace_back(name);
  return JsonValue(std::move(array));
}

template <CheckNames kCheck, CommonNames kCommon>
struct Allowed {
  using Value = std::optional<Names>;
  static std::string type() { return "a list of texts"; }
  static Result<Value> parse(const JsonMember& member) {
    HELVE_ASSIGN(Names names, read_names(member, kCheck));
    return Value(std::move(names));
  }
  static Value intersect(const Value& a, const Value& b) {
    if (!a || !b) return a ? a : b;
    return kCommon(*a, *b);
  }
  static Value free() { return std::nullopt; }
  static JsonValue to_json(const Value& value) {
    return value ? json_of_names(*value) : JsonValue();
  }
};

template <CheckNames kCheck>
struct Denied {
  using Value = Names;
  static std::string type() { return "a list of texts"; }
  static Result<Value> parse(const JsonMember& member) { return read_names(member, kCheck); }
  static Value intersect(const Value& a, const Value& b) {
    Names both = a;
    for (const std::string& name : b) {
      if (!contains_name(both, name)) both.push_back(name);
    }
    return both;
  }
  static Value free() { return {}; }
  static JsonValue to_json(const Value& value) { return json_of_names(value); }
};

struct AllowedTools {
  using Value = std::optional<Tools>;
  static std::string type() { return "a list of texts"; }
  static Result<Value> parse(const JsonMember& member) {
    HELVE_ASSIGN(const Names names, read_names(member, any_names));
    return Value(Tools(names.begin(), names.end()));
  }
  static Value intersect(const Value& a, const Value& b) {
    if (!a || !b) return a ? a : b;
    Tools both = *a;
    std::erase_if(both, [&b](const std::string& name) { return !b->contains(name); });
    return both;
  }
  static Value free() { return std::nullopt; }
  static JsonValue to_json(const Value& value) {
    return value ? json_of_names(*value) : JsonValue();
  }
};

}  // namespace helve::toolkit::policy_rules
