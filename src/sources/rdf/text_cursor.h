// TextCursor: the cursor of a hand-written reader: a place in the window, the texts that must
// survive when the window slides, and the first error. turtle_lexer.h puts the terminals of Turtle
// on top.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/input_window.h"

namespace helve::rdf {

// The text of a term: a view into the window, into something that lasts, or into `scratch`.
struct HeldText {
  std::string_view text;
  std::string scratch;

  void copy(std::string_view other) {
    scratch.assign(other);
    text = scratch;
  }
};

class TextCursor {
 public:
  static constexpr int kEnd = -1;

  // Whatever of `held` points into the window is copied to its scratch before the window slides.
  TextCursor(InputWindow& window, std::string document_name, const OpContext& context,
             std::span<HeldText> held)
      : window_(window),
        document_name_(std::move(document_name)),
        context_(context),
        held_(held),
        at_(window.begin()),
        end_(window.end()) {}

  // The cursor: where the current token begins.
  const char* at() const { return at_; }
  // Bytes of the document before the cursor, but for a byte order mark.
  std::uint64_t offset() const { return counted_ + static_cast<std::uint64_t>(at_ - counted_to_); }
  // How often the window has slid so far: while it is the same, pointers into it are good.
  std::uint64_t slides() const { return slides_; }
  TextPosition position_of(const char* place) const;
  // Is nothing but the start of the line before the cursor?
  bool at_line_start() const;

  bool has_failed() const { return error_.has_value(); }
  // True when there is no going on behind the error: it is not one of the document's text.
  bool is_fatal() const { return is_fatal_; }
  const Error& error() const { return *error_; }

  // Each keeps the first error, with the position of `place`, and returns false.
  [[gnu::cold, gnu::noinline]] bool fail(const char* place, std::string message,
                                         std::string hint = {});
  [[gnu::cold, gnu::noinline]] bool fail_limit(const char* place, std::string message,
                                               std::string hint = {});
  // An error made elsewhere.
  [[gnu::cold, gnu::noinline]] bool fail_with(const char* place, Error error);
  // "expected ..., found ...". REQUIRES: `place` is not before the cursor.
  [[gnu::cold, gnu::noinline]] bool fail_expected(const char* place, std::string_view expected,
                                                  std::string hint = {});
  [[gnu::cold, gnu::noinline]] bool fail_fatally(Error error);

  // After a failure: forgets it and moves the cursor to where it was found. Without positions,
  // later errors are cheap: nobody will see them.
  void forget_error(bool wants_positions);

  // Stepping without a token, for skipping over what cannot be read: the byte at the cursor, or
  // kEnd; bytes that are not UTF-8 are passed over.
  int skip_peek();
  void skip_byte() { ++at_; }

 protected:
  const char* begin() const { return window_.begin(); }

  // True when there is a byte at `p`, after reading more if need be. False at the end of the
  // document and on errors. Keeps everything from the cursor on; `p` moves with its byte.
  bool have(const char*& p) { return p != end_ || more(p); }
  [[gnu::noinline]] bool more(const char*& p);

  // What stands at `place`, for an error message.
  std::string found(const char* place) const;
  // Fails when the token from the cursor to `p` is too long for a term.
  bool check_length(const char* p) {
    return static_cast<std::size_t>(p - at_) <= context_.limits.term_bytes_max || fail_length();
  }
  [[gnu::cold, gnu::noinline]] bool fail_length();

  InputWindow& window_;
  std::string document_name_;
  const OpContext& context_;

 private:
  void keep_error(const char* place, Error error);
  void hold_texts();
  void count(const char* to);

  std::span<HeldText> held_;
  std::optional<Error> error_;
  // Lines are counted only as far as a stream's window has been dropped. A document in memory is
  // counted when there is an error to place.
  const char* counted_to_ = nullptr;
  std::uint64_t counted_ = 0;
  std::uint64_t slides_ = 0;
  TextPosition counted_position_;
  const char* error_place_ = nullptr;  // nothing slides once there is an error
  bool is_fatal_ = false;
  bool wants_positions_ = true;
  bool has_ended_ = false;

 protected:
  const char* at_;
  const char* end_;
};

}  // namespace helve::rdf
