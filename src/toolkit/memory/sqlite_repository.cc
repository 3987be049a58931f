#include "toolkit/memory/sqlite_repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "base/file_identity.h"
#include "toolkit/memory/bank_index.h"
#include "toolkit/memory/bank_search.h"
#include "toolkit/memory/sqlite_rows.h"

namespace helve::memory {

namespace {

constexpr std::size_t kTogetherMax = 1'000;  // changes of one commit
constexpr std::size_t kVisitPage = 500;
constexpr std::chrono::milliseconds kTurnPause{20};  // between two looks at the deadline

// What a change of a caller does to the rows.
using RowWork = std::function<Result<void>(SqliteRows&)>;

// Whether an error concerns that change alone: the others of the same commit can go on.
bool is_of_caller(const Error& error) {
  return error.code == ErrorCode::InvalidInput || error.code == ErrorCode::NotFound ||
         error.code == ErrorCode::Denied;
}

class SqliteRepository final : public MemoryRepository {
 public:
  SqliteRepository(std::unique_ptr<BankFile> file, Env& env) : file_(std::move(file)), env_(env) {}

  Result<AddReport> add(std::vector<Item> items, const OpContext& context) override {
    // Before anybody waits for the file.
    SqliteRows::PreparedTerms prepared;
    for (const Item& item : items) prepared.emplace(item.id, item_terms(item));
    return changed<AddReport>(
        [&](SqliteRows& rows) {
          rows.use_prepared(&prepared);
          auto report = rows.add(items);
          rows.use_prepared(nullptr);
          return report;
        },
        context);
  }
  Result<ChangeReport> edit(const std::string& id, const ItemEdit& edit,
                            const OpContext& context) override {
    return changed<ChangeReport>([&](SqliteRows& rows) { return rows.edit(id, edit); }, context);
  }
  Result<ChangeReport> supersede(const std::string& id, const std::string& by,
                                 const OpContext& context) override {
    return changed<ChangeReport>([&](SqliteRows& rows) { return rows.supersede(id, by); }, context);
  }
  Result<ChangeReport> retract(const std::string& id, const OpContext& context) override {
    return changed<ChangeReport>([&](SqliteRows& rows) { return rows.retract(id); }, context);
  }
  Result<ChangeReport> evict(const std::vector<std::string>& ids,
                             const OpContext& context) override {
    return changed<ChangeReport>([&](BankRows& rows) { return rows.evict(ids); }, context);
  }
  Result<ChangeReport> undo(std::optional<std::uint64_t> change,
                            const OpContext& context) override {
    return changed<ChangeReport>([&](SqliteRows& rows) { return rows.undo(change); }, context);
  }
  Result<void> note_usage(const std::vector<UsageNote>& notes, const OpContext& context) override {
    return write(
        [&](SqliteRows& rows) -> Result<void> {
          for (const UsageNote& note : notes) HELVE_TRY(rows.note_usage(note));
          return {};
        },
        context);
  }

  Result<void> put_vectors(const std::string& model, const std::vector<ItemVector>& vectors,
                           const OpContext& context) override {
    return write([&](SqliteRows& rows) { return rows.put_vectors(model, vectors); }, context);
  }
  Result<std::optional<VectorTable>> vectors(const VectorRequest& request,
                                             const OpContext& context) override {
    std::optional<VectorTable> table;
    HELVE_TRY(read(
        [&](SqliteRows& rows) -> Result<void> {
          HELVE_ASSIGN(table, rows.vectors(request));
          return {};
        },
        context));
    return table;
  }
  Result<std::vector<Item>> without_vectors(const std::string& model, std::size_t most,
                                            const OpContext& context) override {
    std::vector<Item> items;
    HELVE_TRY(read(
        [&](SqliteRows& rows) -> Result<void> {
          HELVE_ASSIGN(items, rows.without_vectors(model, most));
          return {};
        },
        context));
    return items;
  }

  Result<std::vector<Item>> get(const std::vector<std::string>& ids,
                                const OpContext& context) override {
    std::vector<Item> items;
    HELVE_TRY(read(
        [&](SqliteRows& rows) -> Result<void> {
          for (const std::string& id : ids) {
            HELVE_ASSIGN(StoredItem stored, rows.get(id));
            items.push_back(std::move(stored.item));
          }
          return {};
        },
        context));
    return items;
  }

  Result<Candidates> candidates(const CandidateRequest& request,
                                const OpContext& context) override {
    Candidates found;
    HELVE_TRY(file_->read(
        [&](sqlite::Store& store) -> Result<void> {
          HELVE_ASSIGN(found, find_candidates(store, request));
          return {};
        },
        context));
    return found;
  }

  Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id, std::size_t limit,
                                           const OpContext& context) override {
    std::vector<ChangeEntry> entries;
    HELVE_TRY(read(
        [&](SqliteRows& rows) -> Result<void> {
          HELVE_ASSIGN(entries, rows.history(id, limit));
          return {};
        },
        context));
    return entries;
  }

