// N-Triples and N-Quads, one line at a time over the longest stretch of whole lines in the window.
#include "sources/rdf/ntriples_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/paced_check.h"
#include "base/utf8.h"
#include "sources/rdf/blank_labels.h"
#include "sources/rdf/characters.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

// What ends the fast scan of an IRIREF or a STRING_LITERAL_QUOTE.
constexpr std::array<bool, 256> stop_table(std::string_view stops, unsigned controls_below) {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < controls_below; ++c) table[c] = true;
  for (const char c : stops) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr auto kIriStops = stop_table("<>\"{}|^`\\", 0x21);
constexpr auto kStringStops = stop_table("\"\\\n\r", 0);

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

const char* find_line_end(const char* from, const char* end) {
  while (from != end && !is_line_end(*from)) ++from;
  return from;
}

// Behind one line end: LF, CR or both.
const char* behind_line_end(const char* at, const char* end) {
  if (at != end && *at == '\r') ++at;
  return at != end && *at == '\n' ? at + 1 : at;
}

// Behind the last such character of a stretch; null if it has none.
const char* behind_last(char c, const char* from, const char* end) {
  if (from >= end) return nullptr;
  const void* const found = ::memrchr(from, c, static_cast<std::size_t>(end - from));
  return found == nullptr ? nullptr : static_cast<const char*>(found) + 1;
}

class LineReader {
 public:
  LineReader(Format format, const ReadOptions& options, const Limits& limits)
      : has_graphs_(format == Format::NQuads), limits_(limits), labels_(options.blank_prefix) {}

  enum class Outcome { Statement, Nothing, Bad };

  // Reads the line at `at` up to `end`; afterwards next() is behind its line end, if the outcome is
  // not Bad. REQUIRES: [at, end) ends with a line end or at the end of the document.
  Outcome line(const char* at, const char* end) {
    at_ = at;
    end_ = end;
    used_ = 0;
    skip_blanks();
    if (at_ == end_ || *at_ == '#' || is_line_end(*at_)) return finish_line(Outcome::Nothing);
    statement_.graph = TermView{};
    if (!subject() || !predicate() || !object() || !graph_label()) return Outcome::Bad;
    if (at_ == end_ || *at_ != '.') {
      return expected(
          has_graphs_ ? "'.' or a graph label after the object" : "'.' after the object",
          "every statement ends with a dot on its line");
    }
    ++at_;
    skip_blanks();
    if (at_ != end_ && *at_ != '#' && !is_line_end(*at_)) {
      return expected("the end of the line", "one statement stands on one line");
    }
    return finish_line(Outcome::Statement);
  }

  const char* next() const { return at_; }
  const StatementView& statement() const { return statement_; }
  // Where and why the last line was Bad.
  const char* bad_at() const { return at_; }
  Error take_error() { return std::move(error_); }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  Outcome finish_line(Outcome outcome) {
    if (at_ != end_ && *at_ == '#') at_ = find_line_end(at_, end_);
    at_ = behind_line_end(at_, end_);
    return outcome;
  }

  bool subject() {
    if (at_ != end_ && *at_ == '<') {
      if (!iri(statement_.subject)) return false;
    } else if (at_ != end_ && *at_ == '_') {
      if (!blank_node_label(statement_.subject)) return false;
    } else {
      expected("an IRI in <...> or a blank node _:... as subject",
               "prefixes and abbreviations need Turtle: --from turtle");
      return false;
    }
    skip_blanks();
    return true;
  }

  bool predicate() {
    if (at_ == end_ || *at_ != '<') {
      expected("an IRI in <...> as predicate", "");
      return false;
    }
    if (!iri(statement_.predicate)) return false;
    skip_blanks();
    return true;
  }

