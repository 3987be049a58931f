#include "base/toml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_names.h"

namespace helve {

Result<TomlSection> TomlSection::open(const TomlDocument& document, std::string pointer,
                                      const JsonValue& value) {
  if (value.if_object() == nullptr) {
    const std::string name = pointer.substr(pointer.rfind('/') + 1);
    return document.at(pointer, {ErrorCode::InvalidInput, fmt::format("{} must be a table", name),
                                 fmt::format("write [{}] and below it KEY = VALUE", name)});
  }
  return TomlSection(document, std::move(pointer), value);
}

Result<void> TomlSection::check_keys(const std::vector<std::string_view>& known) const {
  for (const JsonMember& member : *value_->if_object()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const auto near = nearest_names_of(member.key, known, 1);
    return at(member.key, {ErrorCode::InvalidInput, fmt::format("unknown key \"{}\"", member.key),
                           near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                        : fmt::format("did you mean {}?", near.front())});
  }
  return {};
}

Result<std::optional<std::string>> TomlSection::text(std::string_view key) const {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::optional<std::string>();
  const std::string* const text = value->if_string();
  if (text == nullptr || text->empty()) return wrong(key, "a text in quotes");
  return std::optional<std::string>(*text);
}

Result<std::optional<bool>> TomlSection::flag(std::string_view key) const {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::optional<bool>();
  if (value->if_bool() == nullptr) return wrong(key, "true or false");
  return std::optional<bool>(*value->if_bool());
}

Result<std::optional<std::uint64_t>> TomlSection::number(std::string_view key, std::uint64_t min,
                                                         std::uint64_t max) const {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::optional<std::uint64_t>();
  const auto number = value->to_uint64();
  if (!number || *number < min || *number > max) {
    return wrong(key, fmt::format("a whole number from {} to {}", min, max));
  }
  return number;
}

Result<std::optional<Duration>> TomlSection::seconds(std::string_view key, double max) const {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::optional<Duration>();
  const auto seconds = value->to_double();
  if (!seconds || !(*seconds > 0) || *seconds > max) {
    return wrong(key, fmt::format("a number of seconds above 0, at most {}", max));
  }
  return std::optional<Duration>(Duration(std::llround(*seconds * 1e9)));
}

Result<std::optional<std::vector<std::string>>> TomlSection::texts(std::string_view key) const {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::optional<std::vector<std::string>>();
  const JsonValue::Array* const array = value->if_array();
  if (array == nullptr) return wrong(key, "a list of texts");
  std::vector<std::string> texts;
  for (const JsonValue& item : *array) {
    const std::string* const text = item.if_string();
    if (text == nullptr || text->empty()) return wrong(key, "a list of texts, none empty");
    texts.push_back(*text);
  }
  return std::optional<std::vector<std::string>>(std::move(texts));
}

Error TomlSection::at(std::string_view key, Error error) const {
  return document_->at(pointer_to(key), std::move(error));
}

Error TomlSection::at_hidden(std::string_view key, Error error) const {
  Error hidden = at(key, std::move(error));
  if (hidden.position) {
    hidden.message = fmt::format("line {}: {}: {}", hidden.position->line, key, hidden.message);
    hidden.position.reset();
  }
  return hidden;
}

Error TomlSection::wrong(std::string_view key, std::string_view expected) const {
  return at(key, {ErrorCode::InvalidInput, fmt::format("{} must be {}", key, expected)});
}

}  // namespace helve
