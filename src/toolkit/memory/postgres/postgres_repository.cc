#include "toolkit/memory/postgres/postgres_repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "sources/sql/pool.h"
#include "toolkit/memory/item_row.h"
#include "toolkit/memory/postgres/bank_session.h"
#include "toolkit/memory/postgres/change_queue.h"
#include "toolkit/memory/postgres/postgres_rows.h"
#include "toolkit/memory/postgres/postgres_schema.h"
#include "toolkit/memory/postgres/postgres_search.h"
#include "toolkit/memory/vectors.h"

namespace helve::memory {

namespace {

using sql::ResultPtr;

constexpr std::int64_t kVisitPage = 500;
constexpr std::int64_t kVectorPage = 1'000;

Error not_known() {
  return {ErrorCode::Unavailable,
          "the answer of the server was lost: it is not known whether the change was kept",
          "look into the history before it is repeated; adding the same item again does no harm"};
}

struct Question {
  const std::string* sql = nullptr;
  std::vector<PgParameter> parameters;
};

class PostgresRepository final : public MemoryRepository {
 public:
  PostgresRepository(PostgresBankOptions options, Env& env)
      : options_(std::move(options)),
        env_(env),
        sql_(options_.schema),
        pool_({options_.database.connections_max, options_.database.acquire_timeout,
               options_.database.idle_max}),
        queue_([this](const std::vector<PendingChange*>& together, const OpContext& context) {
          return commit(together, context);
        }) {}

  Result<void> prepare(const OpContext& context) {
    return with_session(
        [&](BankSession& session) {
          std::vector<std::string> warnings;
          auto done =
              prepare_schema(session, sql_, options_.schema, options_.is_made, warnings, context);
          if (done) warnings_ = std::move(warnings);
          return done;
        },
        context);
  }

