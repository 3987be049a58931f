// SnapshotRows: what the schema of a snapshot is read from.
#pragma once

#include <vector>

#include "sources/store/schema_rows.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// The snapshot must outlive it.
class SnapshotRows final : public SchemaRows {
 public:
  explicit SnapshotRows(const Snapshot& snapshot)
      : snapshot_(snapshot), dictionary_(snapshot.dictionary()) {}

  Id find_iri(std::string_view iri) const override {
    return dictionary_.find(rdf::TermView::iri(iri)).value_or(Id());
  }
  rdf::TermView term(Id id, std::string& scratch) const override {
    return dictionary_.term(id, scratch);
  }
  std::string_view qualifier(Id literal) const override { return dictionary_.qualifier(literal); }
  void visit_objects(Id subject, Id predicate, const Visit& visit) const override;
  ObjectKinds object_kinds(Id predicate) const override;
  std::vector<Ends> sample(Id predicate, std::size_t samples) const override;

 private:
  const Snapshot& snapshot_;
  const Dictionary& dictionary_;
};

}  // namespace helve::store
