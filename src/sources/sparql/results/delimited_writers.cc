// Solutions as CSV and TSV. https://www.w3.org/TR/sparql11-results-csv-tsv/
#include "base/check.h"
#include "sources/rdf/output_buffer.h"
#include "sources/sparql/results/result_writers.h"
#include "sources/sparql/results/term_text.h"

namespace helve::sparql {

namespace {

using rdf::TermView;

// Lines of fields; what a field looks like is the format's own.
class DelimitedWriter : public SolutionWriter {
 public:
  DelimitedWriter(ByteSink& out, char separator, std::string_view line_end)
      : out_(out), separator_(separator), line_end_(line_end) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (column > 0) out_.text() += separator_;
      append_name(out_.text(), names[column]);
    }
    out_.text() += line_end_;
    return out_.drain_when_full();
  }

  Result<void> solution(std::span<const std::optional<TermView>> terms) override {
    for (std::size_t column = 0; column < terms.size(); ++column) {
      if (column > 0) out_.text() += separator_;
      if (!terms[column]) continue;
      append_term(out_.text(), *terms[column]);
      HELVE_TRY(out_.drain_when_full());
    }
    out_.text() += line_end_;
    return out_.drain_when_full();
  }

  Result<void> boolean(bool answer) override {
    out_.text() += answer ? "true" : "false";
    out_.text() += line_end_;
    return {};
  }

  Result<void> flush() override { return out_.finish(); }

  Result<void> finish() override { return out_.finish(); }

 private:
  virtual void append_name(std::string& text, std::string_view name) = 0;
  virtual void append_term(std::string& text, const TermView& term) = 0;

  rdf::OutputBuffer out_;
  char separator_;
  std::string_view line_end_;
};

class CsvWriter final : public DelimitedWriter {
 public:
  explicit CsvWriter(ByteSink& out) : DelimitedWriter(out, ',', "\r\n") {}

 private:
  void append_name(std::string& text, std::string_view name) override { append_field(text, name); }

  void append_term(std::string& text, const TermView& term) override {
    if (term.is_blank()) {
      text += "_:";
      rdf::append_blank_label(text, term.value);
    } else {
      append_field(text, term.value);
    }
  }

  // The empty string takes quotes, so that it is not taken for an unbound variable, and so does a
  // byte order mark, which readers would drop at the start of a file.
  static void append_field(std::string& text, std::string_view field) {
    const bool has_mark = field.starts_with("\xEF\xBB\xBF");
    if (!field.empty() && !has_mark && field.find_first_of("\",\r\n") == std::string_view::npos) {
      text += field;
      return;
    }
    text += '"';
    for (std::size_t quote; (quote = field.find('"')) != std::string_view::npos;) {
      text += field.substr(0, quote + 1);
      text += '"';
      field.remove_prefix(quote + 1);
    }
    text += field;
    text += '"';
  }
};

class TsvWriter final : public DelimitedWriter {
 public:
  explicit TsvWriter(ByteSink& out) : DelimitedWriter(out, '\t', "\n") {}

 private:
  void append_name(std::string& text, std::string_view name) override {
    text += '?';
    text += name;
  }

  void append_term(std::string& text, const TermView& term) override {
    append_term_text(text, term, no_prefixes_);
  }

  const rdf::PrefixMap no_prefixes_{0};
};

}  // namespace

std::unique_ptr<SolutionWriter> make_csv_writer(ByteSink& out) {
  return std::make_unique<CsvWriter>(out);
}

std::unique_ptr<SolutionWriter> make_tsv_writer(ByteSink& out) {
  return std::make_unique<TsvWriter>(out);
}

}  // namespace helve::sparql
