// FactQuestions: the few questions by which facts of a graph are found, counted and bounded, and
// what its schema says of the names that they ask for. graph_facts.h is made with it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/op_context.h"
#include "sources/graph_source.h"
#include "toolkit/context/fact_reading.h"
#include "toolkit/context/fact_table.h"

namespace helve::context {

// IRIs that the parts of triples may have; a part without any may be anything.
struct TripleQuestion {
  std::vector<std::string_view> subjects;
  std::vector<std::string_view> predicates;
  std::vector<std::string_view> objects;
  bool wants_subjects = true;  // false: the first column is left unbound
};

class FactQuestions {
 public:
  FactQuestions(const GraphSource& graph, const GraphSchema& schema, const OpContext& context);

  // Triples with the predicate; 0 also where an incomplete schema does not know it.
  std::uint64_t uses(std::string_view predicate) const;
  std::uint64_t instances(std::string_view type) const;
  // Those of the IRIs that may have triples or instances: what is not there is not asked for.
  std::vector<std::string_view> that_are_used(std::span<const std::string_view> predicates) const;
  std::vector<std::string_view> that_have_instances(std::span<const std::string_view> types) const;

  // Rows of subject, predicate and object. REQUIRES: predicates.
  Result<FactTable> triples(std::string_view what, const TripleQuestion& question,
                            std::uint64_t rows_max);
  // Rows of an object of the predicate and how many triples have it.
  Result<FactTable> counts_by_object(std::string_view what, std::string_view predicate,
                                     std::uint64_t rows_max);

  // Where the triples of the graph can be read, read() takes the place of a query: planning one
  // takes longer than answering it.
  bool can_read() const { return reader_ != nullptr; }
  using Read = std::function<Result<void>(FactReading&)>;
  Result<FactTable> read(std::string_view what, std::uint64_t rows_max, const Read& read);
  // A question whose predicates are bound. Where it fails, though there is time left, the table is
  // empty and `what` is a gap. Long texts are cut, rows with overlong IRIs left out.
  Result<FactTable> ask(std::string_view what, const std::string& sparql, std::uint64_t rows_max);

  std::vector<std::string> take_gaps() { return std::move(gaps_); }

 private:
  bool may_ask(std::string_view what);
  OpContext one_share() const;

  const GraphSource& graph_;
  const TripleReader* reader_;  // null: the graph is asked in SPARQL
  const OpContext& context_;
  bool is_complete_;
  std::size_t asked_ = 0;
  std::unordered_map<std::string_view, std::uint64_t> uses_;
  std::unordered_map<std::string_view, std::uint64_t> instances_;
  std::vector<std::string> gaps_;
};

// "VALUES ?name { <...> <...> }"
std::string values_clause(std::string_view name, std::span<const std::string_view> iris);
// "<...>"
std::string iri_in_query(std::string_view iri);

}  // namespace helve::context
