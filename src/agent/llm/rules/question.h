// A question, read by its words alone: what is asked for, and which words have to be looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::llm::rules {

enum class Form : std::uint8_t { List, Count, YesNo };
enum class Asked : std::uint8_t { Things, Who, When };

struct Token {
  std::string text;
  std::string lower;
  bool is_capital = false;
  bool is_number = false;
  bool is_quoted = false;
};

// "more than 5", "after 1990", "larger than X".
struct Bound {
  std::string op;      // ">", ">=", "<", "<=", "="
  std::string number;  // empty: compared with a thing, whose words follow
  std::string unit;    // the word behind the number; may be of anything
  std::string word;    // "larger", "after"; the stem of what is compared
  bool is_year = false;
  std::size_t from = 0, to = 0;  // tokens
};

struct Extreme {
  bool is_largest = true;
  std::string word;      // "longest"; "most", "fewest" count, or stand before another word
  bool is_time = false;  // earliest, latest
  std::size_t at = 0;
};

// Tokens that name something: "distant lakes", "Lake Foo".
struct Phrase {
  std::size_t from = 0, to = 0;
  bool is_name = false;  // capitalised or quoted
};

struct Question {
  std::string text;
  std::vector<Token> tokens;
  Form form = Form::List;
  Asked asked = Asked::Things;
  std::vector<Bound> bounds;
  std::optional<Extreme> extreme;
  std::optional<std::uint64_t> top;
  std::optional<std::size_t> group_at;  // "each", "per", "by": the group's words follow
  std::vector<std::size_t> negations;   // "without", "no"
  std::vector<Phrase> phrases;
  std::string aggregate;  // "AVG", "SUM"; empty: none

  std::string words(std::size_t from, std::size_t to) const;  // of tokens, with spaces
};

inline constexpr std::size_t kTokensMax = 120;

Question read_question(std::string_view text);

}  // namespace helve::llm::rules
