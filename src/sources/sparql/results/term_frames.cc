#include "sources/sparql/results/term_frames.h"

#include <algorithm>

#include "sources/sparql/results/json_cursor.h"

namespace helve::sparql {

namespace {

// Whether the string that begins at `at` ends within the text; moves `at` to its closing '"'.
bool pass_string(std::string_view text, std::size_t& at, bool& has_escapes) {
  const char* const end = text.data() + text.size();
  const char* p = text.data() + at;
  while (true) {
    p = plain_string_end(p, end);
    if (p == end) return false;
    if (*p == '"') break;
    if (*p != '\\' || end - p < 2) return false;
    has_escapes = true;
    p += 2;
  }
  at = static_cast<std::size_t>(p - text.data());
  return true;
}

}  // namespace

std::optional<FramedTerm> TermFrames::find(std::string_view text, std::size_t likely_column) const {
  const std::size_t tries = std::min(kColumnsTried, columns_.size());
  FramedTerm found;
  found.column = likely_column < columns_.size() ? likely_column : 0;
  for (std::size_t tried = 0; tried < tries; ++tried) {
    const Column& column = columns_[found.column];
    for (std::size_t i = 0; i < column.used; ++i) {
      const TermFrame& frame = column.frames[i];
      if (!text.starts_with(frame.before)) continue;
      found.has_escapes = false;
      found.value_begin = found.value_end = frame.before.size();
      if (!pass_string(text, found.value_end, found.has_escapes)) return std::nullopt;
      if (!text.substr(found.value_end).starts_with(frame.behind)) continue;
      found.end = found.value_end + frame.behind.size();
      found.frame = &frame;
      return found;
    }
    if (++found.column == columns_.size()) found.column = 0;
  }
  return std::nullopt;
}

void TermFrames::keep(std::size_t column, std::string_view before, std::string_view behind,
                      const rdf::TermView& term) {
  if (column >= kColumnsMax || before.size() + behind.size() > kFrameBytesMax) return;
  if (column >= columns_.size()) columns_.resize(column + 1);
  Column& known = columns_[column];
  for (std::size_t i = 0; i < known.used; ++i) {
    if (known.frames[i].before == before && known.frames[i].behind == behind) return;
  }
  TermFrame& frame = known.frames[known.oldest];
  frame.before.assign(before);
  frame.behind.assign(behind);
  frame.kind = term.kind;
  frame.datatype.assign(term.datatype);
  frame.language.assign(term.language);
  known.oldest = (known.oldest + 1) % kFramesMax;
  known.used = std::min(known.used + 1, kFramesMax);
}

}  // namespace helve::sparql
