#include "sources/sql/postgres/postgres_source.h"

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sources/sql/policy_refusal.h"
#include "sources/sql/pool.h"
#include "sources/sql/postgres/catalogue_reader.h"
#include "sources/sql/postgres/connection.h"
#include "sources/sql/postgres/first_cell.h"
#include "sources/sql/postgres/plan_reader.h"
#include "sources/sql/postgres/policy_rights.h"
#include "sources/sql/postgres/postgres_writer.h"
#include "sources/sql/postgres/rights_reader.h"
#include "sources/sql/postgres/role_script.h"
#include "sources/sql/postgres/statement_check.h"
#include "sources/sql/postgres/statement_guard.h"
#include "sources/sql/postgres/statement_run.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

Result<void> check_parameters(const TableQuery& query, const GuardedStatement& statement) {
  if (query.parameters.size() == statement.parameters) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("the statement has {} parameters, and {} were given",
                           statement.parameters, query.parameters.size()),
               "write $1, $2 ... in the statement, and give a value for each"};
}

// Statements that passed, so that those that come again and again are not read anew. What passes
// depends on the text alone.
class GuardMemory {
 public:
  Result<GuardedStatement> check(const std::string& sql, SqlProblem& problem) const {
    if (sql.size() > kBytesMax) return guard_statement(sql, problem);
    {
      const std::lock_guard lock(mutex_);
      const auto found = passed_.find(sql);
      if (found != passed_.end()) return found->second;
    }
    auto statement = guard_statement(sql, problem);
    if (statement) {
      const std::lock_guard lock(mutex_);
      if (passed_.size() >= kStatementsMax) passed_.clear();
      passed_.emplace(sql, *statement);
    }
    return statement;
  }

 private:
  static constexpr std::size_t kBytesMax = 2'000;
  static constexpr std::size_t kStatementsMax = 500;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, GuardedStatement> passed_;
};

class PostgresSource final : public TableSource, private ReadSide {
 public:
  PostgresSource(DatabaseOptions options, Env& env)
      : options_(std::move(options)),
        env_(env),
        pool_({options_.connections_max, options_.acquire_timeout, options_.idle_max}) {
    info_.name = options_.name;
    info_.uri = options_.address.shown();
    info_.engine = "PostgreSQL";
    info_.features = {"sql", "read-only"};
    info_.is_remote = true;
    if (options_.is_writable) {
      info_.features = {"sql"};
      writer_ = make_postgres_writer(options_, *this, env_);
    }
  }

