// Solutions as JSON, one row on a line, straight into the buffer: exports must be fast.
// https://www.w3.org/TR/sparql11-results-json/
#include "base/check.h"
#include "base/json_writer.h"
#include "sources/rdf/output_buffer.h"
#include "sources/sparql/results/result_writers.h"

namespace helve::sparql {

namespace {

using rdf::TermView;

class JsonResultsWriter final : public SolutionWriter {
 public:
  explicit JsonResultsWriter(ByteSink& out) : out_(out) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    HELVE_CHECK(end_.empty());
    std::string& text = out_.text();
    text += R"({"head":{"vars":[)";
    for (const std::string& name : names) {
      std::string& key = keys_.emplace_back();
      append_json_string(key, name);
      if (keys_.size() > 1) text += ',';
      text += key;
      key += ':';
    }
    text += R"(]},"results":{"bindings":[)";
    end_ = "\n]}}\n";
    return out_.drain_when_full();
  }

  Result<void> solution(std::span<const std::optional<TermView>> terms) override {
    std::string& text = out_.text();
    text += is_first_row_ ? "\n{" : ",\n{";
    is_first_row_ = false;
    bool is_first = true;
    for (std::size_t column = 0; column < terms.size(); ++column) {
      if (!terms[column]) continue;
      if (!is_first) text += ',';
      is_first = false;
      text += keys_[column];
      append_term(text, *terms[column]);
      HELVE_TRY(out_.drain_when_full());
    }
    text += '}';
    return out_.drain_when_full();
  }

  Result<void> boolean(bool answer) override {
    HELVE_CHECK(end_.empty());
    out_.text() += R"({"head":{},"boolean":)";
    end_ = answer ? "true}\n" : "false}\n";
    return {};
  }

  void mark_cut(std::string_view why) override { append_json_string(cut_, why); }

  Result<void> flush() override { return out_.finish(); }

  Result<void> finish() override {
    if (cut_.empty()) {
      out_.text() += end_;
    } else {
      out_.text().append("\n]},\"truncated\":").append(cut_).append("}\n");
    }
    return out_.finish();
  }

  Result<void> abandon() override { return out_.finish(); }

 private:
  static void append_term(std::string& text, const TermView& term) {
    switch (term.kind) {
      case rdf::TermKind::Iri:
        text += R"({"type":"uri","value":)";
        append_json_string(text, term.value);
        break;
      case rdf::TermKind::BlankNode:
        text += R"({"type":"bnode","value":)";
        append_json_string(text, term.value);
        break;
      case rdf::TermKind::Literal:
        append_literal(text, term);
        break;
    }
    text += '}';
  }

  static void append_literal(std::string& text, const TermView& term) {
    text += R"({"type":"literal","value":)";
    append_json_string(text, term.value);
    if (!term.language.empty()) {
      text += R"(,"xml:lang":)";
      append_json_string(text, term.language);
    } else if (!term.datatype.empty()) {
      text += R"(,"datatype":)";
      append_json_string(text, term.datatype);
    }
  }

  rdf::OutputBuffer out_;
  std::vector<std::string> keys_;  // of the columns, with quotes and colon
  std::string_view end_;           // what closes the document
  std::string cut_;                // why, as JSON; empty: it is not
  bool is_first_row_ = true;
};

}  // namespace

std::unique_ptr<SolutionWriter> make_json_writer(ByteSink& out) {
  return std::make_unique<JsonResultsWriter>(out);
}

}  // namespace helve::sparql
