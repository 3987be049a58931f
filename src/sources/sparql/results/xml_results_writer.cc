// Solutions as XML, one row on a line. https://www.w3.org/TR/rdf-sparql-XMLres/
#include <fmt/core.h>

#include "base/check.h"
#include "base/utf8.h"
#include "sources/rdf/output_buffer.h"
#include "sources/rdf/xml_escape.h"
#include "sources/rdf/xml_names.h"
#include "sources/sparql/results/result_writers.h"

namespace helve::sparql {

namespace {

using rdf::append_xml_attribute_value;
using rdf::append_xml_text;
using rdf::TermView;

constexpr std::string_view kStart =
    "<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\">\n";

// XML 1.0 has no way at all to write most control characters.
Result<void> check_writable(std::string_view text) {
  const std::size_t bad = rdf::find_unwritable_xml_character(text);
  if (bad == std::string_view::npos) [[likely]]
    return {};
  const char* at = text.data() + bad;
  return Error{ErrorCode::InvalidInput,
               fmt::format("a term has the character U+{:04X}, which XML cannot hold",
                           static_cast<std::uint32_t>(decode_utf8(at, text.data() + text.size()))),
               "write the results as json or tsv"};
}

class XmlResultsWriter final : public SolutionWriter {
 public:
  explicit XmlResultsWriter(ByteSink& out) : out_(out) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    HELVE_CHECK(end_.empty());
    std::string& text = out_.text();
    text += kStart;
    text += "<head>";
    for (const std::string& name : names) {
      text += "<variable name=\"";
      append_xml_attribute_value(text, name);
      text += "\"/>";
      std::string& tag = tags_.emplace_back("<binding name=\"");
      append_xml_attribute_value(tag, name);
      tag += "\">";
    }
    text += "</head>\n<results>\n";
    end_ = "</results>\n</sparql>\n";
    return out_.drain_when_full();
  }

  Result<void> solution(std::span<const std::optional<TermView>> terms) override {
    std::string& text = out_.text();
    text += "<result>";
    for (std::size_t column = 0; column < terms.size(); ++column) {
      if (!terms[column]) continue;
      HELVE_TRY(check_writable(terms[column]->value));
      text += tags_[column];
      append_term(text, *terms[column]);
      text += "</binding>";
      HELVE_TRY(out_.drain_when_full());
    }
    text += "</result>\n";
    return out_.drain_when_full();
  }

  Result<void> boolean(bool answer) override {
    HELVE_CHECK(end_.empty());
    out_.text() += kStart;
    out_.text() +=
        answer ? "<head/>\n<boolean>true</boolean>\n" : "<head/>\n<boolean>false</boolean>\n";
    end_ = "</sparql>\n";
    return {};
  }

  void mark_cut(std::string_view why) override { cut_ = why; }

  Result<void> flush() override { return out_.finish(); }

  Result<void> finish() override {
    out_.text() += end_;
    if (!cut_.empty()) out_.text().append("<!-- ").append(cut_).append(" -->\n");
    return out_.finish();
  }

  Result<void> abandon() override { return out_.finish(); }

 private:
  static void append_term(std::string& text, const TermView& term) {
    switch (term.kind) {
      case rdf::TermKind::Iri:
        text += "<uri>";
        append_xml_text(text, term.value);
        text += "</uri>";
        return;
      case rdf::TermKind::BlankNode:
        text += "<bnode>";
        append_xml_text(text, term.value);
        text += "</bnode>";
        return;
      case rdf::TermKind::Literal:
        break;
    }
    text += "<literal";
    if (!term.language.empty()) {
      append_attribute(text, " xml:lang=\"", term.language);
    } else if (!term.datatype.empty()) {
      append_attribute(text, " datatype=\"", term.datatype);
    }
    text += '>';
    append_xml_text(text, term.value);
    text += "</literal>";
  }

  static void append_attribute(std::string& text, std::string_view start, std::string_view value) {
    text += start;
    append_xml_attribute_value(text, value);
    text += '"';
  }

  rdf::OutputBuffer out_;
  std::vector<std::string> tags_;  // <binding name="..."> of the columns
  std::string_view end_;           // what closes the document
  std::string cut_;                // why; empty: it is not
};

}  // namespace

std::unique_ptr<SolutionWriter> make_xml_writer(ByteSink& out) {
  return std::make_unique<XmlResultsWriter>(out);
}

}  // namespace helve::sparql
