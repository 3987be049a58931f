#include "sources/sql/postgres/connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/wait_fd.h"
#include "sources/sql/postgres/pq_library.h"
#include "sources/sql/postgres/server_error.h"

namespace helve::sql {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// DISCARD ALL goes back to these.
constexpr std::pair<std::string_view, std::string_view> kSessionSettings[] = {
    {"default_transaction_read_only", "on"},
    {"standard_conforming_strings", "on"},
    {"statement_timeout", "600000"},
    {"idle_in_transaction_session_timeout", "60000"},
    {"DateStyle", "ISO"},
    {"IntervalStyle", "postgres"},
    {"bytea_output", "hex"},
    {"xmloption", "content"},
    {"extra_float_digits", "1"},
    {"cursor_tuple_fraction", "1"},
};

struct Finish {
  void operator()(PGconn* connection) const { pq().finish(connection); }
};
using Handle = std::unique_ptr<PGconn, Finish>;

Parameters connection_parameters(const DatabaseOptions& options, const std::string& password) {
  const DatabaseAddress& address = options.address;
  Parameters parameters = {
      {"client_encoding", "UTF8"},
      {"options", session_settings(address)},
      {"gssencmode", "disable"},  // negotiating it blocks
      {"application_name", "helve"},
  };
  if (!address.host.empty()) parameters.emplace_back("host", address.host);
  if (address.port) parameters.emplace_back("port", std::to_string(*address.port));
  if (!address.user.empty()) parameters.emplace_back("user", address.user);
  if (!address.database.empty()) parameters.emplace_back("dbname", address.database);
  if (!password.empty()) parameters.emplace_back("password", password);
  for (const auto& [key, value] : address.options) {
    if (key != "search_path" && key != "options") parameters.emplace_back(key, value);
  }
  return parameters;
}

Handle start(const Parameters& parameters) {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : parameters) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  return Handle(pq().connect_start_params(keys.data(), values.data(), 0));
}

bool is_host_name(std::string_view host) {
  if (host.empty() || host.front() == '/' || host.front() == '@') return false;
  return host.find_first_not_of("0123456789.") != std::string_view::npos &&
         host.find(':') == std::string_view::npos;
}

// Looking up the address of a host blocks for as long as the resolver likes: on a thread that is
// left behind when time is over.
Result<Handle> start_by_name(Parameters parameters, const OpContext& context) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    Handle connection;
    bool is_done = false;
  };
  const auto shared = std::make_shared<Shared>();
  const auto look_up = [shared, parameters = std::move(parameters)] {
    Handle connection = start(parameters);
    const std::lock_guard lock(shared->mutex);
    shared->connection = std::move(connection);
    shared->is_done = true;
    shared->changed.notify_one();
  };
  try {
    std::thread(look_up).detach();
  } catch (const std::system_error&) {
    return Error{ErrorCode::Unavailable, "no thread could be started to look up the host",
                 "call again in a while"};
  }
  std::unique_lock lock(shared->mutex);
  while (!shared->is_done) {
    HELVE_TRY(context.check());
    shared->changed.wait_for(lock, std::chrono::milliseconds(5));
  }
  return std::move(shared->connection);
}

Result<void> complete(PGconn* connection, std::string_view password, const OpContext& context) {
  if (pq().status(connection) == CONNECTION_BAD) {
    return connection_error(pq().error_message(connection), password);
  }
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK) {
    HELVE_TRY(wait_for_fd(pq().socket(connection), state != PGRES_POLLING_WRITING,
                          state == PGRES_POLLING_WRITING, context));
    state = pq().connect_poll(connection);
    if (state == PGRES_POLLING_FAILED) {
      return connection_error(pq().error_message(connection), password);
    }
  }
  return {};
}

// What the guard and the reading of values stand on.
Result<void> check_session(PGconn* connection) {
  const auto is_set = [connection](const char* name, std::string_view value) {
    const char* given = pq().parameter_status(connection, name);
    return given != nullptr && given == value;
  };
  if (!is_set("standard_conforming_strings", "on") || !is_set("client_encoding", "UTF8")) {
    return Error{ErrorCode::Unavailable, "the server does not keep the settings of the session",
                 "connect to PostgreSQL itself: standard_conforming_strings and client_encoding "
                 "must be as they are asked for"};
  }
  if (pq().setnonblocking(connection, 1) != 0 || pq().enter_pipeline_mode(connection) != 1) {
    return Error{ErrorCode::Unavailable, "the connection cannot be set up"};
  }
  return {};
}

Result<Handle> connect_within(const DatabaseOptions& options, const std::string& password,
                              const OpContext& context) {
  Parameters parameters = connection_parameters(options, password);
  Handle connection;
  if (is_host_name(options.address.host)) {
    HELVE_ASSIGN(connection, start_by_name(std::move(parameters), context));
  } else {
    connection = start(parameters);
  }
  if (connection == nullptr) {
    return Error{ErrorCode::LimitExceeded, "there is no memory for a connection"};
  }
  HELVE_TRY(complete(connection.get(), password, context));
  HELVE_TRY(check_session(connection.get()));
  return connection;
}

}  // namespace

std::string session_settings(const DatabaseAddress& address) {
  std::string text;
  std::string_view path;
  for (const auto& [key, value] : address.options) {
    if (key == "options") text += value + " ";  // before ours, which win
    if (key == "search_path") path = value;
  }
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("-c {}=", name);
    for (const char c : value) {
      if (c == ' ' || c == '\\' || (c >= '\t' && c <= '\r')) text += '\\';
      text += c;
    }
    text += ' ';
  };
  for (const auto& [name, value] : kSessionSettings) add(name, value);
  if (!path.empty()) add("search_path", path);
  text.pop_back();
  return text;
}

Result<PGconn*> connect(const DatabaseOptions& options, Env& env, const OpContext& context) {
  HELVE_TRY(load_pq());
  HELVE_ASSIGN(const std::string password,
               read_password(options.address, env, options.read_variable));
  OpContext within = context;
  if (context.deadline.remaining() > options.connect_timeout) {
    within.deadline = Deadline(env.clock(), options.connect_timeout);
  }
  auto connection = connect_within(options, password, within);
  if (connection) return connection->release();
  HELVE_TRY(context.check());
  if (connection.error().code == ErrorCode::LimitExceeded) {
    return Error{ErrorCode::Unavailable, fmt::format("{} did not answer", options.address.shown()),
                 "check that the server runs and that the address of the source is right"};
  }
  return std::move(connection).error();
}

}  // namespace helve::sql
