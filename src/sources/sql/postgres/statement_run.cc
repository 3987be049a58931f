#include "sources/sql/postgres/statement_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace helve::sql {

namespace {

constexpr std::string_view kCursorPrefix = "DECLARE c NO SCROLL CURSOR FOR\n";
// Rows come one by one, so that any cap can cut them. The first batch is enough for most; the size
// of later ones follows that of the rows, so that little is sent in vain.
constexpr std::uint64_t kFirstRows = 256;
constexpr std::uint64_t kBatchRowsMax = 20'000;
constexpr std::uint64_t kBatchRowsMin = 32;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr std::size_t kSlackBytes = std::size_t{1} << 20;  // read and dropped rather than cancelled

class StatementRunner {
 public:
  StatementRunner(Connection& connection, const TableQuery& query, const StatementForm& form,
                  RowSink& sink, const OpContext& context)
      : connection_(connection),
        query_(query),
        form_(form),
        sink_(sink),
        context_(context),
        has_cursor_(form.statement.kind == GuardedStatement::Kind::Rows),
        prefix_(has_cursor_ ? kCursorPrefix : form.prefix),
        sent_{query.sql, prefix_.size(), form.statement.begin} {}

  StatementOutcome run() {
    auto result = run_all();
    if (!result) fail(std::move(result).error());
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (readers_[i].has_broken_text()) {
        outcome_.run.notes.push_back(
            fmt::format("column {} has texts that are no valid UTF-8: given as bytes", i + 1));
      }
    }
    for (std::string& notice : connection_.take_notices()) {
      outcome_.run.notes.push_back(std::move(notice));
    }
    return std::move(outcome_);
  }

 private:
  std::uint64_t rows_left() const { return query_.rows_max - outcome_.run.rows; }
  std::size_t bytes_left() const { return query_.bytes_max - bytes_; }

  // One more than may be delivered, so that has_more is known.
  std::uint64_t first_rows() const { return std::min(kFirstRows, saturated(rows_left())); }
  static std::uint64_t saturated(std::uint64_t rows) {
    return rows == UINT64_MAX ? rows : rows + 1;
  }
  std::uint64_t next_rows() const {
    const std::size_t average =
        std::max<std::size_t>(1, bytes_ / std::max<std::uint64_t>(1, seen_));
    const std::uint64_t by_size =
        std::clamp<std::uint64_t>(kBatchBytes / average, kBatchRowsMin, kBatchRowsMax);
    return std::min({by_size, saturated(rows_left()), bytes_left() / average + kBatchRowsMin});
  }

  Result<void> run_all() {
    const std::uint64_t count = first_rows();
    HELVE_TRY(connection_.queue("BEGIN TRANSACTION READ ONLY"));
    HELVE_TRY(connection_.queue(timeout_statement(context_)));
    HELVE_TRY(connection_.queue(std::string(prefix_).append(form_.statement.text_of(query_.sql)),
                                query_.parameters, form_.has_types));
    if (has_cursor_) HELVE_TRY(connection_.queue(fmt::format("FETCH {} FROM c", count)));
    HELVE_TRY(connection_.send());
    HELVE_TRY(connection_.settle(context_));
    const int commands = has_cursor_ ? 3 : 2;  // before the rows
    for (int i = 0; i < commands && !has_failed_; ++i) HELVE_TRY(read_command());
    if (!has_failed_) HELVE_TRY(read_rows());
    if (!must_drop_) HELVE_TRY(connection_.skip_to_end(context_));
    bool is_whole = !has_cursor_ || batch_ < count;
    while (!has_failed_ && !is_stopped_ && !is_whole) {
      HELVE_ASSIGN(is_whole, read_batch());
    }
    if (must_drop_) return {};
    HELVE_TRY(connection_.clean_up());
    outcome_.is_reusable = true;
    return {};
  }

  // True when it was the last.
  Result<bool> read_batch() {
    const std::uint64_t count = next_rows();
    HELVE_TRY(connection_.queue(timeout_statement(context_)));
    HELVE_TRY(connection_.queue(fmt::format("FETCH {} FROM c", count)));
    HELVE_TRY(connection_.send());
    HELVE_TRY(read_command());
    if (!has_failed_) HELVE_TRY(read_rows());
    if (!must_drop_) HELVE_TRY(connection_.skip_to_end(context_));
    return batch_ < count;
  }

  // A statement without rows; its error is that of the run.
  Result<void> read_command() {
    while (true) {
      HELVE_ASSIGN(const ResultPtr result, connection_.next(context_));
      if (result == nullptr) return {};
      const ExecStatusType status = PQresultStatus(result.get());
      if (status == PGRES_COMMAND_OK) continue;
      take_error(result.get());
      return {};
    }
  }

