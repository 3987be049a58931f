// Results in CSV, as a stream. https://www.w3.org/TR/sparql11-results-csv-tsv/, RFC 4180
#include <array>

#include "base/iri.h"
#include "sources/rdf/text_cursor.h"
#include "sources/sparql/results/result_readers.h"
#include "sources/sparql/results/solution_row.h"

namespace helve::sparql {

namespace {

using rdf::TermView;

// Ends a field without quotes, or cannot be in one.
constexpr std::array<bool, 256> kFieldStops = [] {
  std::array<bool, 256> stops{};
  stops[','] = stops['"'] = stops['\r'] = stops['\n'] = true;
  return stops;
}();

class CsvCursor : public rdf::TextCursor {
 public:
  using TextCursor::TextCursor;

  bool at_end() {
    const char* p = at_;
    return !have(p);
  }

  // One field, unquoted into `out`; the cursor then stands at a comma, a line end or the end.
  bool field(std::string& out, bool& is_quoted) {
    out.clear();
    const char* p = at_;
    is_quoted = have(p) && *p == '"';
    if (is_quoted) return quoted(out);
    while (true) {
      while (p != end_ && !kFieldStops[static_cast<unsigned char>(*p)]) ++p;
      if (!have(p) || kFieldStops[static_cast<unsigned char>(*p)]) break;
    }
    if (has_failed() || !check_length(p)) return false;
    if (p != end_ && *p == '"') {
      return fail(p, "a quote inside a field that does not begin with one",
                  "put the whole field in quotes and double those inside");
    }
    out.assign(at_, p);
    at_ = p;
    return true;
  }

  bool pass_comma() {
    if (at_ == end_ || *at_ != ',') return false;
    ++at_;
    return true;
  }

  // LF, CRLF or the end of the file.
  bool line_end() {
    const char* p = at_;
    if (have(p) && *p == '\r') ++p;
    if (!have(p) && p == at_) return !has_failed();
    if (has_failed()) return false;
    if (p == end_ || *p != '\n') {
      return fail(at_, "a carriage return without a line feed",
                  "put fields with line ends in quotes");
    }
    at_ = p + 1;
    return true;
  }

 private:
  bool quoted(std::string& out) {
    const char* p = at_ + 1;
    auto begin = p - at_;  // of the part not yet taken; pointers do not survive have()
    while (true) {
      while (p != end_ && *p != '"') ++p;
      if (!have(p)) {
        return fail(at_, "a quoted field begins here and is never closed",
                    "the file seems to be cut off, or a quote inside is not doubled");
      }
      if (*p != '"') continue;
      out.append(at_ + begin, p);
      ++p;
      if (!have(p) || *p != '"') break;
      begin = p - at_;  // the second quote of two stands for itself
      ++p;
    }
    if (has_failed() || !check_length(p)) return false;
    if (p != end_ && *p != ',' && *p != '\r' && *p != '\n') {
      return fail_expected(p, "a comma or the end of the line behind the quoted field",
                           "double the quotes inside a field");
    }
    at_ = p;
    return true;
  }
};

// What begins with a scheme and "://" or with "urn:", and could be an IRI.
bool looks_like_iri(std::string_view text) {
  if (!has_iri_scheme(text) || find_bad_iri_character(text)) return false;
  return text.starts_with("urn:") || text.substr(text.find(':')).starts_with("://");
}

TermView guessed_term(std::string_view text) {
  if (text.starts_with("_:") && rdf::is_blank_node_label(text.substr(2))) {
    return TermView::blank(text.substr(2));
  }
  return looks_like_iri(text) ? TermView::iri(text) : TermView::literal(text);
}

class CsvResultsReader {
 public:
  CsvResultsReader(rdf::InputWindow& window, const OpContext& context, SolutionSink& sink)
      : csv_(window, std::string(kResultsDocument), context, {}),
        row_(context, sink),
        sink_(sink) {}

  Result<void> read() {
    if (document()) return {};
    return csv_.error();
  }

 private:
  bool document() {
    if (csv_.at_end()) {
      return csv_.fail(csv_.at(), "the document is empty",
                       "the first line of CSV results names the variables");
    }
    if (!header()) return false;
    const bool is_boolean =
        row_.names().size() == 1 && (row_.names()[0] == "true" || row_.names()[0] == "false");
    if (is_boolean && csv_.at_end()) {
      return !csv_.has_failed() && send(sink_.boolean(row_.names()[0] == "true"));
    }
    if (!send(row_.send_variables())) return false;
    while (!csv_.at_end()) {
      if (!row()) return false;
    }
    return !csv_.has_failed();
  }

  bool header() {
    bool is_quoted = false;
    do {
      if (!csv_.field(field_, is_quoted)) return false;
      std::string_view name = field_;
      if (name.starts_with('?')) name.remove_prefix(1);
      // A line without anything names no variables at all.
      if (name.empty() && !is_quoted && row_.names().empty() && !csv_.pass_comma()) break;
      if (auto added = row_.add_column(name); !added) {
        return csv_.fail_with(csv_.at(), std::move(added).error());
      }
    } while (csv_.pass_comma());
    return csv_.line_end();
  }

  bool row() {
    const std::size_t columns = row_.names().size();
    std::size_t column = 0;
    bool is_quoted = false;
    do {
      if (!csv_.field(field_, is_quoted)) return false;
      const bool is_bound = !field_.empty() || is_quoted;
      if (column >= columns && (column > 0 || is_bound)) return wrong_number(column + 1, columns);
      if (is_bound && !send(row_.bind(column, guessed_term(field_)))) return false;
      ++column;
    } while (csv_.pass_comma());
    if (column < columns) return wrong_number(column, columns);
    return csv_.line_end() && send(row_.send());
  }

  bool wrong_number(std::size_t met, std::size_t expected) {
    return csv_.fail_with(
        csv_.at(), ragged_row(met, expected, "fields with commas or line ends stand in quotes"));
  }

  bool send(Result<void> result) { return result || csv_.fail_fatally(std::move(result).error()); }

  CsvCursor csv_;
  SolutionRow row_;
  SolutionSink& sink_;
  std::string field_;
};

}  // namespace

Result<void> read_csv_results(rdf::InputWindow& window, const OpContext& context,
                              SolutionSink& sink) {
  return CsvResultsReader(window, context, sink).read();
}

}  // namespace helve::sparql
