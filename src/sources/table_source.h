// TableSource: the seam between tools and any SQL database. Tools hand over statements that read;
// what a database knows of itself (tables, keys, comments, rights) comes as plain values. Its
// neighbour graph_source.h is the same for graphs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/term.h"
#include "sources/row_sink.h"
#include "sources/source.h"

namespace helve {

class TableWriter;

enum class SqlDialect : std::uint8_t { Sqlite, PostgreSql, MySql };  // MySql: MariaDB too
std::string_view name_of(SqlDialect dialect);                        // "sqlite"

// A parameter of a statement: NULL, or a term. Numbers and truths are those of XSD; all else is its
// text.
using SqlValue = std::optional<rdf::Term>;

// What may be read, where it is not everything. Names are compared without case; a table may have
// its schema before it: "public.customer". Columns have their table: "customer.email".
struct TableRules {
  std::optional<std::vector<std::string>> allowed_tables;  // nullopt: all
  std::vector<std::string> denied_tables;
  std::vector<std::string> denied_columns;
  // Of a table that has one here, nothing but these columns; nullopt: all of each table.
  std::optional<std::vector<std::string>> allowed_columns = std::nullopt;
  // Of the database's own, which may be called beside those that only compute: "f" and "schema.f",
  // as the database has them. Wherever one is written with its schema, its entry has it too.
  std::vector<std::string> allowed_functions = {};

  // Whether they hide anything.
  bool is_any() const {
    return allowed_tables.has_value() || !denied_tables.empty() || !denied_columns.empty() ||
           allowed_columns.has_value();
  }
  friend bool operator==(const TableRules&, const TableRules&) = default;
};

struct TableQuery {
  std::string sql;
  // By the marks of the dialect: $1, $2 in PostgreSQL, ? in the others.
  std::vector<SqlValue> parameters;
  std::uint64_t rows_max = 1'000'000;
  std::size_t bytes_max = std::size_t{256} << 20;  // of values that are received
  std::shared_ptr<const TableRules> rules;         // null: none
};

// Of rules that may be none.
inline const std::vector<std::string>& allowed_functions(
    const std::shared_ptr<const TableRules>& rules) {
  static const std::vector<std::string> none;
  return rules == nullptr ? none : rules->allowed_functions;
}

// What a database says is wrong with a statement, as far as that can be known: for hints.
struct SqlProblem {
  enum class Kind : std::uint8_t {
    Other,
    Syntax,
    UnknownTable,
    UnknownColumn,
    UnknownFunction,
    AmbiguousName,
    WrongValue,  // it does not fit where it stands
    WrongType,   // no such operation or comparison of these types
    Grouping,    // a column outside of an aggregate, or an aggregate where it is not allowed
    DivisionByZero,
  };
  Kind kind = Kind::Other;
  std::string name;  // that is not known, as the database spells it: "t.nmae", "custmer"
};

// How a run ended. Rows that came before an error have been delivered: they are good.
struct TableRun {
  std::optional<Error> error;             // of the statement with its position, document "sql"
  SqlProblem problem;                     // where there is an error
  bool has_more = false;                  // than the rows or bytes that were asked for at most
  std::uint64_t rows = 0;                 // delivered
  std::vector<std::string> column_types;  // as the database names them; "" where it does not
  std::vector<std::string> notes;         // warnings of the database
};

// How a statement would be run.
struct TablePlan {
  std::string text;  // an indented tree
  JsonValue tree;    // the same; null where the database has only text
  std::optional<double> estimated_rows;
  std::optional<double> cost;  // in the units of the database
  std::vector<std::string> notes;
};
struct PlanOutcome {
  std::optional<Error> error;
  SqlProblem problem;
  TablePlan plan;  // where there is no error
};

struct ColumnInfo {
  std::string name;
  std::string type;  // as the database spells it: "numeric(10,2)"
  bool is_nullable = true;
  bool is_generated = false;
  std::optional<std::string> otherwise;  // the default, as an expression
  std::string comment;
};

struct IndexInfo {
  std::string name;
  std::vector<std::string> columns;  // an expression in parentheses where it is no column
  bool is_unique = false;
  bool is_primary = false;
};

struct ForeignKeyInfo {
  std::string name;  // may be empty
  std::vector<std::string> columns;
  std::string schema;  // of the table that is referred to; empty: the same
  std::string table;
  std::vector<std::string> other_columns;
};

struct TableInfo {
  enum class Kind : std::uint8_t { Table, View, Virtual };  // materialized views are views
  std::string schema;                                       // empty where there are no schemas
  std::string name;
  Kind kind = Kind::Table;
  std::optional<std::uint64_t> rows;  // an estimate of the catalogue
  bool is_rows_exact = false;
  std::string comment;
  std::vector<ColumnInfo> columns;
  std::vector<std::string> primary_key;
  std::vector<IndexInfo> indexes;  // the primary key's too
  std::vector<ForeignKeyInfo> foreign_keys;
  std::vector<std::string> checks;  // expressions

