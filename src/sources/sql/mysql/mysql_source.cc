#include "sources/sql/mysql/mysql_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "sources/sql/mysql/catalogue_reader.h"
#include "sources/sql/mysql/connection.h"
#include "sources/sql/mysql/function_list.h"
#include "sources/sql/mysql/grants.h"
#include "sources/sql/mysql/mysql_writer.h"
#include "sources/sql/mysql/plan_text.h"
#include "sources/sql/mysql/statement_guard.h"
#include "sources/sql/mysql/statement_run.h"
#include "sources/sql/mysql/system_variables.h"
#include "sources/sql/mysql/watchdog.h"
#include "sources/sql/policy_refusal.h"
#include "sources/sql/pool.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace mysql {
namespace {

// A connection that was idle for longer is asked whether it is still there.
constexpr Duration kIdleTrusted = std::chrono::seconds(3);
constexpr Duration kCatalogueKept = std::chrono::seconds(60);
constexpr Duration kServerNamesKept = std::chrono::seconds(60);
constexpr Duration kRulesKept = std::chrono::seconds(60);
constexpr std::size_t kNamed = 100;  // of what is beyond a policy

using Lease = Pool<Connection>::Lease;

struct ServerNames {
  StoredNames functions;  // that the user may see, which are those that he may call
  std::vector<std::string> other_databases;
};

// The one cell that EXPLAIN FORMAT=JSON gives.
class CellSink : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row cells) override {
    if (!cells.empty() && cells.front()) text += cells.front()->value;
    return {};
  }
  std::string text;
};

class MysqlSource : public TableSource, private ReadSide {
 public:
  MysqlSource(DatabaseOptions options, Login login, Env& env)
      : options_(std::move(options)),
        login_(std::move(login)),
        env_(env),
        slots_(std::make_shared<ConnectSlots>(static_cast<int>(options_.connections_max) * 2)),
        kill_slots_(std::make_shared<ConnectSlots>(static_cast<int>(options_.connections_max))),
        pool_({options_.connections_max, options_.acquire_timeout, options_.idle_max}),
        dog_([this](std::uint64_t thread_id) { kill(thread_id); }) {
    info_.name = options_.name;
    info_.uri = options_.address.shown();
    info_.engine = "MySQL/MariaDB";
    info_.features = {"sql", "read-only"};
    info_.is_remote = true;
    stamp_ = env_.random().hex(8);
    if (options_.is_writable) {
      info_.features = {"sql"};
      writer_ = make_mysql_writer(options_, *this);
    }
  }

