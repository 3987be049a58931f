#include "sources/rdf/language_tag.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::rdf {

namespace {

// Calls visit(c, normal) for each character until it returns false.
template <typename Visit>
void for_each_character(std::string_view tag, Visit visit) {
  bool is_first = true;
  bool follows_single = false;
  std::size_t begin = 0;
  while (begin <= tag.size()) {
    const std::size_t end = std::min(tag.find('-', begin), tag.size());
    const std::size_t length = end - begin;
    const bool has_case = !is_first && !follows_single;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_upper = has_case && (length == 2 || (length == 4 && i == begin));
      if (!visit(tag[i], is_upper ? ascii_upper(tag[i]) : ascii_lower(tag[i]))) return;
    }
    if (end < tag.size() && !visit('-', '-')) return;
    follows_single = follows_single || length == 1;
    is_first = false;
    begin = end + 1;
  }
}

}  // namespace

bool is_normal_language(std::string_view tag) {
  bool is_normal = true;
  for_each_character(tag, [&](char c, char normal) { return is_normal = c == normal; });
  return is_normal;
}

std::string normal_language(std::string_view tag) {
  std::string out;
  out.reserve(tag.size());
  for_each_character(tag, [&](char /*c*/, char normal) {
    out.push_back(normal);
    return true;
  });
  return out;
}

TermView with_normal_language(TermView term, std::string& scratch) {
  if (is_normal_language(term.language)) return term;
  scratch = normal_language(term.language);
  term.language = scratch;
  return term;
}

}  // namespace helve::rdf
