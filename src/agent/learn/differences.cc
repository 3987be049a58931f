#include "agent/learn/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace helve::agent {

namespace {

constexpr std::size_t kDifferencesShown = 3;
constexpr std::size_t kValueChars = 60;

std::string shown(const JsonValue& value) {
  if (value.is_null()) return "none";
  const std::string text = value.if_string() != nullptr ? *value.if_string() : to_json(value);
  return text.empty() ? "none" : escape_for_terminal(elide_end(text, kValueChars));
}

void find_differences(const JsonValue& then, const JsonValue& now, const std::string& name,
                      std::vector<std::string>& found) {
  if (then == now) return;
  if (then.if_object() == nullptr || now.if_object() == nullptr) {
    found.push_back(
        fmt::format("{} was {} and is {}", escape_for_terminal(name), shown(then), shown(now)));
    return;
  }
  for (const JsonMember& one : *now.if_object()) {
    const JsonValue* const before = then.find(one.key);
    find_differences(before != nullptr ? *before : JsonValue(), one.value, one.key, found);
  }
  for (const JsonMember& one : *then.if_object()) {
    if (now.find(one.key) == nullptr) find_differences(one.value, JsonValue(), one.key, found);
  }
}

}  // namespace

std::string differences_of(const JsonValue& then, const JsonValue& now, const std::string& name) {
  std::vector<std::string> found;
  find_differences(then, now, name, found);
  const std::size_t count = found.size();
  found.resize(std::min(count, kDifferencesShown));
  std::string text = fmt::format("{}", fmt::join(found, "; "));
  if (count > kDifferencesShown) text += fmt::format("; and {} more", count - kDifferencesShown);
  return text;
}

}  // namespace helve::agent
