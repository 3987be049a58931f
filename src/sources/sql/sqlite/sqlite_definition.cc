#include "sources/sql/sqlite/sqlite_definition.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
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

// Options of search indexes that name no table. FTS5 takes the beginnings of option names too: what
// is not here is held to be "content".
bool is_plain_option(std::string_view name) {
  constexpr std::array<std::string_view, 11> kPlain = {
      "prefix",     "tokenize", "content_rowid", "columnsize", "detail", "notindexed",
      "languageid", "compress", "uncompress",    "matchinfo",  "order"};
  return std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end();
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

std::map<std::string, std::set<std::string, std::less<>>, std::less<>> column_words(
    std::string_view create_table) {
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> columns;
  const auto tokens = read_sql_tokens(create_table, SqlDialect::Sqlite);
  if (!tokens) return columns;
  std::size_t open = 0;
  while (open < tokens->size() && (*tokens)[open].text != "(") ++open;
  const std::size_t close = close_of(*tokens, open);
  if (close == tokens->size()) return columns;
  std::size_t depth = 0;
  std::set<std::string, std::less<>>* words = nullptr;  // of the column that is read
  for (std::size_t i = open + 1; i < close; ++i) {
    const SqlToken& token = (*tokens)[i];
    if (token.text == "(") ++depth;
    if (token.text == ")") --depth;
    if (depth == 0 && token.text == ",") {
      words = nullptr;
    } else if (words == nullptr) {
      words = &columns[ascii_lower(value_of(token, SqlDialect::Sqlite))];
    } else if (token.kind != SqlTokenKind::Symbol && token.kind != SqlTokenKind::Number &&
               !is_word(token, "AS")) {
      words->insert(ascii_lower(value_of(token, SqlDialect::Sqlite)));
    }
  }
  return columns;
}

std::optional<VirtualDefinition> read_virtual_definition(std::string_view create_table) {
  const auto tokens = read_sql_tokens(create_table, SqlDialect::Sqlite);
  if (!tokens) return std::nullopt;
  const auto lower = [&](std::size_t i) {
    return ascii_lower(value_of((*tokens)[i], SqlDialect::Sqlite));
  };
  std::size_t place = 0;
  while (place < tokens->size() && !is_word((*tokens)[place], "USING")) ++place;
  if (place + 1 >= tokens->size()) return std::nullopt;
  VirtualDefinition definition{lower(place + 1), std::nullopt};
  if (!definition.module.starts_with("fts")) return definition;
  for (std::size_t i = place + 2; i < tokens->size(); ++i) {
    if ((*tokens)[i].text.find('=') == std::string_view::npos) continue;
    // A text of a tokenizer, say.
    if ((*tokens)[i].kind != SqlTokenKind::Symbol) continue;
    if ((*tokens)[i].text == "=" && is_plain_option(lower(i - 1))) continue;
    const auto is_end = [&](std::size_t at) {
      return at < tokens->size() && ((*tokens)[at].text == "," || (*tokens)[at].text == ")");
    };
    if (definition.content || (*tokens)[i].text != "=") return std::nullopt;
    if (is_end(i + 1)) {
      definition.content = "";
    } else if (is_end(i + 2)) {
      definition.content = lower(i + 1);
    } else {
      return std::nullopt;
    }
  }
  if (definition.content && definition.content->empty()) definition.content.reset();
  return definition;
}

}  // namespace helve::sql
