#include "surfaces/cli/shell_completion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/lexer.h"
#include "surfaces/cli/shell_input.h"

namespace helve::cli {

namespace {

using sparql::Token;
using sparql::TokenKind;

constexpr std::array<std::string_view, 10> kStartWords = {
    "SELECT", "ASK",   "CONSTRUCT", "DESCRIBE",   "PREFIX",
    "BASE",   "WHERE", "FROM",      "FROM NAMED", "DISTINCT"};
constexpr std::array<std::string_view, 12> kGroupWords = {
    "OPTIONAL", "FILTER", "BIND",       "UNION",  "MINUS",   "VALUES",
    "GRAPH",    "SELECT", "NOT EXISTS", "EXISTS", "SERVICE", "a"};
constexpr std::array<std::string_view, 8> kEndWords = {"ORDER BY", "LIMIT",  "GROUP BY", "OFFSET",
                                                       "HAVING",   "VALUES", "DESC",     "ASC"};

// Where the cursor stands.
enum class Place { Start, Subject, Predicate, Object, Class, Expression, End };

// Follows the triples of a text, as far as it must to know what comes next.
class Position {
 public:
  void take(const Token& token) {
    if (depth_ > 0) {
      take_inside(token.kind);
      return;
    }
    switch (token.kind) {
      case TokenKind::LeftBrace:
        ++braces_;
        place_ = Place::Subject;
        break;
      case TokenKind::RightBrace:
        if (braces_ > 0) --braces_;
        place_ = braces_ > 0 ? Place::Subject : Place::End;
        break;
      case TokenKind::Dot:
        if (braces_ > 0) place_ = Place::Subject;
        break;
      case TokenKind::Semicolon:
      case TokenKind::LeftBracket:
        if (braces_ > 0) place_ = Place::Predicate;
        break;
      case TokenKind::LeftParenthesis:
        if (place_ != Place::Predicate) depth_ = 1;
        break;
      case TokenKind::Slash:
      case TokenKind::Pipe:
      case TokenKind::Caret:
        if (place_ == Place::Object || place_ == Place::Class) place_ = Place::Predicate;
        break;
      default:
        take_term(token);
    }
  }

  Place place() const {
    if (depth_ > 0) return Place::Expression;
    return place_;
  }

 private:
  void take_inside(TokenKind kind) {
    if (kind == TokenKind::LeftParenthesis) ++depth_;
    if (kind == TokenKind::RightParenthesis) --depth_;
    // FILTER EXISTS { ... } and the like.
    if (kind == TokenKind::LeftBrace) {
      ++braces_;
      depth_ = 0;
      place_ = Place::Subject;
    }
  }

  static bool is_term(TokenKind kind) {
    return kind == TokenKind::IriRef || kind == TokenKind::PrefixedName ||
           kind == TokenKind::Variable || kind == TokenKind::BlankLabel ||
           kind == TokenKind::String || kind == TokenKind::Integer || kind == TokenKind::Decimal ||
           kind == TokenKind::Double || kind == TokenKind::RightBracket;
  }

  void take_term(const Token& token) {
    if (place_ == Place::Predicate) {
      const bool is_a = token.kind == TokenKind::Word && token.text == "a";
      if (!is_a && !is_term(token.kind)) return;
      place_ = is_a || token.text == "rdf:type" ? Place::Class : Place::Object;
    } else if (place_ == Place::Subject && is_term(token.kind)) {
      place_ = Place::Predicate;
    }
  }

  Place place_ = Place::Start;
  std::size_t braces_ = 0;
  std::size_t depth_ = 0;  // of parentheses around an expression
};

bool is_word_end(char c) {
  constexpr std::string_view kEnds = " \t\r\n{}()[],;|/^!=&*+\"'";
  return kEnds.find(c) != std::string_view::npos;
}

// The word that the cursor is behind. An IRI has slashes.
std::size_t word_begin(std::string_view text) {
  const std::size_t line = text.find_last_of('\n') + 1;
  const std::size_t open = text.find_last_of('<');
  if (open != std::string_view::npos && open >= line &&
      text.find_first_of("> \t", open) == std::string_view::npos) {
    return open;
  }
  std::size_t begin = text.size();
  while (begin > 0 && !is_word_end(text[begin - 1])) --begin;
  return begin;
}

bool starts_like(std::string_view word, std::string_view start) {
  return word.size() >= start.size() && sparql::same_keyword(word.substr(0, start.size()), start);
}

class Completer {
 public:
  Completer(std::string_view text, const CompletionNames& names, std::size_t words_max)
      : text_(text), names_(names), words_max_(words_max) {}

