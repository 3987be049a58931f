#include "sources/sql/postgres/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/wait_fd.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sql/postgres/connect.h"
#include "sources/sql/postgres/pq_library.h"

namespace helve::sql {

namespace {

constexpr std::size_t kNoticesMax = 20;
constexpr std::size_t kNoticeBytesMax = 500;
constexpr std::size_t kParametersMax = 65'535;  // of the protocol
constexpr int kCancelsMax = 16;                 // under way at once

constexpr std::string_view kHexBinaryType = "http://www.w3.org/2001/XMLSchema#hexBinary";

// Of a number or a truth, where the server could not infer it; 0 lets it infer.
Oid type_of(const rdf::Term& term) {
  constexpr Oid kBool = 16;
  constexpr Oid kInt8 = 20;
  constexpr Oid kInt4 = 23;
  constexpr Oid kFloat8 = 701;
  constexpr Oid kNumeric = 1700;
  if (term.datatype == rdf::kXsdBoolean) return kBool;
  if (term.datatype == rdf::kXsdDouble || term.datatype == rdf::kXsdFloat) return kFloat8;
  if (term.datatype == rdf::kXsdDecimal) return kNumeric;
  if (term.datatype != rdf::kXsdInteger) return 0;
  std::int64_t value = 0;
  const char* const end = term.value.data() + term.value.size();
  const auto read = std::from_chars(term.value.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return kNumeric;
  const bool is_small = value >= std::numeric_limits<std::int32_t>::min() &&
                        value <= std::numeric_limits<std::int32_t>::max();
  return is_small ? kInt4 : kInt8;
}

Error has_nul() {
  return {ErrorCode::InvalidInput, "a parameter has the character U+0000",
          "PostgreSQL has no such texts: leave it out"};
}

// How many cancel requests are on their way, over all connections.
std::atomic<int>& cancels_under_way() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace

std::string timeout_statement(const OpContext& context) {
  constexpr std::int64_t kMax = 600'000;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline.remaining()).count();
  const std::int64_t before = std::min<std::int64_t>(50, left / 10);
  const std::int64_t ms = std::clamp<std::int64_t>(left - before, 1, kMax);
  return fmt::format("SET LOCAL statement_timeout = {}", ms);
}

Connection::Connection(PGconn* connection) : connection_(connection) {
  pq().set_notice_receiver(connection_, &Connection::take_notice, this);
}

Connection::~Connection() { pq().finish(connection_); }

Result<std::unique_ptr<Connection>> Connection::open(const DatabaseOptions& options, Env& env,
                                                     const OpContext& context) {
  HELVE_ASSIGN(PGconn* const connected, connect(options, env, context));
  std::unique_ptr<Connection> connection(new Connection(connected));
  HELVE_TRY(connection->read_types(env.clock().now(), context));
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::open_bare(const DatabaseOptions& options, Env& env,
                                                          const OpContext& context) {
  HELVE_ASSIGN(PGconn* const connected, connect(options, env, context));
  return std::unique_ptr<Connection>(new Connection(connected));
}

void Connection::take_notice(void* self, const PGresult* result) {
  auto& notices = static_cast<Connection*>(self)->notices_;
  const char* text = pq().result_error_field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (text == nullptr || notices.size() >= kNoticesMax) return;
  notices.push_back(bounded_text(text, kNoticeBytesMax));
}

std::vector<std::string> Connection::take_notices() { return std::exchange(notices_, {}); }

Error Connection::lost(std::string_view what) const {
  const std::string_view told = pq().error_message(connection_);
  return connection_error(told.empty() ? what : told, {});
}

bool Connection::is_alive() {
  return pq().status(connection_) == CONNECTION_OK && pq().consume_input(connection_) == 1 &&
         pq().status(connection_) == CONNECTION_OK;
}

std::string Connection::server_name() const {
  const char* version = pq().parameter_status(connection_, "server_version");
  return fmt::format("PostgreSQL {}", bounded_text(version == nullptr ? "" : version, 60));
}

Result<void> Connection::queue(const std::string& statement,
                               const std::vector<SqlValue>& parameters, bool has_types) {
  if (parameters.size() > kParametersMax) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("there are {} parameters: {} at most", parameters.size(), kParametersMax),
        "ask in parts"};
  }
  std::vector<std::string> changed;
  changed.reserve(parameters.size());
  std::vector<const char*> values;
  std::vector<Oid> types;
  for (const SqlValue& value : parameters) {
    if (value && value->value.find('\0') != std::string::npos) {
      return has_nul();
    }
    const bool is_bytes = value && value->datatype == kHexBinaryType;
    if (is_bytes) changed.push_back("\\x" + value->value);
    const std::string* text = is_bytes ? &changed.back() : value ? &value->value : nullptr;
    values.push_back(text == nullptr ? nullptr : text->c_str());
    types.push_back(has_types && value ? type_of(*value) : 0);
  }
  const int sent =
      pq().send_query_params(connection_, statement.c_str(), static_cast<int>(parameters.size()),
                             types.data(), values.data(), nullptr, nullptr, 0);
  if (sent != 1) return lost("the statement could not be sent");
  return {};
}

Result<void> Connection::queue_prepare(const std::string& name, const std::string& statement) {
  if (pq().send_prepare(connection_, name.c_str(), statement.c_str(), 0, nullptr) != 1) {
    return lost("the statement could not be sent");
  }
  return {};
}

Result<void> Connection::queue_prepared(const std::string& name,
                                        const std::vector<std::optional<std::string>>& parameters) {
  HELVE_CHECK(parameters.size() <= kParametersMax);
  std::vector<const char*> values;
  for (const auto& value : parameters) {
    if (value && value->find('\0') != std::string::npos) return has_nul();
    values.push_back(value ? value->c_str() : nullptr);
  }
  const int sent =
      pq().send_query_prepared(connection_, name.c_str(), static_cast<int>(values.size()),
                               values.data(), nullptr, nullptr, 0);
  if (sent != 1) return lost("the statement could not be sent");
  return {};
}

Result<void> Connection::send() {
  received_ = 0;
  if (pq().pipeline_sync(connection_) != 1) return lost("the statement could not be sent");
  return {};
}

void Connection::limit_receiving(std::size_t bytes_max) {
  receive_max_ = bytes_max;
  received_ = 0;
}

Result<ResultPtr> Connection::next(const OpContext& context) {
  while (pq().is_busy(connection_) == 1) {
    const int unsent = pq().flush(connection_);
    if (unsent < 0) return lost("the connection to the database was lost");
    const int socket = pq().socket(connection_);
    HELVE_ASSIGN(const FdReady ready, wait_for_fd(socket, true, unsent == 1, context));
    if (!ready.can_read) continue;
    if (receive_max_ > 0) received_ += readable_bytes(socket);
    if (pq().consume_input(connection_) != 1)
      return lost("the connection to the database was lost");
    if (receive_max_ > 0 && received_ > receive_max_ && pq().is_busy(connection_) == 1) {
      has_overflowed_ = true;
      return Error{ErrorCode::LimitExceeded, "the rows have more bytes than were asked for"};
    }
  }
  received_ = 0;
  return ResultPtr(pq().get_result(connection_));
}

Result<void> Connection::skip_to_end(const OpContext& context) {
  std::size_t nothing = 0;
  while (true) {
    HELVE_ASSIGN(const ResultPtr result, next(context));
    if (result == nullptr) {
      if (++nothing > 2 || pq().status(connection_) != CONNECTION_OK) {
        return lost("the connection to the database was lost");
      }
      continue;
    }
    nothing = 0;
    if (pq().result_status(result.get()) == PGRES_PIPELINE_SYNC) return {};
  }
}

Result<void> Connection::clean_up() {
  HELVE_TRY(queue("ROLLBACK"));
  HELVE_TRY(queue("DISCARD ALL"));
  if (!search_path_.empty()) HELVE_TRY(queue_search_path());
  HELVE_TRY(send());
  ++unsettled_;
  return {};
}

Result<void> Connection::queue_search_path() {
  return queue(search_path_.empty() ? "RESET search_path" : "SET search_path = " + search_path_);
}

Result<void> Connection::settle(const OpContext& context) {
  bool is_good = true;
  while (unsettled_ > 0) {
    HELVE_ASSIGN(const ResultPtr result, next(context));
    if (result == nullptr) {
      if (pq().status(connection_) != CONNECTION_OK) return lost("the connection was lost");
      continue;
    }
    const ExecStatusType status = pq().result_status(result.get());
    if (status == PGRES_PIPELINE_SYNC) {
      --unsettled_;
    } else if (status != PGRES_COMMAND_OK) {
      is_good = false;
    }
  }
  notices_.clear();
  if (!is_good) return Error{ErrorCode::Unavailable, "the session could not be cleaned up"};
  return {};
}

void Connection::cancel() {
  if (cancels_under_way().fetch_add(1) >= kCancelsMax) {
    cancels_under_way().fetch_sub(1);
    return;
  }
  PGcancel* const request = pq().get_cancel(connection_);
  const auto ask = [request] {
    char told[256];
    if (request != nullptr) pq().cancel(request, told, sizeof told);
    pq().free_cancel(request);
    cancels_under_way().fetch_sub(1);
  };
  try {
    std::thread(ask).detach();  // it waits for the server, which may never answer
  } catch (const std::system_error&) {
    pq().free_cancel(request);
    cancels_under_way().fetch_sub(1);
  }
}

Result<std::vector<ResultPtr>> Connection::query(const std::vector<std::string>& statements,
                                                 const std::vector<SqlValue>& parameters,
                                                 const OpContext& context) {
  constexpr std::size_t kReceiveMax = std::size_t{256} << 20;
  HELVE_TRY(queue("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
  HELVE_TRY(queue(timeout_statement(context)));
  for (const std::string& statement : statements) HELVE_TRY(queue(statement, parameters));
  HELVE_TRY(queue("ROLLBACK"));
  HELVE_TRY(send());
  HELVE_TRY(settle(context));
  limit_receiving(kReceiveMax);
  std::vector<ResultPtr> results;
  std::optional<Error> failed;
  std::size_t nothing = 0;
  while (true) {
    HELVE_ASSIGN(ResultPtr result, next(context));
    if (result == nullptr) {
      if (++nothing > 2) return lost("the connection to the database was lost");
      continue;
    }
    nothing = 0;
    const ExecStatusType status = pq().result_status(result.get());
    if (status == PGRES_PIPELINE_SYNC) break;
    if (status == PGRES_TUPLES_OK) results.push_back(std::move(result));
    if (status == PGRES_FATAL_ERROR && !failed) {
      failed = statement_error(report_of(result.get()), {}).error;
    }
  }
  limit_receiving(0);
  if (failed) {
    HELVE_TRY(clean_up());  // the transaction may be open
    return *std::move(failed);
  }
  if (results.size() != statements.size()) return lost("the server left an answer out");
  return results;
}

namespace {

// Arrays, and the names of types that the database has of its own. Arrays of rows are texts.
constexpr std::string_view kTypes = R"(
SELECT t.oid, pg_catalog.format_type(t.oid, NULL), t.typcategory = 'A',
       coalesce(nullif(e.typbasetype, 0), e.oid, 0), coalesce(e.typdelim, ',')
  FROM pg_catalog.pg_type t
  LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
 WHERE t.oid >= 16384 AND t.typtype <> 'c' AND coalesce(e.typtype, 'b') <> 'c' LIMIT 20000)";

}  // namespace

Result<void> Connection::read_types(MonotonicTime now, const OpContext& context) {
  HELVE_ASSIGN(const std::vector<ResultPtr> results, query({std::string(kTypes)}, {}, context));
  if (pq().nfields(results[0].get()) != 5) return lost("the server left an answer out");
  add_types(PgRows(results[0].get()));
  return read_own_names(now, context);
}

Result<void> Connection::read_own_names(MonotonicTime now, const OpContext& context) {
  if (!search_path_.empty()) {
    search_path_.clear();
    HELVE_TRY(queue_search_path());
    HELVE_TRY(send());
    ++unsettled_;
  }
  HELVE_ASSIGN(const std::vector<ResultPtr> results, query({own_names_sql()}, {}, context));
  if (pq().nfields(results[0].get()) != 2) return lost("the server left an answer out");
  HELVE_ASSIGN(own_names_, make_own_names(PgRows(results[0].get())));
  own_names_read_ = now;
  if (own_names_->search_path.empty()) return {};
  search_path_ = own_names_->search_path;
  HELVE_TRY(queue_search_path());
  HELVE_TRY(send());
  ++unsettled_;
  return {};
}

Result<std::shared_ptr<const OwnNames>> Connection::own_names(MonotonicTime now, Duration age_max,
                                                              const OpContext& context) {
  if (now - own_names_read_ >= age_max) HELVE_TRY(read_own_names(now, context));
  return own_names_;
}

void Connection::add_types(const PgRows& rows) {
  for (int row = 0; row < rows.rows(); ++row) {
    ValueType type;
    type.name = bounded_text(rows.view(row, 1), 200);
    if (rows.truth(row, 2)) {
      type.kind = ValueKind::Array;
      type.element = value_type(rows.number<std::uint32_t>(row, 3), -1, {}).kind;
      if (!rows.view(row, 4).empty()) type.delimiter = rows.view(row, 4).front();
    }
    types_.emplace(rows.number<std::uint32_t>(row, 0), std::move(type));
  }
}

}  // namespace helve::sql