  bool object() {
    bool good = false;
    if (at_ != end_ && *at_ == '<') {
      good = iri(statement_.object);
    } else if (at_ != end_ && *at_ == '"') {
      good = literal(statement_.object);
    } else if (at_ != end_ && *at_ == '_') {
      good = blank_node_label(statement_.object);
    } else {
      expected("an IRI, a blank node or a literal in \"...\" as object",
               "numbers are written \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    }
    if (good) skip_blanks();
    return good;
  }

  bool graph_label() {
    if (!has_graphs_ || at_ == end_ || (*at_ != '<' && *at_ != '_')) return true;
    if (!(*at_ == '<' ? iri(statement_.graph) : blank_node_label(statement_.graph))) return false;
    skip_blanks();
    return true;
  }

  // IRIREF, which N-Triples wants absolute.
  bool iri(TermView& term) {
    std::string_view text;
    if (!iri_ref(text)) return false;
    term = TermView::iri(text);
    return true;
  }

  bool iri_ref(std::string_view& text) {
    const char* const start = ++at_;
    while (at_ != end_ && !kIriStops[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ != end_ && *at_ == '>') {
      text = {start, static_cast<std::size_t>(at_ - start)};
    } else if (at_ != end_ && *at_ == '\\') {
      if (!escaped_iri(start, text)) return false;
    } else {
      return bad_iri_character();
    }
    if (text.size() > limits_.term_bytes_max) return too_long();
    if (!has_iri_scheme(text)) {
      at_ = start;
      return fail(fmt::format("<{}> is not an absolute IRI", excerpt(text)),
                  "N-Triples and N-Quads know no base; relative IRIs need Turtle or TriG");
    }
    ++at_;
    return true;
  }

  bool escaped_iri(const char* start, std::string_view& text) {
    std::string& out = scratch();
    out.assign(start, at_);
    while (at_ != end_ && *at_ != '>') {
      const std::size_t escape_start = out.size();
      if (*at_ == '\\') {
        const char* const escape = at_;
        if (!numeric_escape(out)) return false;
        if (find_bad_iri_character(std::string_view(out).substr(escape_start))) {
          at_ = escape;
          return fail("this escape stands for a character that may not be in an IRI",
                      "percent-encode it, as in %20");
        }
      } else if (kIriStops[static_cast<unsigned char>(*at_)]) {
        return bad_iri_character();
      } else {
        out += *at_++;
      }
    }
    if (at_ == end_) return bad_iri_character();
    text = out;
    return true;
  }

  // BLANK_NODE_LABEL
  bool blank_node_label(TermView& term) {
    if (end_ - at_ < 2 || at_[1] != ':') return fail_expected("a blank node label such as _:b1");
    const char* const start = at_ += 2;
    const char* label_end = start;
    while (at_ != end_) {
      const auto byte = static_cast<unsigned char>(*at_);
      const char* after = at_;
      const char32_t c = byte < 0x80 ? (++after, byte) : decode_utf8(after, end_);
      const bool fits = at_ == start ? is_pn_chars_u(c) || is_digit(c) : is_pn_chars(c);
      if (!fits && (c != '.' || at_ == start)) break;
      at_ = after;
      if (fits) label_end = at_;
    }
    at_ = label_end;  // trailing dots end the statement
    if (label_end == start) return fail_expected("a letter, digit or '_' after _:");
    const auto length = static_cast<std::size_t>(label_end - start);
    if (length > limits_.term_bytes_max) return too_long();
    std::string& out = scratch();
    out.clear();
    labels_.append_written(out, {start, length});
    term = TermView::blank(out);
    return true;
  }

  // literal ::= STRING_LITERAL_QUOTE ('^^' IRIREF | LANGTAG)?
  bool literal(TermView& term) {
    std::string_view lexical;
    if (!string_literal_quote(lexical)) return false;
    if (lexical.size() > limits_.term_bytes_max) return too_long();
    term = TermView::literal(lexical);
    if (at_ != end_ && *at_ == '@') return langtag(term.language);
    if (end_ - at_ >= 2 && at_[0] == '^' && at_[1] == '^') {
      at_ += 2;
      if (at_ == end_ || *at_ != '<') return fail_expected("a datatype IRI in <...> after ^^");
      if (!iri_ref(term.datatype)) return false;
      if (term.datatype == kXsdString) term.datatype = {};
      if (term.datatype == kRdfLangString) {
        return fail("a literal of type rdf:langString has a language tag, not a datatype",
                    "write \"...\"@en");
      }
    }
    return true;
  }

  bool string_literal_quote(std::string_view& lexical) {
    const char* const start = ++at_;
    while (at_ != end_ && !kStringStops[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ != end_ && *at_ == '"') {
      lexical = {start, static_cast<std::size_t>(at_ - start)};
      ++at_;
      return true;
    }
    std::string& out = scratch();
    out.assign(start, at_);
    while (at_ != end_ && *at_ == '\\') {
      if (!escape(out)) return false;
      const char* const plain = at_;
      while (at_ != end_ && !kStringStops[static_cast<unsigned char>(*at_)]) ++at_;
      out.append(plain, at_);
    }
    if (at_ == end_ || *at_ != '"') {
      return fail_expected("'\"' at the end of the literal",
                           "a literal may not run over a line end; write \\n for one");
    }
    ++at_;
    lexical = out;
    return true;
  }

  // ECHAR or UCHAR
  bool escape(std::string& out) {
    constexpr std::string_view kNames = "tbnrf\"'\\";
    constexpr std::string_view kCharacters = "\t\b\n\r\f\"'\\";
    if (end_ - at_ < 2) return fail_expected("a character after '\\'");
    const std::size_t which = kNames.find(at_[1]);
    if (which == std::string_view::npos) return numeric_escape(out);
    out += kCharacters[which];
    at_ += 2;
    return true;
  }

  // UCHAR ::= '\u' HEX HEX HEX HEX | '\U' HEX HEX HEX HEX HEX HEX HEX HEX
  bool numeric_escape(std::string& out) {
    const char kind = end_ - at_ < 2 ? '\0' : at_[1];
    if (kind != 'u' && kind != 'U') {
      return fail(
          "this escape is unknown here",
          R"(known are \t \b \n \r \f \" \' \\ in literals, \uXXXX and \UXXXXXXXX anywhere)");
    }
    const int digits = kind == 'u' ? 4 : 8;
    char32_t character = 0;
    for (int i = 0; i < digits; ++i) {
      // A line end is no digit either, so this never looks beyond the line.
      const int value = at_ + 2 + i == end_ ? -1 : hex_value(at_[2 + i]);
      if (value < 0) {
        at_ += 2 + i;
        return fail_expected("a hexadecimal digit", fmt::format("\\{} takes {}", kind, digits));
      }
      character = character * 16 + static_cast<char32_t>(value);
    }
    if (!is_scalar_value(character)) {
      return fail("this escape is not a Unicode character",
                  "surrogates and values above 10FFFF are none");
    }
    at_ += 2 + digits;
    append_utf8(out, character);
    return true;
  }

  // LANGTAG ::= '@' [a-zA-Z]+ ('-' [a-zA-Z0-9]+)*
  bool langtag(std::string_view& language) {
    const char* const start = ++at_;
    while (at_ != end_ && is_letter(*at_)) ++at_;
    if (at_ == start) return fail_expected("a language tag such as en after '@'");
    while (at_ != end_ && *at_ == '-') {
      const char* const part = ++at_;
      while (at_ != end_ && is_letter_or_digit(*at_)) {
        ++at_;
      }
      if (at_ == part) return fail_expected("letters or digits after '-' in a language tag");
    }
    language = {start, static_cast<std::size_t>(at_ - start)};
    return true;
  }

  // One reused string for each term of the statement that cannot be a view of the document.
  std::string& scratch() { return scratch_[used_++]; }

  static std::string excerpt(std::string_view text) {
    constexpr std::size_t kShown = 60;
    if (text.size() <= kShown) return std::string(text);
    return std::string(text.substr(0, utf8_valid_prefix(text.substr(0, kShown)))) + "...";
  }

  std::string found() const {
    if (at_ == end_ || is_line_end(*at_)) return "the end of the line";
    const char* after = at_;
    decode_utf8(after, end_);
    return fmt::format("'{}'", std::string_view(at_, static_cast<std::size_t>(after - at_)));
  }

  bool fail(std::string message, std::string hint = {}) {
    error_ = Error{ErrorCode::InvalidInput, std::move(message), std::move(hint)};
    return false;
  }
  bool fail_expected(std::string_view what, std::string hint = {}) {
    return fail(fmt::format("expected {}, found {}", what, found()), std::move(hint));
  }
  Outcome expected(std::string_view what, std::string hint) {
    fail_expected(what, std::move(hint));
    return Outcome::Bad;
  }
  bool bad_iri_character() {
    return fail_expected("'>' at the end of the IRI",
                         "spaces and <>\"{}|^`\\ may not be in an IRI; percent-encode them");
  }
  bool too_long() {
    error_ = Error{ErrorCode::LimitExceeded,
                   fmt::format("a term is longer than {} bytes", limits_.term_bytes_max),
                   "raise the limit on terms if the document is to be trusted"};
    return false;
  }

  const bool has_graphs_;
  const Limits& limits_;
  BlankLabels labels_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  StatementView statement_;
  std::array<std::string, 5> scratch_;  // subject, predicate, object, its datatype, graph
  std::size_t used_ = 0;
  Error error_{ErrorCode::Internal, ""};
};

class Reader {
 public:
  Reader(InputWindow& window, Format format, const ReadOptions& options, const OpContext& context,
         StatementSink& sink)
      : window_(window),
        options_(options),
        context_(context),
        sink_(sink),
        check_(context),
        lines_(format, options, context.limits) {}

  Result<ReadReport> run() {
    while (true) {
      HELVE_ASSIGN(const bool more, slide());
      HELVE_TRY(context_.check());
      if (is_skipping_line_) skip_rest_of_line(more);
      HELVE_TRY(read_lines(more ? end_of_whole_lines() : window_.end()));
      HELVE_TRY(check_line_length());
      if (!more) return std::move(report_);
    }
  }

 private:
  // Moves the window on. Where the document is not UTF-8, the line is bad.
  Result<bool> slide() {
    while (true) {
      auto more = window_.slide(at_ == nullptr ? window_.begin() : at_);
      at_ = window_.begin();
      if (more) return more;
      if (!window_.at_bad_utf8()) {
        return std::move(more).error().at(options_.document_name, position(window_.end()));
      }
      if (!is_skipping_line_) HELVE_TRY(note_bad_line(std::move(more).error(), window_.end()));
      is_skipping_line_ = true;
      window_.skip_bad_byte();
      at_ = window_.begin();
      searched_ = 0;
    }
  }

  void skip_rest_of_line(bool more) {
    at_ = find_line_end(at_, window_.end());
    searched_ = 0;
    // A carriage return at the very end may be half of a line end.
    if (size_to(window_.end()) <= (more ? 1 : 0) && (at_ == window_.end() || *at_ == '\r')) return;
    at_ = behind_line_end(at_, window_.end());
    is_skipping_line_ = false;
    ++line_;
  }

  // Looks only at what the last slide added: a long line is searched once, however it arrives. A
  // carriage return at the very end may be half of a line end.
  const char* end_of_whole_lines() {
    const char* const fresh = at_ + std::min(searched_, size_to(window_.end()));
    const char* end = behind_last('\n', fresh, window_.end());
    if (end == nullptr) end = at_;
    if (const char* later = behind_last('\r', std::max(fresh, end), window_.end() - 1)) end = later;
    searched_ = static_cast<std::size_t>(window_.end() - end);
    if (searched_ > 0 && window_.end()[-1] == '\r') --searched_;
    return end;
  }

  Result<void> check_line_length() const {
    if (size_to(window_.end()) <= context_.limits.line_bytes_max) return {};
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("a line is longer than {} bytes", context_.limits.line_bytes_max),
                 "N-Triples and N-Quads have one statement on a line; is this another format?"}
        .at(options_.document_name, {line_, 1});
  }

  std::size_t size_to(const char* place) const { return static_cast<std::size_t>(place - at_); }

  Result<void> read_lines(const char* end) {
    while (at_ != end) {
      switch (lines_.line(at_, end)) {
        case LineReader::Outcome::Statement:
          HELVE_TRY(sink_.statement(lines_.statement()));
          HELVE_TRY(check_.add(lines_.statement().size_bytes()));
          ++report_.statements;
          break;
        case LineReader::Outcome::Nothing:
          break;
        case LineReader::Outcome::Bad:
          HELVE_TRY(bad_line(end));
          continue;
      }
      at_ = lines_.next();
      ++line_;
    }
    return {};
  }

  Result<void> bad_line(const char* end) {
    HELVE_TRY(note_bad_line(lines_.take_error(), lines_.bad_at()));
    at_ = behind_line_end(find_line_end(at_, end), end);
    ++line_;
    return {};
  }

  // The error itself when reading strictly.
  Result<void> note_bad_line(Error error, const char* place) {
    error.at(options_.document_name, position(place));
    if (!options_.lenient) return error;
    if (report_.problems.size() < context_.limits.problems_kept) {
      report_.problems.push_back(std::move(error));
    }
    ++report_.skipped;
    return check_.add(0);
  }

  TextPosition position(const char* place) const {
    return {line_, utf8_length({at_, size_to(place)}) + 1};
  }

  InputWindow& window_;
  const ReadOptions& options_;
  const OpContext& context_;
  StatementSink& sink_;
  PacedCheck check_;
  LineReader lines_;
  ReadReport report_;
  const char* at_ = nullptr;  // start of the current line
  std::size_t searched_ = 0;  // bytes behind at_ that hold no line end
  std::uint64_t line_ = 1;
  bool is_skipping_line_ = false;  // behind a byte that is not UTF-8
};

}  // namespace

Result<ReadReport> read_ntriples(InputWindow& window, Format format, const ReadOptions& options,
                                 const OpContext& context, StatementSink& sink) {
  return Reader(window, format, options, context, sink).run();
}

}  // namespace helve::rdf
