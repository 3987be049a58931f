// TermFrames: how terms are written in JSON, but for their values. Servers write the members of all
// rows alike, so that most terms are recognised by comparing bytes and need not be read token by
// token. Used by json_results_reader.cc.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/term.h"

namespace helve::sparql {

// A member of a row as it was once read: all bytes before its value and behind it. The same bytes
// around another value mean the same.
struct TermFrame {
  std::string before;  // from behind '{' or ',' to the value's opening '"'; never empty
  std::string behind;  // from its closing '"' to the '}' of the term
  rdf::TermKind kind = rdf::TermKind::Iri;
  std::string datatype;
  std::string language;

  rdf::TermView with(std::string_view value) const {
    return {kind, rdf::Direction::None, value, datatype, language};
  }
};

// A text that begins with a member in a known frame. Offsets into that text.
struct FramedTerm {
  const TermFrame* frame = nullptr;  // good until the next keep() of its column
  std::size_t column = 0;
  std::size_t value_begin = 0;  // behind the opening '"'
  std::size_t value_end = 0;    // at the closing '"'
  std::size_t end = 0;          // behind the '}' of the term
  bool has_escapes = false;
};

// The frames that were met last in each of the first columns; memory is bounded.
class TermFrames {
 public:
  static constexpr std::size_t kColumnsMax = 64;
  static constexpr std::size_t kFrameBytesMax = 512;  // longer ones are not kept

  // A member of `likely_column`, or of one of those that follow it.
  std::optional<FramedTerm> find(std::string_view text, std::size_t likely_column) const;
  // The term in these bytes was read as `term`.
  void keep(std::size_t column, std::string_view before, std::string_view behind,
            const rdf::TermView& term);

 private:
  static constexpr std::size_t kColumnsTried = 8;  // members may be missing, or in another order
  static constexpr std::size_t kFramesMax = 4;     // of a column: kinds, languages, datatypes
  struct Column {
    std::array<TermFrame, kFramesMax> frames;
    std::size_t used = 0;
    std::size_t oldest = 0;
  };
  std::vector<Column> columns_;
};

}  // namespace helve::sparql
