#include "sources/sql/sqlite/sqlite_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/digest.h"
#include "base/file_identity.h"
#include "base/sqlite_file.h"
#include "sources/sql/pool.h"
#include "sources/sql/sqlite/sqlite_catalogue.h"
#include "sources/sql/sqlite/sqlite_client.h"
#include "sources/sql/sqlite/sqlite_guard.h"
#include "sources/sql/sqlite/sqlite_plan.h"
#include "sources/sql/sqlite/sqlite_values.h"
#include "sources/sql/sqlite/sqlite_writer.h"

namespace helve::sql {

namespace {

constexpr std::uint64_t kPlanStepsMax = 10'000;
constexpr std::uint64_t kOwnBytesMax = 64 * kMiB;
constexpr Duration kCatalogueAgeMax = std::chrono::seconds(60);

class PlanSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row cells) override {
    constexpr std::size_t kColumns = 4;  // id, parent, notused, detail
    if (cells.size() != kColumns || !cells[0] || !cells[1] || !cells[3]) return {};
    steps.push_back({number(*cells[0]), number(*cells[1]), std::string(cells[3]->value)});
    return {};
  }

  std::vector<PlanStep> steps;

 private:
  static std::int64_t number(const rdf::TermView& term) {
    std::int64_t value = 0;
    std::from_chars(term.value.data(), term.value.data() + term.value.size(), value);
    return value;
  }
};

// A word for the shell.
std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

class SqliteSource final : public TableSource {
 public:
  SqliteSource(DatabaseOptions options, std::string path, Env& env)
      : options_(std::move(options)),
        path_(std::move(path)),
        env_(env),
        pool_({options_.connections_max, options_.acquire_timeout, options_.idle_max}) {
    info_.name = options_.name;
    info_.uri = options_.uri.empty() ? options_.address.shown() : options_.uri;
    info_.engine = "SQLite " + sqlite::library_version();
    info_.features = {"SQL", options_.is_writable ? "writing" : "read-only", "explain"};
    if (options_.is_writable) writer_ = std::make_unique<SqliteWriter>(options_, path_, env_);
    for (const auto& [key, value] : options_.address.options) {
      if (key == "immutable" && value != "0") is_immutable_ = true;
    }
  }

  const SourceInfo& info() const override { return info_; }
  SqlDialect dialect() const override { return SqlDialect::Sqlite; }
  std::string fingerprint() const override;
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override;
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override;
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override;
  Result<SourceRights> rights(const OpContext& context) const override;
  std::string setup_script() const override;
  const TableWriter* writer() const override { return writer_.get(); }

 private:
  SqliteAnswer ask(const SqliteRun& run, RowSink& sink, const OpContext& context) const;
  std::string stamp_of(const std::string& path, std::size_t from, std::size_t to) const;

  DatabaseOptions options_;
  std::string path_;
  Env& env_;
  SourceInfo info_;
  bool is_immutable_ = false;
  std::unique_ptr<const SqliteWriter> writer_;  // null: the file is only read
  mutable Pool<SqliteClient> pool_;

  mutable std::mutex catalogue_mutex_;
  mutable std::shared_ptr<const Catalogue> catalogue_;
  mutable std::string catalogue_stamp_;
  mutable MonotonicTime catalogue_at_{};
};

// A worker that ended while nobody asked it is replaced.
SqliteAnswer SqliteSource::ask(const SqliteRun& run, RowSink& sink,
                               const OpContext& context) const {
  SqliteAnswer answer;
  auto lease = pool_.acquire(context);
  if (!lease) {
    answer.error = std::move(lease).error();
    return answer;
  }
  bool is_recovered = false;
  for (;;) {
    const bool is_used = lease->has_connection();
    if (!is_used) {
      auto client = SqliteClient::start(options_.worker_command,
                                        {path_, is_immutable_, kSqliteMemoryBytesMax}, env_);
      if (!client) {
        answer.error = std::move(client).error();
        return answer;
      }
      lease->set(*std::move(client));
    }
    answer = (**lease).ask(run, sink, context);
    const bool is_left_over = answer.error && answer.error->code == ErrorCode::Unavailable &&
                              answer.rows == 0 && writer_ != nullptr && !is_recovered;
    if (is_left_over && writer_->recover(context)) {
      is_recovered = true;
      if (!answer.is_whole) lease->drop();
      continue;
    }
    if (answer.is_whole) return answer;
    lease->drop();
    const bool was_gone =
        is_used && !answer.has_begun && answer.error->code == ErrorCode::Unavailable;
    if (!was_gone) return answer;
  }
}

