#include "base/sqlite_handles.h"

namespace helve::sqlite {

Result<void> check_tail(sqlite3* database, const char* tail, const char* end) {
  constexpr int kTailsMax = 1'000;
  for (int i = 0; tail != nullptr && tail < end; ++i) {
    sqlite3_stmt* made = nullptr;
    const char* next = nullptr;
    const int outcome =
        sqlite3_prepare_v3(database, tail, static_cast<int>(end - tail) + 1, 0, &made, &next);
    const StatementPtr statement(made);
    if (outcome != SQLITE_OK || statement != nullptr || i == kTailsMax) {
      return Error{ErrorCode::Denied, "there is more than one SQL statement",
                   "send one SELECT statement at a time"};
    }
    if (next == tail) break;
    tail = next;
  }
  return {};
}

}  // namespace helve::sqlite