  // A page at a time: a reader that stays would keep the WAL from being emptied.
  Result<void> visit(const ItemFilter& filter, const Visitor& visitor,
                     const OpContext& context) override {
    std::vector<StoredItem> page;
    std::vector<std::string> damaged;
    std::int64_t last = 0;
    for (bool has_more = true; has_more;) {
      HELVE_TRY(read(
          [&](SqliteRows& rows) -> Result<void> {
            HELVE_ASSIGN(has_more, rows.next(last, page, damaged, kVisitPage));
            return {};
          },
          context));
      for (const StoredItem& stored : page) {
        if (filter.lets_through(stored.item)) HELVE_TRY(visitor(stored.item));
      }
    }
    if (!damaged.empty()) {
      file_->warn(fmt::format("{} of the bank's items are damaged and were left out, {} among them",
                              damaged.size(), damaged.front()));
    }
    return {};
  }

  Result<BankStats> stats(const OpContext& context) override {
    BankStats stats;
    HELVE_TRY(read(
        [&](SqliteRows& rows) -> Result<void> {
          HELVE_ASSIGN(stats, rows.stats());
          return {};
        },
        context));
    for (const char* ending : {"", "-wal"}) {
      std::filesystem::path part = file_->path();
      part += ending;
      if (const auto identity = identify_file(part)) stats.bytes += identity->size;
    }
    return stats;
  }

  Result<void> back_up(const std::filesystem::path& path, const OpContext& context) override {
    const std::filesystem::path target = std::filesystem::absolute(path);
    std::filesystem::path part = target;
    part += fmt::format(".{}.part", env_.random().hex(4));
    auto done = copy_to(part, target, context);
    if (!done) (void)env_.files().remove(part);
    return done;
  }

  std::vector<std::string> take_warnings() override { return file_->take_warnings(); }

 private:
  struct Pending {
    const RowWork* work;
    Result<void> result;
    bool is_done = false;
  };

  Result<void> copy_to(const std::filesystem::path& part, const std::filesystem::path& target,
                       const OpContext& context) {
    // Copies itself one transaction, and so begins none here.
    HELVE_TRY(file_->copy(part, context));
    return env_.files().rename_new(part, target);
  }

  Result<void> read(const RowWork& work, const OpContext& context) {
    return file_->read(
        [&](sqlite::Store& store) -> Result<void> {
          SqliteRows rows(store, now());
          return work(rows);
        },
        context);
  }

  template <typename Report, typename Call>
  Result<Report> changed(const Call& call, const OpContext& context) {
    Report report;
    HELVE_TRY(write(
        [&](SqliteRows& rows) -> Result<void> {
          HELVE_ASSIGN(report, call(rows));
          return {};
        },
        context));
    return report;
  }

  // Whoever comes while nobody writes, writes for all who wait.
  Result<void> write(const RowWork& work, const OpContext& context) {
    HELVE_TRY(context.check());
    Pending mine{&work, {}};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&mine);
    while (!mine.is_done) {
      if (is_writing_) {
        turn_.wait_for(lock, kTurnPause);
        // Who still waits may give up; what somebody writes already has its end there.
        const auto place = std::find(waiting_.begin(), waiting_.end(), &mine);
        if (mine.is_done || place == waiting_.end()) continue;
        if (auto in_time = context.check(); !in_time) {
          waiting_.erase(place);
          return in_time;
        }
        continue;
      }
      const std::vector<Pending*> together = take(mine);
      is_writing_ = true;
      lock.unlock();
      const bool is_written = commit(together, context);
      lock.lock();
      // Who writes may run out of time; those whose changes it had with it have theirs.
      const bool is_of_mine_alone = !is_written && !context.check();
      for (Pending* one : together) {
        if (one != &mine && is_of_mine_alone) {
          waiting_.push_front(one);
        } else {
          one->is_done = true;
        }
      }
      is_writing_ = false;
      turn_.notify_all();
    }
    return mine.result;
  }

  // Its own first: it runs within the time of who writes.
  std::vector<Pending*> take(Pending& mine) {
    std::vector<Pending*> together = {&mine};
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &mine));
    while (!waiting_.empty() && together.size() < kTogetherMax) {
      together.push_back(waiting_.front());
      waiting_.pop_front();
    }
    return together;
  }

  bool commit(const std::vector<Pending*>& together, const OpContext& context) {
    const auto written = file_->write(
        [&](sqlite::Store& store) -> Result<void> {
          SqliteRows rows(store, now());
          for (Pending* one : together) {
            HELVE_TRY(store.run("SAVEPOINT one", {}));
            one->result = (*one->work)(rows);
            if (!one->result) {
              if (!is_of_caller(one->result.error())) return one->result;
              HELVE_TRY(store.run("ROLLBACK TO one", {}));
            }
            HELVE_TRY(store.run("RELEASE one", {}));
          }
          return BankIndex(store, file_->index_span()).settle();
        },
        context);
    if (!written) {
      for (Pending* one : together) one->result = written.error();
    }
    return written.has_value();
  }

  WallTime now() const {
    return std::chrono::time_point_cast<std::chrono::seconds>(env_.clock().wall());
  }

  const std::unique_ptr<BankFile> file_;
  Env& env_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::deque<Pending*> waiting_;
  bool is_writing_ = false;
};

}  // namespace

Result<std::unique_ptr<MemoryRepository>> open_sqlite_repository(const BankFileOptions& options,
                                                                 Env& env, SharedFiles& shared,
                                                                 const OpContext& context) {
  HELVE_ASSIGN(auto file, BankFile::open(options, env, shared, context));
  return std::unique_ptr<MemoryRepository>(
      std::make_unique<SqliteRepository>(std::move(file), env));
}

}  // namespace helve::memory
