// A plain pushdown scanner over RFC 8259's grammar, run only on texts that are known to be bad.
#include "base/json_fault.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"

namespace helve {

namespace {

std::size_t digits_length(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

std::optional<unsigned> hex_unit(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

bool is_high_surrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

enum class Expect : std::uint8_t { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd, Nothing };

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<JsonFault> run() {
    const std::size_t valid = utf8_valid_prefix(text_);
    const bool is_cut = valid < text_.size();
    text_ = text_.substr(0, valid);
    while (!fault_ && !is_done_) step();
    if (is_cut && (!fault_ || fault_->offset >= valid)) {
      return JsonFault{valid, "the bytes here are not UTF-8"};
    }
    return fault_;
  }

 private:
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }

  void fail(std::string_view expected) {
    std::string met = "the end of the text";
    if (at_ < text_.size()) {
      const char* from = text_.data() + at_;
      const char32_t c = decode_utf8(from, text_.data() + text_.size());
      met = c > 0x20 && c < 0x7F ? fmt::format("'{}'", static_cast<char>(c))
                                 : fmt::format("U+{:04X}", static_cast<unsigned>(c));
    }
    fault_ =
        JsonFault{std::min(at_, text_.size()), fmt::format("expected {}, met {}", expected, met)};
  }

  void step() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    switch (expect_) {
      case Expect::ValueOrEnd:
        if (c == ']') return close();
        [[fallthrough]];
      case Expect::Value:
        return value(c);
      case Expect::KeyOrEnd:
        if (c == '}') return close();
        [[fallthrough]];
      case Expect::Key:
        if (c != '"')
          return fail(expect_ == Expect::Key ? "a key in \"\"" : "a key in \"\" or '}'");
        expect_ = Expect::Colon;
        return string();
      case Expect::Colon:
        if (c != ':') return fail("':' after the key");
        ++at_;
        expect_ = Expect::Value;
        return;
      case Expect::CommaOrEnd:
        return comma_or_end(c);
      case Expect::Nothing:
        if (at_ < text_.size()) return fail("nothing after the value");
        is_done_ = true;
    }
  }

  void comma_or_end(char c) {
    const char bracket = brackets_.back();
    if (c == bracket) return close();
    if (c != ',') return fail(bracket == ']' ? "',' or ']'" : "',' or '}'");
    ++at_;
    expect_ = bracket == ']' ? Expect::Value : Expect::Key;
  }

  void value(char c) {
    if (c == '{' || c == '[') {
      brackets_.push_back(c == '{' ? '}' : ']');
      expect_ = c == '{' ? Expect::KeyOrEnd : Expect::ValueOrEnd;
      ++at_;
      return;
    }
    const bool may_end = expect_ == Expect::ValueOrEnd;
    expect_ = brackets_.empty() ? Expect::Nothing : Expect::CommaOrEnd;
    if (c == '"') return string();
    if (c == '-' || is_digit(c)) return number();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (rest().starts_with(word)) {
        at_ += word.size();
        return;
      }
    }
    fail(may_end ? "a value or ']'" : "a value");
  }

  void close() {
    ++at_;
    brackets_.pop_back();
    expect_ = brackets_.empty() ? Expect::Nothing : Expect::CommaOrEnd;
  }

  void digits() {
    const std::size_t count = digits_length(rest());
    at_ += count;
    if (count == 0) fail("a digit");
  }

  // number = [ minus ] int [ frac ] [ exp ]
  void number() {
    if (rest().starts_with('-')) ++at_;
    if (rest().starts_with('0')) {
      ++at_;
      if (!rest().empty() && is_digit(rest()[0])) return fail("no digit after a leading 0");
    } else {
      digits();
    }
    if (!fault_ && rest().starts_with('.')) {
      ++at_;
      digits();
    }
    if (!fault_ && !rest().empty() && (rest()[0] == 'e' || rest()[0] == 'E')) {
      ++at_;
      if (!rest().empty() && (rest()[0] == '+' || rest()[0] == '-')) ++at_;
      digits();
    }
  }

  void string() {
    ++at_;
    while (!fault_) {
      if (at_ >= text_.size()) return fail("'\"' at the end of the string");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return fail("control characters in a string to be escaped");
      }
      if (c == '\\') {
        escape();
      } else {
        ++at_;
      }
    }
  }

  void escape() {
    const std::string_view after = rest().substr(1);
    if (after.empty() || std::string_view("\"\\/bfnrtu").find(after[0]) == std::string_view::npos) {
      ++at_;
      return fail("one of \"\\/bfnrtu after '\\'");
    }
    if (after[0] != 'u') {
      at_ += 2;
      return;
    }
    const auto unit = hex_unit(after.substr(1));
    if (!unit) return fail("four hexadecimal digits after '\\u'");
    at_ += 6;
    if (is_low_surrogate(*unit)) return lone_surrogate();
    if (!is_high_surrogate(*unit)) return;
    const auto low = rest().starts_with("\\u") ? hex_unit(rest().substr(2)) : std::nullopt;
    if (!low || !is_low_surrogate(*low)) return lone_surrogate();
    at_ += 6;
  }

  void lone_surrogate() {
    at_ -= 6;
    fail("surrogates in pairs");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Expect expect_ = Expect::Value;
  std::vector<char> brackets_;  // the closing ones still due
  bool is_done_ = false;
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text) { return Scanner(text).run(); }

bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = digits_length(text);
  if (whole == 0 || (whole > 1 && text[0] == '0')) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = digits_length(text);
    if (fraction == 0) return false;
    text.remove_prefix(fraction);
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    const std::size_t exponent = digits_length(text);
    if (exponent == 0) return false;
    text.remove_prefix(exponent);
  }
  return text.empty();
}

TextPosition text_position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  std::string_view last = before.substr(before.rfind('\n') + 1);  // npos + 1 == 0
  last = last.substr(0, utf8_valid_prefix(last));
  return {line, utf8_length(last) + 1};
}

}  // namespace helve
