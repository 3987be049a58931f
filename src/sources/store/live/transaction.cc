#include "sources/store/live/transaction.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::store {

namespace {

constexpr std::size_t kEditsAtOnce = 65'536;

}  // namespace

Transaction::Transaction(std::shared_ptr<const LiveSnapshot> from, DeltaTerms& terms,
                         std::uint64_t changes_max, std::string blank_prefix,
                         const OpContext& context)
    : from_(std::move(from)),
      now_(from_),
      terms_(terms),
      changes_max_(changes_max),
      blank_prefix_(std::move(blank_prefix)),
      context_(context),
      charge_(*context.memory, "the changes of a transaction") {}

Result<std::shared_ptr<const LiveSnapshot>> Transaction::snapshot() {
  HELVE_TRY(flush());
  return now_;
}

Result<Id> Transaction::intern(const rdf::TermView& term) {
  if (term.value.size() > context_.limits.term_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("a term of {} bytes is longer than the limit of {}", term.value.size(),
                             context_.limits.term_bytes_max)};
  }
  if (auto id = from_->base()->dictionary().find(term)) return *id;
  std::string scratch;
  const DictionaryTerm wanted = to_dictionary_term(term, scratch);
  if (wanted.inlined.is_defined()) return wanted.inlined;
  if (auto id = terms_.find(wanted)) return *id;
  return terms_.add(wanted);
}

Result<Id> Transaction::new_blank() {
  return intern(rdf::TermView::blank(fmt::format("{}{}", blank_prefix_, blanks_++)));
}

Result<void> Transaction::edit(const Quad& quad, bool is_added) {
  if (edits_.size() == edits_.capacity()) {
    const std::size_t capacity = std::max<std::size_t>(256, edits_.capacity() * 2);
    HELVE_TRY(charge_.resize(capacity * sizeof(QuadEdit)));
    edits_.reserve(capacity);
  }
  edits_.push_back({quad, is_added});
  if (edits_.size() % kEditsAtOnce == 0) HELVE_TRY(context_.check());
  if (edits_.size() <= 2 * changes_max_) return {};
  return flush();
}

Result<void> Transaction::add(const Quad& quad) { return edit(quad, true); }
Result<void> Transaction::remove(const Quad& quad) { return edit(quad, false); }

void Transaction::keep_graph(Id graph) {
  auto delta = std::make_shared<Delta>(now_->delta());
  auto& kept = delta->kept_graphs;
  const auto at = std::lower_bound(kept.begin(), kept.end(), graph);
  if (at != kept.end() && *at == graph) return;
  kept.insert(at, graph);
  delta->terms_end = terms_.ends();
  now_ = std::make_shared<const LiveSnapshot>(from_->base(), std::move(delta));
}

void Transaction::forget_graph(Id graph) {
  auto delta = std::make_shared<Delta>(now_->delta());
  auto& kept = delta->kept_graphs;
  const auto at = std::lower_bound(kept.begin(), kept.end(), graph);
  if (at == kept.end() || *at != graph) return;
  kept.erase(at);
  now_ = std::make_shared<const LiveSnapshot>(from_->base(), std::move(delta));
}

Result<void> Transaction::flush() {
  if (edits_.empty()) return {};
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const QuadEdit& a, const QuadEdit& b) { return a.quad < b.quad; });
  std::vector<QuadEdit> real;
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    if (i % kEditsAtOnce == 0) HELVE_TRY(context_.check());
    const bool is_last = i + 1 == edits_.size() || edits_[i].quad != edits_[i + 1].quad;
    if (is_last && now_->contains(edits_[i].quad) != edits_[i].is_added) real.push_back(edits_[i]);
  }
  edits_ = {};
  HELVE_TRY(charge_.resize(real.capacity() * sizeof(QuadEdit)));
  if (auto failure = now_->failure()) return *std::move(failure);
  HELVE_ASSIGN(auto delta, apply_edits(*now_, real, context_));
  HELVE_TRY(charge_.resize(0));
  if (delta->changes() > changes_max_) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("the changes are more than the {} that are held in memory", changes_max_),
        "make an index of large files with 'helve load', or change less at once and "
        "compact in between: helve index compact DIR"};
  }
  now_ = std::make_shared<const LiveSnapshot>(from_->base(), std::move(delta));
  return {};
}

Result<std::vector<QuadEdit>> Transaction::net_edits() {
  HELVE_TRY(flush());
  return difference(from_->delta(), now_->delta());
}

std::vector<QuadEdit> difference(const Delta& before, const Delta& after) {
  std::vector<QuadEdit> edits;
  auto a = before[Order::Spo].begin();
  auto b = after[Order::Spo].begin();
  const auto put = [&](const QuadEntry& entry, bool is_added) {
    edits.push_back({quad_of(entry.key, Order::Spo), is_added});
  };
  while (a.entry() != nullptr || b.entry() != nullptr) {
    const QuadEntry* const x = a.entry();
    const QuadEntry* const y = b.entry();
    if (y == nullptr || (x != nullptr && x->key < y->key)) {
      put(*x, x->presence == Presence::Removed);  // as in the base again
      a.next();
    } else if (x == nullptr || y->key < x->key) {
      put(*y, y->presence == Presence::Added);
      b.next();
    } else {
      if (x->presence != y->presence) put(*y, y->presence == Presence::Added);
      a.next();
      b.next();
    }
  }
  return edits;
}

}  // namespace helve::store
