// JsonWriter: JSON text as it is made, without a tree. json.h has the tree.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

enum class JsonStyle : std::uint8_t { Compact, Indented };  // Indented: two spaces per level

// Appends one JSON document to a string. Calls in an order that makes no document are our own bugs
// and stop the process. Bytes that are not UTF-8 come out as U+FFFD, so the output is always valid.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, JsonStyle style = JsonStyle::Compact)
      : out_(out), is_indented_(style == JsonStyle::Indented) {}

  void begin_object() { open('{', Scope::Object); }
  void end_object() { close('}', Scope::Object); }
  void begin_array() { open('[', Scope::Array); }
  void end_array() { close(']', Scope::Array); }
  void key(std::string_view name);

  void null() { scalar("null"); }
  void value(bool value) { scalar(value ? "true" : "false"); }
  template <std::integral T>
  void value(T number) {
    if constexpr (std::signed_integral<T>) {
      write_int(number);
    } else {
      write_uint(number);
    }
  }
  // The shortest text that reads back as the same double, "1.0" rather than "1"; NaN and
  // infinities, which JSON lacks, are null.
  void value(double number);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  // REQUIRES: a number by the JSON grammar.
  void number_text(std::string_view text) { scalar(text); }

  template <typename T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  // True once one whole value stands there.
  bool is_complete() const { return is_complete_; }

 private:
  enum class Scope : std::uint8_t { Object, Array };
  struct Level {
    Scope scope;
    bool is_empty = true;
  };

  void open(char bracket, Scope scope);
  void close(char bracket, Scope scope);
  void scalar(std::string_view text);
  void write_int(std::int64_t number);
  void write_uint(std::uint64_t number);
  void before_value();
  void after_value();
  void separate();
  void new_line();

  std::string& out_;
  std::vector<Level> levels_;
  bool is_indented_;
  bool has_key_ = false;  // a key waits for its value
  bool is_complete_ = false;
};

// The text in double quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace helve
