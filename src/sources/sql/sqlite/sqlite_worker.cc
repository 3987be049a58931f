#include "sources/sql/sqlite/sqlite_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/sqlite_file.h"
#include "sources/sql/sqlite/sqlite_changer.h"
#include "sources/sql/sqlite/sqlite_protocol.h"
#include "sources/sql/sqlite/sqlite_rules.h"

namespace helve::sql {

namespace {

constexpr std::size_t kReadBytes = 64 * kKiB;
constexpr std::size_t kSendBytes = 48 * kKiB;
constexpr std::size_t kFrameBytesMax = 256 * kMiB;
constexpr Duration kSendPause = std::chrono::milliseconds(20);
constexpr Duration kLookPause = std::chrono::milliseconds(1);
constexpr std::uint32_t kRowsPerLookMax = 64;
constexpr std::string_view kPlanPrefix = "EXPLAIN QUERY PLAN ";

// Whole frames off a stream.
class FrameSource {
 public:
  explicit FrameSource(ByteSource& in) : in_(in) {}

  // nullopt at the end. The bytes are valid until the next call.
  Result<std::optional<std::string_view>> take(std::size_t size) {
    pending_.erase(0, std::exchange(taken_, 0));
    while (pending_.size() < size) {
      HELVE_ASSIGN(const std::size_t count, in_.read(buffer_));
      if (count == 0) return std::optional<std::string_view>();
      pending_.append(buffer_.data(), count);
    }
    taken_ = size;
    return std::optional<std::string_view>(std::string_view(pending_).substr(0, size));
  }

 private:
  ByteSource& in_;
  std::array<char, kReadBytes> buffer_;
  std::string pending_;
  std::size_t taken_ = 0;
};

class Worker {
 public:
  Worker(ByteSource& in, ByteSink& out, const Clock& clock) : in_(in), out_(out), clock_(clock) {}

  int run() {
    const auto magic = in_.take(kSqliteMagic.size());
    if (!magic || *magic != kSqliteMagic) return 1;
    for (;;) {
      const auto head_bytes = in_.take(SqliteFrameHead::kBytes);
      if (!head_bytes) return 1;
      if (!*head_bytes) return 0;
      const SqliteFrameHead head = *read_frame_head(**head_bytes);
      if (head.size > kFrameBytesMax) return 1;
      const auto payload = in_.take(head.size);
      if (!payload || !*payload || !answer(head.kind, **payload)) return 1;
    }
  }

 private:
  bool answer(SqliteFrame kind, std::string_view payload) {
    if (kind == SqliteFrame::Open) {
      const auto open = read_open(payload);
      if (!open || !path_.empty()) return false;
      path_ = open->path;
      file_ = {path_, open->is_immutable, {}, open->use};
      sqlite::set_heap_limit(open->memory_bytes_max);
      return true;
    }
    auto run = is_request(kind) ? read_run(payload) : std::nullopt;
    if (!run || path_.empty()) return false;
    run->request = kind;
    const bool is_reader = file_.use == sqlite::FileUse::Read;
    if (is_reader && kind != SqliteFrame::Run) return false;
    auto outcome = is_reader ? answer_run(*run) : answer_change(*run);
    if (is_lost_) return false;
    if (!outcome) {
      if (changer_ != nullptr && changer_->is_over()) write_over(pending_);
      write_failed(pending_, outcome.error());
    }
    return send();
  }

  static bool is_request(SqliteFrame kind) {
    return kind >= SqliteFrame::Run && kind <= SqliteFrame::RollBack;
  }

  OpContext context_of(const SqliteRun& run) const {
    OpContext context;
    if (run.time) context.deadline = Deadline(clock_, *run.time);
    return context;
  }

  Result<void> answer_run(const SqliteRun& run) {
    const OpContext context = context_of(run);
    if (database_ == nullptr) {
      HELVE_ASSIGN(database_, sqlite::FileDatabase::open(file_, sqlite_permits(), context));
    }
    HELVE_TRY(apply_rules(run, context));
    std::string plan_sql;
    if (rules_ != nullptr || run.is_plan) {
      // A statement that may not be run is not explained either.
      HELVE_TRY(database_->prepare(run.sql, context, sqlite::StatementOrigin::Caller));
      if (rules_ != nullptr) {
        HELVE_TRY(check_index_order(*database_, *rules_, run.sql, context));
      }
    }
    if (run.is_plan) {
      plan_sql = fmt::format("{}{}", kPlanPrefix, run.sql);
    }
    HELVE_ASSIGN(const auto statement, database_->prepare(run.is_plan ? plan_sql : run.sql, context,
                                                          sqlite::StatementOrigin::Caller));
    if (!run.is_plan) HELVE_TRY(bind(*statement, run));
    HELVE_ASSIGN(const bool has_more, send_rows(*statement, run));
    write_done(pending_, has_more);
    return {};
  }

