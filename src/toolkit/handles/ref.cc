#include "toolkit/handles/ref.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/utc.h"

namespace helve::toolkit {

namespace {

constexpr std::array<std::string_view, 9> kTypes = {"results",      "graph", "ontology",
                                                    "text",         "mem",   "registry",
                                                    "service_desc", "tasks", "trajectory"};

}  // namespace

std::string_view name_of(HandleType type) { return kTypes.at(static_cast<std::size_t>(type)); }

std::optional<HandleType> find_handle_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes.at(i) == name) return static_cast<HandleType>(i);
  }
  return std::nullopt;
}

std::string to_string(const Ref& ref) {
  return fmt::format("Ref('{}', '{}', {} items, {} chars from {})", ref.key, name_of(ref.dtype),
                     ref.rows, ref.sz, ref.source);
}

JsonValue to_json(const Ref& ref) {
  JsonValue::Object object;
  const auto add = [&object](const char* key, auto value) {
    object.push_back({key, JsonValue(std::move(value))});
  };
  add("key", ref.key);
  add("dtype", name_of(ref.dtype));
  add("rows", ref.rows);
  add("sz", ref.sz);
  add("prev", ref.prev);
  add("source", ref.source);
  if (!ref.columns.empty()) {
    JsonValue::Array columns;
    for (const std::string& column : ref.columns) columns.emplace_back(column);
    add("columns", std::move(columns));
  }
  if (!ref.query_hash.empty()) add("query_hash", ref.query_hash);
  add("created_at", to_utc(ref.created_at));
  if (ref.expires_at) add("expires_at", to_utc(*ref.expires_at));
  add("complete", ref.complete);
  return JsonValue(std::move(object));
}

}  // namespace helve::toolkit
