#include "tests/conformance/sparql_normal_form.h"

#include <algorithm>
#include <variant>

#include "sources/rdf/language_tag.h"
#include "sources/rdf/xsd_value.h"
#include "sources/sparql/algebra/analysis.h"

namespace helve::conformance {

namespace {

bool has_expression(const sparql::Select& select) {
  return std::any_of(select.items.begin(), select.items.end(),
                     [](const sparql::SelectItem& item) { return item.expression.has_value(); });
}

void normalize_number(rdf::Term& term) {
  const auto type = rdf::xsd_type_of_iri(term.datatype);
  if (!type || !rdf::is_numeric_type(*type)) return;
  if (const auto value = rdf::parse_xsd_value(term.value, *type)) {
    term.value = rdf::canonical_lexical(*value);
  }
}

}  // namespace

bool computes_values(const sparql::Query& query) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  bool computes = select != nullptr && has_expression(*select);
  sparql::for_each_pattern(query.body().where, [&](const sparql::Pattern& pattern) {
    const auto* inner = pattern.if_is<sparql::SubSelect>();
    computes = computes || pattern.if_is<sparql::Extend>() != nullptr ||
               (inner != nullptr && has_expression(*inner->select));
  });
  return computes;
}

void normalize(sparql::SolutionTable& table, bool has_computed) {
  for (auto& row : table.rows) {
    for (auto& term : row) {
      if (!term || term->kind != rdf::TermKind::Literal) continue;
      term->language = rdf::normal_language(term->language);
      if (has_computed) normalize_number(*term);
    }
  }
}

}  // namespace helve::conformance
