// LiveRows: what the schema of a store with changes is read from, as a load of it would have it.
#pragma once

#include <vector>

#include "sources/store/live/live_snapshot.h"
#include "sources/store/schema_rows.h"
#include "sources/store/snapshot_rows.h"

namespace helve::store {

// The snapshot must outlive it. Where nothing changed, the base answers alone.
class LiveRows final : public SchemaRows {
 public:
  explicit LiveRows(const LiveSnapshot& snapshot) : snapshot_(snapshot), base_(*snapshot.base()) {}

  Id find_iri(std::string_view iri) const override {
    return snapshot_.find(rdf::TermView::iri(iri)).value_or(Id());
  }
  rdf::TermView term(Id id, std::string& scratch) const override {
    return snapshot_.term(id, scratch);
  }
  std::string_view qualifier(Id literal) const override { return snapshot_.qualifier(literal); }
  void visit_objects(Id subject, Id predicate, const Visit& visit) const override;
  ObjectKinds object_kinds(Id predicate) const override;
  std::vector<Ends> sample(Id predicate, std::size_t samples) const override;

 private:
  const LiveSnapshot& snapshot_;
  SnapshotRows base_;
};

}  // namespace helve::store
