// Tables of ours as virtual tables of SQLite; part of the adapter sqlite.h.
#pragma once

#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>

#include "base/sqlite.h"

namespace helve::sqlite {

using TablesByName = std::map<std::string, std::shared_ptr<const Table>, std::less<>>;

// The module "helve"; `tables` must outlive the connection. Gives a result code.
int register_tables(sqlite3* database, TablesByName& tables);
// LIKE whose time is at most text times pattern; SQLite's own is exponential in the number of %.
// Patterns with more of them than `any_max`, which must outlive the connection, are an error.
int register_like(sqlite3* database, const std::int64_t* any_max = nullptr);

// "name" with its quotation marks doubled.
std::string quoted_name(std::string_view name);
Value value_of(sqlite3_value* value);

}  // namespace helve::sqlite
