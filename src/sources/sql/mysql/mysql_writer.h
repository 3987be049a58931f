// The TableWriter of MySQL and MariaDB.
#pragma once

#include <memory>

#include "base/clock.h"
#include "sources/sql/database_options.h"
#include "sources/sql/mysql/write_transaction.h"
#include "sources/table_writer.h"

namespace helve::sql::mysql {

// `reads` must outlive it.
std::unique_ptr<const TableWriter> make_mysql_writer(const DatabaseOptions& options,
                                                     const ReadSide& reads);

}  // namespace helve::sql::mysql
