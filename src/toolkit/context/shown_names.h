// How names and texts of a graph stand in a layer: short, on one line and harmless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sources/graph_source.h"

namespace helve::context {

// The prefixes must outlive it.
class ShownNames {
 public:
  explicit ShownNames(const PrefixList& prefixes);

  // prov:Entity, or <http://...> where no prefix fits or the rest of the name is not plain.
  // Characters that deceive or would end the brackets are escaped.
  std::string show(std::string_view iri) const;
  // Whether the names of this namespace are shown as :Entity.
  bool has_empty_prefix(std::string_view space) const;
  // "a, b" of several, joined by `between`.
  template <typename List>
  std::string show_all(const List& iris, std::string_view between) const {
    std::string text;
    for (const auto& iri : iris) {
      if (!text.empty()) text += between;
      text += show(iri);
    }
    return text;
  }

 private:
  const PrefixList& prefixes_;
  std::unordered_map<std::string_view, std::string_view> names_;  // by IRI
};

// "<http://...>", whatever the prefixes.
std::string show_whole(std::string_view iri);

// The text on one line: runs of blanks and line ends are one blank, and what deceives is spelled
// out, as escape_for_terminal() does.
std::string clean_text(std::string_view text);

// The same in at most so many characters, cut behind a sentence or a word, with an ellipsis. Empty
// where not even a word fits.
std::string cut_text(std::string_view text, std::size_t chars_max);

// In quotation marks; those of the text itself are escaped.
std::string quoted_text(std::string_view text, std::size_t chars_max);

}  // namespace helve::context
