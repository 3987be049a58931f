#include "agent/loops/query_match.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::agent {

namespace {

constexpr std::string_view kQuerySpace = " \t\r\n";

std::string_view without_final_semicolons(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  std::size_t end = text.find_last_not_of(" \t\r\n;");
  end = end == std::string_view::npos || end < begin ? begin : end + 1;
  return text.substr(begin, end - begin);
}

std::size_t behind(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t at = text.find(end, from);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

// <...> of an IRI has none of these inside; a comparison is no IRI.
// https://www.w3.org/TR/sparql11-query/#rIRIREF
std::size_t iri_bytes(std::string_view text) {
  const std::size_t end = text.find_first_of("<>\"{}|^`\\ \t\r\n", 1);
  return end != std::string_view::npos && text[end] == '>' ? end + 1 : 0;
}

// The bytes at the beginning that count as they are; 0: none.
std::size_t kept_bytes(std::string_view text) {
  for (const std::string_view quotes : {"\"\"\"", "'''"}) {
    if (text.starts_with(quotes)) return behind(text, quotes, quotes.size());
  }
  const char first = text.front();
  if (first == '"' || first == '\'' || first == '`') return behind(text, text.substr(0, 1), 1);
  if (first == '<') return iri_bytes(text);
  if (first == '#' || text.starts_with("--")) return behind(text, "\n", 1);
  if (text.starts_with("/*")) return behind(text, "*/", 2);
  return 0;
}

}  // namespace

std::string plain_query(std::string_view text) {
  text = without_final_semicolons(text);
  if (text.find('\\') != std::string_view::npos) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t bytes = kept_bytes(text);
    if (bytes == 0 && is_space(text.front())) {
      out += ' ';
      bytes = std::min(text.find_first_not_of(kQuerySpace), text.size());
    } else {
      bytes = std::max<std::size_t>(bytes, 1);
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace helve::agent
