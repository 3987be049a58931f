#include "toolkit/tools/tool.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "toolkit/policy/gate.h"

namespace helve::toolkit {

std::string_view name_of(ToolCategory category) {
  constexpr std::array<std::string_view, 7> kNames = {"query", "explore",  "analyze", "memory",
                                                      "sql",   "endpoint", "tasks"};
  return kNames.at(static_cast<std::size_t>(category));
}

ToolNature nature_of(const Tool& tool) {
  return {tool.name, tool.is_writing, tool.is_defining, tool.memory_writes == MemoryWrites::Always};
}

template <typename T>
const T& Arguments::get(std::string_view name) const {
  const auto found =
      std::find_if(bound.begin(), bound.end(), [&](const Bound& one) { return one.name == name; });
  HELVE_CHECK(found != bound.end());
  const T* value = std::get_if<T>(&found->value);
  HELVE_CHECK(value != nullptr);
  return *value;
}

const std::string& Arguments::text(std::string_view name) const { return get<std::string>(name); }
std::int64_t Arguments::integer(std::string_view name) const { return get<std::int64_t>(name); }
bool Arguments::boolean(std::string_view name) const { return get<bool>(name); }
Duration Arguments::seconds(std::string_view name) const { return get<Duration>(name); }
const std::vector<std::string>& Arguments::texts(std::string_view name) const {
  return get<std::vector<std::string>>(name);
}
const JsonValue& Arguments::object(std::string_view name) const { return get<JsonValue>(name); }

bool Arguments::has(std::string_view name) const {
  return std::any_of(bound.begin(), bound.end(),
                     [&](const Bound& one) { return one.name == name; });
}

bool Arguments::was_given(std::string_view name) const {
  return std::any_of(bound.begin(), bound.end(),
                     [&](const Bound& one) { return one.name == name && one.was_given; });
}

}  // namespace helve::toolkit
