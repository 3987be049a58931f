// What PostgreSQL knows of its tables that rules for them are judged by: rights, columns, and which
// of them show the rows of others. Neighbour: policy_rights.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/postgres/connection.h"

namespace helve::sql {

// A table, view, materialized view or foreign table, those of the system left out.
struct TableFacts {
  std::uint32_t oid = 0;
  std::string schema;
  std::string name;
  bool is_view = false;
  bool is_in_path = false;      // found without its schema
  bool is_readable = false;     // at least a part of it
  bool is_open_to_all = false;  // at least a part of it, through PUBLIC
};

// By schema and name. Denied where there are too many to be judged.
Result<std::vector<TableFacts>> read_tables(Connection& connection, const OpContext& context);

struct ColumnFacts {
  std::string name;
  bool is_readable = false;
  std::vector<std::string> sources;  // the columns that it is computed from
};

// Something shows rows of a table: a view, or a parent in inheritance.
struct TableUseFact {
  std::uint32_t user = 0;   // oid of what shows them
  std::uint32_t table = 0;  // oid of what is shown
  std::string column;       // of the table; empty: none in particular
  bool is_whole = false;    // perhaps all columns, as in SELECT t FROM t
};

struct TableDetails {
  std::map<std::uint32_t, std::vector<ColumnFacts>> columns;  // by table
  std::vector<TableUseFact> uses;                             // of all tables
};
// Columns are read of the tables `oids` alone, and is_whole is known of uses of those.
Result<TableDetails> read_details(Connection& connection, const std::vector<std::uint32_t>& oids,
                                  const OpContext& context);

}  // namespace helve::sql
