#include "agent/tasks/task_place.h"

#include <cstdint>

#include "base/ascii.h"

namespace helve::agent {

namespace {

// Walks over a document byte by byte and knows how deep it is.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  // Moves to what begins next, past blanks; false at the end.
  bool next() {
    while (at_ < text_.size() && is_space(text_[at_])) step();
    return at_ < text_.size();
  }
  char here() const { return text_[at_]; }
  TextPosition place() const { return place_; }

  void step() {
    const char c = text_[at_++];
    if (c == '\n') {
      place_ = {place_.line + 1, 1};
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++place_.column;  // bytes that continue a character are not counted
    }
  }

  // Past a text, which is given back as it is written.
  std::string_view text() {
    const std::size_t begin = at_ + 1;
    for (step(); here() != '"'; step()) {
      if (here() == '\\') step();
    }
    step();
    return text_.substr(begin, at_ - 1 - begin);
  }

  // Past a whole value.
  void value() {
    std::size_t depth = 0;
    do {
      if (!next()) return;
      const char c = here();
      if (c == '"') {
        text();
      } else {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        step();
      }
    } while (depth > 0 || (at_ < text_.size() && is_of_word(here())));
  }

 private:
  // Of a number, true, false or null.
  static bool is_of_word(char c) {
    return is_digit(c) || is_lower(c) || c == 'E' || c == '+' || c == '-' || c == '.';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  TextPosition place_;
};

}  // namespace

std::optional<TextPosition> place_of_task(std::string_view text, std::size_t index) {
  Walk walk(text);
  if (!walk.next() || walk.here() != '{') return std::nullopt;
  walk.step();
  while (walk.next() && walk.here() == '"') {
    const bool is_list = walk.text() == "tasks";
    walk.next();  // the colon
    walk.step();
    walk.next();
    if (!is_list || walk.here() != '[') {
      walk.value();
      if (walk.next() && walk.here() == ',') walk.step();
      continue;
    }
    walk.step();
    for (std::size_t i = 0; walk.next() && walk.here() != ']'; ++i) {
      if (i == index) return walk.place();
      walk.value();
      if (walk.next() && walk.here() == ',') walk.step();
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace helve::agent
