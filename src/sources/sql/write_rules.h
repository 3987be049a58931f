// TableRules held against the names that a statement changes, for databases that keep schemas:
// PostgreSQL and MySQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"

namespace helve::sql {

// "schema.name", or the name alone.
std::string shown_name(std::string_view schema, std::string_view name);

// What a statement sets of its table.
struct SetColumns {
  WriteKind kind = WriteKind::Insert;
  bool are_all = false;  // an INSERT without a list
  std::vector<std::string> names;
};

// Not thread-safe. All that is given must outlive it.
class WriteRules {
 public:
  // `byte` is where refusals point to.
  WriteRules(const TableRules& rules, std::string_view sql, std::size_t byte)
      : rules_(rules), sql_(sql), byte_(byte) {}

  // An empty schema is that of any rule with this name.
  bool is_denied(std::string_view schema, std::string_view name) const;
  // What is allowed without a schema is only what is found without one (`is_in_path`).
  bool is_allowed(std::string_view schema, std::string_view name, bool is_in_path) const;
  bool has_column_rules(std::string_view schema, std::string_view name) const;

  // Denied, all.
  Result<void> check_table(std::string_view schema, std::string_view name, bool is_in_path) const;
  Result<void> check_columns(std::string_view schema, std::string_view name,
                             const SetColumns& set) const;
  Error denied(std::string_view what) const;
  Error denied(std::string message, std::string hint) const;

 private:
  bool is_column_allowed(std::string_view schema, std::string_view name,
                         std::string_view column) const;

  const TableRules& rules_;
  std::string_view sql_;
  std::size_t byte_;
};

}  // namespace helve::sql
