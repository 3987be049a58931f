#include "sources/sql/mysql/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "sources/sql/mysql/client_library.h"
#include "sources/sql/mysql/server_error.h"

namespace helve::sql::mysql {

namespace {

// Rows of a result come in packets no larger than this; more is an error, not memory.
constexpr unsigned long kPacketBytesMax = 64UL << 20;
constexpr std::size_t kAskedRowsMax = 500'000;
// Those that never show the password to the server, whoever that is.
constexpr const char* kAuthentication =
    "mysql_native_password,caching_sha2_password,client_ed25519,sha256_password";
// How statements are read: no ANSI_QUOTES, no NO_BACKSLASH_ESCAPES. With IGNORE_SPACE "count (" is
// the function.
constexpr std::string_view kSqlMode =
    "IGNORE_SPACE,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

Error bad_option(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, "the address of the database " + std::move(message),
          std::move(hint)};
}

Result<TlsMode> read_tls_mode(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, TlsMode>, 5> kModes = {
      {{"disabled", TlsMode::Disabled},
       {"preferred", TlsMode::Preferred},
       {"required", TlsMode::Required},
       {"verify_ca", TlsMode::Verified},
       {"verify_identity", TlsMode::Verified}}};
  for (const auto& [name, mode] : kModes) {
    if (is_same_in_any_case(name, text)) return mode;
  }
  return bad_option("has an ssl-mode that is none",
                    "disabled, preferred, required, verify_ca and verify_identity are");
}

// "sales,stock": beside the database of the address itself.
Result<void> add_databases(std::vector<std::string>& databases, std::string_view list) {
  if (databases.empty()) {
    return bad_option("has ?databases= but no database in its path",
                      "write mysql://HOST/DATABASE?...");
  }
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (name.empty()) return bad_option("has an empty name in databases", "write ?databases=A,B");
    databases.emplace_back(name);
  }
  return {};
}

Result<void> read_option(Login& login, const std::string& key, const std::string& value) {
  if (key == "socket") {
    login.socket = value;
  } else if (key == "ssl-mode") {
    HELVE_ASSIGN(login.tls, read_tls_mode(value));
  } else if (key == "ssl-ca") {
    login.tls_ca = value;
  } else if (key == "ssl-cert") {
    login.tls_certificate = value;
  } else if (key == "ssl-key") {
    login.tls_key = value;
  } else if (key == "databases") {
    return add_databases(login.databases, value);
  } else if (key == "charset" && !is_same_in_any_case(value, "utf8mb4")) {
    return bad_option("asks for another charset than utf8mb4", "leave charset out");
  }
  return {};
}

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

unsigned in_seconds(Duration time) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
  return static_cast<unsigned>(std::clamp<std::int64_t>(seconds, 1, 60));
}

void set_options(MYSQL* handle, const Login& login) {
  const unsigned timeout = in_seconds(login.connect_timeout);
  client().options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
  if (login.answer_timeout > Duration::zero()) {
    const unsigned answer = in_seconds(login.answer_timeout);
    client().options(handle, MYSQL_OPT_READ_TIMEOUT, &answer);
    client().options(handle, MYSQL_OPT_WRITE_TIMEOUT, &answer);
  }
  const unsigned local_infile = 0;
  client().options(handle, MYSQL_OPT_LOCAL_INFILE, &local_infile);
  client().options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  client().options(handle, MYSQL_OPT_MAX_ALLOWED_PACKET, &kPacketBytesMax);
  client().options(handle, MARIADB_OPT_RESTRICTED_AUTH, kAuthentication);
  const unsigned protocol = login.host.empty() ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
  client().options(handle, MYSQL_OPT_PROTOCOL, &protocol);
  if (login.host.empty() || login.tls == TlsMode::Disabled) return;
  const my_bool is_on = 1;
  client().options(handle, MYSQL_OPT_SSL_ENFORCE, &is_on);
  if (!login.tls_ca.empty()) client().options(handle, MYSQL_OPT_SSL_CA, login.tls_ca.c_str());
  if (!login.tls_certificate.empty()) {
    client().options(handle, MYSQL_OPT_SSL_CERT, login.tls_certificate.c_str());
  }
  if (!login.tls_key.empty()) client().options(handle, MYSQL_OPT_SSL_KEY, login.tls_key.c_str());
  if (login.tls == TlsMode::Verified) {
    client().options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &is_on);
  }
}

// What a thread that connects and who waits for it share. The thread may outlast the end of main():
// it touches nothing but this and the client library.
struct ConnectTask {
  Login login;
  std::shared_ptr<ConnectSlots> slots;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<ConnectAnswer> answer;
};

