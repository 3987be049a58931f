#include "surfaces/cli/explore_line.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace helve::cli {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The first word is one that begins a query, and what follows is more than a name.
bool is_query(std::string_view line) {
  constexpr std::array<std::string_view, 6> kBeginnings = {"select",   "ask",    "construct",
                                                           "describe", "prefix", "base"};
  const bool begins =
      std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](std::string_view word) {
        return line.size() > word.size() && is_same_in_any_case(line.substr(0, word.size()), word);
      });
  return begins && line.find('{') != std::string_view::npos;
}

std::string find_tool(const std::string& word, const std::vector<std::string>& tools) {
  for (const std::string& candidate : {word, "sparql_" + word, "result_" + word}) {
    if (std::find(tools.begin(), tools.end(), candidate) != tools.end()) return candidate;
  }
  return {};
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
    } else if (is_blank(c)) {
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

Result<ExploreLine> read_explore_line(std::string_view line,
                                      const std::vector<std::string>& tools) {
  line = trimmed(line);
  ExploreLine read;
  if (line.empty() || line.front() == '#') return read;
  if (is_query(line)) {
    read.tool = "sparql_query";
    read.words = {"query=" + std::string(line)};
    return read;
  }
  HELVE_ASSIGN(std::vector<std::string> words, split_words(line));
  if (words.empty()) return read;
  const std::string first = words.front();
  read.is_help = first == "help" || first == "?" || first == ".help";
  read.is_end = first == "quit" || first == "exit" || first == ".quit";
  if (read.is_help || read.is_end) return read;
  read.tool = find_tool(first, tools);
  if (!read.tool.empty()) {
    read.words.assign(words.begin() + 1, words.end());
    return read;
  }
  read.tool = "sparql_find";
  read.words = {"pattern=" + std::string(line)};
  return read;
}

}  // namespace helve::cli
