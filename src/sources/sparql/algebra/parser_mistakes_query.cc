// What to say of mistakes before the pattern and after it. parser_mistakes.cc is its neighbour.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/near_names.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kModifierOrder =
    "the order is GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET, VALUES, each at most once";

constexpr const char* kSomeQuery = "write a query such as SELECT * WHERE { ?s ?p ?o } LIMIT 10";
constexpr const char* kSomeUpdate =
    "write an update such as INSERT DATA { <http://example.org/a> <http://example.org/b> 1 }";

constexpr auto kQueryWords =
    std::to_array<std::string_view>({"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"});
constexpr auto kUpdateWords = std::to_array<std::string_view>(
    {"INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"});

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [word](std::string_view known) { return same_keyword(known, word); });
}

}  // namespace

// "COUNT(?x)" or "COUNT(?x) AS ?n" in SELECT: how it should have been written.
std::string Parser::named_call() const {
  Lexer ahead(text_, version_);
  ahead.skip_to(token_.span.begin);
  ahead.next();
  std::size_t open = 0;
  Token next;
  do {
    next = ahead.next();
    if (next.kind == TokenKind::LeftParenthesis) ++open;
    if (next.kind == TokenKind::RightParenthesis) --open;
  } while (open > 0 && next.kind != TokenKind::End && next.kind != TokenKind::Bad);
  if (next.kind != TokenKind::RightParenthesis) {
    return fmt::format("({}(...) AS ?name)", token_.text);
  }
  const std::string call = excerpt({token_.span.begin, next.span.end}, 60);
  std::string name = "?name";
  if (const auto kind = aggregate_by_name(token_.text)) {
    name = "?";
    for (const char c : aggregate_name(*kind)) name += c == '_' ? c : static_cast<char>(c + 32);
  }
  if (is_word(ahead.next(), "AS")) {
    const Token written = ahead.next();
    if (written.kind == TokenKind::Variable) name = excerpt(written.span);
    if (written.kind == TokenKind::Word) name = "?" + excerpt(written.span);
  }
  return fmt::format("({} AS {})", call, name);
}

// Behind SELECT, where neither another item nor WHERE comes.
void Parser::fail_in_select(const Select& select) {
  const std::string met = excerpt(token_.span);
  if (at(TokenKind::Comma)) {
    return fail_here("the variables of SELECT are separated by spaces, not by commas",
                     "remove the comma: SELECT ?x ?y");
  }
  if (at_word("DISTINCT") || at_word("REDUCED")) {
    return fail_here(fmt::format("{} stands right after SELECT", met),
                     fmt::format("write SELECT {} ?x", met));
  }
  if (at_word("AS")) {
    return fail_here(
        "AS stands in parentheses, with what it names",
        fmt::format("write ({} AS {})", excerpt(last_.span),
                    peek().kind == TokenKind::Variable ? excerpt(peek().span) : "?name"));
  }
  if ((at_word("TOP") || at_word("FIRST")) && peek().kind == TokenKind::Integer) {
    return fail_here(fmt::format("there is no {} in SPARQL", met),
                     fmt::format("write LIMIT {} at the end of the query", peek().text));
  }
  if (at_built_in_call() || (at_iri() && peek().kind == TokenKind::LeftParenthesis)) {
    return fail_here(fmt::format("{}(...) in SELECT needs parentheses and a name", met),
                     fmt::format("write {}", named_call()));
  }
  if (at(TokenKind::Word) && peek().kind == TokenKind::LeftParenthesis) {
    return fail_unknown_function();
  }
  const bool is_modifier =
      at_word("LIMIT") || at_word("ORDER") || at_word("GROUP") || at_word("HAVING");
  if (at(TokenKind::Word) && !is_modifier && !at_word("WHERE") && !at_word("FROM")) {
    if (!select.items.empty() && near_word("WHERE")) {
      return fail_expected("WHERE and a pattern in braces", "did you mean WHERE?");
    }
    if (select.items.empty() && near_word("DISTINCT")) {
      return fail_expected("variables, (expression AS ?name) or '*' after SELECT",
                           "did you mean DISTINCT?");
    }
    return fail_here(fmt::format("'{}' is no variable", met),
                     fmt::format("variables begin with '?': write ?{}", met));
  }
  if (at_term() && !at_iri()) {
    return fail_expected("a variable, or WHERE and a pattern in braces",
                         fmt::format("name what is computed: ({} AS ?name)", met));
  }
  if (select.items.empty()) {
    return fail_expected("variables, (expression AS ?name) or '*' after SELECT",
                         "write SELECT ?x WHERE { ... }, or SELECT * WHERE { ... }");
  }
  fail_expected("WHERE and a pattern in braces", "write WHERE { ?s ?p ?o } after what is selected");
}

bool Parser::near_word(std::string_view keyword) const {
  return !near_names(token_.text, {keyword}).empty();
}

bool Parser::fail_markdown_fence() {
  if (!at(TokenKind::Bad) || !text_.substr(token_.span.begin).starts_with("```")) return false;
  fail_at(token_.span.begin, "a Markdown fence (```) is no part of the query",
          "give the query alone, without the lines of ```");
  return true;
}

