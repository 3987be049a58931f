// What to say of mistakes in terms, triples and groups: the habits of other languages, and slips.
// Those in expressions are in parser_mistakes_expression.cc, those around the pattern in
// parser_mistakes_query.cc. Each function is called where no production fits, and ends with an
// error; where its name begins with "fail_" and it returns a boolean, false means that it knew
// nothing.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/near_names.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

constexpr auto kKeywords = std::to_array<std::string_view>(
    {"SELECT", "ASK",    "CONSTRUCT", "DESCRIBE", "WHERE",  "FROM",    "UNION",  "OPTIONAL",
     "MINUS",  "FILTER", "BIND",      "VALUES",   "GRAPH",  "SERVICE", "GROUP",  "HAVING",
     "ORDER",  "LIMIT",  "OFFSET",    "BY",       "PREFIX", "BASE",    "INSERT", "DELETE",
     "DATA",   "WITH",   "USING",     "AS",       "IN",     "NOT",     "EXISTS"});

bool is_keyword(std::string_view word) {
  return std::any_of(kKeywords.begin(), kKeywords.end(),
                     [word](std::string_view keyword) { return same_keyword(word, keyword); });
}

bool is_comparison(TokenKind kind) {
  return kind == TokenKind::Equal || kind == TokenKind::BangEqual || kind == TokenKind::Less ||
         kind == TokenKind::LessEqual || kind == TokenKind::Greater ||
         kind == TokenKind::GreaterEqual || kind == TokenKind::AmpAmp ||
         kind == TokenKind::PipePipe;
}

}  // namespace

// What RDF 1.2 adds to triples.
bool Parser::fail_triple_term() {
  const std::string_view rest = text_.substr(token_.span.begin);
  const bool is_annotation =
      rest.starts_with("{|") ||
      (at(TokenKind::Pipe) && last_.kind == TokenKind::LeftBrace && is_next_to(last_, token_));
  if (!is_annotation && !rest.starts_with("<<")) return false;
  fail_here(is_annotation ? "annotations of triples ('{|') are not supported"
                          : "triple terms and reified triples ('<<') are not supported",
            "ask for the triples that describe the statement instead");
  return true;
}

// At a '<' that begins no IRI, though one was probably meant.
bool Parser::fail_open_iri() {
  if (!at(TokenKind::Less)) return false;
  const std::size_t begin = token_.span.end;
  const std::string_view rest = text_.substr(begin);
  if (fail_triple_term()) return true;
  if (rest.empty() || !(is_letter(rest[0]) || rest[0] == '/' || rest[0] == '#')) return false;
  const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
  const std::size_t end = line.find('>');
  if (end == std::string_view::npos) {
    fail_here("the IRI that begins here is never closed", "close it with '>'");
    return true;
  }
  const std::size_t bad = find_bad_iri_character(line.substr(0, end)).value_or(0);
  const char c = line[bad];
  fail_at(static_cast<std::uint32_t>(begin + bad),
          c == ' ' ? std::string("an IRI cannot hold a space")
                   : fmt::format("an IRI cannot hold '{}'", c),
          fmt::format("write %{:02X} for it, or close the IRI with '>' before it",
                      static_cast<unsigned char>(c)));
  return true;
}

void Parser::fail_bare_word() {
  const std::string word = excerpt(token_.span);
  if (is_keyword(token_.text)) {
    return fail_expected("a term of the triple", "is something missing before it?");
  }
  if (at_word("NULL")) {
    return fail_here("there is no NULL in SPARQL",
                     "what has no value is not bound: FILTER(!BOUND(?x)), or FILTER NOT EXISTS");
  }
  fail_here(
      fmt::format("'{}' is neither a variable nor a name with a prefix", word),
      fmt::format("write ?{0} for a variable, ex:{0} for a name (with its prefix), or \"{0}\" "
                  "for a text",
                  word));
}

void Parser::fail_in_term() {
  if (failed() || fail_open_iri()) return;
  switch (token_.kind) {
    case TokenKind::Word:
      return fail_bare_word();
    case TokenKind::LangTag:
      return fail_here("a language tag follows its string", "write \"chat\"@fr");
    case TokenKind::Slash:
    case TokenKind::Pipe:
    case TokenKind::Star:
    case TokenKind::Plus:
      if (last_.kind != TokenKind::Variable) break;
      return fail_at(
          last_.span.begin,
          fmt::format("the variable {} cannot be part of a property path", excerpt(last_.span)),
          "paths are made of IRIs; use a variable alone as the predicate");
    case TokenKind::Dot:
    case TokenKind::Comma:
    case TokenKind::Semicolon:
    case TokenKind::RightBrace:
    case TokenKind::RightBracket:
      return fail_expected("the object of the triple",
                           "a triple has a subject, a predicate and an object");
    default:
      break;
  }
  fail_expected("a variable, an IRI, a literal or a blank node");
}

