#include "sources/sql/sqlite/sqlite_definition.h"

#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

using Tokens = std::vector<SqlToken>;

// Behind the ) of the ( at `open`; tokens.size() where there is none.
std::size_t close_of(const Tokens& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth == 0) return i;
  }
  return tokens.size();
}

std::string text_between(std::string_view sql, const Tokens& tokens, std::size_t first,
                         std::size_t last) {
  if (first >= last) return {};
  const std::size_t begin = tokens[first].begin;
  const SqlToken& end = tokens[last - 1];
  return std::string(sql.substr(begin, end.begin + end.text.size() - begin));
}

}  // namespace

std::vector<std::string> checks_of(std::string_view create_table) {
  std::vector<std::string> checks;
  const auto tokens = read_sql_tokens(create_table, SqlDialect::Sqlite);
  if (!tokens) return checks;
  for (std::size_t i = 0; i + 1 < tokens->size(); ++i) {
    if (!is_word((*tokens)[i], "CHECK") || (*tokens)[i + 1].text != "(") continue;
    const std::size_t close = close_of(*tokens, i + 1);
    if (close == tokens->size()) break;
    checks.push_back(text_between(create_table, *tokens, i + 2, close));
    i = close;
  }
  return checks;
}

std::vector<std::string> parts_of(std::string_view create_index) {
  std::vector<std::string> parts;
  const auto tokens = read_sql_tokens(create_index, SqlDialect::Sqlite);
  if (!tokens) return parts;
  std::size_t open = 0;
  while (open < tokens->size() && (*tokens)[open].text != "(") ++open;
  const std::size_t close = close_of(*tokens, open);
  if (close == tokens->size()) return parts;
  std::size_t depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = open + 1; i <= close; ++i) {
    const std::string_view text = (*tokens)[i].text;
    const bool is_end = i == close || (depth == 0 && text == ",");
    if (!is_end) {
      if (text == "(") ++depth;
      if (text == ")") --depth;
      continue;
    }
    std::size_t last = i;
    const auto is_behind = [&](std::string_view word) {
      return last > first + 1 && is_word((*tokens)[last - 1], word);
    };
    if (is_behind("ASC") || is_behind("DESC")) --last;
    if (last > first + 2 && is_word((*tokens)[last - 2], "COLLATE")) last -= 2;
    parts.push_back(text_between(create_index, *tokens, first, last));
    first = i + 1;
  }
  return parts;
}

}  // namespace helve::sql
