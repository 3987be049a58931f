#include "sources/store/live/live_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "base/log.h"
#include "base/wait_mutex.h"
#include "sources/store/live/change_log.h"
#include "sources/store/live/live_merge.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/log_replay.h"
#include "sources/store/live/store_commit.h"
#include "sources/store/live/transaction.h"
#include "sources/store/live/update_run.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using Path = std::filesystem::path;
using SharedSnapshot = std::shared_ptr<const LiveSnapshot>;

// What was committed between two states, as one transaction in the words of another base, whose new
// terms go into `terms`.
LoggedTransaction translate_changes(const Delta& from, const LiveSnapshot& to,
                                    const Dictionary& base, DeltaTerms& terms) {
  std::string scratch;
  std::string text;
  const auto translate = [&](Id id) {
    if (!id.is_defined()) return id;
    const rdf::TermView term = to.term(id, text);
    if (const auto found = base.find(term)) return *found;
    const DictionaryTerm wanted = to_dictionary_term(term, scratch);
    const auto known = terms.find(wanted);
    return known ? *known : terms.add(wanted);
  };
  LoggedTransaction later;
  for (const QuadEdit& edit : difference(from, to.delta())) {
    later.edits.push_back({{translate(edit.quad.subject), translate(edit.quad.predicate),
                            translate(edit.quad.object), translate(edit.quad.graph)},
                           edit.is_added});
  }
  std::sort(later.edits.begin(), later.edits.end(),
            [](const QuadEdit& a, const QuadEdit& b) { return a.quad < b.quad; });
  for (const Id graph : to.delta().kept_graphs) later.kept_graphs.push_back(translate(graph));
  std::sort(later.kept_graphs.begin(), later.kept_graphs.end());
  later.has_kept_graphs = !later.kept_graphs.empty();
  const DeltaTerms::Ends ends = terms.ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::uint64_t n = terms.starts()[i]; n < ends[i]; ++n) {
      later.new_terms.emplace_back(static_cast<Tag>(i + 1), n);
    }
  }
  return later;
}

}  // namespace

void LiveOptions::hold_within(std::uint64_t memory_bytes) {
  constexpr std::uint64_t kChangeBytes = kKiB;     // at the most, while its transaction is made
  constexpr std::uint64_t kTermsMax = 16'000'000;  // DeltaTerms::put() takes no more at once
  changes_max = std::max(changes_max, memory_bytes / kChangeBytes);
  terms_max = std::max(terms_max, std::min(memory_bytes / kChangeBytes, kTermsMax));
  term_bytes_max = std::max(term_bytes_max, memory_bytes / 8);
}

class LiveStore::State {
 public:
  State(SharedSnapshot state, std::shared_ptr<DeltaTerms> terms, const LiveOptions& options,
        Env& env)
      : options_(options), env_(env), terms_(std::move(terms)), queue_(std::move(state)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    {
      const std::lock_guard lock(compactor_mutex_);
      is_ending_ = true;
      compactor_cancel_.cancel();
    }
    compactor_wakes_.notify_all();
    compactor_paused_.notify_all();
    if (compactor_.joinable()) compactor_.join();
  }

  // The folder and its lock, and what the log has.
  Result<void> use_folder(const Path& folder, std::unique_ptr<FileLock> lock,
                          std::optional<LogContent> log, std::unordered_set<Id, IdHash> logged) {
    folder_ = folder;
    lock_ = std::move(lock);
    logged_ = std::move(logged);
    const std::uint64_t checksum = *queue_.durable()->base()->content_checksum();
    const Path path = log_path(folder, checksum);
    if (log) {
      HELVE_ASSIGN(LogWriter writer, LogWriter::resume(path, *log, env_));
      HELVE_TRY(queue_.use_log(std::move(writer), path, env_));
    } else {
      HELVE_ASSIGN(LogWriter writer, LogWriter::create(path, checksum, 0, env_));
      HELVE_TRY(queue_.use_log(std::move(writer), path, env_));
    }
    // The base may have its name from a writer that was stopped before that was on disk; the log of
    // the one before it stays until then.
    HELVE_TRY(env_.files().sync_directory(folder));
    remove_logs_but(path, folder, env_);
    return {};
  }

