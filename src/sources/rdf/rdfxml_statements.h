// RdfXmlStatements: where the statements and problems of one RDF/XML document go. Used by
// rdfxml_reader.cc.
#pragma once

#include <string_view>
#include <utility>

#include "base/op_context.h"
#include "base/paced_check.h"
#include "base/result.h"
#include "sources/rdf/reader.h"
#include "sources/rdf/term.h"

namespace helve::rdf {

class RdfXmlStatements {
 public:
  // All must outlive it.
  RdfXmlStatements(const ReadOptions& options, const OpContext& context, StatementSink& sink)
      : options_(options), context_(context), check_(context), sink_(sink) {}

  Result<void> emit(const TermView& subject, const TermView& predicate, const TermView& object);
  // Also describes the statement under the IRI `id`, unless that is empty:
  // https://www.w3.org/TR/rdf-syntax-grammar/#section-Reification
  Result<void> emit_reified(const TermView& subject, const TermView& predicate,
                            const TermView& object, std::string_view id);
  void prefix(std::string_view name, std::string_view iri) { sink_.prefix(name, iri); }

  // Lenient: keeps an error of the document, so that reading can go on. Anything else is returned.
  Result<void> problem(Error error, TextPosition here);
  void keep_problem(Error error);

  ReadReport take_report() { return std::move(report_); }

 private:
  const ReadOptions& options_;
  const OpContext& context_;
  PacedCheck check_;
  StatementSink& sink_;
  ReadReport report_;
  bool sink_failed_ = false;
};

}  // namespace helve::rdf
