#include "sources/sql/postgres/array_text.h"

#include "base/ascii.h"
#include "base/json.h"
#include "base/utf8.h"

namespace helve::sql {

namespace {

constexpr std::size_t kDepthMax = 16;  // PostgreSQL has six

class ArrayReader {
 public:
  ArrayReader(std::string_view text, ValueKind element, char delimiter, std::string& json)
      : text_(text), element_(element), delimiter_(delimiter), json_(json) {}

  bool run() {
    skip_bounds();
    return read_array(0) && at_ == text_.size();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // [0:2]={...}
  void skip_bounds() {
    if (peek() != '[') return;
    const std::size_t equal = text_.find('=');
    if (equal != std::string_view::npos) at_ = equal + 1;
  }

  bool read_array(std::size_t depth) {
    if (depth > kDepthMax || peek() != '{') return false;
    ++at_;
    json_ += '[';
    if (peek() != '}') {
      while (true) {
        if (!(peek() == '{' ? read_array(depth + 1) : read_element())) return false;
        if (peek() != delimiter_) break;
        ++at_;
        json_ += ',';
      }
    }
    if (peek() != '}') return false;
    ++at_;
    json_ += ']';
    return true;
  }

  bool read_element() {
    value_.clear();
    if (peek() == '"') return read_quoted();
    while (at_ < text_.size() && peek() != delimiter_ && peek() != '}') {
      if (peek() == '\\') ++at_;
      if (at_ < text_.size()) value_ += text_[at_++];
    }
    if (value_.empty()) return false;
    if (is_same_in_any_case(value_, "NULL")) {
      json_ += "null";
    } else {
      write_element();
    }
    return true;
  }

  bool read_quoted() {
    for (++at_; at_ < text_.size() && peek() != '"'; ++at_) {
      if (peek() == '\\') ++at_;
      if (at_ < text_.size()) value_ += text_[at_];
    }
    if (peek() != '"') return false;
    ++at_;
    write_element();
    return true;
  }

  void write_element() {
    const rdf::TermView term = read_value(element_, value_, buffer_);
    const bool is_bare = !term.datatype.empty() &&
                         (element_ == ValueKind::Integer || element_ == ValueKind::Decimal ||
                          element_ == ValueKind::Double || element_ == ValueKind::Boolean ||
                          element_ == ValueKind::Json);
    // NaN and INF are no numbers of JSON.
    const bool is_odd = element_ == ValueKind::Double || element_ == ValueKind::Decimal
                            ? term.value.find_first_of("NI") != std::string_view::npos
                            : false;
    if (is_bare && !is_odd) {
      json_ += term.value;
    } else {
      json_ += to_json(JsonValue(term.value));
    }
  }

  std::string_view text_;
  ValueKind element_;
  char delimiter_;
  std::string& json_;
  std::size_t at_ = 0;
  std::string value_;
  std::string buffer_;
};

}  // namespace

bool array_to_json(std::string_view text, ValueKind element, char delimiter, std::string& json) {
  json.clear();
  return ArrayReader(text, element, delimiter, json).run();
}

}  // namespace helve::sql
