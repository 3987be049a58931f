#include "sources/sql/postgres/postgres_writer.h"

#include <optional>
#include <utility>

#include "base/json.h"
#include "sources/sql/pool.h"
#include "sources/sql/postgres/first_cell.h"
#include "sources/sql/postgres/parse_tree.h"
#include "sources/sql/postgres/plan_reader.h"
#include "sources/sql/postgres/statement_check.h"
#include "sources/sql/postgres/write_guard.h"
#include "sources/sql/postgres/write_target.h"
#include "sources/sql/postgres/write_transaction.h"

namespace helve::sql {

namespace {

constexpr std::size_t kTransactionsMax = 4;

// The rows that come to the node that changes them.
std::optional<double> changed_rows(const TablePlan& plan) {
  if (text_of(plan.tree, "Node Type") != "ModifyTable") return plan.estimated_rows;
  double rows = 0;
  for (const JsonValue& child : items_of(plan.tree.find("Plans"))) {
    const std::string_view relation = text_of(child, "Parent Relationship");
    const JsonValue* count = child.find("Plan Rows");
    if (count == nullptr || (relation != "Outer" && relation != "Member")) continue;
    rows += count->to_double().value_or(0);
  }
  return rows;
}

class PostgresWriter final : public TableWriter {
 public:
  PostgresWriter(DatabaseOptions options, const ReadSide& reads, Env& env)
      : options_(std::move(options)),
        reads_(reads),
        env_(env),
        pool_({kTransactionsMax, options_.acquire_timeout, options_.idle_max}) {}

  Result<WriteOutline> examine(const TableWrite& write, SqlProblem& problem,
                               const OpContext& context) const override {
    HELVE_ASSIGN(const GuardedWrite guarded, guard_write(write.sql, problem));
    HELVE_TRY(check_parameter_count(write.parameters.size(), guarded.statement));
    TableQuery query;
    query.sql = write.sql;
    query.parameters = write.parameters;
    query.rules = write.rules;
    HELVE_TRY(reads_.verify_statement(query, guarded.statement, problem, context));
    const AskDatabase ask = [&](const std::vector<std::string>& statements,
                                const std::vector<SqlValue>& parameters) {
      return reads_.ask(statements, parameters, context);
    };
    HELVE_ASSIGN(const WriteTarget target, read_target(guarded, write.sql, ask, problem));
    HELVE_TRY(check_target(guarded, target, write.sql, write.rules.get()));
    WriteOutline outline = outline_of(guarded, target);
    if (guarded.kind != WriteKind::Definition) {
      HELVE_ASSIGN(outline.estimated_rows, estimate(query, guarded.statement, problem, context));
    }
    return outline;
  }

  Result<std::unique_ptr<WriteTransaction>> begin(const OpContext& context) const override {
    HELVE_ASSIGN(auto lease, pool_.acquire(context));
    if (lease.has_connection() && !lease->is_alive()) {
      lease.drop();
      pool_.clear();
    }
    if (!lease.has_connection()) {
      HELVE_ASSIGN(auto connection, Connection::open(options_, env_, context));
      lease.set(std::move(connection));
    }
    if (auto own = lease->own_names(env_.clock().now(), kCatalogueAge, context); !own) {
      lease->cancel();
      lease.drop();  // answers may be unread
      return std::move(own).error();
    }
    return make_transaction(std::move(lease),
                            [this](const TableQuery& query, const GuardedStatement& statement,
                                   SqlProblem& problem, const OpContext& within) {
                              return reads_.verify_statement(query, statement, problem, within);
                            });
  }

 private:
  // Nothing is executed: the plan alone is made.
  Result<std::optional<double>> estimate(const TableQuery& query, GuardedStatement statement,
                                         SqlProblem& problem, const OpContext& context) const {
    statement.kind = GuardedStatement::Kind::Explain;
    FirstCell plan;
    TableRun run =
        reads_.run_guarded(query, {std::move(statement), "EXPLAIN (FORMAT JSON) "}, plan, context);
    if (run.error) {
      problem = std::move(run.problem);
      return *std::move(run.error);
    }
    const auto read = read_plan(plan.text());
    if (!read) return std::optional<double>();  // a rule of the table left no plan
    return changed_rows(*read);
  }

  DatabaseOptions options_;
  const ReadSide& reads_;
  Env& env_;
  mutable Pool<Connection> pool_;
};

}  // namespace

std::unique_ptr<const TableWriter> make_postgres_writer(DatabaseOptions options,
                                                        const ReadSide& reads, Env& env) {
  return std::make_unique<const PostgresWriter>(std::move(options), reads, env);
}

}  // namespace helve::sql
