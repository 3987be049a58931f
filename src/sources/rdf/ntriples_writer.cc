// Lines are gathered in a buffer; nothing else is kept.
#include "sources/rdf/ntriples_writer.h"

#include "sources/rdf/output_buffer.h"
#include "sources/rdf/statement_check.h"

namespace helve::rdf {

namespace {

void append_plain_iri(std::string& out, std::string_view iri) {
  out += '<';
  out += iri;
  out += '>';
}

// append_ntriples() for a term whose IRIs are known to be good, which spares a second look at them.
void append_checked(std::string& out, const TermView& term) {
  if (term.is_iri()) return append_plain_iri(out, term.value);
  if (term.is_blank()) return append_ntriples(out, term);
  out += '"';
  append_escaped(out, term.value);
  out += '"';
  if (!term.language.empty()) {
    out += '@';
    out += term.language;
  } else if (!term.datatype.empty()) {
    out += "^^";
    append_plain_iri(out, term.datatype);
  }
}

class NTriplesWriter final : public Writer {
 public:
  NTriplesWriter(bool has_graphs, ByteSink& out) : has_graphs_(has_graphs), buffer_(out) {}

  Result<void> statement(const StatementView& statement) override {
    HELVE_TRY(check_writable(statement));
    std::string& text = buffer_.text();
    if (!has_graphs_) HELVE_TRY(check_in_default_graph(statement, "N-Triples"));
    append_checked(text, statement.subject);
    text += ' ';
    append_checked(text, statement.predicate);
    text += ' ';
    append_checked(text, statement.object);
    if (!statement.in_default_graph()) {
      text += ' ';
      append_checked(text, statement.graph);
    }
    text += " .\n";
    return buffer_.drain_when_full();
  }

  Result<void> finish() override { return buffer_.finish(); }

 private:
  bool has_graphs_;
  OutputBuffer buffer_;
};

}  // namespace

std::unique_ptr<Writer> make_ntriples_writer(Format format, ByteSink& out) {
  return std::make_unique<NTriplesWriter>(format == Format::NQuads, out);
}

}  // namespace helve::rdf
