// Results in TSV, as a stream of Turtle's terms. https://www.w3.org/TR/sparql11-results-csv-tsv/
#include "sources/rdf/turtle_lexer.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/results/result_readers.h"
#include "sources/sparql/results/solution_row.h"

namespace helve::sparql {

namespace {

using Kind = WrittenTerm::Kind;

// Turtle's terminals, where white space is not skipped but separates.
class TsvLexer : public rdf::TurtleLexer {
 public:
  using TurtleLexer::TurtleLexer;

  // The byte at the cursor; kEnd at the end and on errors.
  int byte() {
    const char* p = at_;
    return have(p) ? static_cast<unsigned char>(*p) : kEnd;
  }

  // Everything up to a tab, a line end or the end.
  bool field(std::string& out) {
    const char* p = at_;
    while (have(p) && *p != '\t' && *p != '\n' && *p != '\r') ++p;
    if (has_failed() || !check_length(p)) return false;
    out.assign(at_, p);
    at_ = p;
    return true;
  }

  // LF, CRLF or the end of the file.
  bool line_end() {
    if (byte() == '\r') pass();
    if (byte() == '\n') {
      pass();
      return true;
    }
    if (byte() == kEnd) return !has_failed();
    return fail_expected(at_, "a tab or the end of the line",
                         "tabs and line ends in a literal are written \\t and \\n");
  }
};

class TsvResultsReader {
 public:
  TsvResultsReader(rdf::InputWindow& window, const OpContext& context, SolutionSink& sink)
      : lexer_(window, std::string(kResultsDocument), context, std::span<rdf::HeldText>(&held_, 1)),
        row_(context, sink),
        sink_(sink) {}

  Result<void> read() {
    if (document()) return {};
    return lexer_.error();
  }

 private:
  bool document() {
    if (lexer_.byte() == TsvLexer::kEnd) {
      return !lexer_.has_failed() &&
             lexer_.fail(lexer_.at(), "the document is empty",
                         "the first line of TSV results names the variables: ?x, tab, ?y");
    }
    bool is_boolean = false;
    if (!header(is_boolean)) return false;
    if (is_boolean) return true;
    if (!send(row_.send_variables())) return false;
    while (lexer_.byte() != TsvLexer::kEnd) {
      if (!row()) return false;
    }
    return !lexer_.has_failed();
  }

  bool header(bool& is_boolean) {
    do {
      if (!lexer_.field(field_)) return false;
      if (row_.names().empty()) {
        if (field_.empty() && lexer_.byte() != '\t') break;  // no variables at all
        is_boolean = (field_ == "true" || field_ == "false") && lexer_.byte() != '\t';
        if (is_boolean) return boolean();
      }
      if (!field_.starts_with('?')) {
        return lexer_.fail(lexer_.at(), "the name of a variable does not begin with '?'",
                           "the first line of TSV results names the variables: ?x, tab, ?y");
      }
      if (auto added = row_.add_column(std::string_view(field_).substr(1)); !added) {
        return lexer_.fail_with(lexer_.at(), std::move(added).error());
      }
    } while (pass_tab());
    return lexer_.line_end();
  }

  bool boolean() {
    const bool answer = field_ == "true";
    if (!lexer_.line_end()) return false;
    if (lexer_.byte() != TsvLexer::kEnd) {
      return lexer_.fail(lexer_.at(), "met a second line behind an answer of true or false",
                         "names of variables begin with '?'");
    }
    return !lexer_.has_failed() && send(sink_.boolean(answer));
  }

  bool row() {
    const std::size_t columns = row_.names().size();
    std::size_t column = 0;
    do {
      const int first = lexer_.byte();
      const bool is_bound =
          first != '\t' && first != '\n' && first != '\r' && first != TsvLexer::kEnd;
      if (column >= columns && (column > 0 || is_bound)) return wrong_number(column + 1, columns);
      if (is_bound && !bind(column, first)) return false;
      ++column;
    } while (pass_tab());
    if (lexer_.has_failed()) return false;
    if (column < columns && at_row_end()) return wrong_number(column, columns);
    return lexer_.line_end() && send(row_.send());
  }

  bool at_row_end() {
    const int byte = lexer_.byte();
    return byte == '\n' || byte == '\r' || byte == TsvLexer::kEnd;
  }

  bool pass_tab() {
    if (lexer_.byte() != '\t') return false;
    lexer_.pass();
    return true;
  }

  bool bind(std::size_t column, int first) {
    term_.clear();
    if (!term(first)) return false;
    auto made = term_.to_term();
    if (!made) return lexer_.fail_with(lexer_.at(), std::move(made).error());
    return send(row_.bind(column, *made));
  }

  bool term(int first) {
    switch (first) {
      case '<':
        term_.kind = Kind::Uri;
        return lexer_.iriref(held_) && take(term_.value);
      case '_':
        term_.kind = Kind::BlankNode;
        return lexer_.blank_node_label(held_.text) && take(term_.value);
      case '"':
      case '\'':
        return literal();
      default:
        return bare_literal();
    }
  }

  bool literal() {
    term_.kind = Kind::Literal;
    if (!lexer_.string(held_) || !take(term_.value)) return false;
    if (lexer_.byte() == '@') return lexer_.langtag(held_.text) && take(term_.language);
    if (lexer_.byte() != '^') return !lexer_.has_failed();
    if (!lexer_.pass_datatype_mark()) return false;
    if (lexer_.byte() != '<') {
      return lexer_.fail_expected(lexer_.at(), "a datatype IRI in <...> after '^^'",
                                  "TSV knows no prefixes");
    }
    return lexer_.iriref(held_) && take(term_.datatype);
  }

  // A number, true or false.
  bool bare_literal() {
    term_.kind = Kind::Literal;
    rdf::NumberKind number{};
    if (lexer_.number(held_, number)) {
      term_.datatype = number == rdf::NumberKind::Integer   ? rdf::kXsdInteger
                       : number == rdf::NumberKind::Decimal ? rdf::kXsdDecimal
                                                            : rdf::kXsdDouble;
      return take(term_.value);
    }
    if (lexer_.has_failed()) return false;
    const std::string_view word = lexer_.word();
    if (word == "true" || word == "false") {
      term_.value = word;
      term_.datatype = rdf::kXsdBoolean;
      lexer_.pass_word(term_.value);
      return true;
    }
    return lexer_.fail_expected(lexer_.at(), "an IRI, a blank node or a literal",
                                "IRIs stand in <...>, texts in \"...\"; TSV knows no prefixes");
  }

  bool take(std::string& out) {
    out.assign(held_.text);
    held_.text = {};
    return true;
  }

  bool wrong_number(std::size_t met, std::size_t expected) {
    return lexer_.fail_with(
        lexer_.at(),
        ragged_row(met, expected, "an unbound variable is an empty field between its tabs"));
  }

  bool send(Result<void> result) {
    return result || lexer_.fail_fatally(std::move(result).error());
  }

  rdf::HeldText held_;  // what the lexer just read
  TsvLexer lexer_;
  SolutionRow row_;
  SolutionSink& sink_;
  WrittenTerm term_;
  std::string field_;
};

}  // namespace

Result<void> read_tsv_results(rdf::InputWindow& window, const OpContext& context,
                              SolutionSink& sink) {
  return TsvResultsReader(window, context, sink).read();
}

}  // namespace helve::sparql