  Result<void> answer_change(const SqliteRun& run) {
    const OpContext context = context_of(run);
    if (changer_ == nullptr) {
      HELVE_ASSIGN(changer_, SqliteChanger::open(file_, context));
    }
    switch (run.request) {
      case SqliteFrame::Run:
        return answer_read(run, context);
      case SqliteFrame::Write:
        return answer_write(run, context);
      case SqliteFrame::Begin:
        HELVE_TRY(changer_->begin(context));
        break;
      case SqliteFrame::Undo:
        HELVE_TRY(changer_->undo());
        break;
      case SqliteFrame::Commit:
        HELVE_TRY(changer_->commit(context));
        break;
      default:
        HELVE_TRY(changer_->roll_back());
        break;
    }
    write_changed(pending_, {});
    return {};
  }

  Result<void> answer_read(const SqliteRun& run, const OpContext& context) {
    const auto outcome = [&]() -> Result<bool> {
      HELVE_ASSIGN(const auto statement, changer_->prepare_read(run.sql, run.rules, context));
      HELVE_TRY(bind(*statement, run));
      return send_rows(*statement, run);
    }();
    if (!outcome) {
      if (!context.check()) (void)changer_->roll_back();
      return outcome.error();
    }
    write_done(pending_, *outcome);
    return {};
  }

  Result<void> answer_write(const SqliteRun& run, const OpContext& context) {
    auto prepared = changer_->prepare_change(run.sql, run.rules, context);
    if (!prepared) {
      if (!context.check()) (void)changer_->roll_back();
      return std::move(prepared).error();
    }
    const ChangeOutline& outline = changer_->outline();
    SqliteChanged changed{outline.kind,  false, outline.table, std::nullopt, 0,
                          outline.notes, false};
    HELVE_TRY(bind(**prepared, run));
    if (!run.is_plan) HELVE_TRY(run_change(*std::move(prepared), run, changed, context));
    write_changed(pending_, changed);
    return {};
  }

  Result<void> run_change(std::unique_ptr<sqlite::FileStatement> statement, const SqliteRun& run,
                          SqliteChanged& changed, const OpContext& context) {
    HELVE_TRY(changer_->start(run.changes_max));
    auto has_more = send_rows(*statement, run);
    statement.reset();
    if (!has_more && changer_->has_stopped() && context.check()) {
      changer_->undo_stopped(context);
      if (changer_->is_over()) write_over(pending_);
      changed.is_too_much = true;
      return {};
    }
    if (!has_more) return changer_->undo_failed(std::move(has_more).error(), context);
    changed.has_more = *has_more;
    const ChangeOutline& outline = changer_->outline();
    const sqlite::ChangeCount count = changer_->finish();
    if (changed.kind == WriteKind::Definition) {
      // A table that is dropped is emptied before, where foreign keys follow.
      changed.besides = outline.drops_table ? count.all : 0;
      return {};
    }
    changed.affected = count.own;
    if (count.all > count.own) {
      changed.besides = count.all - count.own;
      changed.notes.push_back(
          fmt::format("triggers, foreign keys{} changed {} more rows",
                      outline.replaces ? ", search indexes and REPLACE" : " and search indexes",
                      changed.besides));
    }
    return {};
  }

  Result<void> apply_rules(const SqliteRun& run, const OpContext& context) {
    bool is_other = run.rules != rules_bytes_;
    if (!run.rules.empty()) {
      HELVE_ASSIGN(const bool is_changed, database_->schema_changed(context));
      is_other = is_other || is_changed;
    }
    if (is_other) HELVE_TRY(change_rules(run, context));
    if (rules_ == nullptr) return {};
    if (auto refusal = rules_->begin(run.sql)) {
      if (refusal->hint.empty()) refusal->hint = sqlite::kReadHint;
      return Error{ErrorCode::Denied, std::move(refusal->why), std::move(refusal->hint)};
    }
    return {};
  }

