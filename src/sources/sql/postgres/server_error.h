// What PostgreSQL says when a statement fails, as errors of ours.
#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql {

// As the server sends it, each text bounded and made harmless to show.
struct ServerReport {
  std::string state;  // SQLSTATE; empty where the connection failed
  std::string message;
  std::string detail;
  std::string hint;
  std::size_t position = 0;  // character in the text that was sent, from 1; 0: none
};
ServerReport report_of(const PGresult* result);

// Where the caller's statement is in the text that was sent.
struct SentStatement {
  std::string_view sql;    // all that the caller gave
  std::size_t prefix = 0;  // characters before it; of ASCII
  std::size_t begin = 0;   // byte of `sql` that comes right behind the prefix
};

struct StatementError {
  Error error;
  SqlProblem problem;
};
StatementError statement_error(const ServerReport& report, const SentStatement& sent);

// Of a connection that could not be made, or was lost. `secret` appears nowhere in it.
Error connection_error(std::string_view message, std::string_view secret);

// At most `bytes_max`, cut between characters, valid UTF-8.
std::string bounded_text(std::string_view text, std::size_t bytes_max);

// The connection is of no use any more, whatever it looks like: 08*, 57P01 and the like.
bool ends_connection(std::string_view state);

}  // namespace helve::sql
