// PrettyLayout: the statements of a document in the order in which pretty_writer.h writes them, and
// the form of each blank node. Equal for isomorphic datasets, as far as blank_order.h goes.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/pretty_nesting.h"
#include "sources/rdf/quad_set.h"

namespace helve::rdf {

// Terms are known by their rank: the default graph, rdf:type, the IRIs, the literals (by language,
// datatype and value), the blank nodes.
using Rank = std::uint32_t;

struct PrettyRow {
  Rank graph;
  Rank subject;
  Rank predicate;
  Rank object;
  friend bool operator<(const PrettyRow& a, const PrettyRow& b) {
    return std::tie(a.graph, a.subject, a.predicate, a.object) <
           std::tie(b.graph, b.subject, b.predicate, b.object);
  }
};

class PrettyLayout {
 public:
  static Result<PrettyLayout> create(QuadSet& set, const OpContext& context);

  std::span<const PrettyRow> rows() const { return rows_; }
  std::size_t term_count() const { return terms_.size(); }
  TermIndex term(Rank rank) const { return terms_[rank]; }

  bool is_blank(Rank rank) const { return rank >= first_blank_; }
  // REQUIRES of the following: is_blank(rank).
  BlankRole role(Rank rank) const { return roles_[rank - first_blank_]; }
  std::uint32_t label_number(Rank rank) const { return labels_[rank - first_blank_]; }
  // REQUIRES: not labelled, so all of it is in one graph.
  std::span<const PrettyRow> rows_of(Rank rank) const {
    const std::uint32_t blank = rank - first_blank_;
    return rows().subspan(row_begins_[blank], row_counts_[blank]);
  }

 private:
  PrettyLayout() = default;
  std::vector<Rank> rank_terms(const QuadSet& set);
  Result<void> rank_blanks(const QuadSet& set, std::vector<Rank>& ranks, const OpContext& context);
  void sort_rows(const QuadSet& set, std::span<const Rank> ranks);

  std::vector<PrettyRow> rows_;
  std::vector<TermIndex> terms_;  // by rank
  Rank first_blank_ = 0;
  std::vector<BlankRole> roles_;  // of blank nodes, from first_blank_ on
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> row_begins_;
  std::vector<std::uint32_t> row_counts_;
  MemoryCharge charge_;
};

}  // namespace helve::rdf
