// A light outline of a SELECT, made of its words: which tables it names, how they are joined, and
// the conditions of its WHERE. It guides hints and probes; the database alone knows what a
// statement means, so what is not understood is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/sql_tokens.h"
#include "sources/table_source.h"

namespace helve::toolkit {

// Bytes of the statement.
struct SqlSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool is_empty() const { return begin >= end; }
  std::string_view of(std::string_view sql) const { return sql.substr(begin, end - begin); }
};

// A table where it is named: FROM sales.customer AS c.
struct TableUse {
  std::string schema;
  std::string name;       // empty: a subquery, or a function
  std::string alias;      // what its columns are called by; the name where nothing else is said
  SqlSpan span;           // with the alias
  std::size_t depth = 0;  // of parentheses around it
  bool is_outer = false;  // rows of the others stay without it
};

struct ColumnUse {
  std::string qualifier;  // "c", "customer", "sales.customer"; empty: none
  std::string name;
};

// A literal, or a parameter with its value.
struct OutlineValue {
  SqlValue value;
  bool is_text = false;  // a text in quotes, or one that was bound
  bool is_parameter = false;
  SqlSpan span;
};

struct SqlCondition {
  enum class Kind : std::uint8_t {
    Other,    // not understood, but for its columns
    Compare,  // expression, one of = <> < <= > >=, value
    In,
    Like,
    Between,
    IsNull,
    IsNotNull,
    Columns,  // two columns, one of the comparisons
  };
  Kind kind = Kind::Other;
  bool is_negated = false;         // NOT IN, NOT LIKE, NOT BETWEEN
  std::string comparison;          // "=", "LIKE", in capitals; the expression stands left of it
  SqlSpan expression;              // often just a column
  std::vector<ColumnUse> columns;  // all that the condition has
  std::vector<OutlineValue> values;
  SqlSpan span;
};

struct StatementOutline {
  std::vector<TableUse> all_tables;  // at any depth
  std::vector<std::string> defined;  // by WITH
  // The rest is of the outermost SELECT. False: there is none, or it is put together of several.
  bool is_select = false;
  SqlSpan with;  // before SELECT
  SqlSpan from;  // without the word
  std::vector<TableUse> tables;
  std::vector<SqlCondition> joins;       // of ON and USING
  std::vector<SqlCondition> conditions;  // of WHERE: all of them must hold
  bool is_grouped = false;               // has GROUP BY
  SqlSpan having;                        // without the word
  std::string limit;                     // a number, where there is one
  std::string offset;

  // The use that a qualifier means, without case; the outermost where there are several; null:
  // none.
  const TableUse* find_table(std::string_view qualifier) const;
};

// Linear. REQUIRES: the tokens of one statement.
StatementOutline outline_of(std::span<const SqlToken> tokens,
                            const std::vector<SqlValue>& parameters, SqlDialect dialect);

// The value that a mark of a parameter stands for; `before` marks stand left of it.
const SqlValue* parameter_at(const SqlToken& mark, std::size_t before,
                             const std::vector<SqlValue>& parameters);

}  // namespace helve::toolkit
