// JSON text: separators, escapes, numbers.
#include "base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/utf8.h"

namespace helve {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kNumberCharsMax = 32;                // the longest double has 24

void append_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kDigits[c >> 4U];
      out += kDigits[c & 0xFU];
  }
}

void append_escaped(std::string& out, std::string_view valid) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) [[likely]] {
      continue;
    }
    out.append(valid, start, i - start);
    append_escape(out, c);
    start = i + 1;
  }
  out.append(valid, start);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t good = utf8_valid_prefix(text);
    append_escaped(out, text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    out += kReplacement;
    // One mark per bad sequence: its stray continuation bytes go with it.
    do {
      text.remove_prefix(1);
    } while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0U) == 0x80U);
  }
  out += '"';
}

void JsonWriter::key(std::string_view name) {
  HELVE_CHECK(!levels_.empty() && levels_.back().scope == Scope::Object && !has_key_);
  separate();
  append_json_string(out_, name);
  out_ += is_indented_ ? ": " : ":";
  has_key_ = true;
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, kNumberCharsMax> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  before_value();
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  after_value();
}

void JsonWriter::value(std::string_view text) {
  before_value();
  append_json_string(out_, text);
  after_value();
}

void JsonWriter::write_int(std::int64_t number) {
  std::array<char, kNumberCharsMax> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  scalar({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

void JsonWriter::write_uint(std::uint64_t number) {
  std::array<char, kNumberCharsMax> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  scalar({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

void JsonWriter::scalar(std::string_view text) {
  before_value();
  out_ += text;
  after_value();
}

void JsonWriter::open(char bracket, Scope scope) {
  before_value();
  out_ += bracket;
  levels_.push_back({scope});
}

void JsonWriter::close(char bracket, Scope scope) {
  HELVE_CHECK(!levels_.empty() && levels_.back().scope == scope && !has_key_);
  const bool was_empty = levels_.back().is_empty;
  levels_.pop_back();
  if (!was_empty) new_line();
  out_ += bracket;
  after_value();
}

void JsonWriter::before_value() {
  HELVE_CHECK(!is_complete_);
  if (levels_.empty()) return;
  if (levels_.back().scope == Scope::Array) {
    separate();
  } else {
    HELVE_CHECK(has_key_);
    has_key_ = false;
  }
}

void JsonWriter::after_value() { is_complete_ = levels_.empty(); }

void JsonWriter::separate() {
  Level& level = levels_.back();
  if (!level.is_empty) out_ += ',';
  level.is_empty = false;
  new_line();
}

void JsonWriter::new_line() {
  if (!is_indented_) return;
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

}  // namespace helve
