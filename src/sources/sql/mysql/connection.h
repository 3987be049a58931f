// Connections to a MySQL or MariaDB server: how one is made within a deadline, and the settings it
// has. watchdog.h ends calls on it that take too long.
#pragma once

#include <mysql.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_uri.h"
#include "sources/sql/mysql/client_library.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

struct CloseHandle {
  void operator()(MYSQL* handle) const noexcept { client().close(handle); }
};
using Handle = std::unique_ptr<MYSQL, CloseHandle>;

enum class TlsMode : std::uint8_t { Disabled, Preferred, Required, Verified };

// All that connecting needs, by value: a thread that nobody waits for any more may hold it.
struct Login {
  std::string host;    // empty: by the socket
  std::string socket;  // empty: where servers of this machine have it
  std::uint16_t port = 0;
  std::string user;
  std::string password;
  std::string database;
  std::vector<std::string> databases;  // which may be used: `database` first; none: all
  TlsMode tls = TlsMode::Preferred;
  std::string tls_ca;
  std::string tls_certificate;
  std::string tls_key;
  Duration connect_timeout = std::chrono::seconds(5);
  Duration answer_timeout = Duration::zero();  // of statements; zero: none
  bool counts_found_rows = false;              // an UPDATE tells rows that match, not that change
};

// Without the password. InvalidInput for options that cannot be.
Result<Login> read_login(const DatabaseAddress& address, Duration connect_timeout);

// Threads that connect: a few at a time, for a server that does not answer holds them for a while.
class ConnectSlots {
 public:
  explicit ConnectSlots(int count) : free_(count) {}
  bool take() noexcept;
  void give_back() noexcept { free_.fetch_add(1); }

 private:
  std::atomic<int> free_;
};

// As the client library gives it.
struct ConnectAnswer {
  Handle handle;  // null: it failed
  unsigned code = 0;
  std::string message;
};
// Blocks until the server has answered or `login.connect_timeout` is over.
ConnectAnswer connect_now(const Login& login);
// The same on another thread, which is left alone at the deadline or when cancelled.
Result<Handle> connect_within(Login login, const std::shared_ptr<ConnectSlots>& slots,
                              const OpContext& context);
// Asks the server to end what `thread_id` does, in the background; nothing where no slot is free.
void kill_query(Login login, std::uint64_t thread_id, const std::shared_ptr<ConnectSlots>& slots);

// A row of a small answer; NULL is nullopt.
using TextRow = std::vector<std::optional<std::string>>;

// Not thread-safe.
class Connection {
 public:
  explicit Connection(Handle handle);

  MYSQL* handle() const { return handle_.get(); }
  int socket() const { return static_cast<int>(client().get_socket(handle_.get())); }
  std::uint64_t thread_id() const { return client().thread_id(handle_.get()); }
  bool is_mariadb() const { return is_mariadb_; }

  // Makes the session read only and its texts such that the guard reads them as the server does,
  // and checks that all of it holds. Blocks: under a watch only.
  Result<void> set_up();
  // Whether the session still has the settings that matter to the guard. Blocks, as set_up().
  Result<void> check_settings();
  // The server tells with the end of the rows when a statement changed the session: a function that
  // a view calls may do that.
  bool tells_changes() const { return tells_changes_; }
  // A statement of our own with a small answer. Blocks: under a watch only.
  Result<std::vector<TextRow>> ask(const std::string& sql);
  // The server ends statements after this time by itself, some while after the deadline. Asks the
  // server only when it makes a difference.
  Result<void> set_soft_limit(Duration remaining);
  unsigned last_code() const {
    return client().error_code(handle_.get());
  }  // of the last ask(); 0: none
  bool is_alive() { return client().ping(handle_.get()) == 0; }

  MonotonicTime last_used;
  bool is_certain = true;  // no statement can have changed the session
  // The rules that its rights were found to back, when, and views that may not be read with them.
  std::shared_ptr<const TableRules> checked_rules;
  MonotonicTime checked_at;
  std::vector<std::string> unseen_views;

 private:
  Result<void> command(const std::string& sql);
  Error last_error() const;

  Handle handle_;
  bool is_mariadb_ = false;
  bool tells_changes_ = false;
  std::int64_t soft_limit_s_ = 0;
};

}  // namespace helve::sql::mysql
