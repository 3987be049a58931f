// TOML 1.0 in, as JsonValue; with the places of the keys, so that who reads the values can say
// where a wrong one stands. Neighbour of json.h.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/limits.h"
#include "base/result.h"

namespace helve {

struct TomlDocument {
  // An object; members in the order of the text. Dates and times are texts, as they were written
  // but for the zeros; inf and nan, which JSON does not have, are not read.
  JsonValue root;
  std::string name;  // for errors: the file
  // Where keys stand, by JSON pointer: "/source/wiki/uri", "/caller/0/token".
  std::map<std::string, TextPosition, std::less<>> places;

  // The error, at the place of the key, or of the nearest one above it that has a place.
  Error at(std::string_view pointer, Error error) const;
};

// The pointer to a member; its key may have any characters.
std::string json_pointer(std::string_view parent, std::string_view key);

inline constexpr std::size_t kTomlBytesMax = 4 * kMiB;  // or json_bytes_max, if that is less
inline constexpr std::size_t kTomlDepthMax = 32;        // or json_depth_max

// InvalidInput with line and column, also for a key that is there twice; LimitExceeded beyond the
// limits.
Result<TomlDocument> parse_toml(std::string_view text, std::string name, const Limits& limits = {});

}  // namespace helve
