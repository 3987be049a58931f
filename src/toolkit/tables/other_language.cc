#include "toolkit/tables/other_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "toolkit/tables/value_forms.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kLookedAt = 4'096;

bool is_keyword_letter(char c) { return is_letter(c) || c == '_'; }

// Words of letters, digits and _, in capitals, texts in quotes left out.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  for (const char c : text.substr(0, kLookedAt)) {
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (is_keyword_letter(c) || (is_digit(c) && !word.empty())) {
      word += ascii_upper(c);
      continue;
    }
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
    if (c == '\'' || c == '"' || c == '`') quote = c;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// ?s
bool has_variable(std::string_view text) {
  for (std::size_t at = text.find('?'); at != std::string_view::npos; at = text.find('?', at + 1)) {
    if (at + 1 < text.size() && is_keyword_letter(text[at + 1])) return true;
  }
  return false;
}

}  // namespace

bool is_like_sparql(std::string_view text) {
  text = text.substr(0, kLookedAt);
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return false;
  const bool has_brace = text.find('{') != std::string_view::npos;
  if (words.front() == "PREFIX" || words.front() == "BASE" || words.front() == "CONSTRUCT" ||
      words.front() == "ASK") {
    return has_brace;
  }
  if (words.front() == "DESCRIBE") {
    return text.find('<') != std::string_view::npos || has_variable(text);
  }
  return words.front() == "SELECT" && has_brace && has_variable(text);
}

bool is_like_sql(std::string_view text) {
  text = text.substr(0, kLookedAt);
  if (text.find('{') != std::string_view::npos || has_variable(text)) return false;
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return false;
  const std::string& first = words.front();
  if (first == "SHOW" || first == "INSERT" || first == "UPDATE" || first == "EXPLAIN") {
    return words.size() > 1;
  }
  return (first == "SELECT" || first == "WITH" || first == "TABLE" || first == "VALUES") &&
         (has(words, "FROM") || first == "TABLE");
}

bool is_handle_name(std::string_view name) {
  constexpr std::string_view kPrefix = "results_";
  return name.size() > kPrefix.size() &&
         is_same_in_any_case(name.substr(0, kPrefix.size()), kPrefix) &&
         std::all_of(name.begin() + kPrefix.size(), name.end(), is_digit);
}

std::string instead_of_listing(std::string_view sql) {
  const std::string_view text = trimmed(sql);
  const std::vector<std::string> words = words_of(text);
  const std::string_view first = words.empty() ? std::string_view() : words.front();
  const bool is_backslash = text.starts_with("\\d");
  const bool is_listing = first == "SHOW" || first == "DESCRIBE" || first == "DESC" ||
                          first == "PRAGMA" || is_backslash || text.starts_with(".");
  if (!is_listing) return {};
  const bool is_describing = !is_backslash && (first == "DESCRIBE" || first == "DESC" ||
                                               has(words, "COLUMNS") || has(words, "TABLE_INFO"));
  return is_describing ? "schema_inspect table=NAME describes a table"
                       : "schema_inspect lists the tables, schema_inspect table=NAME describes one";
}

}  // namespace helve::toolkit
