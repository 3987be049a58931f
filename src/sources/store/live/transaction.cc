#include "sources/store/live/transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace helve::store {

namespace {

constexpr std::size_t kEditsAtOnce = 65'536;
constexpr std::uint64_t kTermBytesAtOnce = 256 * kKiB;  // between two charges

bool is_before(const QuadEdit& a, const QuadEdit& b) { return a.quad < b.quad; }

Error too_much(const std::string& what) {
  return {ErrorCode::LimitExceeded, fmt::format("the changes are more than {}", what),
          "give it more --memory, make an index of large files with 'helve load', or change less "
          "at once and compact in between: helve index compact DIR"};
}

}  // namespace

Transaction::Transaction(std::shared_ptr<const LiveSnapshot> from, DeltaTerms& terms,
                         const ChangeLimits& limits, std::string blank_prefix,
                         const OpContext& context)
    : from_(std::move(from)),
      now_(from_),
      terms_(terms),
      limits_(limits),
      blank_prefix_(std::move(blank_prefix)),
      context_(context),
      charge_(*context.memory, "the changes of a transaction"),
      done_charge_(*context.memory, "the changes of a transaction"),
      term_charge_(*context.memory, "the terms of a transaction"),
      terms_charged_(terms.bytes()) {}

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
  return add_term(wanted);
}

Result<Id> Transaction::add_term(const DictionaryTerm& term) {
  if (terms_.size() >= limits_.terms) {
    return too_much(fmt::format("the {} new terms that are held in memory", limits_.terms));
  }
  if (terms_.bytes() + term.text.size() > limits_.term_bytes) {
    return too_much(
        fmt::format("the {} MiB of new terms that are held in memory", limits_.term_bytes / kMiB));
  }
  const Id id = terms_.add(term);
  if (terms_.bytes() >= terms_charged_ + kTermBytesAtOnce) {
    HELVE_TRY(term_charge_.add(terms_.bytes() - terms_charged_));
    terms_charged_ = terms_.bytes();
  }
  return id;
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
  if (edits_.size() <= 2 * limits_.changes) return {};
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
  std::stable_sort(edits_.begin(), edits_.end(), is_before);
  std::vector<QuadEdit> real;
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    if (i % kEditsAtOnce == 0) HELVE_TRY(context_.check());
    const bool is_last = i + 1 == edits_.size() || edits_[i].quad != edits_[i + 1].quad;
    if (is_last && now_->contains(edits_[i].quad) != edits_[i].is_added) real.push_back(edits_[i]);
  }
  edits_ = {};
  HELVE_TRY(charge_.resize(real.capacity() * sizeof(QuadEdit)));
  if (auto failure = now_->failure()) return *std::move(failure);
  HELVE_ASSIGN(AppliedEdits applied, apply_edits(*now_, real, context_));
  if (applied.delta->changes() > limits_.changes) {
    return too_much(fmt::format("the {} that are held in memory", limits_.changes));
  }
  // First what can fail: after an error that is passed over, the transaction goes on.
  HELVE_TRY(done_charge_.add(real.size() * sizeof(QuadEdit)));
  now_ = std::make_shared<const LiveSnapshot>(from_->base(), std::move(applied.delta));
  statistics_.add(applied.statistics);
  done_.insert(done_.end(), real.begin(), real.end());
  return charge_.resize(0);
}

Result<std::vector<QuadEdit>> Transaction::net_edits() {
  HELVE_TRY(flush());
  auto net = net_of(std::move(done_));
  HELVE_CHECK(net.has_value());  // flush() lets through what changes something
  return *std::move(net);
}

std::optional<std::vector<QuadEdit>> net_of(std::vector<QuadEdit> edits) {
  if (!std::is_sorted(edits.begin(), edits.end(), is_before)) {
    std::stable_sort(edits.begin(), edits.end(), is_before);
  }
  // Edits of a quad take turns: every second one brings back what was there.
  std::size_t kept = 0;
  for (std::size_t first = 0, last = 0; first < edits.size(); first = last) {
    for (last = first + 1; last < edits.size() && edits[last].quad == edits[first].quad; ++last) {
      if (edits[last].is_added == edits[last - 1].is_added) return std::nullopt;
    }
    if ((last - first) % 2 == 1) edits[kept++] = edits[last - 1];
  }
  edits.resize(kept);
  return edits;
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
