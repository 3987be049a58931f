// NodeSet: the nodes that a search has met, in the order it met them. IRIs and blank nodes of the
// data, whose ids are dense, are bits; other terms are hashed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

// What it holds is charged.
class NodeSet {
 public:
  NodeSet(MemoryBudget& budget, std::string_view what);
  NodeSet(const NodeSet&) = delete;
  NodeSet& operator=(const NodeSet&) = delete;

  // True: it is new.
  Result<bool> insert(Id id);
  // One column.
  const RowTable& table() const { return table_; }
  // Empty; keeps its memory.
  void clear();

 private:
  static constexpr int kPageBits = 12;
  static constexpr std::uint64_t kPageWords = (std::uint64_t{1} << kPageBits) / 64;
  using Directory = std::vector<std::uint32_t>;  // by page: where its words are, plus one

  static bool is_dense(Id id) { return id.tag() == rdf::Tag::Iri || id.tag() == rdf::Tag::Blank; }
  Directory& directory(Id id) { return directories_[id.tag() == rdf::Tag::Iri ? 0 : 1]; }
  // Null where its page is not there yet.
  std::uint64_t* word_of(Id id);
  Result<void> add_page(Id id);

  MemoryCharge charge_;  // before what it accounts for: released after it
  RowTable table_;
  RowSet others_;
  std::array<Directory, 2> directories_;
  std::vector<std::uint64_t> words_;
};

}  // namespace helve::sparql