TableRun SqliteSource::run(const TableQuery& query, RowSink& sink, const OpContext& context) const {
  TableRun outcome;
  if (auto checked = check_sqlite_statement(query.sql); !checked) {
    outcome.error = std::move(checked).error();
    return outcome;
  }
  SqliteRun run;
  run.rows_max = query.rows_max;
  run.bytes_max = query.bytes_max;
  run.sql = query.sql;
  std::string rules;
  if (query.rules != nullptr && query.rules->is_any()) rules = encode_rules(*query.rules);
  run.rules = rules;
  std::vector<std::string> kept(query.parameters.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    run.parameters.push_back(parameter_of(query.parameters[i], kept[i]));
  }
  SqliteAnswer answer = ask(run, sink, context);
  outcome.rows = answer.rows;
  outcome.has_more = answer.has_more;
  outcome.column_types = std::move(answer.column_types);
  outcome.notes = std::move(answer.notes);
  outcome.error = std::move(answer.error);
  if (outcome.error) outcome.problem = problem_of(*outcome.error, query.sql);
  return outcome;
}

PlanOutcome SqliteSource::explain(const TableQuery& query, const OpContext& context) const {
  PlanOutcome outcome;
  if (auto checked = check_sqlite_statement(query.sql); !checked) {
    outcome.error = std::move(checked).error();
    return outcome;
  }
  SqliteRun run;
  run.rows_max = kPlanStepsMax;
  run.bytes_max = kOwnBytesMax;
  run.is_plan = true;
  run.sql = without_explain(query.sql);
  std::string rules;
  if (query.rules != nullptr && query.rules->is_any()) rules = encode_rules(*query.rules);
  run.rules = rules;
  PlanSink steps;
  SqliteAnswer answer = ask(run, steps, context);
  if (answer.error) {
    outcome.error = std::move(answer.error);
    outcome.problem = problem_of(*outcome.error, run.sql);
    return outcome;
  }
  outcome.plan = plan_of(steps.steps);
  if (answer.has_more) outcome.plan.notes.emplace_back("the plan has more steps than are shown");
  return outcome;
}

Result<std::shared_ptr<const Catalogue>> SqliteSource::catalogue(const OpContext& context,
                                                                 bool is_fresh) const {
  const std::string stamp = fingerprint();
  const MonotonicTime now = env_.clock().now();
  if (!is_fresh) {
    const std::lock_guard lock(catalogue_mutex_);
    const bool is_known = catalogue_ != nullptr && stamp == catalogue_stamp_ &&
                          now - catalogue_at_ < kCatalogueAgeMax;
    if (is_known) return catalogue_;
  }
  const auto ask_own = [&](const std::string& sql, std::uint64_t rows_max,
                           RowSink& sink) -> Result<bool> {
    SqliteRun run;
    run.rows_max = rows_max;
    run.bytes_max = kOwnBytesMax;
    run.sql = sql;
    SqliteAnswer answer = ask(run, sink, context);
    if (answer.error) return *std::move(answer.error);
    return answer.has_more;
  };
  HELVE_ASSIGN(auto catalogue, read_sqlite_catalogue(ask_own));
  const std::lock_guard lock(catalogue_mutex_);
  catalogue_ = catalogue;
  catalogue_stamp_ = stamp;
  catalogue_at_ = now;
  return catalogue;
}

