// sum, total and avg whose numbers add up as they are written: 0.1 + 0.2 is 0.3. Part of the
// adapter sqlite.h.
#pragma once

#include <sqlite3.h>

namespace helve::sqlite {

// In place of SQLite's own, which add doubles one by one. Gives a result code.
int register_sums(sqlite3* database);

}  // namespace helve::sqlite
