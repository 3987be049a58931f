// FactReading: fills a table from the triples of a graph that lies in this process.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/triple_reader.h"
#include "toolkit/context/fact_table.h"

namespace helve::context {

class FactReading {
 public:
  // All of them must outlive it. The table has at most so many rows; where more could be, it says
  // so.
  FactReading(const TripleReader& reader, std::uint64_t rows_max, const OpContext& context,
              FactTable& table)
      : reader_(reader), rows_max_(rows_max), context_(context), table_(table) {}

  rdf::Id find_iri(std::string_view iri) const { return reader_.find_iri(iri); }
  // No more than the table could have rows.
  Result<std::vector<TripleIds>> find(const TripleIds& known);
  // The members of an RDF list, as ?list rdf:rest*/rdf:first ?member finds them.
  Result<std::vector<rdf::Id>> members(rdf::Id list);
  Result<void> count_by_object(std::string_view predicate);

  // Once the table cannot take all: who walks on would do so in vain.
  bool has_more() const { return table_.has_more; }
  // Adds a row; an id that is not defined is unbound there.
  void add(std::span<const rdf::Id> ids);

 private:
  const TripleReader& reader_;
  std::uint64_t rows_max_;
  const OpContext& context_;
  FactTable& table_;
  // Of the last row: neighbours often have the same.
  std::array<rdf::Id, kFactColumns> last_ids_{};
  FactRow last_{};
  std::string scratch_;
};

}  // namespace helve::context