  SharedSnapshot snapshot() const { return queue_.durable(); }

  Result<CommitReport> write(const std::function<Result<void>(Transaction&)>& work,
                             const OpContext& context) {
    HELVE_TRY(wait_for_room(context));
    CommitReport report;
    {
      HELVE_ASSIGN(auto lock, lock_within(writer_mutex_, context));
      if (auto failure = queue_.failure()) return *std::move(failure);
      const DeltaTerms::Ends ends = terms_->ends();
      const std::uint64_t version = queue_.appended()->version();
      auto committed = commit(work, context);
      // Of what came to nothing the terms go too.
      if (queue_.appended()->version() == version) terms_->truncate(ends);
      HELVE_ASSIGN(report, std::move(committed));
    }
    HELVE_TRY(queue_.wait_for(report.version));
    wake_compactor();
    return report;
  }

  Result<void> compact(const OpContext& context);
  bool is_worth_compacting() const { return is_large(*queue_.durable()); }

 private:
  Result<CommitReport> commit(const std::function<Result<void>(Transaction&)>& work,
                              const OpContext& context) {
    const SharedSnapshot before = queue_.appended();
    const std::string blank_prefix =
        fmt::format("u{}x{}x", env_.random().hex(4), before->version() + 1);
    const ChangeLimits limits{options_.changes_max, options_.terms_max, options_.term_bytes_max};
    Transaction transaction(before, *terms_, limits, blank_prefix, context);
    HELVE_TRY(work(transaction));
    HELVE_TRY(context.check());
    LoggedTransaction logged;
    HELVE_ASSIGN(logged.edits, transaction.net_edits());
    HELVE_ASSIGN(const SharedSnapshot after, transaction.snapshot());
    logged.statistics = transaction.statistics();
    logged.has_kept_graphs = after->delta().kept_graphs != before->delta().kept_graphs;
    CommitReport report;
    for (const QuadEdit& edit : logged.edits) ++(edit.is_added ? report.added : report.removed);
    if (logged.edits.empty() && !logged.has_kept_graphs) {
      report.version = before->version();
      report.fingerprint = before->fingerprint();
      return report;
    }
    logged.kept_graphs = after->delta().kept_graphs;
    find_new_terms(logged);
    logged.version = before->version() + 1;
    const std::string payload = encode_transaction(logged, *terms_);
    auto delta = std::make_shared<Delta>(after->delta());
    delta->version = logged.version;
    delta->chain = checksum(payload, before->delta().chain);
    delta->tail.reset();
    auto next =
        std::make_shared<const LiveSnapshot>(before->base(), std::shared_ptr<const Delta>(delta));
    report.version = next->version();
    report.fingerprint = next->fingerprint();
    HELVE_TRY(queue_.append(payload, std::move(next)));
    logged_.insert(logged.new_terms.begin(), logged.new_terms.end());
    return report;
  }

  void find_new_terms(LoggedTransaction& logged) const {
    std::unordered_set<Id, IdHash> met;
    const auto look_at = [&](Id id) {
      if (!id.is_defined() || id.is_inlined() || !terms_->has(id)) return;
      if (logged_.count(id) == 0 && met.insert(id).second) logged.new_terms.push_back(id);
    };
    for (const QuadEdit& edit : logged.edits) {
      for (const Part part : {Part::Subject, Part::Predicate, Part::Object, Part::Graph}) {
        look_at(edit.quad[part]);
      }
    }
    for (const Id graph : logged.kept_graphs) look_at(graph);
    std::sort(logged.new_terms.begin(), logged.new_terms.end());
  }