void Parser::fail_at_start(bool wants_query) {
  if (failed() || fail_markdown_fence()) return;
  const std::string met = excerpt(token_.span);
  const std::string_view forms =
      wants_query ? "SELECT, ASK, CONSTRUCT or DESCRIBE" : "INSERT, DELETE or another update";
  if (at(TokenKind::End)) {
    return fail_here(fmt::format("the text holds no {}", wants_query ? "query" : "update"),
                     wants_query ? kSomeQuery : kSomeUpdate);
  }
  const bool is_update = at(TokenKind::Word) && is_one_of(kUpdateWords, token_.text) &&
                         !(at_word("WITH") && peek().kind == TokenKind::Word);
  if (wants_query && is_update) {
    return fail_here(fmt::format("this is an update ({}), and only queries are read here", met),
                     fmt::format("ask with {}; updates are not run", forms));
  }
  if (!wants_query && at(TokenKind::Word) && is_one_of(kQueryWords, token_.text)) {
    return fail_here(fmt::format("this is a query ({}), and only updates are read here", met),
                     fmt::format("an update begins with {}", forms));
  }
  if (at_word("DEFINE") || at_word("PRAGMA")) {
    return fail_here(fmt::format("{} is a pragma of one engine and no part of SPARQL", met),
                     "remove it");
  }
  if (at_word("EXPLAIN") || at_word("PROFILE") || at_word("SPARQL")) {
    return fail_here(fmt::format("'{}' is no part of SPARQL", met), "remove it");
  }
  if (at_word("WITH")) {
    return fail_here("there is no WITH ... AS in a query",
                     "use a sub-query: { SELECT ... WHERE { ... } }");
  }
  if (at(TokenKind::LeftBrace) || at_word("WHERE")) {
    return fail_here(fmt::format("expected {} before the pattern", forms),
                     "write SELECT * WHERE { ... }");
  }
  if (fail_foreign_comment()) return;
  fail_word_at_start(forms, wants_query);
}

void Parser::fail_word_at_start(std::string_view forms, bool wants_query) {
  std::vector<std::string_view> candidates = {"PREFIX", "BASE"};
  if (wants_query) {
    candidates.insert(candidates.end(), kQueryWords.begin(), kQueryWords.end());
  } else {
    candidates.insert(candidates.end(), kUpdateWords.begin(), kUpdateWords.end());
  }
  std::string hint = wants_query ? kSomeQuery : kSomeUpdate;
  const auto near = near_names(at(TokenKind::Word) ? token_.text : "", candidates);
  if (!near.empty()) {
    hint = fmt::format("did you mean {}?", fmt::join(near, " or "));
  } else if (at(TokenKind::Word) && peek().kind == TokenKind::Word) {
    hint = "this reads like plain language; " + hint;
  }
  fail_expected(wants_query ? fmt::format("{}, PREFIX or BASE", forms) : std::string(forms),
                std::move(hint));
}

void Parser::fail_behind_query() {
  if (failed() || fail_markdown_fence()) return;
  const std::string met = excerpt(token_.span);
  if (at(TokenKind::RightBrace)) {
    return fail_here("'}' closes nothing: the pattern is already closed",
                     "remove it, or add the '{' that it should close");
  }
  if (at(TokenKind::Semicolon) || at(TokenKind::Dot)) {
    if (peek().kind == TokenKind::Word && is_one_of(kUpdateWords, peek().text)) {
      return fail_here(fmt::format("an update ({}) follows the query", peek().text),
                       "give the query alone: one text is one query");
    }
    return fail_here(fmt::format("'{}' after the query", token_.text),
                     "a query ends without a sign: remove it");
  }
  if (at(TokenKind::LeftBrace)) {
    return fail_here("a second pattern after the first",
                     "put both into one pair of braces: WHERE { { ... } { ... } }");
  }
  if (at(TokenKind::Word)) return fail_word_behind_query();
  fail_expected("the end of the query", "remove what follows, or is a '}' too early?");
}

void Parser::fail_word_behind_query() {
  const std::string met = excerpt(token_.span);
  if (is_one_of(kQueryWords, token_.text) || at_word("PREFIX") || at_word("BASE")) {
    return fail_here("a second query begins here",
                     "one text is one query: ask one after the other");
  }
  for (const std::string_view word : {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"}) {
    if (!at_word(word)) continue;
    return fail_here(fmt::format("{}{} stands too late, or twice", met,
                                 at_word("GROUP") || at_word("ORDER") ? " BY" : ""),
                     std::string(kModifierOrder));
  }
  if (at_word("UNION") || at_word("OPTIONAL") || at_word("FILTER") || at_word("BIND") ||
      at_word("MINUS") || at_word("GRAPH") || at_word("SERVICE")) {
    return fail_here(fmt::format("{} stands after the '}}' that closes the pattern", met),
                     at_word("UNION") ? "write WHERE { { ... } UNION { ... } }"
                                      : fmt::format("move {} into the braces", met));
  }
  if (at_word("ASC") || at_word("DESC")) {
    return fail_here(fmt::format("{} stands after its key, or without ORDER BY", met),
                     fmt::format("write ORDER BY {}(?x)", met));
  }
  if (at_word("WHERE")) {
    return fail_here("a second WHERE", "put everything into one pair of braces");
  }
  if (const auto near =
          near_names(token_.text, {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES"});
      !near.empty() || at_word("SORT")) {
    return fail_expected("the end of the query",
                         fmt::format("did you mean {}?", near.empty() ? "ORDER BY" : near[0]));
  }
  if (at_word("OPTION") || at_word("BINDINGS")) {
    return fail_here(fmt::format("{} is no part of SPARQL 1.1", met),
                     at_word("BINDINGS") ? "write VALUES (?x) { (1) }" : "remove it");
  }
  fail_expected("the end of the query", "remove what follows, or is a '}' too early?");
}

}  // namespace helve::sparql
