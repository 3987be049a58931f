// MariaDB Connector/C, loaded when a database is first connected to: it brings TLS libraries with
// it, which would be a good part of the start of a process that never asks MySQL.
#pragma once

#include <mysql.h>

#include "base/result.h"

namespace helve::sql::mysql {

struct ClientLibrary {
  decltype(&::mariadb_connection) mariadb_connection = nullptr;
  decltype(&::mariadb_field_attr) mariadb_field_attr = nullptr;
  decltype(&::mysql_close) close = nullptr;
  decltype(&::mysql_errno) error_code = nullptr;
  decltype(&::mysql_error) error = nullptr;
  decltype(&::mysql_fetch_fields) fetch_fields = nullptr;
  decltype(&::mysql_fetch_lengths) fetch_lengths = nullptr;
  decltype(&::mysql_fetch_row) fetch_row = nullptr;
  decltype(&::mysql_free_result) free_result = nullptr;
  decltype(&::mysql_get_socket) get_socket = nullptr;
  decltype(&::mysql_get_ssl_cipher) get_ssl_cipher = nullptr;
  decltype(&::mysql_init) init = nullptr;
  decltype(&::mysql_num_fields) num_fields = nullptr;
  decltype(&::mysql_options) options = nullptr;
  decltype(&::mysql_ping) ping = nullptr;
  decltype(&::mysql_real_connect) real_connect = nullptr;
  decltype(&::mysql_real_query) real_query = nullptr;
  decltype(&::mysql_server_init) server_init = nullptr;
  decltype(&::mysql_stmt_affected_rows) stmt_affected_rows = nullptr;
  decltype(&::mysql_stmt_bind_param) stmt_bind_param = nullptr;
  decltype(&::mysql_stmt_bind_result) stmt_bind_result = nullptr;
  decltype(&::mysql_stmt_close) stmt_close = nullptr;
  decltype(&::mysql_stmt_errno) stmt_error_code = nullptr;
  decltype(&::mysql_stmt_error) stmt_error = nullptr;
  decltype(&::mysql_stmt_execute) stmt_execute = nullptr;
  decltype(&::mysql_stmt_fetch) stmt_fetch = nullptr;
  decltype(&::mysql_stmt_fetch_column) stmt_fetch_column = nullptr;
  decltype(&::mysql_stmt_field_count) stmt_field_count = nullptr;
  decltype(&::mysql_stmt_init) stmt_init = nullptr;
  decltype(&::mysql_stmt_param_count) stmt_param_count = nullptr;
  decltype(&::mysql_stmt_prepare) stmt_prepare = nullptr;
  decltype(&::mysql_stmt_result_metadata) stmt_result_metadata = nullptr;
  decltype(&::mysql_thread_id) thread_id = nullptr;
  decltype(&::mysql_use_result) use_result = nullptr;
  decltype(&::mysql_warning_count) warning_count = nullptr;
};

// Loads and initialises it, once; it stays. Unavailable where it is not installed. Thread-safe.
Result<void> load_client();

namespace loaded {
inline constinit ClientLibrary client;
}
// REQUIRES: load_client() was good, as it was where there is a connection.
inline const ClientLibrary& client() { return loaded::client; }

}  // namespace helve::sql::mysql