void run_task(const std::shared_ptr<ConnectTask>& task) {
  auto answer = connect_now(task->login);
  const auto slots = task->slots;
  {
    const std::lock_guard lock(task->mutex);
    task->answer.emplace(std::move(answer));
  }
  task->changed.notify_all();
  slots->give_back();
}

Result<Handle> read_answer(ConnectAnswer answer, const Login& login) {
  if (answer.handle == nullptr) return connect_error(answer.code, answer.message, login.password);
  const bool wants_tls =
      !login.host.empty() && (login.tls == TlsMode::Required || login.tls == TlsMode::Verified);
  if (wants_tls && client().get_ssl_cipher(answer.handle.get()) == nullptr) {
    return Error{ErrorCode::Unavailable, "the server offers no TLS, which the address asks for",
                 "set TLS up on the server, or write ssl-mode=preferred"};
  }
  return std::move(answer.handle);
}

Error no_thread() {
  return {ErrorCode::Unavailable, "no thread could be started to connect to the database",
          "call again in a while"};
}

}  // namespace

Result<Login> read_login(const DatabaseAddress& address, Duration connect_timeout) {
  Login login;
  login.connect_timeout = connect_timeout;
  login.user = address.user;
  login.database = address.database;
  if (!login.database.empty()) login.databases.push_back(login.database);
  for (const auto& [key, value] : address.options) HELVE_TRY(read_option(login, key, value));
  const bool is_path = address.host.starts_with('/');
  if (is_path && login.socket.empty()) login.socket = address.host;
  const bool is_here =
      is_path || address.host.empty() || is_same_in_any_case(address.host, "localhost");
  // As other clients do: localhost is the socket, unless there is a port.
  if (login.socket.empty() && (!is_here || address.port)) {
    login.host = is_here ? "127.0.0.1" : address.host;
    login.port = address.port.value_or(0);
  }
  return login;
}

bool ConnectSlots::take() noexcept {
  int count = free_.load();
  while (count > 0) {
    if (free_.compare_exchange_weak(count, count - 1)) return true;
  }
  return false;
}

ConnectAnswer connect_now(const Login& login) {
  ConnectAnswer answer;
  Handle handle(client().init(nullptr));
  if (handle == nullptr) {
    answer.message = "there is no memory to connect to the database";
    return answer;
  }
  set_options(handle.get(), login);
  // No other flags: several statements in one text stay off.
  const unsigned long flags = login.counts_found_rows ? CLIENT_FOUND_ROWS : 0;
  const bool is_connected =
      client().real_connect(handle.get(), or_null(login.host), or_null(login.user),
                            or_null(login.password), or_null(login.database), login.port,
                            or_null(login.socket), flags) != nullptr;
  if (is_connected) {
    answer.handle = std::move(handle);
  } else {
    answer.code = client().error_code(handle.get());
    answer.message = client().error(handle.get());
  }
  return answer;
}

Result<Handle> connect_within(Login login, const std::shared_ptr<ConnectSlots>& slots,
                              const OpContext& context) {
  constexpr auto kLook = std::chrono::milliseconds(10);
  HELVE_TRY(load_client());
  HELVE_TRY(context.check());
  if (!slots->take()) {
    return Error{ErrorCode::Unavailable,
                 "earlier attempts to connect to the database are still waiting for an answer",
                 "see whether the server runs and answers; call again in a while"};
  }
  const auto task = std::make_shared<ConnectTask>();
  task->login = std::move(login);
  task->slots = slots;
  try {
    std::thread([task] { run_task(task); }).detach();
  } catch (const std::system_error&) {
    slots->give_back();
    return no_thread();
  }
  const auto until = std::chrono::steady_clock::now() + task->login.connect_timeout;
  std::unique_lock lock(task->mutex);
  while (!task->answer) {
    HELVE_TRY(context.check());
    if (std::chrono::steady_clock::now() >= until) {
      return Error{ErrorCode::Unavailable, "the database does not answer",
                   "see whether the server runs and whether the address is right"};
    }
    task->changed.wait_for(lock, kLook);
  }
  return read_answer(*std::move(task->answer), task->login);
}

void kill_query(Login login, std::uint64_t thread_id, const std::shared_ptr<ConnectSlots>& slots) {
  if (!slots->take()) return;
  login.connect_timeout = std::chrono::seconds(1);
  login.answer_timeout = std::chrono::seconds(1);
  const auto work = [login = std::move(login), slots,
                     sql = fmt::format("KILL QUERY {}", thread_id)] {
    const ConnectAnswer answer = connect_now(login);
    if (answer.handle != nullptr) client().real_query(answer.handle.get(), sql.data(), sql.size());
    slots->give_back();
  };
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    slots->give_back();
  }
}

