#include "tests/support/tables/fake_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/check.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sql_tokens.h"
#include "tests/support/tables/fake_writer.h"

namespace helve::testing {

namespace {

using Rows = std::vector<std::vector<SqlValue>>;

class RowsTable final : public sqlite::Table {
 public:
  RowsTable(const TableInfo& info, const Rows& rows) : rows_(rows) {
    for (const ColumnInfo& column : info.columns) {
      const std::string type = ascii_lower(column.type);
      const bool is_numeric = type.starts_with("int") || type.starts_with("num") ||
                              type.starts_with("dec") || type.starts_with("real");
      columns_.push_back({column.name, is_numeric, false});
    }
  }
  const std::vector<Column>& columns() const override { return columns_; }
  std::uint64_t rows() const override { return rows_.size(); }
  sqlite::Value value(std::uint64_t row, std::size_t column) const override {
    const SqlValue& value = rows_[row][column];
    if (!value) return std::monostate();
    const std::string& text = value->value;
    if (value->datatype == rdf::kXsdInteger) {
      std::int64_t number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      return number;
    }
    if (value->datatype == rdf::kXsdDouble || value->datatype == rdf::kXsdDecimal) {
      double number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      return number;
    }
    return std::string_view(text);
  }
  bool can_find(std::size_t /*column*/) const override { return false; }
  std::span<const std::uint32_t> find(std::size_t /*column*/,
                                      const sqlite::Value& /*value*/) const override {
    return {};
  }

 private:
  const Rows& rows_;
  std::vector<Column> columns_;
};

sqlite::ReadRules rules_of_fake() {
  sqlite::ReadRules rules;
  rules.functions = {"count", "min",   "max",    "sum",   "avg",  "lower", "upper", "trim",
                     "like",  "total", "length", "round", "date", "abs",   "substr"};
  return rules;
}

std::optional<rdf::Term> term_of(const sqlite::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return integer_value(*number);
  if (const auto* number = std::get_if<double>(&value)) return double_value(*number);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return text_value(*text);
  }
  return std::nullopt;
}

}  // namespace

std::string literal_of(const SqlValue& value) {
  if (!value) return "NULL";
  const bool is_number = value->datatype == rdf::kXsdInteger ||
                         value->datatype == rdf::kXsdDecimal || value->datatype == rdf::kXsdDouble;
  if (is_number) return value->value;
  if (value->datatype == rdf::kXsdBoolean) return value->value == "true" ? "1" : "0";
  std::string quoted = "'";
  for (const char c : value->value) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

// The statement with literals for its parameters: SQLite is asked without any.
Result<std::string> with_literals(const TableQuery& query, SqlDialect dialect) {
  HELVE_ASSIGN(const auto tokens, read_sql_tokens(query.sql, dialect));
  std::string sql;
  std::size_t taken = 0;
  std::size_t next = 0;
  std::size_t most = 0;
  for (const SqlToken& token : tokens) {
    if (token.kind != SqlTokenKind::Parameter && token.kind != SqlTokenKind::Feed) continue;
    std::size_t number = next++;
    if (token.text.size() > 1 && token.kind == SqlTokenKind::Parameter) {
      number = static_cast<std::size_t>(std::atoi(std::string(token.text.substr(1)).c_str())) - 1;
    }
    most = std::max(most, number + 1);
    if (number >= query.parameters.size()) {
      return Error(ErrorCode::InvalidInput, fmt::format("parameter {} has no value", token.text),
                   "give it in params")
          .at("sql", sql_position(query.sql, token.begin));
    }
    sql += query.sql.substr(taken, token.begin - taken) + literal_of(query.parameters[number]);
    taken = token.begin + token.text.size();
  }
  if (most != query.parameters.size()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} parameters were given, the statement has {}",
                             query.parameters.size(), most),
                 "mark them in the statement"};
  }
  return sql + query.sql.substr(taken);
}

SqlProblem problem_of(const Error& error) {
  using Kind = SqlProblem::Kind;
  const std::pair<std::string_view, Kind> kinds[] = {{"no such table: ", Kind::UnknownTable},
                                                     {"no such column: ", Kind::UnknownColumn},
                                                     {"no such function: ", Kind::UnknownFunction}};
  if (error.detail.starts_with("ambiguous column name")) return {Kind::AmbiguousName, ""};
  for (const auto& [start, kind] : kinds) {
    if (error.detail.starts_with(start)) return {kind, error.detail.substr(start.size())};
  }
  return {error.detail.find("syntax error") != std::string::npos ? Kind::Syntax : Kind::Other, ""};
}

SqlValue text_value(std::string_view text) { return rdf::Term(rdf::TermView::literal(text)); }
SqlValue integer_value(std::int64_t number) {
  return rdf::Term(rdf::TermView::literal(std::to_string(number), rdf::kXsdInteger));
}
SqlValue double_value(double number) {
  return rdf::Term(rdf::TermView::literal(fmt::format("{}", number), rdf::kXsdDouble));
}
SqlValue null_value() { return std::nullopt; }

TableInfo table_info(const std::string& name, const std::string& columns) {
  TableInfo info;
  info.name = name;
  std::string_view rest = columns;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const std::size_t blank = std::min(one.find(' '), one.size());
    ColumnInfo column;
    column.name = one.substr(0, blank);
    column.type = blank < one.size() ? one.substr(blank + 1) : "";
    if (column.type.ends_with(" key")) {
      column.type.resize(column.type.size() - 4);
      column.is_nullable = false;
      info.primary_key.push_back(column.name);
      info.indexes.push_back({name + "_pk", {column.name}, true, true});
    }
    info.columns.push_back(std::move(column));
  }
  return info;
}