  const SourceInfo& info() const override { return info_; }
  // The data may change at any time.
  // Nothing tells whether the data has changed, in this process or since another: not even equal
  // calls have equal answers.
  std::string fingerprint() const override { return {}; }
  SqlDialect dialect() const override { return SqlDialect::PostgreSql; }

  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override {
    TableRun failed;
    const auto statement = guards_.check(query.sql, failed.problem);
    if (!statement) {
      failed.error = statement.error();
      return failed;
    }
    if (auto checked = check_parameters(query, *statement); !checked) {
      failed.error = std::move(checked).error();
      return failed;
    }
    return run_guarded(query, {*statement, {}}, sink, context);
  }

  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    PlanOutcome outcome;
    const auto statement = guard_statement(query.sql, outcome.problem);
    if (!statement) {
      outcome.error = statement.error();
      return outcome;
    }
    if (statement->kind == GuardedStatement::Kind::Show) {
      outcome.error = Error{ErrorCode::InvalidInput, "SHOW has no plan", "give a SELECT"};
      return outcome;
    }
    if (auto checked = check_parameters(query, *statement); !checked) {
      outcome.error = std::move(checked).error();
      return outcome;
    }
    // The guard has passed the inner statement as a part of this one.
    GuardedStatement inner = *statement;
    inner.kind = GuardedStatement::Kind::Explain;
    inner.size -= inner.inner_begin - inner.begin;
    inner.begin = inner.inner_begin;
    FirstCell plan;
    TableRun run = run_guarded(query, {inner, "EXPLAIN (FORMAT JSON) "}, plan, context);
    outcome.problem = std::move(run.problem);
    if (run.error) {
      outcome.error = std::move(run.error);
      return outcome;
    }
    auto read = read_plan(plan.text());
    if (!read) {
      outcome.error = std::move(read).error();
      return outcome;
    }
    outcome.plan = *std::move(read);
    outcome.plan.notes = std::move(run.notes);
    return outcome;
  }

  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    {
      const std::lock_guard lock(catalogue_mutex_);
      const bool is_young =
          catalogue_ != nullptr && env_.clock().now() - catalogue_read_ < kCatalogueAge;
      if (is_young && !is_fresh) return catalogue_;
    }
    HELVE_ASSIGN(auto read, with_connection<std::shared_ptr<const Catalogue>>(
                                context, [&context](Connection& connection) {
                                  return read_catalogue(connection, context);
                                }));
    const std::lock_guard lock(catalogue_mutex_);
    catalogue_ = read;
    catalogue_read_ = env_.clock().now();
    return read;
  }

  Result<SourceRights> rights(const OpContext& context) const override {
    return with_connection<SourceRights>(
        context, [&context](Connection& connection) { return read_rights(connection, context); });
  }

  const TableWriter* writer() const override { return writer_.get(); }

  std::string setup_script() const override { return role_script(options_.address); }

  Result<PolicyRights> policy_rights(const TableRules& rules,
                                     const OpContext& context) const override {
    return with_connection<PolicyRights>(context, [&](Connection& connection) {
      return read_policy_rights(connection, rules, &options_.address, context);
    });
  }

 private:
  using Lease = Pool<Connection>::Lease;

  // A connection that answers, as far as can be seen without asking it. `is_new` tells whether it
  // was made now.
  Result<Lease> borrow(const OpContext& context, bool& is_new) const {
    HELVE_ASSIGN(Lease lease, pool_.acquire(context));
    if (lease.has_connection() && !lease->is_alive()) {
      lease.drop();
      pool_.clear();  // the others went the same way
    }
    is_new = !lease.has_connection();
    if (is_new) {
      HELVE_ASSIGN(auto connection, Connection::open(options_, env_, context));
      lease.set(std::move(connection));
    }
    return lease;
  }

  Result<void> verify(Connection& connection, const TableQuery& query,
                      const GuardedStatement& statement, SqlProblem& problem,
                      const OpContext& context) const {
    const MonotonicTime now = env_.clock().now();
    HELVE_TRY(check_statement_names(connection, statement, query, now, problem, context));
    if (query.rules == nullptr || !query.rules->is_any()) return {};
    const bool is_known = connection.verified != nullptr &&
                          now - connection.verified_at < kCatalogueAge &&
                          *connection.verified == *query.rules;
    if (is_known) return {};
    HELVE_ASSIGN(const PolicyRights rights,
                 read_policy_rights(connection, *query.rules, nullptr, context));
    if (rights.beyond_count > 0) return policy_refusal(info_.name);
    connection.verified = query.rules;
    connection.verified_at = now;
    return {};
  }

  // A connection that was lost while it lay idle is replaced once.
  TableRun run_guarded(const TableQuery& query, StatementForm form, RowSink& sink,
                       const OpContext& context) const override {
    for (int attempt = 0;; ++attempt) {
      bool is_new = false;
      auto lease = borrow(context, is_new);
      TableRun failed;
      if (!lease) {
        failed.error = std::move(lease).error();
        return failed;
      }
      if (auto verified = verify(**lease, query, form.statement, failed.problem, context);
          !verified) {
        failed.error = std::move(verified).error();
        const ErrorCode code = failed.error->code;
        if (code == ErrorCode::LimitExceeded || code == ErrorCode::Cancelled) (*lease)->cancel();
        if (code != ErrorCode::Denied) lease->drop();
        const bool is_lost = failed.error->code == ErrorCode::Unavailable && !is_new;
        if (is_lost && attempt == 0) continue;
        return failed;
      }
      StatementOutcome outcome = run_statement(**lease, query, form, sink, context);
      if (!outcome.is_reusable) lease->drop();
      if (outcome.was_lost && !is_new && attempt < 2) {
        pool_.clear();
        continue;
      }
      if (outcome.wants_types && !form.has_types && !query.parameters.empty()) {
        form.has_types = true;
        continue;
      }
      return std::move(outcome.run);
    }
  }

  Result<void> verify_statement(const TableQuery& query, const GuardedStatement& statement,
                                SqlProblem& problem, const OpContext& context) const override {
    return with_connection<void>(context, [&](Connection& connection) {
      return verify(connection, query, statement, problem, context);
    });
  }

  Result<std::vector<ResultPtr>> ask(const std::vector<std::string>& statements,
                                     const std::vector<SqlValue>& parameters,
                                     const OpContext& context) const override {
    return with_connection<std::vector<ResultPtr>>(context, [&](Connection& connection) {
      return connection.query(statements, parameters, context);
    });
  }

  template <typename T, typename Ask>
  Result<T> with_connection(const OpContext& context, const Ask& ask) const {
    for (int attempt = 0;; ++attempt) {
      bool is_new = false;
      HELVE_ASSIGN(Lease lease, borrow(context, is_new));
      Result<T> answer = ask(*lease);
      if (answer) return answer;
      const ErrorCode code = answer.error().code;
      if (code == ErrorCode::LimitExceeded || code == ErrorCode::Cancelled) lease->cancel();
      lease.drop();
      const bool is_lost = code == ErrorCode::Unavailable && !is_new;
      if (!is_lost || attempt > 0) return answer;
      pool_.clear();
    }
  }

  DatabaseOptions options_;
  Env& env_;
  SourceInfo info_;
  GuardMemory guards_;
  mutable Pool<Connection> pool_;
  mutable std::mutex catalogue_mutex_;
  mutable std::shared_ptr<const Catalogue> catalogue_;
  mutable MonotonicTime catalogue_read_;
  std::unique_ptr<const TableWriter> writer_;  // null: only reading
};

}  // namespace

Result<std::shared_ptr<const TableSource>> open_postgres(DatabaseOptions options, Env& env) {
  return std::make_shared<const PostgresSource>(std::move(options), env);
}

}  // namespace helve::sql
