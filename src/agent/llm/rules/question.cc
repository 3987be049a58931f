#include "agent/llm/rules/question.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/llm/rules/words.h"
#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

bool is_part(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_any(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Adjectives of little: their extreme is the smallest value.
bool is_of_little(std::string_view word) {
  for (const std::string_view root :
       {"small",  "short", "low",   "old",   "earl",   "young", "near",  "clos",
        "light",  "slow",  "few",   "least", "less",   "cheap", "first", "thin",
        "narrow", "weak",  "under", "below", "before", "minim", "tini"}) {
    if (word.starts_with(root)) return true;
  }
  return false;
}

bool is_superlative(std::string_view word) {
  if (is_any(word, {"most", "fewest", "least", "maximum", "minimum", "highest"})) return true;
  constexpr std::size_t kLeast = 6;
  return word.size() >= kLeast && word.ends_with("est") &&
         !is_any(word, {"forest", "interest", "request", "harvest", "honest", "modest", "protest",
                        "suggest", "contest", "arrest", "invest"});
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (i < text.size() && tokens.size() < kTokensMax) {
    const char c = text[i];
    const bool opens = (c == '"' || c == '\'') && (i == 0 || !is_part(text[i - 1]));
    const std::size_t close = opens ? text.find(c, i + 1) : std::string_view::npos;
    if (close != std::string_view::npos && close > i + 1) {
      Token token{std::string(text.substr(i + 1, close - i - 1)), "", false, false, true};
      token.lower = ascii_lower(token.text);
      tokens.push_back(std::move(token));
      i = close + 1;
      continue;
    }
    if (!is_part(c)) {
      ++i;
      continue;
    }
    std::size_t end = i;
    const auto continues_number = [&](std::size_t at) {
      return (text[at] == ',' || text[at] == '.') && at > i && is_digit(text[at - 1]) &&
             at + 1 < text.size() && is_digit(text[at + 1]) && is_digit(text[i]);
    };
    while (end < text.size() && (is_part(text[end]) || continues_number(end))) ++end;
    Token token;
    token.text = text.substr(i, end - i);
    if (is_digit(token.text[0])) std::erase(token.text, ',');
    token.lower = ascii_lower(token.text);
    token.is_capital = is_upper(token.text[0]);
    token.is_number =
        is_digit(token.text[0]) && token.text.find_first_not_of("0123456789.") == std::string::npos;
    tokens.push_back(std::move(token));
    i = end;
    // "Foo's", "didn't"
    if (i + 1 < text.size() && text[i] == '\'' && is_part(text[i + 1])) {
      if (ascii_lower(text[i + 1]) == 't' && tokens.back().lower.ends_with('n')) {
        tokens.back().lower.pop_back();
        tokens.push_back({"not", "not", false, false, false});
      }
      i += 2;
    }
  }
  return tokens;
}

// "five largest", "more than three".
void read_number_words(std::vector<Token>& tokens) {
  constexpr std::array<std::string_view, 11> kNumbers = {
      "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
  for (Token& token : tokens) {
    const auto* const found = std::find(kNumbers.begin(), kNumbers.end(), token.lower);
    if (found == kNumbers.end() || token.is_capital || token.is_quoted) continue;
    token.text = std::to_string(found - kNumbers.begin() + 2);
    token.lower = token.text;
    token.is_number = true;
  }
}

// "in the year 1977" is "in 1977".
void drop_year_words(std::vector<Token>& tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].lower != "year" || !tokens[i + 1].is_number) continue;
    const std::size_t from = tokens[i - 1].lower == "the" ? i - 1 : i;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(from),
                 tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    i = from;
  }
}

class QuestionReader {
 public:
  explicit QuestionReader(std::string_view text) {
    constexpr std::size_t kCharsMax = 2'000;
    question_.text = text.substr(0, kCharsMax);
    question_.tokens = tokens_of(question_.text);
    read_number_words(question_.tokens);
    drop_year_words(question_.tokens);
    is_taken_.resize(question_.tokens.size());
  }

