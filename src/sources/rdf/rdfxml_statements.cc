#include "sources/rdf/rdfxml_statements.h"

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

constexpr std::string_view kRdfStatement = "http://www.w3.org/1999/02/22-rdf-syntax-ns#Statement";
constexpr std::string_view kRdfSubject = "http://www.w3.org/1999/02/22-rdf-syntax-ns#subject";
constexpr std::string_view kRdfPredicate = "http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate";
constexpr std::string_view kRdfObject = "http://www.w3.org/1999/02/22-rdf-syntax-ns#object";

}  // namespace

Result<void> RdfXmlStatements::emit(const TermView& subject, const TermView& predicate,
                                    const TermView& object) {
  const StatementView statement{subject, predicate, object, {}};
  auto taken = sink_.statement(statement);
  if (!taken) [[unlikely]] {
    sink_failed_ = true;
    return std::move(taken).error();
  }
  ++report_.statements;
  return check_.add(statement.size_bytes());
}

Result<void> RdfXmlStatements::emit_reified(const TermView& subject, const TermView& predicate,
                                            const TermView& object, std::string_view id) {
  HELVE_TRY(emit(subject, predicate, object));
  if (id.empty()) return {};
  const TermView statement = TermView::iri(id);
  HELVE_TRY(emit(statement, TermView::iri(kRdfSubject), subject));
  HELVE_TRY(emit(statement, TermView::iri(kRdfPredicate), predicate));
  HELVE_TRY(emit(statement, TermView::iri(kRdfObject), object));
  return emit(statement, TermView::iri(kRdfType), TermView::iri(kRdfStatement));
}

Result<void> RdfXmlStatements::problem(Error error, TextPosition here) {
  if (!options_.lenient || sink_failed_ || error.code != ErrorCode::InvalidInput) return error;
  error.at(options_.document_name, error.position.value_or(here));
  keep_problem(std::move(error));
  return {};
}

void RdfXmlStatements::keep_problem(Error error) {
  ++report_.skipped;
  if (report_.problems.size() < context_.limits.problems_kept) {
    report_.problems.push_back(std::move(error));
  }
}

}  // namespace helve::rdf
