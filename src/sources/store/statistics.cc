// One walk over PSO and one over POS give everything but the sets; rows that repeat a triple in
// another graph are neighbours and are passed over.
#include "sources/store/statistics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/executor.h"
#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

// Counts over one leading code's rows: distinct values of the second part, and of the pairs.
struct LeadingCounts {
  std::uint64_t seconds = 0;
  std::uint64_t pairs = 0;
};

LeadingCounts count_rows(const Permutation& order, RowRange rows) {
  constexpr std::uint64_t kStep = 1'024;
  LeadingCounts counts;
  std::array<Code, kStep> seconds;
  std::array<Code, kStep> thirds;
  std::pair<Code, Code> last;
  for (RowRange step{rows.first, rows.first}; step.first < rows.last; step.first = step.last) {
    step.last = std::min(step.first + kStep, rows.last);
    order.read(step, 1, seconds.data());
    order.read(step, 2, thirds.data());
    for (std::uint64_t i = 0; i < step.size(); ++i) {
      const bool first_row = step.first + i == rows.first;
      const bool new_second = first_row || seconds[i] != last.first;
      counts.seconds += new_second ? 1 : 0;
      counts.pairs += new_second || thirds[i] != last.second ? 1 : 0;
      last = {seconds[i], thirds[i]};
    }
  }
  return counts;
}

std::uint64_t count_leading(const Permutation& order) {
  std::uint64_t count = 0;
  const auto [first, last] = order.leading_codes();
  for (Code code = first; code < last; ++code) count += order.rows_of(code).empty() ? 0 : 1;
  return count;
}

void add_classes(const Dictionary& dictionary, const Indexes& indexes, Statistics& out) {
  const auto type = dictionary.find(rdf::TermView::iri(rdf::kRdfType));
  const auto code = type ? dictionary.code_of(*type) : std::nullopt;
  if (!code) return;
  const Permutation& pos = indexes[Order::Pos];
  const RowRange rows = pos.rows_of(*code);
  for (std::uint64_t row = rows.first; row < rows.last; ++row) {
    const bool new_class = row == rows.first || pos.at(1, row) != pos.at(1, row - 1);
    if (new_class) out.classes.push_back({dictionary.id_of(pos.at(1, row)), 0});
    if (new_class || pos.at(2, row) != pos.at(2, row - 1)) ++out.classes.back().instances;
  }
}

void add_graphs(const Dictionary& dictionary, const Indexes& indexes, Statistics& out) {
  if (!indexes.has_named_graphs) {
    if (out.statements > 0) out.graphs.push_back({Id(), out.statements});
    return;
  }
  const Permutation& gspo = indexes[Order::Gspo];
  const auto [first, last] = gspo.leading_codes();
  for (Code code = first; code < last; ++code) {
    const RowRange rows = gspo.rows_of(code);
    if (rows.empty()) continue;
    const Id graph = code == indexes.default_graph ? Id() : dictionary.id_of(code);
    out.graphs.push_back({graph, rows.size()});
  }
}

Result<void> add_characteristic_sets(const std::vector<Code>& codes, const Indexes& indexes,
                                     const OpContext& context, Statistics& out) {
  std::vector<PredicateTotal> totals;
  totals.reserve(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    totals.push_back({codes[i], out.predicates[i].triples, out.predicates[i].distinct_subjects});
  }
  HELVE_ASSIGN(out.characteristic_sets,
               compute_characteristic_sets(indexes, totals, out.distinct_subjects, context));
  return {};
}

}  // namespace

std::size_t Statistics::memory_bytes() const {
  return predicates.capacity() * sizeof(PredicateStatistics) +
         classes.capacity() * sizeof(ClassStatistics) +
         graphs.capacity() * sizeof(GraphStatistics) + characteristic_sets.memory_bytes();
}

Result<Statistics> compute_statistics(const Dictionary& dictionary, const Indexes& indexes,
                                      const OpContext& context) {
  Statistics out;
  const Permutation& pso = indexes[Order::Pso];
  const Permutation& pos = indexes[Order::Pos];
  out.statements = pso.rows();
  out.triples = out.statements - indexes.repeated_triples;
  out.distinct_subjects = count_leading(indexes[Order::Spo]);
  out.distinct_objects = count_leading(indexes[Order::Osp]);
  std::vector<Code> codes;
  const auto [first, last] = pso.leading_codes();
  for (Code code = first; code < last; ++code) {
    if (!pso.rows_of(code).empty()) codes.push_back(code);
  }
  out.predicates.resize(codes.size());
  HELVE_TRY(parallel_for(codes.size(), context, [&](std::size_t i) -> Result<void> {
    const RowRange rows = pso.rows_of(codes[i]);
    const LeadingCounts subjects = count_rows(pso, rows);
    const LeadingCounts objects = count_rows(pos, rows);
    out.predicates[i] = {dictionary.id_of(codes[i]), subjects.pairs, subjects.seconds,
                         objects.seconds};
    return {};
  }));
  HELVE_TRY(add_characteristic_sets(codes, indexes, context, out));
  add_classes(dictionary, indexes, out);
  add_graphs(dictionary, indexes, out);
  return out;
}

}  // namespace helve::store
