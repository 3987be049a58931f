#include "sources/rdf/turtle_writer.h"

#include <fmt/core.h>

#include <utility>

#include "sources/rdf/output_buffer.h"
#include "sources/rdf/prefix_map.h"
#include "sources/rdf/statement_check.h"
#include "sources/rdf/turtle_spelling.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

class TurtleWriter final : public Writer {
 public:
  TurtleWriter(bool has_graphs, ByteSink& out, const WriteOptions& options,
               const OpContext& context)
      : has_graphs_(has_graphs), prefixes_(context.limits.prefixes_max), buffer_(out) {
    for (const auto& [name, iri] : options.prefixes) declare(name, iri);
  }

  Result<void> statement(const StatementView& statement) override;
  void prefix(std::string_view name, std::string_view iri) override { declare(name, iri); }

  Result<void> finish() override {
    close_graph();
    return buffer_.finish();
  }

 private:
  void declare(std::string_view name, std::string_view iri);
  void close_statement();
  void close_graph();
  void open_graph(const TermView& graph);
  void append_verb(const TermView& predicate);
  void append(const TermView& term) { append_turtle(buffer_.text(), term, prefixes_); }

  bool has_graphs_;
  PrefixMap prefixes_;
  OutputBuffer buffer_;
  bool in_statement_ = false;
  bool in_graph_ = false;     // inside the braces of a named graph
  bool after_block_ = false;  // something was written that the next block keeps its distance from
  Term subject_;              // of the open statement
  Term predicate_;
  Term graph_;
};

void TurtleWriter::declare(std::string_view name, std::string_view iri) {
  const PrefixMap::Prefix* const prefix = prefixes_.add(name, iri);
  if (prefix == nullptr) return;
  close_graph();
  fmt::format_to(std::back_inserter(buffer_.text()), "@prefix {}: <{}> .\n", prefix->name,
                 prefix->iri);
  after_block_ = true;
}

void TurtleWriter::close_statement() {
  if (in_statement_) buffer_.text() += " .\n";
  in_statement_ = false;
}

void TurtleWriter::close_graph() {
  close_statement();
  if (in_graph_) buffer_.text() += "}\n";
  in_graph_ = false;
}

void TurtleWriter::open_graph(const TermView& graph) {
  close_graph();
  graph_ = Term(graph);
  in_graph_ = !(graph.is_iri() && graph.value.empty());
  if (!in_graph_) return;
  if (after_block_) buffer_.text() += '\n';
  append(graph);
  buffer_.text() += " {\n";
  after_block_ = false;
}

void TurtleWriter::append_verb(const TermView& predicate) {
  if (predicate.value == kRdfType) {
    buffer_.text() += 'a';
  } else {
    append(predicate);
  }
  buffer_.text() += ' ';
}

Result<void> TurtleWriter::statement(const StatementView& statement) {
  HELVE_TRY(check_writable(statement));
  if (!has_graphs_) HELVE_TRY(check_in_default_graph(statement, "Turtle"));
  const bool is_open = in_graph_ || statement.in_default_graph();
  if (!is_open || statement.graph != graph_.view()) open_graph(statement.graph);
  std::string& text = buffer_.text();
  const std::string_view margin = in_graph_ ? "    " : "";
  const bool same_subject = in_statement_ && statement.subject == subject_.view();
  if (same_subject && statement.predicate == predicate_.view()) {
    text += ",\n        ";
    text += margin;
  } else if (same_subject) {
    text += " ;\n    ";
    text += margin;
    append_verb(statement.predicate);
    predicate_.value = statement.predicate.value;
  } else {
    close_statement();
    if (after_block_) text += '\n';
    text += margin;
    append(statement.subject);
    text += ' ';
    append_verb(statement.predicate);
    subject_.kind = statement.subject.kind;
    subject_.value = statement.subject.value;
    predicate_.value = statement.predicate.value;
  }
  if (statement.object.is_iri() && statement.object.value == kRdfNil) {
    text += "()";
  } else {
    append(statement.object);
  }
  in_statement_ = true;
  after_block_ = true;
  return buffer_.drain_when_full();
}

}  // namespace

std::unique_ptr<Writer> make_turtle_writer(Format format, ByteSink& out,
                                           const WriteOptions& options, const OpContext& context) {
  return std::make_unique<TurtleWriter>(format == Format::TriG, out, options, context);
}

}  // namespace helve::rdf