  const SourceInfo& info() const override { return info_; }
  // Others may write at any time: no two moments are known to be equal.
  std::string fingerprint() const override {
    return fmt::format("mysql:{}:{}", stamp_, count_.fetch_add(1));
  }
  SqlDialect dialect() const override { return SqlDialect::MySql; }

  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override {
    SqlProblem problem;
    const auto statement = check_statement(query.sql, allowed_functions(query.rules), problem);
    if (!statement) return failed(statement.error(), std::move(problem));
    return statement->is_of_variables
               ? show_variables(*statement, query, sink, context)
               : run_checked(*statement, statement->sql, query, sink, context);
  }

  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    SqlProblem problem;
    const auto statement = check_statement(query.sql, allowed_functions(query.rules), problem);
    if (!statement) return {statement.error(), std::move(problem), {}};
    if (statement->kind != StatementKind::Query) {
      return {Error{ErrorCode::InvalidInput, "only a query has a plan",
                    "give a SELECT, without EXPLAIN before it"},
              {},
              {}};
    }
    CellSink cell;
    TableQuery wanted = query;
    wanted.rows_max = 1'000'000;
    wanted.bytes_max = 16 * kMiB;
    TableRun run = run_checked(*statement, "EXPLAIN FORMAT=JSON " + std::string(statement->sql),
                               wanted, cell, context);
    if (run.error) return {std::move(run.error), std::move(run.problem), {}};
    auto plan = read_plan(cell.text);
    if (!plan) return {std::move(plan).error(), {}, {}};
    plan->notes = std::move(run.notes);
    return {std::nullopt, {}, *std::move(plan)};
  }

  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    // Another call may be reading it, until its own deadline.
    std::unique_lock lock(catalogue_mutex_, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(10))) HELVE_TRY(context.check());
    const bool is_kept =
        catalogue_ != nullptr && !is_fresh && env_.clock().now() - catalogue_read_ < kCatalogueKept;
    if (is_kept) return catalogue_;
    std::optional<Catalogue> read;
    HELVE_TRY(with_connection(context, [&](Connection& connection) -> Result<void> {
      HELVE_ASSIGN(read, read_catalogue(connection, login_.databases));
      return {};
    }));
    catalogue_ = std::make_shared<const Catalogue>(*std::move(read));
    catalogue_read_ = env_.clock().now();
    return catalogue_;
  }

  Result<SourceRights> rights(const OpContext& context) const override {
    SourceRights rights;
    HELVE_TRY(with_connection(context, [&](Connection& connection) -> Result<void> {
      HELVE_ASSIGN(const auto rows, connection.ask("SHOW GRANTS"));
      std::vector<std::string> lines;
      for (const TextRow& row : rows) {
        if (!row.empty() && row[0]) lines.push_back(*row[0]);
      }
      rights = read_grants(lines, login_.database);
      HELVE_ASSIGN(const auto user, connection.ask("SELECT CURRENT_USER()"));
      if (!user.empty() && !user.front().empty()) rights.user = user.front()[0].value_or("");
      return {};
    }));
    return rights;
  }

  const TableWriter* writer() const override { return writer_.get(); }

  std::string setup_script() const override { return mysql::setup_script(login_.database); }

  Result<PolicyRights> policy_rights(const TableRules& rules,
                                     const OpContext& context) const override {
    Readable readable;
    HELVE_TRY(with_connection(context, [&](Connection& connection) -> Result<void> {
      HELVE_ASSIGN(readable, read_readable(connection));
      return {};
    }));
    PolicyRights rights;
    rights.beyond = beyond_rules(readable.columns, rules, login_.database);
    const ViewVerdicts views = judge_views(readable.views, rules, login_.database);
    rights.beyond.insert(rights.beyond.end(), views.beyond.begin(), views.beyond.end());
    rights.beyond_count = rights.beyond.size();
    rights.beyond.resize(std::min(rights.beyond.size(), kNamed));
    for (const ReadableView& view : views.unseen) {
      if (rights.notes.size() == kNamed) break;
      rights.notes.push_back(
          fmt::format("the view {}.{} cannot be read with the policy: the user may not see what it "
                      "reads. Grant SHOW VIEW on it",
                      view.schema, view.name));
    }
    rights.script = mysql::setup_script(login_.database, rules, readable.columns, readable.views);
    rights.notes.emplace_back(
        "the script makes the user helve_reader: name it in the address of the source");
    return rights;
  }

 private:
  static TableRun failed(Error error, SqlProblem problem = {}) {
    TableRun run;
    run.error = std::move(error);
    run.problem = std::move(problem);
    return run;
  }

  TableRun show_variables(const GuardedStatement& statement, const TableQuery& query, RowSink& sink,
                          const OpContext& context) const {
    ShownVariables shown(sink);
    TableRun run = run_checked(statement, statement.sql, query, shown, context);
    run.rows -= std::min(run.rows, shown.hidden());
    // Always: whether there were any would tell of their values where the statement asks for those.
    if (!run.error) {
      run.notes.emplace_back("variables that tell of the server's files and users are left out");
    }
    return run;
  }

  void kill(std::uint64_t thread_id) const {
    Login login = login_;
    auto password = read_password(options_.address, env_, options_.read_variable);
    if (!password) return;
    login.password = *std::move(password);
    kill_query(std::move(login), thread_id, kill_slots_);
  }

  Result<std::unique_ptr<Connection>> connect(const OpContext& context) const {
    Login login = login_;
    HELVE_ASSIGN(login.password, read_password(options_.address, env_, options_.read_variable));
    HELVE_ASSIGN(Handle handle, connect_within(std::move(login), slots_, context));
    auto connection = std::make_unique<Connection>(std::move(handle));
    const Watchdog::Watch watch(dog_, connection->socket(), connection->thread_id(), context);
    auto done = connection->set_up();
    if (done) done = read_server_names(*connection);
    if (watch.has_fired()) return ended_error(context);
    if (!done) return std::move(done).error();
    return connection;
  }

  Result<std::unique_ptr<Connection>> connect_to_write(const OpContext& context) const override {
    Login login = login_;
    login.counts_found_rows = true;
    HELVE_ASSIGN(login.password, read_password(options_.address, env_, options_.read_variable));
    HELVE_ASSIGN(Handle handle, connect_within(std::move(login), slots_, context));
    auto connection = std::make_unique<Connection>(std::move(handle));
    const Watchdog::Watch watch(dog_, connection->socket(), connection->thread_id(), context);
    auto done = set_up_to_write(*connection);
    if (watch.has_fired()) return ended_error(context);
    if (!done) return std::move(done).error();
    return connection;
  }

  Result<void> verify_statement(const TableQuery& query, const GuardedStatement& statement,
                                const OpContext& context) const override {
    return with_connection(context, [&](Connection& connection) -> Result<void> {
      HELVE_TRY(make_ready(connection, query, context));
      return check_names(connection, statement);
    });
  }
  Result<WriteTarget> look_at(const GuardedWrite& write, const OpContext& context) const override {
    std::optional<WriteTarget> target;
    HELVE_TRY(with_connection(context, [&](Connection& connection) -> Result<void> {
      HELVE_ASSIGN(target, read_target(connection, write, login_.database));
      return {};
    }));
    return *std::move(target);
  }
  Watchdog& dog() const override { return dog_; }
  const std::string& database() const override { return login_.database; }

  Result<void> read_server_names(Connection& connection) const {
    const MonotonicTime now = env_.clock().now();
    HELVE_ASSIGN(
        const auto rows,
        connection.ask("SELECT routine_name, routine_schema, routine_schema = DATABASE() "
                       "FROM information_schema.routines WHERE routine_type = 'FUNCTION'"));
    std::vector<std::string> stored;
    auto names = std::make_shared<ServerNames>();
    for (const TextRow& row : rows) {
      if (row.size() != 3 || !row[0] || !row[1]) continue;
      stored.push_back(*row[0]);
      if (row[2] == "1") names->functions.all.push_back(ascii_upper(*row[0]));
      names->functions.all.push_back(ascii_upper(*row[1] + "." + *row[0]));
    }
    std::sort(names->functions.all.begin(), names->functions.all.end());
    names->functions.taken = taken_names(stored);
    if (!login_.databases.empty()) {
      HELVE_ASSIGN(const auto schemas,
                   connection.ask("SELECT schema_name, @@lower_case_table_names "
                                  "FROM information_schema.schemata"));
      for (const TextRow& row : schemas) {
        if (row.size() != 2 || !row[0] || is_same_in_any_case(*row[0], "information_schema")) {
          continue;
        }
        const bool has_case = row[1] == "0";
        const auto is_it = [&](const std::string& own) {
          return has_case ? own == *row[0] : is_same_in_any_case(own, *row[0]);
        };
        if (std::none_of(login_.databases.begin(), login_.databases.end(), is_it)) {
          names->other_databases.push_back(*row[0]);
        }
      }
    }
    const std::lock_guard lock(names_mutex_);
    names_ = std::move(names);
    names_read_ = now;
    return {};
  }
  // Null when they were read too long ago.
  std::shared_ptr<const ServerNames> kept_server_names() const {
    const std::lock_guard lock(names_mutex_);
    return env_.clock().now() - names_read_ < kServerNamesKept ? names_ : nullptr;
  }
  Result<void> check_names(Connection& connection, const GuardedStatement& statement) const {
    auto names = kept_server_names();
    if (names == nullptr) {
      HELVE_TRY(read_server_names(connection));
      const std::lock_guard lock(names_mutex_);
      names = names_;
    }
    HELVE_TRY(check_databases(statement, names->other_databases));
    return check_calls(statement, names->functions);
  }

  // Whether the lease has a connection that was there before: it may have broken meanwhile.
  Result<bool> provide(Lease& lease, const OpContext& context) const {
    const bool is_doubtful =
        lease.has_connection() &&
        (!lease->is_certain || env_.clock().now() - lease->last_used > kIdleTrusted);
    if (is_doubtful) {
      HELVE_ASSIGN(const bool is_good, try_out(*lease, context));
      if (!is_good) lease.drop();
    }
    if (lease.has_connection()) return true;
    HELVE_ASSIGN(auto connection, connect(context));
    lease.set(std::move(connection));
    return false;
  }
  Result<bool> try_out(Connection& connection, const OpContext& context) const {
    const Watchdog::Watch watch(dog_, connection.socket(), connection.thread_id(), context);
    const bool is_good =
        connection.is_certain ? connection.is_alive() : connection.check_settings().has_value();
    if (watch.has_fired()) return ended_error(context);
    connection.is_certain = is_good;
    return is_good;
  }

  // `sql` is what is sent for the statement.
  TableRun run_checked(const GuardedStatement& statement, std::string_view sql,
                       const TableQuery& query, RowSink& sink, const OpContext& context) const {
    for (int attempt = 0;; ++attempt) {
      auto lease = pool_.acquire(context);
      if (!lease) return failed(std::move(lease).error());
      const auto was_there = provide(*lease, context);
      if (!was_there) {
        lease->drop();
        return failed(was_there.error());
      }
      StatementOutcome outcome = run_once(**lease, statement, sql, query, sink, context);
      if (outcome.is_clean) {
        (*lease)->last_used = env_.clock().now();
      } else {
        lease->drop();
      }
      const bool is_worth_another = outcome.is_lost && *was_there && attempt == 0;
      if (!is_worth_another) return std::move(outcome.run);
      pool_.clear();  // a server that was started anew has closed them all
    }
  }

  StatementOutcome run_once(Connection& connection, const GuardedStatement& statement,
                            std::string_view sql, const TableQuery& query, RowSink& sink,
                            const OpContext& context) const {
    const Watchdog::Watch watch(dog_, connection.socket(), connection.thread_id(), context);
    auto ready = make_ready(connection, query, context);
    if (ready) ready = check_names(connection, statement);
    if (ready) ready = check_views(connection, query, statement);
    if (!ready) {
      StatementOutcome out;
      const Error& error = ready.error();
      out.is_lost = error.code == ErrorCode::Unavailable && !watch.has_fired();
      out.is_clean = error.code == ErrorCode::Denied && !watch.has_fired();
      out.run = failed(watch.has_fired() ? ended_error(context) : error);
      return out;
    }
    return run_statement(connection, sql, query, login_.database, sink, dog_, watch, context);
  }

  Result<void> make_ready(Connection& connection, const TableQuery& query,
                          const OpContext& context) const {
    HELVE_TRY(connection.set_soft_limit(context.deadline.remaining()));
    if (query.rules == nullptr || !query.rules->is_any()) return {};
    const bool is_checked = connection.checked_rules != nullptr &&
                            env_.clock().now() - connection.checked_at < kRulesKept &&
                            *connection.checked_rules == *query.rules;
    return is_checked ? Result<void>() : check_rules(connection, query.rules);
  }

  struct Readable {
    std::vector<ReadableColumn> columns;
    std::vector<ReadableView> views;
  };
  static Result<Readable> read_readable(Connection& connection) {
    HELVE_ASSIGN(const auto rows, connection.ask(readable_columns_sql()));
    HELVE_ASSIGN(const auto view_rows, connection.ask(readable_views_sql()));
    if (rows.size() > kReadableColumnsMax || view_rows.size() > kReadableViewsMax) {
      return Error{ErrorCode::Denied,
                   "the user of the database may read more than can be checked for the policy",
                   "connect as a user who may read the tables of the policy and no others"};
    }
    return Readable{read_readable_columns(rows), read_readable_views(view_rows)};
  }

  Result<void> check_rules(Connection& connection,
                           const std::shared_ptr<const TableRules>& rules) const {
    const MonotonicTime now = env_.clock().now();
    HELVE_ASSIGN(const Readable readable, read_readable(connection));
    const ViewVerdicts views = judge_views(readable.views, *rules, login_.database);
    if (!views.beyond.empty() || !beyond_rules(readable.columns, *rules, login_.database).empty()) {
      return policy_refusal(info_.name);
    }
    connection.checked_rules = rules;
    connection.checked_at = now;
    connection.unseen_views.clear();
    for (const ReadableView& view : views.unseen) connection.unseen_views.push_back(view.name);
    return {};
  }

  // By any of its words: a view cannot be read without its name, but through another view.
  Result<void> check_views(const Connection& connection, const TableQuery& query,
                           const GuardedStatement& statement) const {
    const bool has_rules = query.rules != nullptr && query.rules->is_any();
    if (!has_rules || connection.unseen_views.empty()) return {};
    HELVE_ASSIGN(const auto tokens, read_sql_tokens(statement.sql, SqlDialect::MySql));
    for (const SqlToken& token : tokens) {
      const bool is_name = token.kind == SqlTokenKind::Word || token.kind == SqlTokenKind::Name;
      if (!is_name) continue;
      const std::string name = value_of(token, SqlDialect::MySql);
      const bool is_unseen =
          std::any_of(connection.unseen_views.begin(), connection.unseen_views.end(),
                      [&](const std::string& view) { return is_same_in_any_case(view, name); });
      if (!is_unseen) continue;
      return Error(ErrorCode::Denied,
                   fmt::format("the view {} may not be read: the user of the database may not see "
                               "what it reads, so the policy cannot be checked for it",
                               name),
                   fmt::format("tell whoever keeps the database to grant SHOW VIEW on it: 'helve "
                               "source check {}' with the policy prints how",
                               info_.name))
          .at("sql", sql_position(statement.sql, token.begin));
    }
    return {};
  }

  // Something of our own to ask, on a connection that is watched.
  Result<void> with_connection(const OpContext& context,
                               const std::function<Result<void>(Connection&)>& work) const {
    for (int attempt = 0;; ++attempt) {
      HELVE_ASSIGN(Lease lease, pool_.acquire(context));
      const auto was_there = provide(lease, context);
      if (!was_there) {
        lease.drop();
        return was_there.error();
      }
      bool has_fired = false;
      Result<void> done;
      {
        const Watchdog::Watch watch(dog_, lease->socket(), lease->thread_id(), context);
        done = lease->set_soft_limit(context.deadline.remaining());
        if (done) done = work(*lease);
        has_fired = watch.has_fired();
      }
      if (done && !has_fired) {
        lease->last_used = env_.clock().now();
        return {};
      }
      lease.drop();
      if (has_fired) return ended_error(context);
      const bool is_lost = done.error().code == ErrorCode::Unavailable;
      if (!is_lost || !*was_there || attempt > 0) return done;
      pool_.clear();
    }
  }

  DatabaseOptions options_;
  Login login_;  // without the password
  Env& env_;
  SourceInfo info_;
  std::string stamp_;
  mutable std::atomic<std::uint64_t> count_{0};
  std::shared_ptr<ConnectSlots> slots_;
  std::shared_ptr<ConnectSlots> kill_slots_;
  mutable std::timed_mutex catalogue_mutex_;
  mutable std::shared_ptr<const Catalogue> catalogue_;
  mutable MonotonicTime catalogue_read_;
  mutable std::mutex names_mutex_;
  mutable std::shared_ptr<const ServerNames> names_;
  mutable MonotonicTime names_read_;
  mutable Pool<Connection> pool_;
  mutable Watchdog dog_;
  std::unique_ptr<const TableWriter> writer_;  // null: only reading
};

}  // namespace
}  // namespace mysql

Result<std::shared_ptr<const TableSource>> open_mysql(DatabaseOptions options, Env& env) {
  HELVE_ASSIGN(mysql::Login login, mysql::read_login(options.address, options.connect_timeout));
  return std::make_shared<const mysql::MysqlSource>(std::move(options), std::move(login), env);
}

}  // namespace helve::sql
