// JsonCursor: JSON as it streams by, token after token, in bounded memory. base/json.h has the
// whole tree; results can be larger than memory.
#pragma once

#include <string>
#include <string_view>

#include "sources/rdf/text_cursor.h"

namespace helve::sparql {

// Where the plain part of a string ends: at its first '"', '\\' or control character, or at `end`.
const char* plain_string_end(const char* p, const char* end);

// Every function moves the cursor behind what it names, or keeps the first error and returns false.
class JsonCursor : public rdf::TextCursor {
 public:
  JsonCursor(rdf::InputWindow& window, std::string document_name, const OpContext& context)
      : TextCursor(window, std::move(document_name), context, {}) {}

  // The first byte of the next token, behind white space; kEnd at the end and on errors.
  int peek();
  // Passes `byte` when it is the next token; no error otherwise.
  bool pass_if(char byte);
  // The same, but an error otherwise.
  bool pass(char byte, std::string_view expected);

  // A string, unescaped into `out`.
  bool string(std::string& out);
  bool boolean(bool& out);
  bool null();
  // Any value; nested ones are Limits::json_depth_max deep at most.
  bool skip_value();
  // Nothing but white space is left.
  bool end();

  // Calls member(key) for each member of an object, with the cursor at its value.
  template <typename Member>
  bool object(Member member) {
    if (!pass('{', "an object in { }")) return false;
    if (pass_if('}')) return true;
    std::string key;
    do {
      if (!string(key) || !pass(':', "':' after the key")) return false;
      if (!member(std::string_view(key))) return false;
    } while (pass_if(','));
    return pass('}', "',' or '}'");
  }
  // Calls item() for each item of an array, with the cursor at it.
  template <typename Item>
  bool array(Item item) {
    if (!pass('[', "an array in [ ]")) return false;
    if (pass_if(']')) return true;
    do {
      if (!item()) return false;
    } while (pass_if(','));
    return pass(']', "',' or ']'");
  }

  // What lies in the window from the cursor on, for who knows what comes; passing over some of it
  // moves no window. REQUIRES: within it.
  std::string_view ahead() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  void pass_bytes(std::size_t count) { at_ += count; }

  // Where the last string begins. REQUIRES: nothing was asked of the cursor since.
  const char* string_start() const { return at_ - string_bytes_; }

 private:
  bool escape(const char*& p);
  bool hex_digits(const char*& p, char32_t& value);
  bool word(std::string_view word, std::string_view expected);
  bool scalar();
  bool number();
  bool digits(const char*& p);
  bool open(std::string& brackets);
  bool key_of_skipped();

  std::ptrdiff_t string_bytes_ = 0;
  std::string skipped_;
};

}  // namespace helve::sparql