  void wake_compactor() {
    if (!options_.compacts_itself || !is_large(*queue_.durable())) return;
    const std::lock_guard lock(compactor_mutex_);
    if (is_ending_) return;
    is_wanted_ = true;
    if (!compactor_.joinable()) compactor_ = std::thread([this] { compact_in_background(); });
    compactor_wakes_.notify_all();
  }

  bool is_large(const LiveSnapshot& state) const {
    const std::uint64_t share = state.base()->statistics().statements / 5;
    const std::uint64_t most = std::min(share, options_.compact_at);
    const std::uint64_t changes = state.delta().changes();
    return (changes >= options_.compact_from && changes >= most) || is_filled(state, 4) ||
           queue_.log_bytes() > options_.log_bytes_max;
  }

  // Whether one part in so many of what can be held in memory is.
  bool is_filled(const LiveSnapshot& state, std::uint64_t parts) const {
    const Delta& delta = state.delta();
    return delta.changes() > options_.changes_max / parts ||
           delta.terms->size() > options_.terms_max / parts ||
           delta.terms->bytes() > options_.term_bytes_max / parts;
  }

  // Where much is held, until a thread has compacted it or failed to: then transactions go on until
  // nothing more can be held.
  Result<void> wait_for_room(const OpContext& context) {
    if (!options_.compacts_itself || !is_filled(*queue_.durable(), 2)) return {};
    wake_compactor();
    std::unique_lock lock(compactor_mutex_);
    while (is_filled(*queue_.durable(), 2) && !is_paused_ && !is_ending_) {
      HELVE_TRY(context.check());
      compactor_paused_.wait_for(lock, std::chrono::milliseconds(20));
    }
    return {};
  }

  void compact_in_background() {
    while (true) {
      OpContext context;
      {
        std::unique_lock lock(compactor_mutex_);
        compactor_wakes_.wait(lock, [this] { return is_ending_ || is_wanted_; });
        if (is_ending_) return;
        is_wanted_ = false;
        context.cancel = compactor_cancel_;
      }
      if (const auto done = compact(context); !done) {
        log_info("a store was not compacted", {{"reason", done.error().to_string()}});
        // What failed would fail again with the next transaction.
        std::unique_lock lock(compactor_mutex_);
        is_paused_ = true;
        compactor_paused_.notify_all();
        compactor_wakes_.wait_for(lock, kCompactionPause, [this] { return is_ending_; });
        is_paused_ = false;
        is_wanted_ = false;
      }
    }
  }

  static constexpr std::chrono::seconds kCompactionPause{60};

  struct NewBase {
    std::shared_ptr<const Snapshot> snapshot;
    std::optional<SnapshotDraft> draft;  // of a store with a folder
    std::unique_ptr<ScratchSpace> scratch;
  };
  Result<NewBase> build_base(const LiveSnapshot& from, const OpContext& context);
  Result<void> swap(NewBase made, const LiveSnapshot& from, const OpContext& context);
  Result<std::shared_ptr<const Snapshot>> open_published(const OpContext& context);

  const LiveOptions options_;
  Env& env_;
  Path folder_;  // empty: in memory alone
  std::unique_ptr<FileLock> lock_;
  WaitMutex writer_mutex_;
  WaitMutex compact_mutex_;
  std::shared_ptr<DeltaTerms> terms_;      // of the base; changed by who has writer_mutex_
  std::unordered_set<Id, IdHash> logged_;  // terms that the log has
  CommitQueue queue_;

  std::mutex compactor_mutex_;
  std::condition_variable compactor_wakes_;
  std::condition_variable compactor_paused_;
  std::thread compactor_;
  CancelToken compactor_cancel_;
  bool is_wanted_ = false;
  bool is_paused_ = false;  // after a failure
  bool is_ending_ = false;
};