FakeTables::FakeTables(std::string name, SqlDialect dialect, std::vector<FakeTable> tables)
    : dialect_(dialect) {
  info_.name = std::move(name);
  info_.uri = "fake:" + info_.name;
  info_.engine = "fake";
  set_content(std::move(tables));
}

FakeTables::~FakeTables() = default;

FakeContent FakeTables::content() const {
  const std::lock_guard lock(mutex_);
  return tables_;
}

void FakeTables::set_content(std::vector<FakeTable> tables) {
  for (FakeTable& table : tables) {
    if (!table.info.rows) table.info.rows = table.rows.size();
  }
  const std::lock_guard lock(mutex_);
  tables_ = std::make_shared<const std::vector<FakeTable>>(std::move(tables));
}

const TableWriter* FakeTables::writer() const { return writer_.get(); }

FakeWriter& FakeTables::open_for_writing() {
  if (writer_ == nullptr) writer_ = std::make_unique<FakeWriter>(*this);
  return *writer_;
}

std::string FakeTables::fingerprint() const {
  const std::lock_guard lock(mutex_);
  return fingerprint_;
}
void FakeTables::set_fingerprint(std::string fingerprint) {
  const std::lock_guard lock(mutex_);
  fingerprint_ = std::move(fingerprint);
}
std::vector<TableQuery> FakeTables::queries() const {
  const std::lock_guard lock(mutex_);
  return queries_;
}

TableRun FakeTables::run(const TableQuery& query, RowSink& sink, const OpContext& context) const {
  ++runs_;
  {
    const std::lock_guard lock(mutex_);
    queries_.push_back(query);
  }
  TableRun run = run_statement(query, sink, context);
  if (run.error) run.problem = problem_of(*run.error);
  if (run.error && run.problem.kind != SqlProblem::Kind::Other &&
      run.problem.kind != SqlProblem::Kind::Syntax) {
    run.error->code = ErrorCode::NotFound;
  }
  run.notes = notes_;
  return run;
}

TableRun FakeTables::run_statement(const TableQuery& query, RowSink& sink,
                                   const OpContext& context) const {
  TableRun run;
  const auto fail = [&run](Error error) {
    run.error = std::move(error);
    return run;
  };
  const auto sql = with_literals(query, dialect_);
  if (!sql) return fail(sql.error());
  auto database = sqlite::Database::open_in_memory({});
  if (!database) return fail(database.error());
  const FakeContent tables = content();
  for (const FakeTable& table : *tables) {
    const auto added = (*database)->add_table(table.info.name,
                                              std::make_shared<RowsTable>(table.info, table.rows));
    if (!added) return fail(added.error());
  }
  if (auto locked = (*database)->lock(rules_of_fake()); !locked) return fail(locked.error());
  const auto statement = (*database)->prepare(*sql, context);
  if (!statement) return fail(statement.error());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < (*statement)->columns(); ++i) {
    names.push_back((*statement)->name(i));
    run.column_types.emplace_back("");
    if (const auto origin = (*statement)->origin(i)) {
      for (const FakeTable& table : *tables) {
        const ColumnInfo* column =
            table.info.name == origin->table ? table.info.find_column(origin->column) : nullptr;
        if (column != nullptr) run.column_types.back() = column->type;
      }
    }
  }
  if (auto begun = sink.columns(names); !begun) return fail(begun.error());
  for (;;) {
    const auto has_row = (*statement)->step();
    if (!has_row) return fail(has_row.error());
    if (!*has_row) return run;
    if (run.rows == query.rows_max) {
      run.has_more = true;
      return run;
    }
    std::vector<std::optional<rdf::Term>> terms;
    std::vector<std::optional<rdf::TermView>> views;
    for (std::size_t i = 0; i < names.size(); ++i) terms.push_back(term_of((*statement)->value(i)));
    for (const auto& term : terms) {
      views.push_back(term ? std::optional(term->view()) : std::nullopt);
    }
    if (auto taken = sink.row(views); !taken) return fail(taken.error());
    ++run.rows;
  }
}

PlanOutcome FakeTables::explain(const TableQuery& query, const OpContext& context) const {
  class Nowhere final : public RowSink {
   public:
    Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
    Result<void> row(Row /*cells*/) override { return {}; }
  };
  PlanOutcome outcome;
  Nowhere sink;
  TableQuery none = query;
  none.rows_max = 0;
  const TableRun run = this->run(none, sink, context);
  if (run.error) {
    outcome.error = run.error;
    outcome.problem = run.problem;
    return outcome;
  }
  outcome.plan.text = "SCAN track\n  FILTER name";
  outcome.plan.estimated_rows = 12;
  outcome.plan.cost = 3.5;
  outcome.plan.notes = notes_;
  return outcome;
}

Result<std::shared_ptr<const Catalogue>> FakeTables::catalogue(const OpContext& context,
                                                               bool is_fresh) const {
  HELVE_TRY(context.check());
  if (is_fresh) ++fresh_reads_;
  auto catalogue = std::make_shared<Catalogue>();
  if (dialect_ == SqlDialect::PostgreSql) catalogue->default_schema = "public";
  const FakeContent tables = content();
  for (const FakeTable& table : *tables) {
    if (!is_fresh && table.info.name == hidden_) continue;
    catalogue->tables.push_back(table.info);
    catalogue->tables.back().schema = catalogue->default_schema;
  }
  return std::shared_ptr<const Catalogue>(std::move(catalogue));
}

Result<SourceRights> FakeTables::rights(const OpContext& /*context*/) const {
  return SourceRights{"reader", true, {}, {}};
}

}  // namespace helve::testing
