// What SQLite says of a file and of statements over it, in our words; part of the adapter
// sqlite_file.h.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::sqlite {

// `database` may be null.
Error file_error(sqlite3* database, int outcome, const std::string& path);

// Puts the place of a byte of the statement into the error; -1: it is not known.
void place(Error& error, std::string_view sql, int byte);

}  // namespace helve::sqlite
