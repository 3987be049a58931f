#include "toolkit/context/shown_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/context/cut_text.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

bool is_plain(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

// What can stand behind a prefix without escapes.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), is_plain);
}

bool is_any_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
}

}  // namespace

ShownNames::ShownNames(const PrefixList& prefixes) : prefixes_(prefixes) {
  for (const auto& [name, iri] : prefixes_) names_.emplace(iri, name);
}

std::string ShownNames::show(std::string_view iri) const {
  const std::string_view space = namespace_part(iri);
  if (const auto found = names_.find(space); found != names_.end()) {
    const std::string_view name = iri.substr(space.size());
    if (is_plain_name(name)) return fmt::format("{}:{}", found->second, name);
  }
  // Prefixes that end within a name: obo:CHEBI_.
  const std::pair<std::string, std::string>* best = nullptr;
  for (const auto& prefix : prefixes_) {
    const bool is_longer = best == nullptr || prefix.second.size() > best->second.size();
    if (prefix.second.size() > space.size() && is_longer && iri.starts_with(prefix.second)) {
      best = &prefix;
    }
  }
  if (best != nullptr && is_plain_name(iri.substr(best->second.size()))) {
    return fmt::format("{}:{}", best->first, iri.substr(best->second.size()));
  }
  return show_whole(iri);
}

bool ShownNames::has_empty_prefix(std::string_view space) const {
  const auto found = names_.find(space);
  return found != names_.end() && found->second.empty();
}

std::string show_whole(std::string_view iri) {
  std::string shown = "<";
  for (const char c : escape_for_terminal(iri)) {
    if (c == '<' || c == '>' || c == '"' || c == ' ') {
      shown += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown + ">";
}

std::string clean_text(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (!is_any_space(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return escape_for_terminal(line);
}

std::string cut_text(std::string_view text, std::size_t chars_max) {
  return cut_line(clean_text(text), chars_max);
}

std::string quoted_text(std::string_view text, std::size_t chars_max) {
  if (chars_max < 3) return {};
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  const std::string line = cut_text(escaped, chars_max - 2);
  return line.empty() ? line : '"' + line + '"';
}

}  // namespace helve::context