  void take_error(const PGresult* result) {
    has_failed_ = true;
    const ServerReport report = report_of(result);
    auto found = statement_error(report, sent_);
    constexpr std::string_view kAmbiguous = "42725";
    constexpr std::string_view kIndeterminate = "42P18";
    outcome_.wants_types = report.state == kAmbiguous || report.state == kIndeterminate;
    if (ends_connection(report.state)) {
      must_drop_ = true;
      outcome_.was_lost = outcome_.run.rows == 0 && !has_columns_;
    }
    outcome_.run.error = std::move(found.error);
    outcome_.run.problem = std::move(found.problem);
  }

  Result<void> read_rows() {
    connection_.read_by_rows();
    connection_.limit_receiving(bytes_left() + kSlackBytes);
    batch_ = 0;
    std::size_t dropped = 0;
    while (true) {
      HELVE_ASSIGN(const ResultPtr result, connection_.next(context_));
      if (result == nullptr) break;
      const ExecStatusType status = PQresultStatus(result.get());
      if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
        if (status != PGRES_COMMAND_OK) take_error(result.get());
        break;
      }
      HELVE_TRY(read_columns(result.get()));
      HELVE_TRY(deliver(result.get()));
      if (!is_stopped_ || status == PGRES_TUPLES_OK) continue;
      dropped += PQresultMemorySize(result.get());
      if (dropped > kSlackBytes) {
        give_up();
        return {};
      }
    }
    connection_.limit_receiving(0);
    return {};
  }

  // What still comes is not wanted.
  void give_up() {
    connection_.cancel();
    must_drop_ = true;
  }

  Result<void> read_columns(const PGresult* result) {
    if (has_columns_) return {};
    has_columns_ = true;
    const int count = PQnfields(result);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      const std::string_view name = PQfname(result, i);
      const bool is_valid = utf8_valid_prefix(name) == name.size();
      names.push_back(is_valid ? std::string(name) : escape_for_terminal(name));
      readers_.emplace_back(value_type(PQftype(result, i), PQfmod(result, i), connection_.types()));
      outcome_.run.column_types.push_back(readers_.back().type().name);
    }
    cells_.resize(readers_.size());
    return sink_.columns(names);
  }

  Result<void> deliver(const PGresult* result) {
    constexpr int kLook = 1'024;
    const int count = PQntuples(result);
    if (PQnfields(result) != static_cast<int>(readers_.size())) {
      return Error{ErrorCode::Unavailable, "the server changed the columns within the rows"};
    }
    batch_ += static_cast<std::uint64_t>(count);
    for (int row = 0; row < count && !is_stopped_; ++row) {
      if (row % kLook == kLook - 1) HELVE_TRY(context_.check());
      if (rows_left() == 0) {
        stop();
        return {};
      }
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < readers_.size(); ++i) {
        const int column = static_cast<int>(i);
        const auto size = static_cast<std::size_t>(PQgetlength(result, row, column));
        const char* value = PQgetvalue(result, row, column);
        bytes += size;
        // An empty value is NULL only where the server says so.
        if (size == 0 && PQgetisnull(result, row, column) == 1) {
          cells_[i].reset();
        } else {
          cells_[i] = readers_[i].read({value, size});
        }
      }
      if (bytes > bytes_left()) {
        stop();
        return {};
      }
      HELVE_TRY(sink_.row(cells_));
      bytes_ += bytes;
      ++seen_;
      ++outcome_.run.rows;
    }
    return {};
  }

  void stop() {
    is_stopped_ = true;
    outcome_.run.has_more = true;
  }

  // The caller's time is over, the sink is full, or the connection is gone.
  void fail(Error error) {
    outcome_.is_reusable = false;
    if (connection_.has_overflowed()) {
      outcome_.run.has_more = true;
      if (outcome_.run.rows == 0) {
        error.message =
            fmt::format("the first row has more than {}", format_bytes(query_.bytes_max));
        error.hint = "select fewer columns, or parts of them: left(column, 1000)";
        outcome_.run.error = std::move(error);
      }
    } else if (!outcome_.run.error) {
      outcome_.was_lost =
          error.code == ErrorCode::Unavailable && outcome_.run.rows == 0 && !has_columns_;
      outcome_.run.error = std::move(error);
    }
    if (!outcome_.was_lost) connection_.cancel();
  }

  Connection& connection_;
  const TableQuery& query_;
  const StatementForm& form_;
  RowSink& sink_;
  const OpContext& context_;
  const bool has_cursor_;
  const std::string_view prefix_;
  const SentStatement sent_;
  StatementOutcome outcome_;
  std::vector<ValueReader> readers_;
  std::vector<std::optional<rdf::TermView>> cells_;
  std::uint64_t batch_ = 0;  // rows that came of it
  std::uint64_t seen_ = 0;
  std::size_t bytes_ = 0;
  bool has_columns_ = false;
  bool has_failed_ = false;
  bool is_stopped_ = false;
  bool must_drop_ = false;
};

}  // namespace

StatementOutcome run_statement(Connection& connection, const TableQuery& query,
                               const StatementForm& form, RowSink& sink, const OpContext& context) {
  return StatementRunner(connection, query, form, sink, context).run();
}

}  // namespace helve::sql
