// Lenient reading: what is skipped after an error, up to the next place where a statement may
// begin.
#include "base/ascii.h"
#include "sources/rdf/characters.h"
#include "sources/rdf/turtle_parser.h"

namespace helve::rdf {

// In strict mode the error is the result; else it is counted, and the cursor moves on.
Result<void> TurtleParser::recover(std::uint64_t statement_start) {
  if (!options_.lenient || lexer_.is_fatal()) return lexer_.error();
  ++report_.skipped;
  const std::size_t kept = context_.limits.problems_kept;
  if (report_.problems.size() < kept) report_.problems.push_back(lexer_.error());
  const bool was_too_long = lexer_.error().code == ErrorCode::LimitExceeded;
  saved_.clear();
  saved_text_.clear();
  lexer_.forget_error(report_.problems.size() < kept);
  const std::string_view quotes = lexer_.take_open_string();
  if (!was_too_long) skip_open_string(quotes);
  skip_to_next_statement(statement_start);
  if (lexer_.has_failed()) return lexer_.error();
  return {};
}

// Stops behind a '.' that ends a statement, before a line that begins one, or at the end of a
// graph. At least one byte behind the start of the bad statement, so every round makes progress.
void TurtleParser::skip_to_next_statement(std::uint64_t statement_start) {
  if (lexer_.skip_peek() == TurtleLexer::kEnd) return;
  if (lexer_.offset() <= statement_start) {
    if (lexer_.skip_peek() == '.') {
      lexer_.skip_byte();
      return;
    }
    if (lexer_.skip_peek() != '{') lexer_.skip_byte();
  } else if (lexer_.at_line_start() && at_statement_start()) {
    return;
  }
  int last = 0;  // the last byte that is not white space
  bool is_behind_space = true;
  for (int c = lexer_.skip_peek(); c != TurtleLexer::kEnd; c = lexer_.skip_peek()) {
    if (c == '.') {
      if (skip_dot()) return;
    } else if (c == '"' || c == '\'') {
      skip_string();
    } else if (c == '<') {
      skip_iri();
    } else if (c == '#' && is_behind_space) {
      skip_comment();
      continue;
    } else if (c == '{') {
      skip_past_graph();
      return;
    } else if (c == '}') {
      if (!in_graph_) lexer_.skip_byte();
      return;
    } else {
      lexer_.skip_byte();
      if (c == '\n' && last != ';' && last != ',' && at_statement_start()) return;
    }
    is_behind_space = is_space(c);
    if (!is_behind_space) last = c;
  }
}

// At a '.': true when it ends a statement, which is then behind the cursor.
bool TurtleParser::skip_dot() {
  lexer_.skip_byte();
  const int next = lexer_.skip_peek();
  return next == TurtleLexer::kEnd || is_space(next) || next == '#' || (in_graph_ && next == '}');
}

// At the start of a line: does it look like a statement or a declaration?
bool TurtleParser::at_statement_start() {
  const int c = lexer_.skip_peek();
  return c == '<' || c == '_' || c == ':' || c == '@' || (c > 0 && is_letter(c));
}

// The error was inside a string: to its closing quotes.
void TurtleParser::skip_open_string(std::string_view quotes) {
  std::size_t matched = 0;
  while (matched < quotes.size()) {
    const int c = lexer_.skip_peek();
    if (c == TurtleLexer::kEnd) return;
    if (quotes.size() == 1 && (c == '\n' || c == '\r')) return;
    lexer_.skip_byte();
    matched = c == static_cast<unsigned char>(quotes[0]) ? matched + 1 : 0;
    if (c == '\\' && lexer_.skip_peek() != TurtleLexer::kEnd) lexer_.skip_byte();
  }
}

// At a quote: behind the string, or behind the line when it does not end there.
void TurtleParser::skip_string() {
  const int quote = lexer_.skip_peek();
  std::size_t quotes = 0;
  while (quotes < 3 && lexer_.skip_peek() == quote) {
    lexer_.skip_byte();
    ++quotes;
  }
  if (quotes == 2) return;
  std::size_t matched = 0;
  while (matched < quotes) {
    const int c = lexer_.skip_peek();
    if (c == TurtleLexer::kEnd || (quotes == 1 && c == '\n')) return;
    lexer_.skip_byte();
    matched = c == quote ? matched + 1 : 0;
    if (c == '\\' && lexer_.skip_peek() != TurtleLexer::kEnd) lexer_.skip_byte();
  }
}

// At '<': behind the IRI, or behind what looks like its beginning.
void TurtleParser::skip_iri() {
  lexer_.skip_byte();
  for (int c = lexer_.skip_peek(); c > ' ' && c != '<' && c != '"'; c = lexer_.skip_peek()) {
    lexer_.skip_byte();
    if (c == '>') return;
  }
}

void TurtleParser::skip_comment() {
  for (int c = lexer_.skip_peek(); c != TurtleLexer::kEnd && c != '\n'; c = lexer_.skip_peek()) {
    lexer_.skip_byte();
  }
}

// At '{': what belongs to a graph whose name could not be read must not end up in another graph.
void TurtleParser::skip_past_graph() {
  close_graph();
  for (int c = lexer_.skip_peek(); c != TurtleLexer::kEnd; c = lexer_.skip_peek()) {
    if (c == '"' || c == '\'') {
      skip_string();
    } else if (c == '<') {
      skip_iri();
    } else {
      lexer_.skip_byte();
      if (c == '}') return;
    }
  }
}

}  // namespace helve::rdf
