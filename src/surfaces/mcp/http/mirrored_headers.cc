#include "surfaces/mcp/http/mirrored_headers.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources/rdf/xsd_text.h"
#include "surfaces/mcp/server/revision.h"

namespace helve::mcp {

namespace {

RpcError mismatch(std::string message) {
  return {code::kHeaderMismatch, "Header mismatch: " + std::move(message), {}};
}

// A header whose value is a text of the body; null: the body has none.
std::optional<RpcError> check_text(const WebFields& fields, std::string_view name,
                                   const std::string* expected) {
  const auto value = header(fields, name);
  if (!value && expected == nullptr) return std::nullopt;
  if (!value) return mismatch(fmt::format("the header {} is missing", name));
  const auto decoded = decode_header_value(*value);
  if (!decoded) return mismatch(fmt::format("the value of {} is not a valid one", name));
  if (expected == nullptr) {
    return mismatch(
        fmt::format("{} is '{}', and the body has no such value", name, shown(*decoded)));
  }
  if (*decoded == *expected) return std::nullopt;
  return mismatch(
      fmt::format("{} is '{}', and the body has '{}'", name, shown(*decoded), shown(*expected)));
}

const JsonValue* find_path(const JsonValue& arguments, const std::vector<std::string>& path) {
  const JsonValue* value = &arguments;
  for (const std::string& key : path) {
    value = value->find(key);
    if (value == nullptr) return nullptr;
  }
  return value->is_null() ? nullptr : value;
}

bool is_same_number(std::string_view text, const JsonValue& number) {
  const auto read = parse_json(text);
  if (!read || !read->is_number()) return false;
  const auto left = read->to_int64();
  const auto right = number.to_int64();
  if (left && right) return *left == *right;
  return to_json(*read) == to_json(number);
}

bool is_same_value(std::string_view text, const JsonValue& value) {
  if (const std::string* expected = value.if_string()) return text == *expected;
  if (const bool* flag = value.if_bool()) return text == (*flag ? "true" : "false");
  return value.is_number() && is_same_number(text, value);
}

std::optional<RpcError> check_parameter(const WebFields& fields, const HeaderParameter& parameter,
                                        const JsonValue& arguments) {
  const std::string name = "Mcp-Param-" + parameter.header;
  const JsonValue* expected = find_path(arguments, parameter.path);
  if (expected == nullptr) return check_text(fields, name, nullptr);
  const auto value = header(fields, name);
  if (!value) return mismatch(fmt::format("the header {} is missing", name));
  const auto decoded = decode_header_value(*value);
  if (!decoded) return mismatch(fmt::format("the value of {} is not a valid one", name));
  if (is_same_value(*decoded, *expected)) return std::nullopt;
  return mismatch(fmt::format("{} is '{}', and the body has another value", name, shown(*decoded)));
}

// The member of the parameters that Mcp-Name repeats; empty: none.
std::string_view named_by(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : "";
}

}  // namespace

std::optional<std::string> decode_header_value(std::string_view value) {
  constexpr std::string_view kPrefix = "=?base64?";
  constexpr std::string_view kSuffix = "?=";
  const bool is_plain = std::all_of(value.begin(), value.end(),
                                    [](char c) { return c == '\t' || (c >= 0x20 && c < 0x7F); });
  if (!is_plain) return std::nullopt;
  const bool is_wrapped = value.size() >= kPrefix.size() + kSuffix.size() &&
                          value.starts_with(kPrefix) && value.ends_with(kSuffix);
  if (!is_wrapped) return std::string(value);
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  if (value.find_first_of(" \t") != std::string_view::npos) return std::nullopt;
  return rdf::decode_base64(value);
}

std::optional<RpcError> check_mirrored_headers(const WebFields& fields, const Request& request,
                                               std::string_view version,
                                               const HeaderParameters& parameters_of) {
  const std::string named(version);
  if (auto error = check_text(fields, kVersionHeader, &named)) return error;
  const auto revision = find_revision(version);
  if (!revision || !is_modern(*revision)) return std::nullopt;
  if (auto error = check_text(fields, "Mcp-Method", &request.method)) return error;
  const std::string_view member = named_by(request.method);
  if (member.empty()) return std::nullopt;
  const JsonValue* name = request.params.find(member);
  const std::string* text = name == nullptr ? nullptr : name->if_string();
  if (auto error = check_text(fields, "Mcp-Name", text)) return error;
  if (request.method != "tools/call" || text == nullptr) return std::nullopt;
  const JsonValue* arguments = request.params.find("arguments");
  const JsonValue none;
  for (const HeaderParameter& parameter : parameters_of(*text)) {
    const JsonValue& values = arguments == nullptr ? none : *arguments;
    if (auto error = check_parameter(fields, parameter, values)) return error;
  }
  return std::nullopt;
}

}  // namespace helve::mcp