  Completion complete() {
    completion_.begin = word_begin(text_);
    word_ = text_.substr(completion_.begin);
    const std::string_view before = text_.substr(0, completion_.begin);
    if (is_blank(before) && word_.starts_with('.')) {
      for (const ShellCommandInfo& command : shell_commands()) offer_if(command.name);
      return std::move(completion_);
    }
    // What is behind a dot command is a query.
    std::string_view query = before;
    if (query.starts_with('.'))
      query.remove_prefix(std::min(query.find_first_of(" \n"), query.size()));
    sparql::Lexer lexer(query, sparql::Version::Sparql12);
    Token token = lexer.next();
    for (; token.kind != TokenKind::End && token.kind != TokenKind::Bad; token = lexer.next()) {
      if (token.kind == TokenKind::Variable) variables_.insert("?" + std::string(token.text));
      position_.take(token);
    }
    if (token.kind == TokenKind::Bad) return std::move(completion_);
    offer_all();
    return std::move(completion_);
  }

 private:
  void offer_all() {
    if (word_.starts_with('?') || word_.starts_with('$')) {
      offer_variables();
      return;
    }
    switch (position_.place()) {
      case Place::Predicate:
        offer_names(names_.properties);
        if (word_.empty()) offer("a");
        offer_prefixes();
        offer_variables();
        return;
      case Place::Class:
        offer_names(names_.classes);
        offer_prefixes();
        offer_variables();
        return;
      case Place::Object:
        offer_variables();
        offer_names(names_.classes);
        offer_prefixes();
        return;
      case Place::Subject:
        offer_variables();
        for (const std::string_view word : kGroupWords) offer_keyword(word);
        offer_prefixes();
        offer_names(names_.classes);
        return;
      case Place::Expression:
        offer_variables();
        offer_functions();
        offer_prefixes();
        offer_names(names_.properties);
        return;
      case Place::Start:
        for (const std::string_view word : kStartWords) offer_keyword(word);
        offer_variables();
        offer_prefixes();
        return;
      case Place::End:
        for (const std::string_view word : kEndWords) offer_keyword(word);
        offer_variables();
        return;
    }
  }

  void offer(std::string word) {
    if (completion_.words.size() >= words_max_ || escape_for_terminal(word) != word) return;
    if (std::find(completion_.words.begin(), completion_.words.end(), word) ==
        completion_.words.end()) {
      completion_.words.push_back(std::move(word));
    }
  }
  void offer_if(std::string_view word) {
    if (word.starts_with(word_)) offer(std::string(word));
  }
  // In the case that is being typed. Nothing typed: not all keywords there are.
  void offer_keyword(std::string_view keyword) {
    if (!starts_like(keyword, word_)) return;
    const bool is_small = !word_.empty() && is_lower(word_[0]);
    offer(is_small ? ascii_lower(keyword) : std::string(keyword));
  }
  void offer_variables() {
    const std::string wanted =
        word_.starts_with('$') ? "?" + std::string(word_.substr(1)) : std::string(word_);
    for (const std::string& variable : variables_) {
      if (variable.starts_with(wanted)) offer(variable);
    }
  }
  void offer_prefixes() {
    if (word_.find(':') != std::string_view::npos) return;
    for (const std::string& prefix : names_.prefixes) offer_if(prefix + ":");
  }
  // Names that begin so; then those whose local name does.
  void offer_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) offer_if(name);
    constexpr std::size_t kLocalMin = 2;
    if (word_.size() < kLocalMin || word_.find_first_of(":<") != std::string_view::npos) return;
    for (const std::string& name : names) {
      const std::size_t colon = name.find(':');
      if (name[0] != '<' && starts_like(std::string_view(name).substr(colon + 1), word_))
        offer(name);
    }
  }
  void offer_functions() {
    if (word_.empty()) return;
    for (std::size_t i = 0; i < sparql::kFunctionCount; ++i) {
      const auto& info = sparql::function_info(static_cast<sparql::Function>(i));
      if (std::isalpha(static_cast<unsigned char>(info.name[0])) != 0) offer_keyword(info.name);
    }
    for (const std::string_view word : {"COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE",
                                        "GROUP_CONCAT", "DISTINCT", "AS", "NOT EXISTS", "EXISTS"}) {
      offer_keyword(word);
    }
  }

  std::string_view text_;
  const CompletionNames& names_;
  std::size_t words_max_;
  std::string_view word_;
  Position position_;
  std::set<std::string> variables_;
  Completion completion_;
};

}  // namespace

Completion complete(std::string_view text, const CompletionNames& names, std::size_t words_max) {
  if (utf8_valid_prefix(text) != text.size()) return {text.size(), {}};
  return Completer(text, names, words_max).complete();
}

}  // namespace helve::cli
