// A PostgreSQL or MariaDB server for live tests. tests/integration/sql/databases.py starts it, or
// empties the one that all tests share, where HELVE_SQL_SERVERS names it.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/temp_directory.h"

namespace helve::testing {

class DatabaseServer {
 public:
  // `name` is "postgresql" or "mysql".
  explicit DatabaseServer(std::string name);
  DatabaseServer(const DatabaseServer&) = delete;
  DatabaseServer& operator=(const DatabaseServer&) = delete;
  ~DatabaseServer();

  // False where it is not installed.
  bool is_running() const { return pid_ != 0; }
  bool restart() const;

  const std::string& socket() const { return socket_; }
  const std::string& data_folder() const { return data_; }
  int port() const { return port_; }
  int pid() const { return pid_; }

 private:
  // What the command prints. Ends the program if it fails; if the server is not installed, only
  // where HELVE_SQL_MUST_RUN=1 says that it must be.
  std::string run(std::string_view command, std::string_view more = {}) const;

  std::string name_;
  TempDirectory folder_;
  std::string socket_;
  std::string data_;
  int port_ = 0;
  int pid_ = 0;
};

}  // namespace helve::testing