void Parser::fail_in_verb() {
  if (failed() || fail_open_iri()) return;
  if (is_comparison(token_.kind)) {
    return fail_expected(fmt::format("a predicate after {}", excerpt(last_.span)),
                         fmt::format("conditions stand in FILTER: FILTER({} {} ...)",
                                     excerpt(last_.span), token_.text));
  }
  switch (token_.kind) {
    case TokenKind::Word:
      if (is_keyword(token_.text)) {
        return fail_expected(fmt::format("a predicate after {}", excerpt(last_.span)),
                             "a triple has a subject, a predicate and an object");
      }
      return fail_here(
          fmt::format("'{}' is neither a variable nor a name with a prefix", excerpt(token_.span)),
          fmt::format("write ex:{0} for a predicate (with its prefix), or ?{0} for a variable",
                      excerpt(token_.span)));
    case TokenKind::String:
    case TokenKind::Integer:
    case TokenKind::Decimal:
    case TokenKind::Double:
      return fail_here(fmt::format("{} cannot be a predicate", describe(token_)),
                       "predicates are IRIs, paths or variables");
    case TokenKind::BlankLabel:
    case TokenKind::LeftBracket:
      return fail_here("a blank node cannot be a predicate",
                       "predicates are IRIs, paths or variables");
    case TokenKind::LangTag:
      return fail_here(fmt::format("a language tag cannot follow {}", excerpt(last_.span)),
                       "to ask for a language write FILTER(LANG(?x) = \"en\")");
    case TokenKind::Comma:
      return fail_expected(
          fmt::format("a predicate after {}", excerpt(last_.span)),
          "a comma separates objects; a triple has a subject, a predicate and an object");
    default:
      return fail_expected(fmt::format("a predicate after {}", excerpt(last_.span)),
                           "a triple has a subject, a predicate and an object");
  }
}

void Parser::fail_after_triple() {
  if (failed()) return;
  if (last_.kind == TokenKind::String && at(TokenKind::String) && is_next_to(last_, token_)) {
    return fail_here(
        "a string ends and another begins: doubled quotation marks are no escape",
        "write \\' or \\\" inside a string, or use the other quotation mark around it");
  }
  if (last_.kind == TokenKind::PrefixedName && at(TokenKind::LeftParenthesis) &&
      is_next_to(last_, token_)) {
    return fail_here("a name with a prefix cannot hold '('",
                     "escape it: \\( and \\), or write the whole IRI in angle brackets");
  }
  if (at(TokenKind::Bang) || at(TokenKind::Caret)) {
    return fail_expected("a dot, ';' or ',' after the triple");
  }
  fail_expected(
      "a dot, ';' or ',' before the next triple",
      fmt::format("end the triple with a dot: {} . {}", excerpt(last_.span), excerpt(token_.span)));
}

void Parser::fail_in_group(const Token& open) {
  const TextPosition opened = position(open.span.begin);
  const std::string place = fmt::format("line {}, column {}", opened.line, opened.column);
  switch (token_.kind) {
    case TokenKind::End:
      return fail_here(fmt::format("the '{{' at {} is never closed: the text ends here", place),
                       "add the missing '}'");
    case TokenKind::Word:
      return fail_word_in_group();
    case TokenKind::RightParenthesis:
    case TokenKind::RightBracket:
      return fail_here(
          fmt::format("'{}' closes nothing: the last bracket that is open is the '{{' at {}",
                      token_.text, place),
          fmt::format("remove '{}', or write '}}'", token_.text));
    case TokenKind::Dot:
      return fail_here("a dot without a triple before it", "remove it");
    case TokenKind::Semicolon:
    case TokenKind::Comma:
      return fail_here(fmt::format("'{}' without a triple before it", token_.text), "remove it");
    case TokenKind::LangTag:
      return fail_here(fmt::format("a language tag cannot follow {}", excerpt(last_.span)),
                       "to ask for a language write FILTER(LANG(?x) = \"en\")");
    case TokenKind::CaretCaret:
      return fail_here(fmt::format("a datatype cannot follow {}", excerpt(last_.span)),
                       "'^^' follows a string: \"2024-01-01\"^^xsd:date");
    default:
      break;
  }
  if (fail_triple_term() || fail_foreign_comment() || fail_open_iri() || fail_name_character()) {
    return;
  }
  if (is_comparison(token_.kind)) {
    return fail_here(fmt::format("'{}' in a pattern", token_.text),
                     "conditions stand in FILTER(...), alternatives in { ... } UNION { ... }");
  }
  if (at(TokenKind::Pipe)) {
    return fail_here("'|' between patterns", "alternatives are { ... } UNION { ... }");
  }
  fail_expected("a triple, FILTER, OPTIONAL or another pattern, or '}'");
}

// More patterns in the braces that a sub-query has for itself.
void Parser::fail_behind_sub_select(const Token& open) {
  const bool is_pattern = at_term() || at_node() || at(TokenKind::LeftBrace) || at_word("FILTER") ||
                          at_word("OPTIONAL") || at_word("MINUS") || at_word("GRAPH") ||
                          at_word("SERVICE") || at_word("BIND") || at_word("UNION") ||
                          at(TokenKind::Dot);
  if (!is_pattern || failed()) return fail_in_group(open);
  fail_here(fmt::format("expected '}}' after the sub-query, but met {}", describe(token_)),
            "a sub-query stands in braces of its own: { { SELECT ... WHERE { ... } } ... }");
}

