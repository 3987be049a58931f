#include "toolkit/handles/graph_rows.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sources/rdf/isomorphism.h"
#include "sources/rdf/quad_set.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::toolkit {

namespace {

Result<rdf::QuadSet> quads_of(const RowTable& rows, const ValueName& name,
                              const OpContext& context) {
  rdf::QuadSet quads(context);
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    rdf::Term terms[3];
    for (std::size_t column = 0; column < 3; ++column) {
      const auto cell = rows.cell(row, column);
      terms[column] = cell && cell->is_blank() ? rdf::Term(*cell)
                                               : rdf::Term(rdf::TermView::iri(name(row, column)));
    }
    HELVE_TRY(quads.statement(
        {terms[0].view(), terms[1].view(), terms[2].view(), rdf::TermView::iri("")}));
  }
  quads.deduplicate();
  return quads;
}

}  // namespace

Result<RowTablePtr> graph_rows(const GraphSource& graph, std::uint64_t rows_max,
                               const OpContext& context) {
  HELVE_ASSIGN(const auto parsed,
               sparql::parse_query("SELECT DISTINCT ?s ?p ?o WHERE { ?s ?p ?o }"));
  RowTableBuilder rows({rows_max, RowTableBuilder::Limits{}.bytes_max}, context);
  const GraphRun run = graph.run(parsed.query, rows_max, rows, context);
  if (run.error && !rows.is_full()) return *run.error;
  if (rows.is_full() || run.has_more || !run.incomplete.empty()) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the graph has more than {} statements", format_count(rows_max)),
                 "ask for less"};
  }
  return rows.finish();
}

Result<bool> are_same_graphs(const RowTable& left, const ValueName& left_name,
                             const RowTable& right, const ValueName& right_name,
                             const OpContext& context) {
  HELVE_ASSIGN(const rdf::QuadSet a, quads_of(left, left_name, context));
  HELVE_ASSIGN(const rdf::QuadSet b, quads_of(right, right_name, context));
  return rdf::are_isomorphic(a, b, context);
}

}  // namespace helve::toolkit
