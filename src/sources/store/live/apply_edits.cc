// The next state of a store: edits in every order, and exact statistics by asking, for each thing
// that was touched, whether it was there before and is there after.
#include <algorithm>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "sources/store/live/transaction.h"

namespace helve::store {

namespace {

constexpr std::size_t kBetweenChecks = 16'384;

class Applier {
 public:
  Applier(const LiveSnapshot& before, std::span<const QuadEdit> edits, const OpContext& context)
      : before_(before), edits_(edits), context_(context) {}

  // Counts what changes in the statistics unless it is known.
  Result<AppliedEdits> run(const StatisticsChange* known) {
    auto delta = std::make_shared<Delta>(before_.delta());
    delta->terms_end = delta->terms->ends();
    HELVE_ASSIGN(const std::vector<TreeChange> changes, find_changes());
    if (known == nullptr) ask_for_orders();
    HELVE_ASSIGN(delta->trees, before_.delta().trees.apply(changes, context_));
    AppliedEdits applied;
    if (known != nullptr) {
      applied.statistics = *known;
    } else {
      const std::shared_ptr<const Delta> trees = delta;
      const LiveSnapshot after(before_.base(), trees);
      HELVE_TRY(count(after, applied.statistics));
    }
    delta->statistics.add(applied.statistics);
    if (auto failure = before_.failure()) return *std::move(failure);
    applied.delta = std::move(delta);
    return applied;
  }

 private:
  // Has the state before make the orders that counting needs: the state after then has them too.
  void ask_for_orders() const {
    if (edits_.empty()) return;
    const Quad& any = edits_.front().quad;
    static_cast<void>(before_.is_touched({{}, {}, any.object, kAllGraphs}));
    static_cast<void>(before_.is_touched({{}, any.predicate, any.object, kAllGraphs}));
  }

  Result<std::vector<TreeChange>> find_changes() const {
    std::vector<TreeChange> changes;
    changes.reserve(edits_.size());
    for (std::size_t i = 0; i < edits_.size(); ++i) {
      if (i % kBetweenChecks == 0) HELVE_TRY(context_.check());
      const bool is_added = edits_[i].is_added;
      TreeChange change{key_of(edits_[i].quad, Order::Spo), std::nullopt};
      const auto known = before_.delta()[Order::Spo].find(change.key);
      // What is there already and was not added is the base's, and so is what was removed.
      const bool is_in_base = known ? *known == Presence::Removed : !is_added;
      if (is_added != is_in_base) change.presence = is_added ? Presence::Added : Presence::Removed;
      changes.push_back(change);
    }
    return changes;
  }

  // Triples that came or went, over all graphs as one.
  struct TripleChange {
    Id subject;
    Id predicate;
    Id object;
    std::int64_t by = 0;
  };

  Result<void> count(const LiveSnapshot& after, StatisticsChange& to) {
    std::vector<TripleChange> triples;
    HELVE_TRY(count_graphs(after, to, triples));
    const auto type = before_.find(rdf::TermView::iri(rdf::kRdfType));
    const auto type_after = after.find(rdf::TermView::iri(rdf::kRdfType));
    const Id type_id = type ? *type : type_after.value_or(Id());
    for (const TripleChange& triple : triples) {
      to.triples += triple.by;
      to.predicates[triple.predicate].triples += triple.by;
      if (triple.predicate == type_id) to.classes[triple.object] += triple.by;
    }
    HELVE_TRY(count_subjects(after, triples, to));
    HELVE_TRY(count_objects(after, triples, to));
    StatisticsChange counted;
    counted.add(to);  // without what came to nothing
    to = std::move(counted);
    return {};
  }

  // The edits of a triple in different graphs stand side by side.
  Result<void> count_graphs(const LiveSnapshot& after, StatisticsChange& to,
                            std::vector<TripleChange>& triples) {
    for (std::size_t i = 0; i < edits_.size(); ++i) {
      if (i % kBetweenChecks == 0) HELVE_TRY(context_.check());
      const Quad& quad = edits_[i].quad;
      const std::int64_t by = edits_[i].is_added ? 1 : -1;
      to.statements += by;
      to.graphs[quad.graph] += by;
      const bool is_last = i + 1 == edits_.size() || !is_same_triple(quad, edits_[i + 1].quad);
      if (!is_last) continue;
      const QuadPattern triple{quad.subject, quad.predicate, quad.object, kAllGraphs};
      const auto was = static_cast<std::int64_t>(before_.quads(triple));
      const auto is = static_cast<std::int64_t>(after.quads(triple));
      to.repeated += std::max<std::int64_t>(is - 1, 0) - std::max<std::int64_t>(was - 1, 0);
      const std::int64_t change = (is > 0 ? 1 : 0) - (was > 0 ? 1 : 0);
      if (change != 0) triples.push_back({quad.subject, quad.predicate, quad.object, change});
    }
    return {};
  }

  static bool is_same_triple(const Quad& a, const Quad& b) {
    return a.subject == b.subject && a.predicate == b.predicate && a.object == b.object;
  }

  // +1 for what came into being, -1 for what went.
  std::int64_t change_of(const LiveSnapshot& after, const QuadPattern& pattern) const {
    return (after.quads(pattern) > 0 ? 1 : 0) - (before_.quads(pattern) > 0 ? 1 : 0);
  }

  // Triples are in the order of subject and predicate.
  Result<void> count_subjects(const LiveSnapshot& after, const std::vector<TripleChange>& triples,
                              StatisticsChange& to) {
    for (std::size_t i = 0; i < triples.size(); ++i) {
      if (i % kBetweenChecks == 0) HELVE_TRY(context_.check());
      const TripleChange& one = triples[i];
      const bool is_new_subject = i == 0 || triples[i - 1].subject != one.subject;
      if (is_new_subject) to.subjects += change_of(after, {one.subject, {}, {}, kAllGraphs});
      if (is_new_subject || triples[i - 1].predicate != one.predicate) {
        to.predicates[one.predicate].subjects +=
            change_of(after, {one.subject, one.predicate, {}, kAllGraphs});
      }
    }
    return {};
  }

  Result<void> count_objects(const LiveSnapshot& after, std::vector<TripleChange>& triples,
                             StatisticsChange& to) {
    std::sort(triples.begin(), triples.end(), [](const TripleChange& a, const TripleChange& b) {
      return a.object != b.object ? a.object < b.object : a.predicate < b.predicate;
    });
    for (std::size_t i = 0; i < triples.size(); ++i) {
      if (i % kBetweenChecks == 0) HELVE_TRY(context_.check());
      const TripleChange& one = triples[i];
      const bool is_new_object = i == 0 || triples[i - 1].object != one.object;
      if (is_new_object) to.objects += change_of(after, {{}, {}, one.object, kAllGraphs});
      if (is_new_object || triples[i - 1].predicate != one.predicate) {
        to.predicates[one.predicate].objects +=
            change_of(after, {{}, one.predicate, one.object, kAllGraphs});
      }
    }
    return {};
  }

  const LiveSnapshot& before_;
  std::span<const QuadEdit> edits_;
  const OpContext& context_;
};

}  // namespace

Result<AppliedEdits> apply_edits(const LiveSnapshot& before, std::span<const QuadEdit> edits,
                                 const OpContext& context, const StatisticsChange* known) {
  return Applier(before, edits, context).run(known);
}

}  // namespace helve::store
