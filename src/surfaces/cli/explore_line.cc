#include "surfaces/cli/explore_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "sources/sql_tokens.h"

namespace helve::cli {

namespace {

bool begins_with_word(std::string_view line, std::string_view word) {
  if (!is_same_in_any_case(line.substr(0, word.size()), word)) return false;
  return line.size() == word.size() || is_space(line[word.size()]) ||
         std::string_view("(*'\"`{").find(line[word.size()]) != std::string_view::npos;
}

template <std::size_t kCount>
bool begins_with_any(std::string_view line, const std::array<std::string_view, kCount>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return begins_with_word(line, word); });
}

// A brace that is no part of a text.
bool has_brace(std::string_view line) {
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && c == '{') return true;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
  }
  return false;
}

// The first word is one that begins a query, and what follows is more than a name.
bool is_sparql(std::string_view line, const ExploreScope& scope) {
  constexpr std::array<std::string_view, 6> kBeginnings = {"select",   "ask",    "construct",
                                                           "describe", "prefix", "base"};
  if (!begins_with_any(line, kBeginnings)) return false;
  return scope.has_databases() ? has_brace(line) : line.find('{') != std::string_view::npos;
}

bool is_sql(std::string_view line, const ExploreScope& scope) {
  constexpr std::array<std::string_view, 3> kOfDatabases = {"show", "pragma", "table"};
  if (begins_with_word(line, "select")) return true;
  // Words that people look for too.
  if (begins_with_word(line, "with") || begins_with_word(line, "values")) {
    return line.find('(') != std::string_view::npos;
  }
  return scope.is_of_databases() && begins_with_any(line, kOfDatabases);
}

// Whether it reads from results_0, as SQL over handles does.
bool reads_handle(std::string_view sql) {
  constexpr std::string_view kHandle = "results_";
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens) return false;
  return std::any_of(tokens->begin(), tokens->end(), [&](const SqlToken& token) {
    return token.kind == SqlTokenKind::Word && token.text.size() > kHandle.size() &&
           is_same_in_any_case(token.text.substr(0, kHandle.size()), kHandle) &&
           token.text.find_first_not_of("0123456789", kHandle.size()) == std::string_view::npos;
  });
}

// EXPLAIN, and what SQLite writes behind it.
std::string_view without_explain(std::string_view line) {
  line = trimmed(line.substr(std::string_view("explain").size()));
  for (const std::string_view word : {"query", "plan"}) {
    if (begins_with_word(line, word)) line = trimmed(line.substr(word.size()));
  }
  return line;
}

// The tool for a line that is a query; nothing where it is none.
std::optional<ExploreLine> read_query_line(std::string_view line, const ExploreScope& scope) {
  ExploreLine read;
  const auto call = [&read](std::string tool, std::string_view parameter, std::string_view text) {
    read.tool = std::move(tool);
    read.words = {std::string(parameter) + "=" + std::string(text)};
    return read;
  };
  if (is_sparql(line, scope)) return call("sparql_query", "query", line);
  if (scope.has_databases() && begins_with_word(line, "explain") &&
      is_sql(without_explain(line), scope)) {
    return call("explain_plan", "sql", without_explain(line));
  }
  if (!is_sql(line, scope)) return std::nullopt;
  // Not every dialect has it.
  if (is_same_in_any_case(line.substr(0, line.find(';')), "show tables")) {
    read.tool = "schema_inspect";
    return read;
  }
  if (reads_handle(line)) return call("result_sql", "sql", line);
  if (scope.has_databases()) return call("query_execute", "sql", line);
  // It is no SPARQL either; what is wrong is told.
  if (begins_with_word(line, "select")) return call("sparql_query", "query", line);
  return std::nullopt;
}

std::string find_tool(const std::string& word, const std::vector<std::string>& tools) {
  for (const std::string& candidate : {word, "sparql_" + word, "result_" + word}) {
    if (std::find(tools.begin(), tools.end(), candidate) != tools.end()) return candidate;
  }
  return {};
}

// key=value
bool is_named(std::string_view word) {
  const std::size_t end =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
  return end != std::string_view::npos && end > 0 && word[end] == '=';
}

std::string named_source(const std::vector<std::string>& words) {
  constexpr std::string_view kSource = "source=";
  const auto found = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
    return word.starts_with(kSource);
  });
  return found == words.end() ? "" : found->substr(kSource.size());
}

