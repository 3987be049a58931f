// JSON in and out: JsonValue, reading and serialising. Who only writes uses json_writer.h directly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "base/limits.h"
#include "base/result.h"

namespace helve {

struct JsonMember;

// A number that no int64, uint64 or double holds without loss, as it was written.
struct JsonNumber {
  std::string text;

  friend bool operator==(const JsonNumber&, const JsonNumber&) = default;
};

enum class JsonKind : std::uint8_t {
  Null,
  Bool,
  Int,        // fits int64
  UInt,       // above int64, fits uint64
  Double,     // has a fraction or exponent, and its shortest form has the digits that were written
  BigNumber,  // everything else: keeps its text
  String,
  Array,
  Object,
};

// A JSON value; a plain value type. Objects keep the order of their members. Equality compares
// members in order and numbers by kind.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;

  JsonValue();  // null
  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;
  ~JsonValue();
  explicit JsonValue(bool value);
  explicit JsonValue(int value);
  explicit JsonValue(std::int64_t value);
  explicit JsonValue(std::uint64_t value);
  explicit JsonValue(double value);
  explicit JsonValue(JsonNumber value);  // REQUIRES: a number by the JSON grammar
  explicit JsonValue(std::string value);
  explicit JsonValue(std::string_view value);
  explicit JsonValue(const char* value);
  explicit JsonValue(Array value);
  explicit JsonValue(Object value);

  JsonKind kind() const { return static_cast<JsonKind>(data_.index()); }
  bool is_null() const { return kind() == JsonKind::Null; }
  bool is_number() const { return kind() >= JsonKind::Int && kind() <= JsonKind::BigNumber; }

  // Null unless the value is of that kind.
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const std::string* if_string() const { return std::get_if<std::string>(&data_); }
  const Array* if_array() const { return std::get_if<Array>(&data_); }
  const Object* if_object() const { return std::get_if<Object>(&data_); }
  Array* if_array() { return std::get_if<Array>(&data_); }
  Object* if_object() { return std::get_if<Object>(&data_); }
  const JsonNumber* if_big_number() const { return std::get_if<JsonNumber>(&data_); }

  // The number when it is a whole one within range; 3.0 counts, 3.5 does not.
  std::optional<std::int64_t> to_int64() const;
  std::optional<std::uint64_t> to_uint64() const;
  // The nearest double of any number; nullopt when beyond the range of doubles.
  std::optional<double> to_double() const;

  // The member's value, or null when there is none or this is no object. Linear in the members.
  const JsonValue* find(std::string_view key) const;

  friend bool operator==(const JsonValue&, const JsonValue&);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, JsonNumber, std::string,
               Array, Object>
      data_;
};

struct JsonMember {
  std::string key;
  JsonValue value;

  friend bool operator==(const JsonMember&, const JsonMember&) = default;
};

// Reads one document of RFC 8259, strictly. InvalidInput with line and column for anything else,
// also for a key that an object has twice; LimitExceeded beyond json_bytes_max, json_depth_max and
// json_values_max. A byte order mark at the start is passed over.
Result<JsonValue> parse_json(std::string_view text, const Limits& limits = {});

// Compact or indented text of a value. Recurses as deep as the value is nested.
void write_json(const JsonValue& value, JsonWriter& writer);
std::string to_json(const JsonValue& value, JsonStyle style = JsonStyle::Compact);

}  // namespace helve
