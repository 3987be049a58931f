#include "sources/sql/mysql/client_library.h"

#include "base/shared_library.h"

namespace helve::sql::mysql {

namespace {

bool find_all(const SharedLibrary& library, ClientLibrary& into) {
  return library.find("mariadb_connection", into.mariadb_connection) &&
         library.find("mariadb_field_attr", into.mariadb_field_attr) &&
         library.find("mysql_close", into.close) && library.find("mysql_errno", into.error_code) &&
         library.find("mysql_error", into.error) &&
         library.find("mysql_fetch_fields", into.fetch_fields) &&
         library.find("mysql_fetch_lengths", into.fetch_lengths) &&
         library.find("mysql_fetch_row", into.fetch_row) &&
         library.find("mysql_free_result", into.free_result) &&
         library.find("mysql_get_socket", into.get_socket) &&
         library.find("mysql_get_ssl_cipher", into.get_ssl_cipher) &&
         library.find("mysql_init", into.init) &&
         library.find("mysql_stmt_affected_rows", into.stmt_affected_rows) &&
         library.find("mysql_warning_count", into.warning_count) &&
         library.find("mysql_num_fields", into.num_fields) &&
         library.find("mysql_options", into.options) && library.find("mysql_ping", into.ping) &&
         library.find("mysql_real_connect", into.real_connect) &&
         library.find("mysql_real_query", into.real_query) &&
         library.find("mysql_server_init", into.server_init) &&
         library.find("mysql_stmt_bind_param", into.stmt_bind_param) &&
         library.find("mysql_stmt_bind_result", into.stmt_bind_result) &&
         library.find("mysql_stmt_close", into.stmt_close) &&
         library.find("mysql_stmt_errno", into.stmt_error_code) &&
         library.find("mysql_stmt_error", into.stmt_error) &&
         library.find("mysql_stmt_execute", into.stmt_execute) &&
         library.find("mysql_stmt_fetch", into.stmt_fetch) &&
         library.find("mysql_stmt_fetch_column", into.stmt_fetch_column) &&
         library.find("mysql_stmt_field_count", into.stmt_field_count) &&
         library.find("mysql_stmt_init", into.stmt_init) &&
         library.find("mysql_stmt_param_count", into.stmt_param_count) &&
         library.find("mysql_stmt_prepare", into.stmt_prepare) &&
         library.find("mysql_stmt_result_metadata", into.stmt_result_metadata) &&
         library.find("mysql_thread_id", into.thread_id) &&
         library.find("mysql_use_result", into.use_result);
}

Result<void> load() {
  return SharedLibrary::load_all("libmariadb.so.3", "install it: the package libmariadb3",
                                 [](const SharedLibrary& library) {
                                   return find_all(library, loaded::client) &&
                                          loaded::client.server_init(0, nullptr, nullptr) == 0;
                                 });
}

}  // namespace

Result<void> load_client() {
  static const Result<void> done = load();
  return done;
}

}  // namespace helve::sql::mysql
