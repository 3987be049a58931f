// What the commands that print JSON for programs share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_writer.h"

namespace helve::cli {

// An object on lines of its own; `write_members(JsonWriter&)` fills it.
template <typename WriteMembers>
std::string json_object(const WriteMembers& write_members) {
  std::string out;
  JsonWriter json(out, JsonStyle::Indented);
  json.begin_object();
  write_members(json);
  json.end_object();
  out += '\n';
  return out;
}

// A member that is an array of objects; `write_members(item)` fills one.
template <typename Items, typename WriteMembers>
void write_objects(JsonWriter& json, std::string_view name, const Items& items,
                   const WriteMembers& write_members) {
  json.key(name);
  json.begin_array();
  for (const auto& item : items) {
    json.begin_object();
    write_members(item);
    json.end_object();
  }
  json.end_array();
}

inline void write_texts(JsonWriter& json, std::string_view name,
                        const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

inline void write_numbers(JsonWriter& json, std::string_view name,
                          const std::vector<std::uint64_t>& numbers) {
  json.key(name);
  json.begin_array();
  for (const std::uint64_t number : numbers) json.value(number);
  json.end_array();
}

inline double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace helve::cli
