// The adapter of toml++, which is compiled here and nowhere else.
#include "base/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/text.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace helve {

namespace {

TextPosition position_of(const toml::source_region& region) {
  return {std::max<std::uint64_t>(region.begin.line, 1),
          std::max<std::uint64_t>(region.begin.column, 1)};
}

// The depth of a dotted key is its number of dots, which the parser does not bound. Looks through
// the text for one that is too long: its place.
std::optional<TextPosition> find_deep_key(std::string_view text, std::size_t depth_max) {
  std::size_t dots = 0;
  TextPosition place;
  const auto skip_string = [&text, &place](std::size_t at) {
    const char quote = text[at];
    const bool is_long = text.substr(at, 3) == std::string(3, quote);
    const std::string end(is_long ? 3 : 1, quote);
    for (at += end.size(); at < text.size(); ++at) {
      if (text.substr(at, end.size()) == end) return at + end.size() - 1;
      if (text[at] == '\n') {
        ++place.line;
        if (!is_long) return at;
      }
      if (text[at] == '\\' && quote == '"') ++at;
    }
    return at;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_string(at);
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    }
    const char now = at < text.size() ? text[at] : '\n';
    if (now == '\n' && c != '"' && c != '\'') ++place.line;
    if (now == '.') {
      if (++dots > depth_max) return place;
    } else if (now == '\n' || now == '=' || now == ',' || now == '[' || now == ']' || now == '{') {
      dots = 0;
    }
  }
  return std::nullopt;
}

template <typename Value>
std::string text_of(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// Walks what the parser made, and takes the places along.
class Converter {
 public:
  Converter(TomlDocument& document, std::size_t depth_max)
      : document_(document), depth_max_(depth_max) {}

  Result<JsonValue> convert(const toml::node& node, const std::string& pointer, std::size_t depth) {
    if (depth > depth_max_) {
      return Error{ErrorCode::LimitExceeded, fmt::format("more than {} levels deep", depth_max_)}
          .at(document_.name, position_of(node.source()));
    }
    if (const auto* table = node.as_table()) return convert_table(*table, pointer, depth);
    if (const auto* array = node.as_array()) return convert_array(*array, pointer, depth);
    if (const auto* text = node.as_string()) return JsonValue(text->get());
    if (const auto* number = node.as_integer()) return JsonValue(std::int64_t{number->get()});
    if (const auto* flag = node.as_boolean()) return JsonValue(flag->get());
    if (const auto* date = node.as_date()) return JsonValue(text_of(date->get()));
    if (const auto* time = node.as_time()) return JsonValue(text_of(time->get()));
    if (const auto* moment = node.as_date_time()) return JsonValue(text_of(moment->get()));
    const auto* number = node.as_floating_point();
    if (number == nullptr || !std::isfinite(number->get())) {
      return Error{ErrorCode::InvalidInput, "inf and nan are no values here", "write a number"}.at(
          document_.name, position_of(node.source()));
    }
    return JsonValue(number->get());
  }

 private:
  // The parser sorts the keys; readers expect errors in the order of the text.
  Result<JsonValue> convert_table(const toml::table& table, const std::string& pointer,
                                  std::size_t depth) {
    std::vector<std::pair<TextPosition, JsonMember>> members;
    for (const auto& [key, node] : table) {
      const std::string inner = json_pointer(pointer, key.str());
      const TextPosition place = position_of(key.source());
      document_.places.emplace(inner, place);
      HELVE_ASSIGN(JsonValue value, convert(node, inner, depth + 1));
      members.push_back({place, {std::string(key.str()), std::move(value)}});
    }
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
    });
    JsonValue::Object object;
    object.reserve(members.size());
    for (auto& [place, member] : members) object.push_back(std::move(member));
    return JsonValue(std::move(object));
  }

  Result<JsonValue> convert_array(const toml::array& array, const std::string& pointer,
                                  std::size_t depth) {
    JsonValue::Array items;
    items.reserve(array.size());
    for (const toml::node& node : array) {
      const std::string inner = fmt::format("{}/{}", pointer, items.size());
      document_.places.emplace(inner, position_of(node.source()));
      HELVE_ASSIGN(JsonValue value, convert(node, inner, depth + 1));
      items.push_back(std::move(value));
    }
    return JsonValue(std::move(items));
  }

  TomlDocument& document_;
  std::size_t depth_max_;
};

}  // namespace

std::string json_pointer(std::string_view parent, std::string_view key) {
  std::string pointer(parent);
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

Error TomlDocument::at(std::string_view pointer, Error error) const {
  while (true) {
    if (const auto found = places.find(pointer); found != places.end()) {
      return std::move(error).at(name, found->second);
    }
    const std::size_t slash = pointer.rfind('/');
    if (slash == std::string_view::npos) break;
    pointer = pointer.substr(0, slash);
  }
  error.document = name;
  return error;
}

Result<TomlDocument> parse_toml(std::string_view text, std::string name, const Limits& limits) {
  const std::size_t bytes_max = std::min(kTomlBytesMax, limits.json_bytes_max);
  const std::size_t depth_max = std::min(kTomlDepthMax, limits.json_depth_max);
  TomlDocument document;
  document.name = std::move(name);
  if (text.size() > bytes_max) {
    Error error{ErrorCode::LimitExceeded, fmt::format("longer than {}", format_bytes(bytes_max))};
    error.document = document.name;
    return error;
  }
  if (const auto place = find_deep_key(text, depth_max)) {
    return Error{ErrorCode::LimitExceeded, fmt::format("a key of more than {} parts", depth_max)}
        .at(document.name, *place);
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Error{ErrorCode::InvalidInput, std::string(parsed.error().description())}.at(
        document.name, position_of(parsed.error().source()));
  }
  Converter converter(document, depth_max);
  HELVE_ASSIGN(document.root, converter.convert(parsed.table(), "", 0));
  return document;
}

}  // namespace helve