// The file's state, and the bytes that every change of it writes: times alone are too coarse.
std::string SqliteSource::stamp_of(const std::string& path, std::size_t from,
                                   std::size_t to) const {
  const auto identity = identify_file(path);
  if (!identity || identity->size == 0) return "-";
  std::array<char, 100> head{};
  std::size_t size = 0;
  if (auto file = env_.files().open_read(path)) {
    while (size < to) {
      const auto count = (*file)->read(std::span(head).subspan(size, to - size));
      if (!count || *count == 0) break;
      size += *count;
    }
  }
  std::string stamp = fmt::format("{}:{}:{}:{}:{}:", identity->device, identity->inode,
                                  identity->size, identity->modified.time_since_epoch().count(),
                                  identity->changed.time_since_epoch().count());
  for (std::size_t i = from; i < size; ++i) {
    stamp += fmt::format("{:02x}", static_cast<unsigned char>(head[i]));
  }
  return stamp;
}

std::string SqliteSource::fingerprint() const {
  // The counter of changes of the file; the header of the log.
  const std::string state = stamp_of(path_, 24, 28) + "|" + stamp_of(path_ + "-wal", 0, 32);
  return "sqlite:" + digest_hex(DigestKind::Sha256, state).substr(0, 32);
}

Result<SourceRights> SqliteSource::rights(const OpContext& context) const {
  HELVE_TRY(context.check());
  HELVE_TRY(env_.files().status(path_));
  SourceRights rights;
  const std::string folder = std::filesystem::path(path_).parent_path().native();
  if (may_write(path_)) {
    rights.beyond_reading.push_back(fmt::format("the process may write to the file {}", path_));
  }
  if (may_write(folder)) {
    rights.beyond_reading.push_back(
        fmt::format("the process may make and remove files in its folder {}", folder));
  }
  rights.is_least = rights.beyond_reading.empty();
  rights.notes.emplace_back(
      writer_ != nullptr
          ? "the source was opened for writing: statements that read have connections that cannot "
            "write, those that change have one of their own"
          : "the connection itself cannot write: the file is opened read-only, and statements that "
            "write are refused");
  return rights;
}

std::string SqliteSource::setup_script() const {
  const std::string copy = path_ + ".readonly";
  std::string backup = ".backup \"";
  for (const char c : copy) {
    if (c == '"' || c == '\\') backup += '\\';
    backup += c;
  }
  backup += '"';
  return fmt::format(
      "# Helve opens the file read-only. To make sure of it by permissions, let another user own\n"
      "# it, and let the user that runs helve only read it:\n"
      "chmod u=rw,go=r {0}\n"
      "# In WAL mode the folder has to be writable or the -shm file there; otherwise:\n"
      "#   sqlite3 {0} 'PRAGMA journal_mode = DELETE'\n"
      "#\n"
      "# Or make a copy that nobody changes, and give that to helve instead:\n"
      "sqlite3 -readonly {0} {2}\n"
      "chmod a=r {1}\n",
      shell_quoted(path_), shell_quoted(copy), shell_quoted(backup));
}

}  // namespace

Result<std::shared_ptr<const TableSource>> open_sqlite(DatabaseOptions options, Env& env) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(options.address.path, failed);
  if (failed || options.address.path.empty()) {
    return Error{ErrorCode::InvalidInput, "the address of the database names no file",
                 "write sqlite:PATH"};
  }
  HELVE_ASSIGN(const FileStatus status, env.files().status(path));
  if (status.kind != FileKind::Regular) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("'{}' is {}", path.native(),
                             status.kind == FileKind::Directory ? "a folder" : "no plain file"),
                 "name the file of a SQLite database"};
  }
  if (options.is_writable &&
      std::any_of(options.address.options.begin(), options.address.options.end(),
                  [](const auto& one) { return one.first == "immutable" && one.second != "0"; })) {
    return Error{ErrorCode::InvalidInput, "a database that is called immutable cannot be changed",
                 "leave out immutable=1, or open it for reading"};
  }
  if (options.worker_command.empty()) {
    return Error{ErrorCode::Internal, "nothing says how a SQLite worker is started"};
  }
  return std::make_shared<const SqliteSource>(std::move(options), path.native(), env);
}

}  // namespace helve::sql