  Result<AddReport> add(std::vector<Item> items, const OpContext& context) override {
    PendingChange change;
    for (const Item& item : items) change.ids.push_back(item.id);
    change.is_shared = change.is_repeatable = true;
    return changed<AddReport>(
        std::move(change), [&](PostgresRows& rows) { return rows.add(items); }, context);
  }
  Result<ChangeReport> edit(const std::string& id, const ItemEdit& edit,
                            const OpContext& context) override {
    return changed<ChangeReport>(
        about({id}), [&](PostgresRows& rows) { return rows.edit(id, edit); }, context);
  }
  Result<ChangeReport> supersede(const std::string& id, const std::string& by,
                                 const OpContext& context) override {
    return changed<ChangeReport>(
        about({id, by}), [&](PostgresRows& rows) { return rows.supersede(id, by); }, context);
  }
  Result<ChangeReport> retract(const std::string& id, const OpContext& context) override {
    return changed<ChangeReport>(
        about({id}), [&](PostgresRows& rows) { return rows.retract(id); }, context);
  }
  Result<ChangeReport> evict(const std::vector<std::string>& ids,
                             const OpContext& context) override {
    return changed<ChangeReport>(
        about(ids), [&](PostgresRows& rows) { return rows.evict(ids); }, context);
  }
  // The server chooses by the words that items have, not by how well they match.
  std::size_t candidates_wanted() const override { return 2'000; }
  Result<ChangeReport> undo(std::optional<std::uint64_t> change,
                            const OpContext& context) override {
    return changed<ChangeReport>(
        about({}), [&](PostgresRows& rows) { return rows.undo(change); }, context);
  }
  Result<void> note_usage(const std::vector<UsageNote>& notes, const OpContext& context) override {
    PendingChange change;
    change.is_shared = true;
    change.work = [&](PostgresRows& rows) -> Result<void> {
      for (const UsageNote& note : notes) rows.note_usage(note);
      return {};
    };
    return queue_.run(change, context);
  }

  Result<void> put_vectors(const std::string& model, const std::vector<ItemVector>& vectors,
                           const OpContext& context) override {
    PendingChange change;
    change.is_repeatable = true;
    change.work = [&](PostgresRows& rows) { return rows.put_vectors(model, vectors); };
    return queue_.run(change, context);
  }

  // By pages; between two of them others may write, and then the stamp is not the last one.
  Result<std::optional<VectorTable>> vectors(const VectorRequest& request,
                                             const OpContext& context) override {
    VectorTable table;
    std::int64_t last = 0;
    for (bool has_more = true; has_more;) {
      HELVE_ASSIGN(const auto answers, ask({{&sql_.vectors_stamp, {}},
                                            {&sql_.vectors, {request.model, last, kVectorPage}}},
                                           context));
      if (last == 0) table.stamp = count_at(PgRow(answers[0], 0), 0);
      if (request.known_stamp == table.stamp) return std::optional<VectorTable>();
      for (int i = 0; i < rows_of(answers[1]); ++i) {
        const PgRow row(answers[1], i);
        last = row.integer(3);
        HELVE_TRY(add_vector(row.text(0), count_at(row, 1), bytes_of(row.text(2)), request, table));
      }
      has_more = rows_of(answers[1]) == kVectorPage;
    }
    return std::optional(std::move(table));
  }

  Result<std::vector<Item>> without_vectors(const std::string& model, std::size_t most,
                                            const OpContext& context) override {
    HELVE_ASSIGN(const auto answers,
                 ask({{&sql_.without_vectors, {model, static_cast<std::int64_t>(most)}}}, context));
    std::vector<Item> items;
    for (int i = 0; i < rows_of(answers[0]); ++i) {
      HELVE_ASSIGN(StoredItem stored, read_row(PgRow(answers[0], i)));
      items.push_back(std::move(stored.item));
    }
    return items;
  }

  Result<std::vector<Item>> get(const std::vector<std::string>& ids,
                                const OpContext& context) override {
    HELVE_ASSIGN(const auto answers, ask({{&sql_.find_items, {ids}}}, context));
    std::map<std::string, Item> found;
    for (int i = 0; i < rows_of(answers[0]); ++i) {
      HELVE_ASSIGN(StoredItem stored, read_row(PgRow(answers[0], i)));
      std::string id = stored.item.id;
      found.emplace(std::move(id), std::move(stored.item));
    }
    std::vector<Item> items;
    for (const std::string& id : ids) {
      const auto one = found.find(id);
      if (one == found.end()) return no_item(id);
      items.push_back(one->second);
    }
    return items;
  }

  Result<Candidates> candidates(const CandidateRequest& request,
                                const OpContext& context) override {
    Candidates found;
    HELVE_TRY(with_session(
        [&](BankSession& session) -> Result<void> {
          HELVE_ASSIGN(found, find_candidates(session, sql_, request, context));
          return {};
        },
        context));
    return found;
  }

  Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id, std::size_t limit,
                                           const OpContext& context) override {
    Question question{id ? &sql_.history_of_item : &sql_.history,
                      {static_cast<std::int64_t>(limit)}};
    if (id) question.parameters.emplace_back(*id);
    HELVE_ASSIGN(const auto answers, ask({std::move(question)}, context));
    std::vector<ChangeEntry> entries;
    for (int i = 0; i < rows_of(answers[0]); ++i) {
      HELVE_ASSIGN(ChangeEntry entry, read_change(PgRow(answers[0], i)));
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  // A page at a time: a transaction that stays would keep the server from cleaning up.
  Result<void> visit(const ItemFilter& filter, const Visitor& visitor,
                     const OpContext& context) override {
    std::int64_t last = 0;
    while (true) {
      HELVE_ASSIGN(const auto answers, ask({{&sql_.next_items, {last, kVisitPage}}}, context));
      for (int i = 0; i < rows_of(answers[0]); ++i) {
        HELVE_ASSIGN(const StoredItem stored, read_row(PgRow(answers[0], i)));
        last = stored.row;
        if (filter.lets_through(stored.item)) HELVE_TRY(visitor(stored.item));
      }
      if (rows_of(answers[0]) < kVisitPage) return {};
    }
  }

  Result<BankStats> stats(const OpContext& context) override {
    HELVE_ASSIGN(
        const auto answers,
        ask({{&sql_.stats, {}}, {&sql_.stats_sources, {}}, {&sql_.stats_domains, {}}}, context));
    BankStats stats;
    const PgRow numbers(answers[0], 0);
    stats.items = count_at(numbers, 0);
    stats.active = count_at(numbers, 1);
    stats.quarantined = count_at(numbers, 2);
    stats.superseded = count_at(numbers, 3);
    stats.retracted = count_at(numbers, 4);
    stats.changes = count_at(numbers, 5);
    stats.bytes = count_at(numbers, 6);
    for (int i = 0; i < rows_of(answers[1]); ++i) {
      const PgRow row(answers[1], i);
      const auto source = static_cast<std::size_t>(row.integer(0));
      if (source >= kItemSources) continue;
      stats.sources.emplace_back(name_of(static_cast<ItemSource>(source)), count_at(row, 1));
    }
    for (int i = 0; i < rows_of(answers[2]); ++i) {
      const PgRow row(answers[2], i);
      stats.domains.emplace_back(row.text(0), count_at(row, 1));
    }
    stats.schema_version = kPostgresSchemaVersion;
    return stats;
  }

  // A file of items alone would look like a backup, and lack the history.
  Result<void> back_up(const std::filesystem::path& /*path*/,
                       const OpContext& /*context*/) override {
    return Error{ErrorCode::InvalidInput,
                 "a bank on a server is backed up there, with all that belongs to it",
                 fmt::format("pg_dump --schema={} copies it whole; helve memory export writes its "
                             "items to a file",
                             options_.schema)};
  }

  std::vector<std::string> take_warnings() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

 private:
  using Lease = sql::Pool<BankSession>::Lease;

  static PendingChange about(std::vector<std::string> ids) {
    PendingChange change;
    change.ids = std::move(ids);
    return change;
  }

  Result<Lease> lease(const OpContext& context) {
    HELVE_ASSIGN(Lease lease, pool_.acquire(context));
    if (lease.has_connection() && !lease->is_alive()) lease.drop();
    if (!lease.has_connection()) {
      HELVE_ASSIGN(auto session, BankSession::open(options_.database, env_, context));
      lease.set(std::move(session));
    }
    return lease;
  }

  // Whether the work is to be done again on a new connection.
  bool is_worth_another(Lease& lease, const Error& error, int attempt) {
    if (!lease->is_lost()) return false;
    lease.drop();
    pool_.clear();  // what ended one has mostly ended all
    return attempt == 0 && error.code == ErrorCode::Unavailable;
  }

  // Work that may be done twice.
  template <typename Work>
  Result<void> with_session(const Work& work, const OpContext& context) {
    for (int attempt = 0;; ++attempt) {
      HELVE_ASSIGN(Lease lease, this->lease(context));
      Result<void> done = work(*lease);
      if (done || !is_worth_another(lease, done.error(), attempt)) return done;
    }
  }

  // Answers as of one state.
  Result<std::vector<ResultPtr>> ask(const std::vector<Question>& questions,
                                     const OpContext& context) {
    std::vector<ResultPtr> found;
    const auto work = [&](BankSession& session) -> Result<void> {
      session.begin(BankAccess::Read, context);
      session.add(sql_.read_bank);
      for (const Question& one : questions) session.add(*one.sql, one.parameters);
      session.commit();
      HELVE_ASSIGN(found, session.run(context));
      HELVE_TRY(read_bank_numbers(found[0]));
      found.erase(found.begin());
      return {};
    };
    HELVE_TRY(with_session(work, context));
    return found;
  }

  template <typename Report, typename Call>
  Result<Report> changed(PendingChange change, const Call& call, const OpContext& context) {
    Report report;
    change.work = [&](PostgresRows& rows) -> Result<void> {
      HELVE_ASSIGN(report, call(rows));
      return {};
    };
    HELVE_TRY(queue_.run(change, context));
    return report;
  }

  ChangeQueue::Outcome commit(const std::vector<PendingChange*>& together,
                              const OpContext& context) {
    const bool is_repeatable = std::all_of(together.begin(), together.end(),
                                           [](const auto* one) { return one->is_repeatable; });
    bool is_unknown = false;  // a commit was under way
    Result<void> done;
    for (int attempt = 0;; ++attempt) {
      auto lease = this->lease(context);
      if (!lease) {
        done = lease.error();
        break;
      }
      bool is_committing = false;
      done = transact(**lease, together, is_committing, context);
      if (done) break;
      const bool is_lost = (*lease)->is_lost();
      is_unknown = is_unknown || (is_committing && is_lost);
      const bool is_worth = is_worth_another(*lease, done.error(), attempt);
      if (!is_worth || (is_unknown && !is_repeatable)) break;
    }
    if (!done && is_unknown) done = not_known();
    const bool is_of_context = !done && !is_unknown && !context.check();
    for (PendingChange* one : together) {
      if (!done) one->result = done;
    }
    return {is_of_context};
  }

  // The rules are applied to rows that are locked; what comes of it goes with the commit, in one
  // message. Several changes come together only where none can fail for a reason of its own.
  Result<void> transact(BankSession& session, const std::vector<PendingChange*>& together,
                        bool& is_committing, const OpContext& context) {
    std::vector<std::string> ids;
    for (const PendingChange* one : together) {
      ids.insert(ids.end(), one->ids.begin(), one->ids.end());
    }
    session.begin(BankAccess::Write, context);
    session.add(sql_.lock_bank);
    session.add(sql_.find_items, {ids});
    HELVE_ASSIGN(const auto answers, session.run(context));
    auto done = apply(session, together, ids, answers, context);
    if (!done) {
      session.roll_back(context);
      return done;
    }
    session.commit();
    is_committing = true;
    HELVE_TRY(session.run(context));
    return {};
  }

  Result<void> apply(BankSession& session, const std::vector<PendingChange*>& together,
                     const std::vector<std::string>& ids, const std::vector<ResultPtr>& answers,
                     const OpContext& context) {
    HELVE_ASSIGN(const BankNumbers numbers, read_bank_numbers(answers[0]));
    PostgresRows rows(session, sql_, numbers, now(), context);
    HELVE_TRY(rows.know(ids, answers[1]));
    for (PendingChange* one : together) {
      HELVE_TRY(one->work(rows));
      one->result = {};
    }
    rows.flush();
    return {};
  }

  WallTime now() const {
    return std::chrono::time_point_cast<std::chrono::seconds>(env_.clock().wall());
  }

  const PostgresBankOptions options_;
  Env& env_;
  const BankSql sql_;
  sql::Pool<BankSession> pool_;
  ChangeQueue queue_;
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace

Result<std::unique_ptr<MemoryRepository>> open_postgres_repository(PostgresBankOptions options,
                                                                   Env& env,
                                                                   const OpContext& context) {
  if (!is_schema_name(options.schema)) {
    return Error{ErrorCode::InvalidInput, "the schema of the bank has no name that is allowed",
                 "lower-case letters, digits and _, 63 at most, not beginning with pg_"};
  }
  auto repository = std::make_unique<PostgresRepository>(std::move(options), env);
  HELVE_TRY(repository->prepare(context));
  return std::unique_ptr<MemoryRepository>(std::move(repository));
}

}  // namespace helve::memory
