// TermTable: the terms of one query by id: those of the snapshot, inlined values, and local ones
// that the query itself makes. The same term has the same id throughout a query.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/term.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::sparql {

// Not thread-safe. Move-only. The context must outlive it.
class TermTable {
 public:
  TermTable(std::shared_ptr<const Snapshot> snapshot, const OpContext& context);

  const Snapshot& snapshot() const { return *snapshot_; }
  const std::shared_ptr<const Snapshot>& shared_snapshot() const { return snapshot_; }

  // Gives every term an id. LimitExceeded beyond the memory budget and Limits::literal_bytes_max.
  Result<Id> intern(const rdf::TermView& term);
  // The id that intern() would give, if there is one already.
  std::optional<Id> find(const rdf::TermView& term) const;
  // A blank node that is no other.
  Result<Id> make_blank();

  // `scratch` may hold the text. REQUIRES: a defined id of this query.
  rdf::TermView term(Id id, std::string& scratch) const;
  rdf::TermKind kind(Id id) const;

  std::size_t local_terms() const { return local_.size(); }

 private:
  Result<Id> add_local(const rdf::TermView& term, std::string key);

  std::shared_ptr<const Snapshot> snapshot_;
  const OpContext* context_;
  MemoryCharge charge_;
  std::deque<rdf::Term> local_;  // by payload of Tag::Local
  std::unordered_map<std::string, std::uint64_t> local_by_key_;
  std::uint64_t blanks_ = 0;
};

}  // namespace helve::sparql
