// JsonValue: access and serialisation.
#include <charconv>
#include <cmath>
#include <limits>

#include "base/json.h"

namespace helve {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

}  // namespace

JsonValue::JsonValue() = default;
JsonValue::JsonValue(const JsonValue&) = default;
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue&) = default;
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::~JsonValue() = default;
JsonValue::JsonValue(bool value) : data_(value) {}
JsonValue::JsonValue(int value) : data_(std::int64_t{value}) {}
JsonValue::JsonValue(std::int64_t value) : data_(value) {}
JsonValue::JsonValue(double value) : data_(value) {}
JsonValue::JsonValue(JsonNumber value) : data_(std::move(value)) {}
JsonValue::JsonValue(std::string value) : data_(std::move(value)) {}
JsonValue::JsonValue(std::string_view value) : data_(std::string(value)) {}
JsonValue::JsonValue(const char* value) : data_(std::string(value)) {}
JsonValue::JsonValue(Array value) : data_(std::move(value)) {}
JsonValue::JsonValue(Object value) : data_(std::move(value)) {}

JsonValue::JsonValue(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    data_ = static_cast<std::int64_t>(value);
  } else {
    data_ = value;
  }
}

bool operator==(const JsonValue& a, const JsonValue& b) { return a.data_ == b.data_; }

std::optional<std::int64_t> JsonValue::to_int64() const {
  if (const auto* number = std::get_if<std::int64_t>(&data_)) return *number;
  const auto* number = std::get_if<double>(&data_);
  if (number != nullptr && std::trunc(*number) == *number && *number >= -kTwoTo63 &&
      *number < kTwoTo63) {
    return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> JsonValue::to_uint64() const {
  if (const auto* number = std::get_if<std::uint64_t>(&data_)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&data_)) {
    if (*number >= 0) return static_cast<std::uint64_t>(*number);
  }
  const auto* number = std::get_if<double>(&data_);
  if (number != nullptr && std::trunc(*number) == *number && *number >= 0 && *number < kTwoTo64) {
    return static_cast<std::uint64_t>(*number);
  }
  return std::nullopt;
}

std::optional<double> JsonValue::to_double() const {
  switch (kind()) {
    case JsonKind::Int:
      return static_cast<double>(std::get<std::int64_t>(data_));
    case JsonKind::UInt:
      return static_cast<double>(std::get<std::uint64_t>(data_));
    case JsonKind::Double:
      return std::get<double>(data_);
    case JsonKind::BigNumber: {
      const std::string& text = std::get<JsonNumber>(data_).text;
      double number = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
      if (read.ec == std::errc()) return number;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const Object* object = if_object();
  if (object == nullptr) return nullptr;
  for (const JsonMember& member : *object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

namespace {

void write_array(const JsonValue::Array& array, JsonWriter& writer) {
  writer.begin_array();
  for (const JsonValue& element : array) write_json(element, writer);
  writer.end_array();
}

void write_object(const JsonValue::Object& object, JsonWriter& writer) {
  writer.begin_object();
  for (const JsonMember& member : object) {
    writer.key(member.key);
    write_json(member.value, writer);
  }
  writer.end_object();
}

}  // namespace

void write_json(const JsonValue& value, JsonWriter& writer) {
  switch (value.kind()) {
    case JsonKind::Null:
      return writer.null();
    case JsonKind::Bool:
      return writer.value(*value.if_bool());
    case JsonKind::Int:
      return writer.value(*value.to_int64());
    case JsonKind::UInt:
      return writer.value(*value.to_uint64());
    case JsonKind::Double:
      return writer.value(*value.to_double());
    case JsonKind::BigNumber:
      return writer.number_text(value.if_big_number()->text);
    case JsonKind::String:
      return writer.value(*value.if_string());
    case JsonKind::Array:
      return write_array(*value.if_array(), writer);
    case JsonKind::Object:
      return write_object(*value.if_object(), writer);
  }
}

std::string to_json(const JsonValue& value, JsonStyle style) {
  std::string text;
  JsonWriter writer(text, style);
  write_json(value, writer);
  return text;
}

}  // namespace helve
