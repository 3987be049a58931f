// Tokens, errors and limits of the parser.
#include "sources/sparql/algebra/parser_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/functions.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Prefixes, bases and repeated subjects may make the algebra larger than the text, by so much.
constexpr std::size_t kGrowthMax = 16;

}  // namespace

Parser::Parser(std::string_view text, const ParseOptions& options)
    : text_(text),
      options_(options),
      limits_(options.limits),
      lexer_(text, options.version),
      version_(options.version) {
  if (!check_text()) return;
  if (!options.base_iri.empty()) {
    auto resolver = IriResolver::from_base(options.base_iri);
    if (!resolver) {
      error_ = std::move(resolver).error();
      return;
    }
    resolver_ = *std::move(resolver);
  }
  if (text.starts_with(kByteOrderMark)) lexer_.skip_to(kByteOrderMark.size());
  advance();
}

bool Parser::check_text() {
  constexpr std::size_t kSpanMax = std::numeric_limits<std::uint32_t>::max();
  const std::size_t bytes_max = std::min(limits_.query_bytes_max, kSpanMax);
  if (text_.size() > bytes_max) {
    fail_at(0,
            fmt::format("the text is longer than {}, which is the limit", format_bytes(bytes_max)),
            "split it; long lists of terms can be loaded as data", ErrorCode::LimitExceeded);
    return false;
  }
  const std::size_t valid = utf8_valid_prefix(text_);
  if (valid < text_.size()) {
    fail_at(static_cast<std::uint32_t>(valid),
            fmt::format("the byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(text_[valid])),
            "save the text as UTF-8");
    return false;
  }
  const std::size_t nul = text_.find('\0');
  if (nul != std::string_view::npos) {
    fail_at(static_cast<std::uint32_t>(nul), "the text holds the character NUL", "remove it");
    return false;
  }
  return true;
}

void Parser::advance() {
  if (failed()) return;
  if (peeked_) {
    token_ = *std::exchange(peeked_, std::nullopt);
  } else {
    token_ = lexer_.next();
  }
  if (token_.kind == TokenKind::Word && token_.has_escapes) {
    append_name_unescaped(decoded_words_.emplace_back(), token_.text);
    token_.text = decoded_words_.back();
  }
}

Token Parser::take() {
  last_ = token_;
  last_end_ = token_.span.end;
  advance();
  return last_;
}

const Token& Parser::peek() {
  if (failed()) return token_;
  if (!peeked_) peeked_ = lexer_.next();
  return *peeked_;
}

bool Parser::is_word(const Token& token, std::string_view keyword) {
  return token.kind == TokenKind::Word && same_keyword(token.text, keyword);
}

bool Parser::take_if(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

bool Parser::take_word(std::string_view keyword) {
  if (!at_word(keyword)) return false;
  take();
  return true;
}

bool Parser::expect(TokenKind kind, std::string_view expected, std::string hint) {
  if (take_if(kind)) return true;
  fail_expected(expected, std::move(hint));
  return false;
}

bool Parser::at_signed_number() {
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus)) return false;
  const Token& number = peek();
  return is_next_to(token_, number) &&
         (number.kind == TokenKind::Integer || number.kind == TokenKind::Decimal ||
          number.kind == TokenKind::Double);
}

std::string Parser::excerpt(SourceSpan span, std::size_t width) const {
  std::string line;
  for (const char c : source({span.begin, std::min<std::uint32_t>(span.end, span.begin + 400)})) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  // The cut may have gone through a character.
  line.resize(utf8_valid_prefix(line));
  return elide_end(escape_for_terminal(line), width);
}

void Parser::fail_at(std::uint32_t offset, std::string message, std::string hint, ErrorCode code) {
  if (failed()) return;
  error_ =
      Error(code, std::move(message), std::move(hint)).at(options_.text_name, position(offset));
  token_ = {};
  token_.span = {offset, offset};
  peeked_.reset();
}

void Parser::fail_here(std::string message, std::string hint) {
  if (failed()) return;
  if (at(TokenKind::Bad)) {
    const LexerFault& fault = lexer_.fault();
    fail_at(fault.offset, fault.message, fault.hint);
  } else {
    fail_at(token_.span.begin, std::move(message), std::move(hint));
  }
}

void Parser::fail_expected(std::string_view expected, std::string hint) {
  if (failed()) return;
  fail_here(at(TokenKind::End) ? fmt::format("expected {}, but the text ends here", expected)
                               : fmt::format("expected {}, but met {}", expected, describe(token_)),
            std::move(hint));
}

std::string Parser::describe(const Token& token) const {
  const std::string text = excerpt(token.span);
  switch (token.kind) {
    case TokenKind::End:
      return "the end of the text";
    case TokenKind::IriRef:
      return "the IRI " + text;
    case TokenKind::PrefixedName:
      return "the name " + text;
    case TokenKind::BlankLabel:
      return "the blank node " + text;
    case TokenKind::Variable:
      return "the variable " + text;
    case TokenKind::LangTag:
      return "the language tag " + text;
    case TokenKind::Integer:
    case TokenKind::Decimal:
    case TokenKind::Double:
      return "the number " + text;
    case TokenKind::String:
      return "the string " + text;
    default:
      return fmt::format("'{}'", text);
  }
}

void Parser::note(SourceSpan span, std::string text, ParseNote::Kind kind) {
  if (failed() || notes_.size() >= limits_.query_notes_max) return;
  notes_.push_back({kind, std::move(text), span});
}

void Parser::count_parts(std::size_t count) {
  parts_ += count;
  if (parts_ <= limits_.query_parts_max || failed()) return;
  fail_at(token_.span.begin,
          fmt::format("the query has more than {} triples, patterns and expressions",
                      format_count(limits_.query_parts_max)),
          "give long lists of terms in VALUES, or split the query", ErrorCode::LimitExceeded);
}

void Parser::charge(std::size_t bytes) {
  copied_bytes_ += bytes;
  if (copied_bytes_ <= limits_.query_bytes_max * kGrowthMax || failed()) return;
  fail_at(token_.span.begin,
          fmt::format("the IRIs and names of this query take more than {} when written out",
                      format_bytes(limits_.query_bytes_max * kGrowthMax)),
          "shorten the prefixes or the base IRI", ErrorCode::LimitExceeded);
}

void Parser::raise_depth(std::size_t deepest_child) {
  depth_ = deepest_child + 1;
  if (depth_ <= limits_.query_depth_max || failed()) return;
  fail_at(token_.span.begin,
          fmt::format("the query is built more than {} levels deep",
                      format_count(limits_.query_depth_max)),
          "use fewer OPTIONAL, MINUS and BIND in one group and shorter chains of + and *",
          ErrorCode::LimitExceeded);
}

Parser::Nested::Nested(Parser& parser) : parser_(parser) {
  if (++parser.nesting_ <= parser.limits_.query_nesting_max) return;
  parser.fail_at(parser.token_.span.begin,
                 fmt::format("brackets and signs are nested more than {} deep",
                             format_count(parser.limits_.query_nesting_max)),
                 "flatten it", ErrorCode::LimitExceeded);
}

}  // namespace helve::sparql