  Result<void> change_rules(const SqliteRun& run, const OpContext& context) {
    rules_bytes_.clear();
    rules_.reset();
    if (run.rules.empty()) {
      database_->set_judge(nullptr);
      database_->set_covering_scans(true);
      return {};
    }
    const auto nothing = [](std::string_view, std::string_view, std::string_view) {
      return std::optional(sqlite::ReadRefusal{"the policy of this source cannot be read", ""});
    };
    database_->set_judge(nothing);
    const auto rules = decode_rules(run.rules);
    if (!rules) return Error{ErrorCode::Internal, "the policy of this source cannot be read"};
    HELVE_ASSIGN(SqliteNames names, read_sqlite_names(*database_, context));
    rules_ = std::make_unique<ReadRules>(*rules, std::move(names));
    database_->set_covering_scans(rules_->hidden_index_pages().empty());
    database_->set_judge(
        [this](std::string_view table, std::string_view column, std::string_view inside) {
          return rules_->judge(table, column, inside);
        });
    rules_bytes_ = run.rules;
    return {};
  }

  static Result<void> bind(sqlite::FileStatement& statement, const SqliteRun& run) {
    if (statement.parameters() != run.parameters.size()) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the statement has {} parameters, {} were given",
                               statement.parameters(), run.parameters.size()),
                   "give one value for each ?"};
    }
    for (std::size_t i = 0; i < run.parameters.size(); ++i) {
      HELVE_TRY(statement.bind(i + 1, run.parameters[i]));
    }
    return {};
  }

  // Whether there are more than were asked for. What changes is run to its end.
  Result<bool> send_rows(sqlite::FileStatement& statement, const SqliteRun& run) {
    HELVE_ASSIGN(bool has_row, statement.step());
    if (run.request == SqliteFrame::Run || (statement.columns() > 0 && run.rows_max > 0)) {
      send_columns(statement);
    }
    std::vector<sqlite::Value> row(statement.columns());
    FrameOutput frame(pending_);
    bool has_more = false;
    std::uint64_t bytes_left = run.bytes_max;
    sent_at_ = looked_at_ = clock_.now();
    rows_per_look_ = rows_to_look_ = 1;
    for (std::uint64_t rows = 0; has_row; ++rows) {
      has_more = has_more || rows == run.rows_max;
      std::uint64_t bytes = 0;
      if (!has_more) {
        statement.row(row);
        for (const sqlite::Value& value : row) bytes += size_of(value);
        has_more = bytes > bytes_left;
      }
      if (has_more && run.request == SqliteFrame::Run) break;
      if (!has_more) {
        bytes_left -= bytes;
        if (!frame.is_open()) frame.begin(SqliteFrame::Rows);
        frame.row(row, bytes);
        if (pending_.size() >= kSendBytes || has_paused()) {
          frame.end();
          if (!send()) break;
        }
      }
      auto next = statement.step();
      if (!next) {
        if (frame.is_open()) frame.end();
        return std::move(next).error();
      }
      has_row = *next;
    }
    if (frame.is_open()) frame.end();
    return has_more;
  }

  // Rows that come slowly are not held back. The clock is looked at about once a millisecond.
  bool has_paused() {
    if (--rows_to_look_ > 0) return false;
    const MonotonicTime now = clock_.now();
    const bool was_soon = now - looked_at_ < kLookPause;
    rows_per_look_ = was_soon ? std::min(2 * rows_per_look_, kRowsPerLookMax) : 1;
    rows_to_look_ = rows_per_look_;
    looked_at_ = now;
    return now - sent_at_ >= kSendPause;
  }

  void send_columns(const sqlite::FileStatement& statement) {
    SqliteColumns columns;
    for (std::size_t i = 0; i < statement.columns(); ++i) {
      columns.names.push_back(statement.name(i));
      columns.types.push_back(statement.declared_type(i));
    }
    write_columns(pending_, columns);
  }

  bool send() {
    const bool is_sent = out_.write(pending_) && out_.flush();
    pending_.clear();
    sent_at_ = clock_.now();
    is_lost_ = is_lost_ || !is_sent;
    return is_sent;
  }

  FrameSource in_;
  ByteSink& out_;
  const Clock& clock_;
  std::string path_;
  sqlite::FileOptions file_;
  bool is_lost_ = false;  // no one reads
  std::string pending_;
  MonotonicTime sent_at_{};
  MonotonicTime looked_at_{};
  std::uint32_t rows_per_look_ = 1;
  std::uint32_t rows_to_look_ = 1;
  std::string rules_bytes_;
  std::unique_ptr<ReadRules> rules_;
  std::unique_ptr<sqlite::FileDatabase> database_;
  std::unique_ptr<SqliteChanger> changer_;  // instead, of what was not opened for reading
};

}  // namespace

int run_sqlite_worker(ByteSource& in, ByteSink& out, const Clock& clock) {
  return Worker(in, out, clock).run();
}

}  // namespace helve::sql