  const ColumnInfo* find_column(std::string_view name) const;  // without case; null: none
};

// Tables and views that the connection may read, those of the system left out. By schema and name.
struct Catalogue {
  std::string default_schema;  // names without a schema are of it; empty where there are none
  std::vector<TableInfo> tables;
  bool is_complete = true;  // false: there were more than could be taken

  // "customer" or "sales.customer", without case; null where there is none.
  const TableInfo* find(std::string_view name) const;
};

// What the connection could do beyond reading the tables of its database.
struct SourceRights {
  std::string user;                         // as the database knows it; empty where it knows none
  bool is_least = false;                    // nothing beyond reading was found
  std::vector<std::string> beyond_reading;  // in words: "may insert into public.customer"
  std::vector<std::string> notes;           // what could not be found out
};

// Whether the rights of the connection back rules for tables, where the adapter does not hold them
// itself. For the person who keeps the database, never for who asks: it names what the rules hide.
struct PolicyRights {
  // What the rules deny and the connection could read, the first hundred: "public.customer.email",
  // "the view public.v". While there is any, run() and explain() with these rules are Denied.
  std::vector<std::string> beyond;
  std::uint64_t beyond_count = 0;  // in all
  std::vector<std::string> notes;  // what to do beside running the script
  // What the owner of the database runs so that there is a user with these rights and no others.
  // It may be run again. Empty where nothing need be set up.
  std::string script;
};

// Thread-safe. Nothing that is asked changes the database: statements that could are refused before
// they are sent, and the connection is set up so that the database refuses them too. Every call
// honours deadline and cancellation of its context: it ends at most half a second after, whatever
// the database does. A database that cannot be reached is Unavailable.
class TableSource : public Source {
 public:
  virtual SqlDialect dialect() const = 0;
  // One statement that gives rows. Errors: InvalidInput and NotFound (the statement), Denied (not
  // a read, or not allowed), LimitExceeded (time, size), Unavailable, Cancelled.
  virtual TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const = 0;
  // Nothing is executed.
  virtual PlanOutcome explain(const TableQuery& query, const OpContext& context) const = 0;
  // Kept for a while; `is_fresh` reads it anew.
  virtual Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                             bool is_fresh = false) const = 0;
  virtual Result<SourceRights> rights(const OpContext& context) const = 0;
  // What the owner of the database runs to make a user that can do nothing but read.
  virtual std::string setup_script() const = 0;
  // For `helve source check` and `setup` with a policy (restricted_tables.h has its rules). By
  // default nothing is beyond the rules: the adapter holds them itself. Errors as rights() has.
  virtual Result<PolicyRights> policy_rights(const TableRules& /*rules*/,
                                             const OpContext& /*context*/) const {
    return PolicyRights{};
  }
  // Null unless it was opened for writing. Lives as long as the source.
  virtual const TableWriter* writer() const { return nullptr; }
};

// A name as the dialect quotes it: "my table" or `my table`.
std::string quote_name(std::string_view name, SqlDialect dialect);
// With its schema where it is not the default one.
std::string quote_table(const TableInfo& table, const Catalogue& catalogue, SqlDialect dialect);

}  // namespace helve
