#include "sources/store/live/changed_terms.h"

#include <algorithm>
#include <array>

namespace helve::store {

namespace {

constexpr std::size_t kTermsAtOnce = 4'096;

bool is_used(const LiveSnapshot& snapshot, Id id) {
  return snapshot.quads({id, {}, {}, kAllGraphs}) > 0 ||
         snapshot.quads({{}, {}, id, kAllGraphs}) > 0 ||
         snapshot.quads({{}, id, {}, kAllGraphs}) > 0 || snapshot.statements_of(id) > 0;
}

// Only these can have come or gone.
Result<std::vector<Id>> terms_of_changes(const LiveSnapshot& snapshot, const OpContext& context,
                                         std::optional<Tag> only, MemoryCharge& charge) {
  std::vector<Id> terms;
  std::array<Id, 4> before;
  std::size_t steps = 0;
  for (auto at = snapshot.delta()[Order::Spo].begin(); at.entry() != nullptr; at.next()) {
    if (++steps % kTermsAtOnce == 0) {
      HELVE_TRY(context.check());
      HELVE_TRY(charge.resize(terms.capacity() * sizeof(Id)));
    }
    const auto& parts = at.entry()->key.parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_wanted = parts[i].is_defined() && (!only || parts[i].tag() == *only);
      if (is_wanted && parts[i] != before[i]) terms.push_back(parts[i]);
      before[i] = parts[i];
    }
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

}  // namespace

Result<ChangedTerms> find_changed_terms(const LiveSnapshot& snapshot, const OpContext& context,
                                        std::optional<Tag> only) {
  MemoryCharge charge(*context.memory, "terms of changes");
  HELVE_ASSIGN(const std::vector<Id> terms, terms_of_changes(snapshot, context, only, charge));
  const Dictionary& dictionary = snapshot.base()->dictionary();
  ChangedTerms changed;
  std::size_t steps = 0;
  for (const Id id : terms) {
    if (++steps % kTermsAtOnce == 0) HELVE_TRY(context.check());
    const bool was_used = dictionary.has(id) && dictionary.code_of(id).has_value();
    if (was_used == is_used(snapshot, id)) continue;
    (was_used ? changed.gone : changed.come).push_back(id);
  }
  if (auto failure = snapshot.failure()) return *std::move(failure);
  return changed;
}

}  // namespace helve::store
