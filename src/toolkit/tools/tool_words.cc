#include "toolkit/tools/tool_words.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace helve::toolkit {

namespace {

template <typename Describe>
std::string join_parameters(const Tool& tool, const Describe& describe) {
  std::string out = tool.name + "(";
  for (std::size_t i = 0; i < tool.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += describe(tool.parameters[i]);
  }
  return out + ")";
}

// What follows the name: "=100", "?" or nothing.
std::string value_text(const Parameter& parameter) {
  if (parameter.is_required) return {};
  const std::string standard = default_text(parameter);
  return standard.empty() ? "?" : "=" + standard;
}

std::string range_text(const Parameter& parameter) {
  if (parameter.type == ParameterType::Choice) {
    return fmt::format(" ({})", fmt::join(parameter.choices, " | "));
  }
  if (parameter.max == INT64_MAX) return {};
  return fmt::format(" (at most {})", format_count(static_cast<std::uint64_t>(parameter.max)));
}

}  // namespace

std::string_view name_of(ParameterType type) {
  constexpr std::array<std::string_view, 10> kNames = {"text",    "integer", "boolean", "choice",
                                                       "seconds", "handle",  "texts",   "object",
                                                       "json",    "list"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::string default_text(const Parameter& parameter) {
  if (!parameter.otherwise || parameter.otherwise->is_null()) return {};
  if (const std::string* text = parameter.otherwise->if_string()) return *text;
  return to_json(*parameter.otherwise);
}

std::string signature_of(const Tool& tool) {
  return join_parameters(
      tool, [](const Parameter& parameter) { return parameter.name + value_text(parameter); });
}

std::string short_signature_of(const Tool& tool) {
  std::string words;
  bool has_more = false;
  for (const Parameter& parameter : tool.parameters) {
    if (!parameter.is_required) {
      has_more = true;
      continue;
    }
    words += (words.empty() ? "" : ", ") + parameter.name;
  }
  if (has_more) words += words.empty() ? "..." : ", ...";
  return fmt::format("{}({})", tool.name, words);
}

std::string long_signature_of(const Tool& tool) {
  return join_parameters(tool, [](const Parameter& parameter) {
    return fmt::format("{}: {}{}{}", parameter.name, name_of(parameter.type), value_text(parameter),
                       range_text(parameter));
  });
}

std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(end == std::string_view::npos ? text : text.substr(0, end + 1));
}

}  // namespace helve::toolkit