Connection::Connection(Handle handle)
    : handle_(std::move(handle)), is_mariadb_(client().mariadb_connection(handle_.get()) != 0) {}

Error Connection::last_error() const {
  return server_error(client().error_code(handle_.get()), client().error(handle_.get()), {}, {})
      .error;
}

Result<void> Connection::command(const std::string& sql) {
  if (client().real_query(handle_.get(), sql.data(), sql.size()) != 0) return last_error();
  return {};
}

Result<void> Connection::set_up() {
  // MySQL can tell which columns a group decides, MariaDB cannot: there it would refuse good ones.
  const std::string mode =
      is_mariadb_ ? std::string(kSqlMode) : fmt::format("ONLY_FULL_GROUP_BY,{}", kSqlMode);
  HELVE_TRY(
      command(fmt::format("SET SESSION sql_mode = '{}', time_zone = '+00:00', "
                          "autocommit = 1, group_concat_max_len = 1048576",
                          mode)));
  HELVE_TRY(command("SET SESSION TRANSACTION READ ONLY"));
  // Of MySQL it is not known that it tells behind rows, too.
  tells_changes_ = is_mariadb_ && command("SET SESSION session_track_state_change = 1").has_value();
  return check_settings();
}

Result<void> Connection::check_settings() {
  // The variable has two names; the newer servers know the first.
  auto settings = ask("SELECT @@transaction_read_only, @@sql_mode, @@time_zone, @@autocommit");
  if (!settings) settings = ask("SELECT @@tx_read_only, @@sql_mode, @@time_zone, @@autocommit");
  if (!settings) return std::move(settings).error();
  const auto is = [&](std::size_t column, std::string_view value) {
    return settings->size() == 1 && settings->front().size() == 4 &&
           settings->front()[column] == value;
  };
  const bool has_modes = settings->size() == 1 && settings->front().size() == 4 &&
                         settings->front()[1].has_value() &&
                         settings->front()[1]->find("IGNORE_SPACE") != std::string::npos &&
                         settings->front()[1]->find("ANSI_QUOTES") == std::string::npos &&
                         settings->front()[1]->find("NO_BACKSLASH") == std::string::npos;
  if (!is(0, "1") || !has_modes || !is(2, "+00:00") || !is(3, "1")) {
    return Error{ErrorCode::Unavailable, "the server does not keep the settings of a session",
                 "statements are sent only where sessions can be made read only; a proxy before "
                 "the server may stand in the way"};
  }
  return {};
}

Result<std::vector<TextRow>> Connection::ask(const std::string& sql) {
  HELVE_TRY(command(sql));
  const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> result(client().use_result(handle_.get()),
                                                                client().free_result);
  if (result == nullptr) {
    if (client().error_code(handle_.get()) != 0) return last_error();
    return std::vector<TextRow>();
  }
  const unsigned count = client().num_fields(result.get());
  std::vector<TextRow> rows;
  while (MYSQL_ROW row = client().fetch_row(result.get())) {
    if (rows.size() == kAskedRowsMax) {
      return Error{ErrorCode::LimitExceeded, "the answer about the database is too long"};
    }
    const unsigned long* const lengths = client().fetch_lengths(result.get());
    TextRow& out = rows.emplace_back(count);
    for (unsigned i = 0; i < count; ++i) {
      if (row[i] != nullptr) out[i].emplace(row[i], lengths[i]);
    }
  }
  if (client().error_code(handle_.get()) != 0) return last_error();
  return rows;
}

Result<void> Connection::set_soft_limit(Duration remaining) {
  constexpr std::array<std::int64_t, 8> kSteps = {2, 5, 10, 30, 60, 120, 300, 600};
  std::int64_t wanted = 0;  // none
  if (remaining < std::chrono::seconds(kSteps.back())) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(remaining).count() + 1;
    const auto* const step = std::find_if(kSteps.begin(), kSteps.end(),
                                          [&](std::int64_t one) { return one >= seconds; });
    wanted = step == kSteps.end() ? kSteps.back() : *step;
  }
  if (wanted == soft_limit_s_) return {};
  HELVE_TRY(command(is_mariadb_
                        ? fmt::format("SET SESSION max_statement_time = {}", wanted)
                        : fmt::format("SET SESSION max_execution_time = {}", wanted * 1000)));
  soft_limit_s_ = wanted;
  return {};
}

}  // namespace helve::sql::mysql
