#include "sources/rdf/pretty_layout.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sources/rdf/blank_order.h"
#include "sources/rdf/blank_structure.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

constexpr Rank kUnused = 0xFFFF'FFFF;
// Recursion in the writer is as deep as blank nodes are nested.
constexpr std::size_t kNestingMax = 500;

// What sorts before: default graph, rdf:type, IRIs, literals, blank nodes.
int kind_order(const TermView& term) {
  if (term.is_blank()) return 4;
  if (term.is_literal()) return 3;
  if (term.value.empty()) return 0;
  return term.value == kRdfType ? 1 : 2;
}

bool comes_before(const TermView& a, const TermView& b) {
  return std::tie(a.language, a.datatype, a.value, a.direction) <
         std::tie(b.language, b.datatype, b.value, b.direction);
}

}  // namespace

Result<PrettyLayout> PrettyLayout::create(QuadSet& set, const OpContext& context) {
  set.deduplicate();
  if (set.quads().size() >= kUnused) {
    return Error{ErrorCode::LimitExceeded,
                 "a pretty document holds at most 4 thousand million statements",
                 "write it as it comes, without sorting"};
  }
  PrettyLayout layout;
  layout.charge_ = MemoryCharge(*context.memory, "laying out a document");
  // The rows; ranks and terms; and for blank nodes (no more than terms) seven numbers and a label.
  HELVE_TRY(layout.charge_.add(set.quads().size() * (sizeof(PrettyRow) + sizeof(CodedQuad)) +
                               set.term_count() * (2 * sizeof(Rank) + 7 * sizeof(std::uint32_t) +
                                                   sizeof(std::string_view))));
  std::vector<Rank> ranks = layout.rank_terms(set);
  HELVE_TRY(context.check());
  HELVE_TRY(layout.rank_blanks(set, ranks, context));
  HELVE_TRY(context.check());
  layout.sort_rows(set, ranks);
  return layout;
}

// Fills terms_ with the terms in use, blank nodes last and in any order, and returns their ranks.
std::vector<Rank> PrettyLayout::rank_terms(const QuadSet& set) {
  std::vector<Rank> ranks(set.term_count(), kUnused);
  for (const QuadIndexes& quad : set.quads()) {
    for (const TermIndex term : quad) {
      if (ranks[term] == kUnused) terms_.push_back(term);
      ranks[term] = 0;
    }
  }
  std::sort(terms_.begin(), terms_.end(), [&](TermIndex a, TermIndex b) {
    const TermView left = set.term(a);
    const TermView right = set.term(b);
    const int left_kind = kind_order(left);
    const int right_kind = kind_order(right);
    if (left_kind != right_kind) return left_kind < right_kind;
    return left_kind < 4 ? comes_before(left, right) : a < b;
  });
  first_blank_ = static_cast<Rank>(terms_.size());
  for (Rank rank = 0; rank < terms_.size(); ++rank) {
    ranks[terms_[rank]] = rank;
    if (first_blank_ == terms_.size() && set.term(terms_[rank]).is_blank()) first_blank_ = rank;
  }
  return ranks;
}

// Chooses the roles of the blank nodes, then puts them and their ranks in their final order.
Result<void> PrettyLayout::rank_blanks(const QuadSet& set, std::vector<Rank>& ranks,
                                       const OpContext& context) {
  const auto blank_count = static_cast<std::uint32_t>(terms_.size() - first_blank_);
  if (blank_count == 0) return {};
  std::vector<std::uint32_t> blank_of(ranks.size(), kNoBlank);
  for (Rank rank = first_blank_; rank < terms_.size(); ++rank) {
    blank_of[terms_[rank]] = rank - first_blank_;
  }
  const std::vector<BlankRole> roles = choose_roles(
      set, blank_of, blank_count, std::min(context.limits.write_nesting_max, kNestingMax));
  std::vector<std::string_view> labels(blank_count);
  for (std::uint32_t blank = 0; blank < blank_count; ++blank) {
    if (roles[blank] != BlankRole::Labelled) continue;
    labels[blank] = set.term(terms_[first_blank_ + blank]).value;
    if (labels[blank].empty()) labels[blank] = " ";
  }
  std::vector<CodedQuad> coded;
  for (const QuadIndexes& quad : set.quads()) {
    CodedQuad codes{};
    bool has_blank = false;
    for (std::size_t p = 0; p < quad.size(); ++p) {
      const std::uint32_t blank = blank_of[quad[p]];
      has_blank = has_blank || blank != kNoBlank;
      codes[p] = blank == kNoBlank ? ranks[quad[p]] : kBlankCode | blank;
    }
    if (has_blank) coded.push_back(codes);
  }
  HELVE_ASSIGN(const auto structure, BlankStructure::build(blank_count, coded, context));
  HELVE_ASSIGN(const auto order, order_blanks(structure, labels, context));

  const std::vector<TermIndex> blanks(terms_.begin() + first_blank_, terms_.end());
  roles_.resize(blank_count);
  labels_.resize(blank_count);
  std::uint32_t next_label = 0;
  for (std::uint32_t place = 0; place < blank_count; ++place) {
    terms_[first_blank_ + place] = blanks[order[place]];
    ranks[blanks[order[place]]] = first_blank_ + place;
    roles_[place] = roles[order[place]];
    labels_[place] = roles_[place] == BlankRole::Labelled ? next_label++ : 0;
  }
  return {};
}

void PrettyLayout::sort_rows(const QuadSet& set, std::span<const Rank> ranks) {
  rows_.reserve(set.quads().size());
  for (const auto& [subject, predicate, object, graph] : set.quads()) {
    rows_.push_back({ranks[graph], ranks[subject], ranks[predicate], ranks[object]});
  }
  std::sort(rows_.begin(), rows_.end());
  row_begins_.assign(terms_.size() - first_blank_, 0);
  row_counts_.assign(terms_.size() - first_blank_, 0);
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    if (!is_blank(rows_[i].subject)) continue;
    const std::uint32_t blank = rows_[i].subject - first_blank_;
    if (row_counts_[blank]++ == 0) row_begins_[blank] = i;
  }
}

}  // namespace helve::rdf
