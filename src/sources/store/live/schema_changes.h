// What the changes of a store touch that its schema is made of: found by a walk over statements
// with the few predicates that matter; others are passed over.
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/local_declarations.h"

namespace helve::store {

struct SchemaChanges {
  using Ids = std::unordered_set<Id, IdHash>;

  Ids classes;     // IRIs that have other instances, or another declaration
  Ids properties;  // that have other statements, or another declaration
  Ids described;   // IRIs that have other labels, domains or ranges
  Ids typed;       // all that have other classes

  std::size_t memory_bytes() const;
};

Result<SchemaChanges> find_schema_changes(const LiveSnapshot& snapshot, const OpContext& context);

}  // namespace helve::store
