// DatabaseOptions: what every adapter is opened with.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "sources/sql/database_uri.h"

namespace helve::sql {

struct DatabaseOptions {
  std::string name;  // of the source
  DatabaseAddress address;
  std::size_t connections_max = 4;
  Duration connect_timeout = std::chrono::seconds(5);
  // Beyond this a call that finds no free connection is told so.
  Duration acquire_timeout = std::chrono::seconds(5);
  Duration idle_max = std::chrono::seconds(60);  // an unused connection is closed
  // How a SQLite worker is started: the helve program and its argument.
  std::vector<std::string> worker_command;
  ReadVariable read_variable;
  bool is_writable = false;  // it has a TableWriter
  std::string uri;           // of SQLite, as it is shown; empty: as the address is
};

}  // namespace helve::sql
