// SchemaRows: what the schema of a store is read from, rows in the order of terms, whatever holds
// them. A snapshot gives its own; a store with changes gives those that a load of it would have.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/id.h"
#include "sources/rdf/term.h"

namespace helve::store {

// Thread-safe.
class SchemaRows {
 public:
  virtual ~SchemaRows() = default;

  // Undefined where the store does not have it.
  virtual rdf::Id find_iri(std::string_view iri) const = 0;
  // REQUIRES: an id of this store. `scratch` holds the text.
  virtual rdf::TermView term(rdf::Id id, std::string& scratch) const = 0;
  // Datatype or language of a literal.
  virtual std::string_view qualifier(rdf::Id literal) const = 0;

  // Objects of what a subject says with a predicate, ascending, one for each graph that says it,
  // until `visit` is false. None for an undefined id.
  using Visit = std::function<bool(rdf::Id)>;
  virtual void visit_objects(rdf::Id subject, rdf::Id predicate, const Visit& visit) const = 0;

  struct ObjectKinds {
    bool has_resource = false;
    bool has_literal = false;
  };
  virtual ObjectKinds object_kinds(rdf::Id predicate) const = 0;

  struct Ends {
    rdf::Id subject;
    rdf::Id object;
  };
  // Statements of a predicate, at most `samples`, evenly spread over its rows by subject.
  virtual std::vector<Ends> sample(rdf::Id predicate, std::size_t samples) const = 0;
};

}  // namespace helve::store