Result<LiveStore::State::NewBase> LiveStore::State::build_base(const LiveSnapshot& from,
                                                               const OpContext& context) {
  NewBase made;
  if (folder_.empty()) {
    HELVE_ASSIGN(made.snapshot, merge_changes(from, {}, context));
    return made;
  }
  remove_dead_drafts(folder_, env_);
  HELVE_ASSIGN(made.scratch, ScratchSpace::create(folder_, env_));
  HELVE_ASSIGN(
      made.snapshot,
      merge_changes(from, {.scratch = made.scratch.get(), .memory = context.memory}, context));
  HELVE_ASSIGN(const SnapshotInfo info, read_snapshot_info(folder_, context, env_));
  SnapshotOrigin origin = info.origin;
  origin.created_by = options_.program;
  origin.key.clear();  // it is not that of its documents any more
  HELVE_ASSIGN(made.draft, write_snapshot_draft(*made.snapshot, origin, folder_, context, env_));
  return made;
}

// REQUIRES: the caller writes alone, and everything that was written is durable.
Result<void> LiveStore::State::swap(NewBase made, const LiveSnapshot& from,
                                    const OpContext& context) {
  const SharedSnapshot now = queue_.durable();
  std::shared_ptr<const Snapshot> base = made.snapshot;
  const SharedSnapshot empty = unchanged_state(base, 0);
  const auto terms = empty->delta().tail->terms;
  LoggedTransaction later = translate_changes(from.delta(), *now, base->dictionary(), *terms);
  HELVE_ASSIGN(AppliedEdits applied, apply_edits(*empty, later.edits, context));
  later.statistics = std::move(applied.statistics);
  const bool has_more = !later.edits.empty() || later.has_kept_graphs;
  std::unordered_set<Id, IdHash> logged;
  logged.insert(later.new_terms.begin(), later.new_terms.end());
  const std::string payload = encode_transaction(later, *terms);

  auto delta = std::make_shared<Delta>(*applied.delta);
  delta->tail.reset();
  delta->version = now->version();
  delta->chain = has_more ? checksum(payload, 0) : 0;
  delta->kept_graphs = later.kept_graphs;

  std::optional<LogWriter> writer;
  std::unique_ptr<WritableFile> syncer;
  if (made.draft) {
    const std::uint64_t version = has_more ? now->version() - 1 : now->version();
    const Path path = log_path(folder_, made.draft->content_checksum);
    const Path old_path = log_path(folder_, *now->base()->content_checksum());
    const auto prepare = [&]() -> Result<void> {
      // In one step: where nothing but the log has changed, this takes the place of the old one.
      HELVE_ASSIGN(writer, LogWriter::create(path, made.draft->content_checksum, version, env_,
                                             has_more ? payload : std::string_view()));
      HELVE_ASSIGN(syncer, CommitQueue::open_syncer(path, env_));
      return publish_snapshot(*made.draft, folder_, IfPresent::Replace, env_);
    };
    if (const auto prepared = prepare(); !prepared) {
      (void)env_.files().remove(made.draft->path);
      if (old_path != path) (void)env_.files().remove(path);
      return prepared.error();
    }
    // What is written to the old log from here on would be lost.
    auto opened = open_published(context);
    if (!opened) {
      queue_.fail(opened.error());
      return opened.error();
    }
    base = *std::move(opened);
    if (old_path != path) (void)env_.files().remove(old_path);
  }
  terms_ = terms;
  logged_ = std::move(logged);
  queue_.restart(std::make_shared<const LiveSnapshot>(base, std::shared_ptr<const Delta>(delta)),
                 std::move(writer), std::move(syncer));
  return {};
}

Result<std::shared_ptr<const Snapshot>> LiveStore::State::open_published(const OpContext& context) {
  const auto explained = [](Error error) {
    error.message = fmt::format("a new index is in place, but: {}", error.message);
    error.hint = "open the store again: nothing that was acknowledged is lost";
    return error;
  };
  if (auto synced = env_.files().sync_directory(folder_); !synced) return explained(synced.error());
  auto opened = open_snapshot(folder_, context, env_);
  if (!opened) return explained(opened.error());
  return opened;
}