// `tables`, and the short names of graphs where it is a database that is asked.
std::optional<ExploreLine> read_of_databases(const std::vector<std::string>& words,
                                             const ExploreScope& scope) {
  const std::string& first = words.front();
  const bool is_ours = scope.is_of_databases(named_source(words));
  ExploreLine read;
  if (is_ours && first == "query") {
    read.tool = "query_execute";
    read.words.assign(words.begin() + 1, words.end());
    return read;
  }
  const bool is_search = is_ours && first == "find";
  const bool is_table = first == "tables" ||
                        (is_ours && (first == "schema" || first == "peek" || first == "describe"));
  if (!is_search && !(is_table && scope.has_databases())) return std::nullopt;
  read.tool = "schema_inspect";
  std::string bare;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_named(words[i])) {
      read.words.push_back(words[i]);
    } else {
      bare += (bare.empty() ? "" : " ") + words[i];
    }
  }
  if (is_search || !bare.empty()) {
    read.words.emplace_back(is_search ? "action=search" : "action=describe_table");
  }
  if (!bare.empty()) read.words.push_back((is_search ? "pattern=" : "table=") + bare);
  if (first == "describe" && !bare.empty()) read.words.emplace_back("detail=full");
  return read;
}

Result<ExploreLine> choose_source(const std::vector<std::string>& words,
                                  const ExploreScope& scope) {
  ExploreLine read;
  read.lists_sources = words.size() == 1;
  if (read.lists_sources) return read;
  std::vector<std::string_view> names;
  for (const ExploreSource& source : scope.sources) {
    if (source.name == words[1]) {
      read.use = source.name;
      return read;
    }
    names.emplace_back(source.name);
  }
  return Error{ErrorCode::NotFound, "there is no source named " + words[1],
               fmt::format("there are: {}", fmt::join(names, ", "))};
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;  // a word has begun
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else if (c == '\\' && quote == '"' && i + 1 < line.size()) {
        word += line[++i];
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      is_open = true;
    } else if (is_space(c)) {
      if (is_open) words.push_back(std::exchange(word, {}));
      is_open = false;
    } else {
      word += c;
      is_open = true;
    }
  }
  if (quote != '\0') {
    return Error{ErrorCode::InvalidInput, "a quotation mark is left open",
                 "close it, or write the text without blanks"};
  }
  if (is_open) words.push_back(std::move(word));
  return words;
}

bool ExploreScope::has_graphs() const {
  return std::any_of(sources.begin(), sources.end(),
                     [](const ExploreSource& source) { return !source.is_database; });
}

bool ExploreScope::has_databases() const {
  return std::any_of(sources.begin(), sources.end(),
                     [](const ExploreSource& source) { return source.is_database; });
}

bool ExploreScope::is_of_databases(std::string_view name) const {
  if (name.empty()) name = chosen;
  for (const ExploreSource& source : sources) {
    if (source.name == name) return source.is_database;
  }
  return has_databases() && !has_graphs();
}

Result<ExploreLine> read_explore_line(std::string_view line, const ExploreScope& scope) {
  line = trimmed(line);
  ExploreLine read;
  if (line.empty() || line.front() == '#') return read;
  if (auto query = read_query_line(line, scope)) return *std::move(query);
  HELVE_ASSIGN(const std::vector<std::string> words, split_words(line));
  if (words.empty()) return read;
  const std::string& first = words.front();
  read.is_help = first == "help" || first == "?" || first == ".help";
  read.is_end = first == "quit" || first == "exit" || first == ".quit";
  if (read.is_help || read.is_end) return read;
  if (first == "use" || (first == "sources" && words.size() == 1)) {
    return choose_source(words, scope);
  }
  if (auto found = read_of_databases(words, scope)) return *std::move(found);
  read.tool = find_tool(first, scope.tools);
  if (!read.tool.empty()) {
    read.words.assign(words.begin() + 1, words.end());
    return read;
  }
  if (scope.is_of_databases()) {
    read.tool = "schema_inspect";
    read.words = {"action=search", "pattern=" + std::string(line)};
    return read;
  }
  read.tool = "sparql_find";
  read.words = {"pattern=" + std::string(line)};
  return read;
}

}  // namespace helve::cli
