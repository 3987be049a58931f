#include "sources/store/live/log_replay.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "sources/rdf/vocabulary.h"
#include "sources/store/live/transaction.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using SharedSnapshot = std::shared_ptr<const LiveSnapshot>;

Error unfit_log() {
  return {ErrorCode::Unavailable, "a transaction in the log does not fit what is there",
          "restore the folder from a copy"};
}

struct EditCounts {
  std::int64_t added = 0;
  std::int64_t removed = 0;

  void count(const QuadEdit& edit) { ++(edit.is_added ? added : removed); }
  bool allows(std::int64_t change) const { return change >= -removed && change <= added; }
};

using EditCountsById = std::unordered_map<Id, EditCounts, IdHash>;

bool is_allowed(const EditCountsById& edits, Id id, std::initializer_list<std::int64_t> changes) {
  const auto found = edits.find(id);
  return found != edits.end() &&
         std::all_of(changes.begin(), changes.end(),
                     [&](std::int64_t change) { return found->second.allows(change); });
}

// Adds what the edits themselves tell. False where the rest, which records tell, cannot be theirs.
bool complete(StatisticsChange& statistics, const std::vector<QuadEdit>& edits, Id type) {
  EditCounts all;
  EditCountsById predicates;
  EditCountsById classes;
  for (const QuadEdit& edit : edits) {
    all.count(edit);
    predicates[edit.quad.predicate].count(edit);
    if (edit.quad.predicate == type) classes[edit.quad.object].count(edit);
    statistics.graphs[edit.quad.graph] += edit.is_added ? 1 : -1;
  }
  std::erase_if(statistics.graphs, [](const auto& one) { return one.second == 0; });
  statistics.statements = all.added - all.removed;
  bool is_good = all.allows(statistics.subjects) && all.allows(statistics.objects);
  for (const auto& [id, one] : statistics.predicates) {
    is_good = is_good && is_allowed(predicates, id, {one.triples, one.subjects, one.objects});
    statistics.triples += one.triples;
  }
  for (const auto& [id, change] : statistics.classes) {
    is_good = is_good && is_allowed(classes, id, {change});
  }
  // A triple is repeated by every graph that states it but one.
  statistics.repeated = statistics.statements - statistics.triples;
  return is_good;
}

// The row of an id, or one that counts nothing. REQUIRES: rows by id.
template <typename Row>
Row row_of(const std::vector<Row>& rows, Id Row::*key, Id id) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), id,
                                   [&](const Row& row, Id wanted) { return row.*key < wanted; });
  return at != rows.end() && *at.*key == id ? *at : Row();
}

bool is_enough(std::uint64_t count, std::int64_t change) {
  return change >= 0 || count >= static_cast<std::uint64_t>(-change);
}

// Whether nothing that records tell becomes less than nothing.
bool is_possible(const LiveSnapshot& state, const StatisticsChange& told) {
  const Snapshot& snapshot = *state.base();
  const Statistics& base = snapshot.statistics();
  const StatisticsChange& all = state.delta().statistics;
  bool is_good = is_enough(base.triples, all.triples) &&
                 is_enough(snapshot.indexes().repeated_triples, all.repeated) &&
                 is_enough(base.distinct_subjects, all.subjects) &&
                 is_enough(base.distinct_objects, all.objects);
  for (const auto& one : told.predicates) {
    const auto at = all.predicates.find(one.first);
    if (at == all.predicates.end()) continue;
    const auto row = row_of(base.predicates, &PredicateStatistics::predicate, one.first);
    is_good = is_good && is_enough(row.triples, at->second.triples) &&
              is_enough(row.distinct_subjects, at->second.subjects) &&
              is_enough(row.distinct_objects, at->second.objects);
  }
  for (const auto& one : told.classes) {
    const auto at = all.classes.find(one.first);
    if (at == all.classes.end()) continue;
    const auto row = row_of(base.classes, &ClassStatistics::type, one.first);
    is_good = is_good && is_enough(row.instances, at->second);
  }
  return is_good;
}

Id find_type(const Dictionary& base, const DeltaTerms& terms) {
  const auto type = rdf::TermView::iri(rdf::kRdfType);
  if (const auto id = base.find(type)) return *id;
  std::string scratch;
  return terms.find(to_dictionary_term(type, scratch)).value_or(Id());
}

