#include "sources/store/live/log_replay.h"

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

// `new_terms` has those that were put, after an error too.
Result<SharedSnapshot> replay_onto(const LiveSnapshot& before, const LogContent& log,
                                   std::size_t count, const OpContext& context,
                                   std::vector<Id>& new_terms) {
  const auto& terms = before.delta().tail->terms;
  const Dictionary& dictionary = before.base()->dictionary();
  std::vector<QuadEdit> edits;
  MemoryCharge charge(*context.memory, "the changes of a log");
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
    last.version = record.version;
    last.chain = checksum(record.payload, last.chain);
    if (transaction.has_kept_graphs) last.kept_graphs = std::move(transaction.kept_graphs);
  }
  const auto net = net_of(std::move(edits));
  if (!net) return unfit_log();
  for (const QuadEdit& edit : *net) {
    if (before.contains(edit.quad) == edit.is_added) return unfit_log();
  }
  HELVE_ASSIGN(const auto applied, apply_edits(before, *net, context));
  auto delta = std::make_shared<Delta>(*applied);
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
