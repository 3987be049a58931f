#include "sources/store/live/log_replay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "sources/store/live/transaction.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using SharedSnapshot = std::shared_ptr<const LiveSnapshot>;

Error unfit_log() {
  return {ErrorCode::Unavailable, "a transaction in the log does not fit what is there",
          "restore the folder from a copy"};
}

bool is_enough(std::uint64_t count, std::int64_t change) {
  return change >= 0 || count >= static_cast<std::uint64_t>(-change);
}

// The row of an id, or one that counts nothing.
template <typename Row>
Row row_of(const std::vector<Row>& rows, Id Row::*key, Id id) {
  const auto is_before = [&](const Row& row, Id wanted) {
    if (!(row.*key).is_defined()) return false;  // the default graph, which stands last
    return !wanted.is_defined() || row.*key < wanted;
  };
  const auto at = std::lower_bound(rows.begin(), rows.end(), id, is_before);
  return at != rows.end() && *at.*key == id ? *at : Row();
}

// Whether nothing that a log touched becomes less than nothing.
bool is_possible(const Statistics& base, const StatisticsChange& touched,
                 const StatisticsChange& all) {
  bool is_good = is_enough(base.statements, all.statements) &&
                 is_enough(base.triples, all.triples) &&
                 is_enough(base.distinct_subjects, all.subjects) &&
                 is_enough(base.distinct_objects, all.objects);
  const auto look_at = [&](const auto& ids, const auto& changes, const auto& check) {
    for (const auto& one : ids) {
      const auto at = changes.find(one.first);
      is_good = is_good && (at == changes.end() || check(one.first, at->second));
    }
  };
  look_at(touched.predicates, all.predicates, [&](Id id, const StatisticsChange::Predicate& by) {
    const auto row = row_of(base.predicates, &PredicateStatistics::predicate, id);
    return is_enough(row.triples, by.triples) && is_enough(row.distinct_subjects, by.subjects) &&
           is_enough(row.distinct_objects, by.objects);
  });
  look_at(touched.classes, all.classes, [&](Id id, std::int64_t by) {
    return is_enough(row_of(base.classes, &ClassStatistics::type, id).instances, by);
  });
  look_at(touched.graphs, all.graphs, [&](Id id, std::int64_t by) {
    return is_enough(row_of(base.graphs, &GraphStatistics::graph, id).statements, by);
  });
  return is_good;
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
  for (const QuadEdit& edit : *net) {
    if (before.contains(edit.quad) == edit.is_added) return unfit_log();
  }
  HELVE_ASSIGN(const AppliedEdits applied, apply_edits(before, *net, context, &statistics));
  if (!is_possible(before.base()->statistics(), statistics, applied.delta->statistics)) {
    return unfit_log();
  }
  auto delta = std::make_shared<Delta>(*applied.delta);
  delta->version = last.version;
  delta->chain = last.chain;
  delta->kept_graphs = std::move(last.kept_graphs);
  delta->tail = {log.place_behind(count), terms};
  return std::make_shared<const LiveSnapshot>(before.base(), std::shared_ptr<const Delta>(delta));
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

}  // namespace helve::store
