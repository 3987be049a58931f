#include "surfaces/serve/description.h"

#include "sources/rdf/vocabulary.h"
#include "sources/rdf/writer.h"

namespace helve::serve {

using rdf::TermView;

Description::Node Description::blank() {
  return Node(TermView::blank("b" + std::to_string(blanks_++)));
}

void Description::add(const Node& subject, const Node& predicate, Node object) {
  statements_.push_back({subject, predicate, std::move(object)});
}

void Description::add_type(const Node& subject, Node type) {
  add(subject, iri(rdf::kRdfType), std::move(type));
}

void Description::add_count(const Node& subject, const Node& predicate, std::uint64_t count) {
  add(subject, predicate, Node(TermView::literal(std::to_string(count), rdf::kXsdInteger)));
}

void Description::add_text(const Node& subject, const Node& predicate, std::string_view text) {
  add(subject, predicate, Node(TermView::lang_literal(text, "en")));
}

Result<void> Description::write(rdf::Format format, ByteSink& out, const OpContext& op) const {
  rdf::WriteOptions options;
  options.prefixes = {{"sd", std::string(kSd)},          {"formats", std::string(kFormats)},
                      {"void", std::string(kVoid)},      {"foaf", std::string(kFoaf)},
                      {"rdfs", std::string(rdf::kRdfs)}, {"xsd", std::string(rdf::kXsd)}};
  const auto writer = rdf::make_writer(format, out, options, op);
  for (const Statement& statement : statements_) {
    HELVE_TRY(writer->statement({statement.subject.view(), statement.predicate.view(),
                                 statement.object.view(), TermView::iri("")}));
  }
  return writer->finish();
}

}  // namespace helve::serve