// `new_terms` has those that were put, after an error too.
Result<SharedSnapshot> replay_onto(const LiveSnapshot& before, const LogContent& log,
                                   std::size_t count, const OpContext& context,
                                   std::vector<Id>& new_terms) {
  const auto& terms = before.delta().tail->terms;
  const Dictionary& dictionary = before.base()->dictionary();
  std::vector<QuadEdit> edits;
  MemoryCharge charge(*context.memory, "the changes of a log");
  StatisticsChange statistics;
  Delta last;
  last.version = before.version();
  last.chain = before.delta().chain;
  last.kept_graphs = before.delta().kept_graphs;
  for (std::size_t i = 0; i < count; ++i) {
    HELVE_TRY(context.check());
    const LogRecord& record = log.records[i];
    HELVE_ASSIGN(LoggedTransaction transaction,
                 decode_transaction(record.payload, record.version, dictionary, *terms));
    new_terms.insert(new_terms.end(), transaction.new_terms.begin(), transaction.new_terms.end());
    edits.insert(edits.end(), transaction.edits.begin(), transaction.edits.end());
    HELVE_TRY(charge.resize(edits.size() * sizeof(QuadEdit)));
    statistics.add(transaction.statistics);
    last.version = record.version;
    last.chain = checksum(record.payload, last.chain);
    if (transaction.has_kept_graphs) last.kept_graphs = std::move(transaction.kept_graphs);
  }
  const auto net = net_of(std::move(edits));
  if (!net) return unfit_log();
  constexpr std::size_t kLookUpsAtOnce = 16'384;
  for (std::size_t i = 0; i < net->size(); ++i) {
    if (i % kLookUpsAtOnce == 0) HELVE_TRY(context.check());
    const QuadEdit& edit = (*net)[i];
    if (before.contains(edit.quad) == edit.is_added) return unfit_log();
  }
  const auto type = find_type(dictionary, *terms);
  if (!complete(statistics, *net, type)) return unfit_log();
  HELVE_ASSIGN(const AppliedEdits applied, apply_edits(before, *net, context, &statistics));
  auto delta = std::make_shared<Delta>(*applied.delta);
  delta->version = last.version;
  delta->chain = last.chain;
  delta->kept_graphs = std::move(last.kept_graphs);
  delta->tail = {log.place_behind(count), terms};
  auto after =
      std::make_shared<const LiveSnapshot>(before.base(), std::shared_ptr<const Delta>(delta));
  if (!is_possible(*after, statistics)) return unfit_log();
  return after;
}

}  // namespace

SharedSnapshot unchanged_state(const std::shared_ptr<const Snapshot>& base, std::uint64_t version) {
  auto delta = std::make_shared<Delta>();
  const auto terms = std::make_shared<DeltaTerms>(base->dictionary());
  delta->terms = terms;
  delta->terms_end = terms->starts();
  delta->version = version;
  delta->tail = {{}, terms};
  return std::make_shared<const LiveSnapshot>(base, std::shared_ptr<const Delta>(delta));
}

Result<SharedSnapshot> replay(const LiveSnapshot& before, const LogContent& log, std::size_t count,
                              const OpContext& context, std::unordered_set<Id, IdHash>* logged) {
  std::vector<Id> new_terms;
  auto made = replay_onto(before, log, count, context, new_terms);
  if (!made) {
    before.delta().tail->terms->remove(new_terms);
  } else if (logged != nullptr) {
    logged->insert(new_terms.begin(), new_terms.end());
  }
  return made;
}

Result<void> verify_counts(const LiveSnapshot& state, const OpContext& context) {
  const SharedSnapshot base = unchanged_state(state.base(), 0);
  auto delta = std::make_shared<Delta>(base->delta());
  delta->terms = state.delta().terms;
  const LiveSnapshot before(state.base(), std::shared_ptr<const Delta>(delta));
  const std::vector<QuadEdit> edits = difference(*delta, state.delta());
  HELVE_ASSIGN(const AppliedEdits counted, apply_edits(before, edits, context));
  if (counted.statistics == state.delta().statistics) return {};
  return Error{ErrorCode::Unavailable, "the log counts other than what its changes are",
               "restore the folder from a copy"};
}

}  // namespace helve::store
