// TripleReader: triples of a graph that lies in this process, read by the parts that are known. No
// query is made of it, so that hundreds of small questions cost little. A GraphSource that can do
// so is one of these too; others are asked in the algebra.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/id.h"
#include "sources/rdf/term.h"

namespace helve {

// As a question: what is not defined may be anything.
struct TripleIds {
  rdf::Id subject;
  rdf::Id predicate;
  rdf::Id object;
};

// Thread-safe.
class TripleReader {
 public:
  virtual ~TripleReader() = default;

  // Undefined where the graph does not have it.
  virtual rdf::Id find_iri(std::string_view iri) const = 0;
  // `scratch` holds its text. REQUIRES: an id of this graph.
  virtual rdf::TermView read_term(rdf::Id id, std::string& scratch) const = 0;
  // Adds the triples of all graphs that fit, each once and at most so many, in the order of an
  // index. Tells whether there are more.
  virtual Result<bool> read_triples(const TripleIds& known, std::uint64_t most,
                                    std::vector<TripleIds>& triples,
                                    const OpContext& context) const = 0;
  // Adds the objects of a predicate and in how many triples each is. Tells whether there are more.
  using ObjectCount = std::pair<rdf::Id, std::uint64_t>;
  virtual Result<bool> count_by_object(rdf::Id predicate, std::uint64_t most,
                                       std::vector<ObjectCount>& counts,
                                       const OpContext& context) const = 0;
};

}  // namespace helve
