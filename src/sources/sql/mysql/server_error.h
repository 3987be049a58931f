// What a MySQL or MariaDB server says is wrong, as an Error that helps to repair the statement.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

struct ServerProblem {
  Error error;
  SqlProblem problem;
};

// `sql` is the statement as the caller gave it, `database` the default one; both may be empty.
ServerProblem server_error(unsigned code, std::string_view message, std::string_view sql,
                           std::string_view database);

// Of an attempt to connect. Should the message hold the password, that is left out.
Error connect_error(unsigned code, std::string_view message, std::string_view password);

// Whether the connection is gone, by no fault of the statement.
bool is_lost_connection(unsigned code);

}  // namespace helve::sql::mysql
