#include "sources/sql/mysql/mysql_writer.h"

#include <optional>
#include <string>
#include <utility>

#include "sources/sql/mysql/plan_text.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kTransactionsMax = 4;
constexpr std::size_t kLooksMax = 2;

class PlanSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    if (!cells.empty() && cells.front()) text += cells.front()->value;
    return {};
  }
  std::string text;
};

class MysqlWriter final : public TableWriter {
 public:
  MysqlWriter(const DatabaseOptions& options, const ReadSide& reads)
      : reads_(reads),
        transactions_({kTransactionsMax, options.acquire_timeout, options.idle_max}),
        looks_({kLooksMax, options.acquire_timeout, options.idle_max}) {}

  Result<WriteOutline> examine(const TableWrite& write, SqlProblem& problem,
                               const OpContext& context) const override {
    HELVE_ASSIGN(const GuardedWrite guarded,
                 guard_write(write.sql, allowed_functions(write.rules), problem));
    TableQuery query;
    query.sql = write.sql;
    query.parameters = write.parameters;
    query.rules = write.rules;
    HELVE_TRY(reads_.verify_statement(query, guarded.statement, context));
    HELVE_ASSIGN(const WriteTarget target, reads_.look_at(guarded, context));
    HELVE_TRY(check_target(guarded, target, write.sql, write.rules.get(), problem));
    WriteOutline outline = outline_of(guarded, target);
    if (guarded.shape.kind == WriteKind::Definition) return outline;
    if (write.rules != nullptr && (guarded.deletes || guarded.updates)) {
      outline.notes.emplace_back(
          "rows of tables that the user cannot see may follow by foreign keys");
    }
    HELVE_ASSIGN(outline.estimated_rows, estimate(query, guarded, problem, context));
    return outline;
  }

  Result<std::unique_ptr<WriteTransaction>> begin(const OpContext& context) const override {
    HELVE_ASSIGN(auto lease, borrow(transactions_, context));
    return make_transaction(std::move(lease), reads_);
  }

 private:
  using Lease = Pool<Connection>::Lease;

  Result<Lease> borrow(Pool<Connection>& pool, const OpContext& context) const {
    HELVE_ASSIGN(Lease lease, pool.acquire(context));
    if (lease.has_connection()) {
      bool is_good = false;
      {
        const Watchdog::Watch watch(reads_.dog(), lease->socket(), lease->thread_id(), context);
        is_good = set_up_to_write(*lease).has_value() && !watch.has_fired();
      }
      if (!is_good) lease.drop();
    }
    if (!lease.has_connection()) {
      HELVE_ASSIGN(auto connection, reads_.connect_to_write(context));
      lease.set(std::move(connection));
    }
    return lease;
  }

  // By the plan alone. It needs a session that may write, whose transaction is rolled back.
  Result<std::optional<double>> estimate(const TableQuery& query, const GuardedWrite& guarded,
                                         SqlProblem& problem, const OpContext& context) const {
    HELVE_ASSIGN(Lease lease, borrow(looks_, context));
    PlanSink plan;
    StatementOutcome outcome;
    bool is_clean = false;
    {
      const Watchdog::Watch watch(reads_.dog(), lease->socket(), lease->thread_id(), context);
      outcome = run_write(*lease, "EXPLAIN FORMAT=JSON " + std::string(guarded.statement.sql),
                          query, reads_.database(), &plan, reads_.dog(), watch, context);
      is_clean = outcome.is_clean && lease->ask("ROLLBACK").has_value() && !watch.has_fired();
    }
    if (!is_clean) lease.drop();
    if (outcome.run.error) {
      problem = std::move(outcome.run.problem);
      return *std::move(outcome.run.error);
    }
    if (guarded.shape.rows) return std::optional<double>(static_cast<double>(*guarded.shape.rows));
    const auto read = read_plan(plan.text);
    return read ? read->estimated_rows : std::nullopt;
  }

  const ReadSide& reads_;
  mutable Pool<Connection> transactions_;
  mutable Pool<Connection> looks_;
};

}  // namespace

std::unique_ptr<const TableWriter> make_mysql_writer(const DatabaseOptions& options,
                                                     const ReadSide& reads) {
  return std::make_unique<const MysqlWriter>(options, reads);
}

}  // namespace helve::sql::mysql
