// What Tab offers in the shell: keywords, prefixes, classes and properties of the data, variables,
// commands. Pure; line_editor.h asks it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/prefix_map.h"

namespace helve::cli {

// Of the data and the session. Most frequent names first.
struct CompletionNames {
  std::vector<std::string> prefixes;    // without colons
  std::vector<std::string> classes;     // prefixed names, or IRIs in angle brackets
  std::vector<std::string> properties;  // the same
};

struct Completion {
  std::size_t begin = 0;  // of the word that is replaced, in bytes
  std::vector<std::string> words;
};

// For the text up to the cursor, the lines of a query above included. At most `words_max` words,
// the likeliest first; they are harmless on a terminal.
Completion complete(std::string_view text, const CompletionNames& names,
                    std::size_t words_max = 100);

}  // namespace helve::cli
