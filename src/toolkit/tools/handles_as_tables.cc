#include "toolkit/tools/handles_as_tables.h"

#include "sources/sql_tokens.h"
#include "toolkit/tables/table_probe.h"

namespace helve::toolkit {

namespace {

// Parameters written out: the worker takes none.
Result<std::string> with_values(const TableQuery& query) {
  HELVE_ASSIGN(const auto tokens, read_sql_tokens(query.sql, SqlDialect::Sqlite));
  std::string sql;
  std::size_t taken = 0;
  std::size_t before = 0;
  for (const SqlToken& token : tokens) {
    if (token.kind != SqlTokenKind::Parameter) continue;
    const SqlValue* value = parameter_at(token, before++, query.parameters);
    if (value == nullptr) continue;
    sql += query.sql.substr(taken, token.begin - taken);
    sql += literal_of(*value, SqlDialect::Sqlite);
    taken = token.begin + token.text.size();
  }
  return sql + query.sql.substr(taken);
}

}  // namespace

HandlesAsTables::HandlesAsTables(const SqlOverHandles& sql, const std::vector<SqlTable>& tables)
    : sql_(sql), tables_(tables) {
  info_.name = "handles";
  info_.kind = SourceKind::Tables;
  Catalogue catalogue;
  for (const SqlTable& table : tables) {
    TableInfo& made = catalogue.tables.emplace_back();
    made.name = table.name;
    made.rows = table.rows->rows();
    made.is_rows_exact = true;
    for (const std::string& name : table.rows->columns()) {
      made.columns.emplace_back().name = name;
    }
  }
  catalogue_ = std::make_shared<const Catalogue>(std::move(catalogue));
}

TableRun HandlesAsTables::run(const TableQuery& query, RowSink& sink,
                              const OpContext& context) const {
  TableRun outcome;
  const auto sql = with_values(query);
  if (!sql) {
    outcome.error = sql.error();
    return outcome;
  }
  SqlLimits limits;
  limits.rows_max = query.rows_max;
  limits.bytes_max = query.bytes_max;
  SqlRun run = sql_.run(*sql, tables_, {}, limits, sink, context);
  outcome.error = std::move(run.error);
  outcome.has_more = run.has_more;
  outcome.rows = run.rows;
  outcome.notes = std::move(run.notes);
  return outcome;
}

PlanOutcome HandlesAsTables::explain(const TableQuery& /*query*/,
                                     const OpContext& /*context*/) const {
  PlanOutcome outcome;
  outcome.error = Error{ErrorCode::Unavailable, "handles have no plans"};
  return outcome;
}

Result<std::shared_ptr<const Catalogue>> HandlesAsTables::catalogue(const OpContext& /*context*/,
                                                                    bool /*is_fresh*/) const {
  return catalogue_;
}

Result<SourceRights> HandlesAsTables::rights(const OpContext& /*context*/) const {
  SourceRights rights;
  rights.is_least = true;
  return rights;
}

}  // namespace helve::toolkit