  Question read() {
    read_form();
    for (std::size_t i = 0; i < size(); ++i) read_bound(i);
    for (std::size_t i = 0; i < size(); ++i) read_signal(i);
    for (std::size_t i = 1; i < size() && question_.extreme && !question_.top; ++i) {
      const bool is_of_name = question_.tokens[i - 1].is_capital && i > 1;  // "Foo 2"
      if (is_number(i) && !is_taken_[i] && !is_of_name) set_top(i);
    }
    read_phrases();
    return std::move(question_);
  }

 private:
  std::size_t size() const { return question_.tokens.size(); }
  std::string_view word(std::size_t at) const {
    return at < size() ? std::string_view(question_.tokens[at].lower) : std::string_view();
  }
  bool is_number(std::size_t at) const { return at < size() && question_.tokens[at].is_number; }
  void take(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, size()); ++i) is_taken_[i] = true;
  }

  void read_form() {
    if (is_any(word(0), {"is", "are", "does", "do", "did", "has", "have", "was", "were", "can"})) {
      question_.form = Form::YesNo;
    }
    for (std::size_t i = 0; i < size(); ++i) {
      const bool counts = (word(i) == "how" && word(i + 1) == "many") ||
                          (word(i) == "number" && word(i + 1) == "of") ||
                          (i == 0 && word(i) == "count");
      if (counts) question_.form = Form::Count;
      // Behind a noun it is no question: "tinkers who ...".
      if (i < 2 && is_any(word(i), {"who", "whom"})) question_.asked = Asked::Who;
      const bool is_of_time = is_any(word(i), {"what", "which"}) &&
                              is_any(word(i + 1), {"year", "day", "date", "month"});
      if (word(i) == "when" || is_of_time) {
        question_.asked = Asked::When;
        take(i, i + (is_of_time ? 2 : 1));
      }
    }
  }

  static std::string op_of(std::string_view before, std::string_view last) {
    if (before == "least") return ">=";
    if (before == "most") return "<=";
    if (last == "since") return ">=";
    if (is_any(last, {"after", "over", "above", "exceeding", "exceed", "beyond"})) return ">";
    if (is_any(last, {"before", "under", "below"})) return "<";
    return last == "than" ? (is_of_little(before) ? "<" : ">") : "=";
  }

  void add_bound(std::string op, std::size_t number, std::size_t from, std::string_view by) {
    Bound bound;
    bound.op = std::move(op);
    bound.word = by;
    bound.from = from;
    bound.to = number + 1;
    bound.number = question_.tokens[number].text;
    constexpr std::size_t kYearDigits = 4;
    const bool is_of_time = is_any(by, {"after", "before", "since", "in", "between", "during",
                                        "from", "later", "earlier", "older", "newer"});
    bound.is_year = is_of_time && bound.number.size() == kYearDigits &&
                    bound.number.find('.') == std::string::npos;
    if (number + 1 < size() && !is_function_word(word(number + 1)) && !bound.is_year) {
      bound.unit = word(number + 1);
    }
    take(from, number + 1);
    question_.bounds.push_back(std::move(bound));
  }

  // At the last word before the number, or before "than".
  void read_bound(std::size_t i) {
    if (is_taken_[i]) return;
    const std::string_view before = i > 0 ? word(i - 1) : std::string_view();
    if (is_any(word(i), {"between", "from"}) && is_number(i + 1) &&
        is_any(word(i + 2), {"and", "to"}) && is_number(i + 3)) {
      add_bound(">=", i + 1, i, "between");
      add_bound("<=", i + 3, i + 2, "between");
      return;
    }
    if (is_any(word(i), {"after", "before", "since", "over", "above", "under", "below", "beyond",
                         "exceeding"}) &&
        is_number(i + 1)) {
      return add_bound(op_of(before, word(i)), i + 1, i, word(i));
    }
    if (is_any(word(i), {"least", "most"}) && before == "at" && is_number(i + 1)) {
      return add_bound(op_of(word(i), ""), i + 1, i - 1, "");
    }
    constexpr std::size_t kYearDigits = 4;
    if (is_any(word(i), {"in", "during"}) && is_number(i + 1) &&
        word(i + 1).size() == kYearDigits) {
      return add_bound("=", i + 1, i, "in");
    }
    if (word(i) != "than" || i == 0) return;
    const std::string op = op_of(before, "than");
    if (is_number(i + 1)) return add_bound(op, i + 1, i - 1, before);
    Bound bound{op, "", "", std::string(before), false, i - 1, i + 1};
    take(i - 1, i + 1);
    question_.bounds.push_back(std::move(bound));
  }

  void read_signal(std::size_t i) {
    if (is_taken_[i]) return;
    const bool is_first_of_many = is_any(word(i), {"first", "last"}) && is_number(i + 1);
    if (word(i) == "top" || is_first_of_many) {
      take(i, i + 1);
      if (is_number(i + 1)) set_top(i + 1);
      if (!question_.extreme && word(i) == "top") question_.extreme = {true, "most", false, i};
    }
    if (is_number(i) && !question_.top && i + 1 < size() && is_superlative(word(i + 1))) set_top(i);
    const bool is_ordinal = is_any(word(i), {"first", "latest", "last", "earliest"});
    if (is_superlative(word(i)) || is_ordinal) {
      const bool is_time =
          is_any(word(i), {"earliest", "latest", "newest", "oldest", "first", "last", "youngest"});
      const bool is_little = is_of_little(word(i)) && word(i) != "youngest";
      question_.extreme = {!is_little, std::string(word(i)), is_time, i};
      take(i, i + 1);
    }
    if (is_any(word(i), {"each", "every", "per"})) question_.group_at = i;
    if (word(i) == "by" && question_.form == Form::Count && i > 0 && !word(i - 1).ends_with("ed")) {
      question_.group_at = i;
    }
    if (word(i) == "average" || (word(i) == "total" && word(i + 1) != "number")) {
      question_.aggregate = word(i) == "average" ? "AVG" : "SUM";
      take(i, i + 1);
    }
    if (is_any(word(i), {"without", "no", "not", "never", "lack", "lacks", "lacking", "neither"})) {
      question_.negations.push_back(i);
      take(i, i + 1);
    }
  }

  void set_top(std::size_t at) {
    std::uint64_t top = 0;
    const std::string& text = question_.tokens[at].text;
    std::from_chars(text.data(), text.data() + text.size(), top);
    constexpr std::uint64_t kTopMax = 1'000;
    if (top > 0 && top <= kTopMax) question_.top = top;
    take(at, at + 1);
  }

  bool is_name(std::size_t at) const {
    const Token& token = question_.tokens[at];
    if (token.is_quoted) return true;
    return token.is_capital && !(at == 0 && (is_function_word(token.lower) || size() < 2)) &&
           !(at > 0 && is_function_word(token.lower));
  }

  void read_phrases() {
    std::size_t i = 0;
    while (i < size()) {
      const bool is_content = !is_taken_[i] && (is_name(i) || !is_function_word(word(i)));
      if (!is_content || (is_number(i) && !question_.tokens[i].is_quoted)) {
        ++i;
        continue;
      }
      const bool as_name = is_name(i) && i > 0;
      std::size_t end = i + 1;
      if (!question_.tokens[i].is_quoted) {
        // "Foo 2" is a name too.
        while (end < size() && !is_taken_[end] && !question_.tokens[end].is_quoted &&
               (as_name ? is_name(end) || is_number(end)
                        : !is_name(end) && !is_number(end) && !is_function_word(word(end)))) {
          ++end;
        }
      }
      question_.phrases.push_back({i, end, as_name || question_.tokens[i].is_quoted});
      i = end;
    }
  }

  Question question_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::string Question::words(std::size_t from, std::size_t to) const {
  std::string all;
  for (std::size_t i = from; i < std::min(to, tokens.size()); ++i) {
    if (!all.empty()) all += ' ';
    all += tokens[i].text;
  }
  return all;
}

Question read_question(std::string_view text) { return QuestionReader(text).read(); }

}  // namespace helve::llm::rules