Result<void> LiveStore::State::compact(const OpContext& context) {
  HELVE_ASSIGN(const auto turn, lock_within(compact_mutex_, context));
  const SharedSnapshot from = queue_.durable();
  if (from->delta().changes() == 0 && !is_large(*from)) return {};
  HELVE_ASSIGN(NewBase made, build_base(*from, context));
  // From here on it is short: it is not given up half-way.
  OpContext unhurried = context;
  unhurried.deadline = {};
  unhurried.cancel = CancelToken();
  unhurried.memory = &process_memory();  // what it opens outlives the call
  const std::lock_guard lock(writer_mutex_);
  if (auto failure = queue_.failure()) return *std::move(failure);
  HELVE_TRY(queue_.wait_for(queue_.appended()->version()));
  return swap(std::move(made), *from, unhurried);
}

LiveStore::LiveStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
LiveStore::~LiveStore() = default;

Result<std::shared_ptr<LiveStore>> LiveStore::open(const Path& folder, const LiveOptions& options,
                                                   const OpContext& context, Env& env) {
  HELVE_TRY(check_snapshot_folder(folder, env));
  HELVE_ASSIGN(auto lock, lock_for_writing(folder, env));
  HELVE_ASSIGN(auto base, open_snapshot(folder, context, env));
  const std::uint64_t checksum = *base->content_checksum();
  auto read = read_log(log_path(folder, checksum), checksum, env);
  if (!read && read.error().code != ErrorCode::NotFound) return read.error();
  std::optional<LogContent> log;
  if (read) log = std::move(*read);
  std::unordered_set<Id, IdHash> logged;
  SharedSnapshot state = unchanged_state(base, log ? log->first_version : 0);
  auto terms = state->delta().tail->terms;
  if (log) {
    HELVE_ASSIGN(state, replay(*state, *log, log->records.size(), context, &logged));
  }
  auto made = std::make_unique<State>(std::move(state), std::move(terms), options, env);
  HELVE_TRY(made->use_folder(folder, std::move(lock), std::move(log), std::move(logged)));
  return std::shared_ptr<LiveStore>(new LiveStore(std::move(made)));
}

Result<std::shared_ptr<LiveStore>> LiveStore::in_memory(const std::shared_ptr<const Snapshot>& base,
                                                        const LiveOptions& options, Env& env) {
  SharedSnapshot state = unchanged_state(base, 0);
  auto terms = state->delta().tail->terms;
  return std::shared_ptr<LiveStore>(
      new LiveStore(std::make_unique<State>(std::move(state), std::move(terms), options, env)));
}

SharedSnapshot LiveStore::snapshot() const { return state_->snapshot(); }

Result<CommitReport> LiveStore::write(const std::function<Result<void>(Transaction&)>& work,
                                      const OpContext& context) {
  return state_->write(work, context);
}

Result<CommitReport> LiveStore::update(const sparql::Update& update, const UpdateOptions& options,
                                       const OpContext& context) {
  HELVE_TRY(check_update(update, options));
  return write([&](Transaction& to) { return run_update(update, options, to); }, context);
}

Result<LiveStore::GraphReport> LiveStore::write_graph(const std::string& graph, GraphWrite how,
                                                      rdf::Document& document,
                                                      const std::string& base_iri,
                                                      const OpContext& context) {
  GraphReport report;
  HELVE_ASSIGN(report.commit, write(
                                  [&](Transaction& to) {
                                    return put_graph(graph, how == GraphWrite::Replace, document,
                                                     base_iri, to, report.was_there);
                                  },
                                  context));
  return report;
}

Result<LiveStore::GraphReport> LiveStore::drop_graph(const std::string& graph,
                                                     const OpContext& context) {
  GraphReport report;
  report.was_there = true;
  HELVE_ASSIGN(report.commit,
               write([&](Transaction& to) { return remove_graph(graph, to); }, context));
  return report;
}

Result<void> LiveStore::compact(const OpContext& context) { return state_->compact(context); }

bool LiveStore::is_worth_compacting() const { return state_->is_worth_compacting(); }

}  // namespace helve::store
