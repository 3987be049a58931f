// Whether a SQL database answers, as its calls find out: nothing is connected to before it is
// asked. SourceTable tells of it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "base/env.h"
#include "base/result.h"
#include "sources/table_source.h"

namespace helve::toolkit {

struct TablesState {
  std::optional<WallTime> answered_at;  // first, since it last failed; nothing: never asked
  std::optional<Error> failure;         // why it cannot be asked; nothing: not that we know
  std::optional<WallTime> failed_at;    // first, since it last answered
};

// Thread-safe.
class TablesWatch {
 public:
  void answered(WallTime at);
  void failed(Error error, WallTime at);
  TablesState state() const;

 private:
  mutable std::mutex mutex_;
  TablesState state_;
};

// The same database; what becomes of its calls is noted. A statement that is refused says nothing
// of the database. `env` outlives it.
std::shared_ptr<const TableSource> watch_tables(std::shared_ptr<const TableSource> source,
                                                std::shared_ptr<TablesWatch> watch, Env& env);

}  // namespace helve::toolkit