bool Parser::fail_foreign_comment() {
  const std::string_view rest = text_.substr(token_.span.begin);
  if (!rest.starts_with("//") && !rest.starts_with("/*") && !rest.starts_with("--")) return false;
  fail_here(fmt::format("'{}' begins no comment in SPARQL", rest.substr(0, 2)),
            "comments begin with '#' and end with the line");
  return true;
}

// "ex:a/b" where no path can stand: the name was meant to go on.
bool Parser::fail_name_character() {
  constexpr std::string_view kSigns = "/*+-?|&=!";
  if (last_.kind != TokenKind::PrefixedName || token_.text.empty() || !is_next_to(last_, token_) ||
      kSigns.find(token_.text[0]) == std::string_view::npos) {
    return false;
  }
  const std::size_t end =
      std::min(text_.find_first_of(" \t\r\n<>\"{}|^`\\,;", token_.span.begin), text_.size());
  std::string iri = prefixed_name(last_);
  iri += text_.substr(token_.span.begin, end - token_.span.begin);
  if (iri.ends_with('.')) iri.pop_back();
  fail_here(fmt::format("a name with a prefix cannot hold '{}'", token_.text[0]),
            fmt::format("write the whole IRI <{}>, or escape it: {}\\{}...", iri,
                        excerpt(last_.span), token_.text[0]));
  return true;
}

void Parser::fail_word_in_group() {
  for (const std::string_view word : {"LIMIT", "OFFSET", "ORDER", "GROUP", "HAVING"}) {
    if (at_word(word)) return fail_modifier_in_group();
  }
  if (at_word("UNION")) {
    return fail_here("UNION stands between groups in braces, but no group ends before it",
                     "write { ... } UNION { ... }");
  }
  if (at_word("SELECT")) {
    return fail_here("a sub-query stands in braces of its own",
                     "write { SELECT ... WHERE { ... } }");
  }
  if (at_word("EXISTS") || at_word("NOT")) {
    return fail_here(fmt::format("'{}' without FILTER", token_.text),
                     "write FILTER EXISTS { ... } or FILTER NOT EXISTS { ... }");
  }
  if (at_word("AND") || at_word("OR")) {
    return fail_here(fmt::format("{} is no operator of SPARQL", token_.text),
                     at_word("AND") ? "patterns in a group all hold; conditions take &&"
                                    : "alternatives are { ... } UNION { ... }; conditions take ||");
  }
  if (at_word("JOIN") || at_word("INNER") || at_word("LEFT") || at_word("OUTER")) {
    return fail_here(fmt::format("there is no {} in SPARQL", token_.text),
                     "triples that share a variable are joined; LEFT JOIN is OPTIONAL { ... }");
  }
  if (at_word("WHERE")) {
    return fail_here("WHERE inside of the pattern", "conditions stand in FILTER(...)");
  }
  if (at_built_in_call()) {
    return fail_here(fmt::format("the condition {}(...) stands outside of FILTER", token_.text),
                     fmt::format("write FILTER({}(...))", token_.text));
  }
  if (is_keyword(token_.text) || at_word("a")) {
    return fail_expected("a triple, FILTER, OPTIONAL or another pattern, or '}'");
  }
  if (const auto near = near_names(
          token_.text, {"FILTER", "OPTIONAL", "UNION", "MINUS", "BIND", "VALUES", "GRAPH",
                        "SERVICE", "LIMIT", "ORDER", "GROUP", "HAVING", "OFFSET"});
      !near.empty() && peek().kind != TokenKind::Dot) {
    return fail_expected("a triple, FILTER, OPTIONAL or another pattern, or '}'",
                         fmt::format("did you mean {}?", near[0]));
  }
  if (last_.kind == TokenKind::String && last_.text.empty() && is_next_to(last_, token_)) {
    return fail_here("an empty string, and then a word: doubled quotation marks are no escape",
                     "use one pair of quotation marks: \"...\"");
  }
  fail_bare_word();
}

// LIMIT and the like inside of the braces: either they were closed too late or not at all.
void Parser::fail_modifier_in_group() {
  Lexer ahead(text_, version_);
  ahead.skip_to(token_.span.end);
  std::size_t open = open_groups_.size();
  for (Token next = ahead.next(); next.kind != TokenKind::End && next.kind != TokenKind::Bad;
       next = ahead.next()) {
    if (next.kind == TokenKind::LeftBrace) ++open;
    if (next.kind == TokenKind::RightBrace && open > 0) --open;
  }
  const bool has_by = at_word("ORDER") || at_word("GROUP");
  const std::string name = fmt::format("{}{}", token_.text, has_by ? " BY" : "");
  fail_here(fmt::format("{} stands inside of the braces of the pattern", name),
            open > 0 ? fmt::format("a '}}' is missing before {}", name)
                     : fmt::format("move {} after the '}}' that closes WHERE, or make a sub-query: "
                                   "{{ SELECT ... }}",
                                   name));
}

}  // namespace helve::sparql
