#include "toolkit/tools/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "toolkit/tools/argument_reading.h"
#include "toolkit/tools/nearest_name.h"

namespace helve::toolkit {

namespace {

// A default must be what its own parameter would read without a word.
bool is_sound(const Parameter& parameter) {
  if (parameter.name.empty() || parameter.min > parameter.max) return false;
  if (parameter.type == ParameterType::Choice && parameter.choices.empty()) return false;
  if (!parameter.otherwise) return true;
  if (parameter.is_required) return false;
  std::vector<std::string> warnings;
  return read_argument(parameter, *parameter.otherwise, warnings) && warnings.empty();
}

}  // namespace

void Registry::add(Tool tool) {
  HELVE_CHECK(!tool.name.empty() && tool.handler != nullptr);
  const bool is_new = std::none_of(tools_.begin(), tools_.end(),
                                   [&](const Tool& other) { return other.name == tool.name; });
  HELVE_CHECK(is_new);
  for (const Parameter& parameter : tool.parameters) HELVE_CHECK(is_sound(parameter));
  if (tool.memory_writes == MemoryWrites::Always && memory_access_ != MemoryAccess::Write) {
    memory_writers_.push_back(std::move(tool.name));
    return;
  }
  tools_.push_back(std::move(tool));
}

Result<const Tool*> Registry::find(std::string_view name) const {
  for (const Tool& tool : tools_) {
    if (tool.name == name) return &tool;
  }
  const std::string folded = folded_name(name);
  std::vector<std::string_view> names;
  for (const Tool& tool : tools_) {
    if (tool.name == folded) return &tool;
    names.push_back(tool.name);
  }
  if (std::find(memory_writers_.begin(), memory_writers_.end(), folded) != memory_writers_.end()) {
    return Error{ErrorCode::Denied,
                 fmt::format("{} is not allowed: the memory bank is read-only", folded),
                 "an operator can name the bank for writing: --bank FILE"};
  }
  // The tools of the memory are only there with one.
  if (folded.starts_with("mem_") &&
      std::none_of(names.begin(), names.end(), [](auto one) { return one.starts_with("mem_"); })) {
    return Error{ErrorCode::NotFound,
                 fmt::format("there is no memory bank for {}", brief_text(name)),
                 "name one: --bank FILE, or HELVE_BANK for reading"};
  }
  constexpr std::size_t kNearMax = 3;
  const auto near = nearest_names_of(name, names, kNearMax);
  return Error{ErrorCode::NotFound, fmt::format("there is no tool named \"{}\"", brief_text(name)),
               near.empty() ? "list_tools names them all"
                            : fmt::format("did you mean {}? list_tools names them all",
                                          fmt::join(near, ", "))};
}

}  // namespace helve::toolkit
