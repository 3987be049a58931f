#include "sources/sql/postgres/statement_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/sql/postgres/pq_library.h"

namespace helve::sql {

namespace {

constexpr std::string_view kCursorPrefix = "DECLARE c NO SCROLL CURSOR FOR\n";
// The rows of the first batch, which is enough for most, come one by one, so that any cap can cut
// them. The size of later ones follows that of the rows: small enough to come whole, which is
// faster, as long as the caps are far.
constexpr std::uint64_t kFirstRows = 256;
constexpr std::uint64_t kBatchRowsMax = 2'000;
constexpr std::uint64_t kBatchRowsMin = 32;
constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
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
  // The batches that are under way, the oldest first.
  struct Asked {
    std::array<std::uint64_t, 2> counts{};
    std::size_t size = 0;

    void add(std::uint64_t count) { counts[size++] = count; }
    std::uint64_t take() {
      const std::uint64_t first = counts[0];
      counts[0] = counts[1];
      --size;
      return first;
    }
  };

  std::size_t bytes_left() const { return query_.bytes_max - bytes_; }

  // Rows to ask for in all: one more than may be delivered, so that has_more is known.
  std::uint64_t rows_wanted() const {
    return query_.rows_max == UINT64_MAX ? UINT64_MAX : query_.rows_max + 1;
  }
  std::uint64_t next_rows() const {
    const std::size_t average =
        std::max<std::size_t>(1, bytes_ / std::max<std::uint64_t>(1, outcome_.run.rows));
    const std::uint64_t by_size =
        std::clamp<std::uint64_t>(kBatchBytes / average, kBatchRowsMin, kBatchRowsMax);
    return std::min(by_size, rows_wanted() - requested_);
  }

  Result<void> run_all() {
    HELVE_TRY(connection_.queue("BEGIN TRANSACTION READ ONLY"));
    HELVE_TRY(connection_.queue(timeout_statement(context_)));
    HELVE_TRY(connection_.queue(std::string(prefix_).append(form_.statement.text_of(query_.sql)),
                                query_.parameters, form_.has_types));
    requested_ = std::min(kFirstRows, rows_wanted());
    if (has_cursor_) HELVE_TRY(connection_.queue(fmt::format("FETCH {} FROM c", requested_)));
    HELVE_TRY(connection_.send());
    HELVE_TRY(connection_.settle(context_));
    HELVE_TRY(read_answer(has_cursor_ ? 3 : 2, requested_));
    if (has_cursor_ && batch_ == requested_) HELVE_TRY(read_batches());
    if (must_drop_) return {};
    HELVE_TRY(connection_.clean_up());
    outcome_.is_reusable = true;
    return {};
  }

  // While one is read the server works on the next.
  Result<void> read_batches() {
    HELVE_TRY(ask());
    HELVE_TRY(ask());
    while (asked_.size > 0 && !must_drop_) {
      const std::uint64_t count = asked_.take();
      HELVE_TRY(read_answer(1, count));
      if (batch_ == count) HELVE_TRY(ask());
    }
    return {};
  }

  Result<void> ask() {
    if (has_failed_ || is_stopped_ || requested_ >= rows_wanted()) return {};
    const std::uint64_t count = next_rows();
    HELVE_TRY(connection_.queue(timeout_statement(context_)));
    HELVE_TRY(connection_.queue(fmt::format("FETCH {} FROM c", count)));
    HELVE_TRY(connection_.send());
    requested_ += count;
    asked_.add(count);
    return {};
  }

  // The answers to all that one send() sent: commands without rows, then one with rows.
  Result<void> read_answer(int commands, std::uint64_t count) {
    batch_ = 0;
    bool is_good = true;
    for (int i = 0; i < commands && is_good; ++i) {
      HELVE_ASSIGN(is_good, read_command());
    }
    if (is_good) HELVE_TRY(read_rows());
    is_whole_ = !has_failed_ && (is_whole_ || is_stopped_ || !has_cursor_ || batch_ < count);
    if (!must_drop_) HELVE_TRY(connection_.skip_to_end(context_));
    return {};
  }

  // A statement without rows; its error is that of the run. False where it failed.
  Result<bool> read_command() {
    while (true) {
      HELVE_ASSIGN(const ResultPtr result, connection_.next(context_));
      if (result == nullptr) return true;
      if (pq().result_status(result.get()) == PGRES_COMMAND_OK) continue;
      take_error(result.get());
      return false;
    }
  }

  // The first one counts: the others follow from it.
  void take_error(const PGresult* result) {
    if (std::exchange(has_failed_, true)) return;
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

  bool are_caps_far() const {
    constexpr std::size_t kFar = 64;
    return outcome_.run.rows > 0 && bytes_left() / kFar > kBatchBytes;
  }

  Result<void> read_rows() {
    if (!are_caps_far() || is_stopped_) connection_.read_by_rows();
    connection_.limit_receiving(bytes_left() + kSlackBytes);
    while (true) {
      HELVE_ASSIGN(const ResultPtr result, connection_.next(context_));
      if (result == nullptr) break;
      const ExecStatusType status = pq().result_status(result.get());
      if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
        if (status != PGRES_COMMAND_OK) take_error(result.get());
        break;
      }
      HELVE_TRY(read_columns(result.get()));
      HELVE_TRY(deliver(result.get()));
      if (!is_stopped_ || status == PGRES_TUPLES_OK) continue;
      dropped_ += pq().result_memory_size(result.get());
      if (dropped_ > kSlackBytes) {
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
    const int count = pq().nfields(result);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      const std::string_view name = pq().fname(result, i);
      const bool is_valid = utf8_valid_prefix(name) == name.size();
      names.push_back(is_valid ? std::string(name) : escape_for_terminal(name));
      readers_.emplace_back(
          value_type(pq().ftype(result, i), pq().fmod(result, i), connection_.types()));
      outcome_.run.column_types.push_back(readers_.back().type().name);
    }
    cells_.resize(readers_.size());
    return sink_.columns(names);
  }

  Result<void> deliver(const PGresult* result) {
    constexpr std::uint64_t kLook = 1'024;
    const int count = pq().ntuples(result);
    if (pq().nfields(result) != static_cast<int>(readers_.size())) {
      return Error{ErrorCode::Unavailable, "the server changed the columns within the rows"};
    }
    for (int row = 0; row < count; ++row) {
      if (++batch_ % kLook == 0) HELVE_TRY(context_.check());
      if (!is_stopped_) HELVE_TRY(deliver_row(result, row));
    }
    return {};
  }

  Result<void> deliver_row(const PGresult* result, int row) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const int column = static_cast<int>(i);
      const auto size = static_cast<std::size_t>(pq().getlength(result, row, column));
      bytes += size;
      if (size == 0 && pq().getisnull(result, row, column) == 1) {
        cells_[i].reset();
      } else {
        cells_[i] = readers_[i].read({pq().getvalue(result, row, column), size});
      }
    }
    const bool is_full = outcome_.run.rows == query_.rows_max;
    if (is_full || bytes > bytes_left()) {
      if (!is_full && outcome_.run.rows == 0) outcome_.run.error = too_large();
      stop();
      return {};
    }
    HELVE_TRY(sink_.row(cells_));
    bytes_ += bytes;
    ++outcome_.run.rows;
    return {};
  }

  void stop() {
    is_stopped_ = true;
    outcome_.run.has_more = true;
  }

  Error too_large() const {
    return {ErrorCode::LimitExceeded,
            fmt::format("the first row has more than {}", format_bytes(query_.bytes_max)),
            "select fewer columns, or parts of them: left(column, 1000)"};
  }

  // The caller's time is over, the sink is full, or the connection is gone.
  void fail(Error error) {
    outcome_.is_reusable = false;
    if (is_whole_) return;  // all was delivered before
    if (connection_.has_overflowed()) {
      outcome_.run.has_more = true;
      if (outcome_.run.rows == 0) {
        outcome_.run.error = too_large();
      } else {
        outcome_.run.notes.emplace_back("cut where the rows grew beyond what may be received");
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
  std::uint64_t requested_ = 0;  // rows, in all
  std::uint64_t batch_ = 0;      // rows that came of the last answer
  Asked asked_;
  std::size_t dropped_ = 0;
  std::size_t bytes_ = 0;
  bool has_columns_ = false;
  bool has_failed_ = false;
  bool is_stopped_ = false;
  bool is_whole_ = false;  // nothing more is wanted
  bool must_drop_ = false;
};

}  // namespace

StatementOutcome run_statement(Connection& connection, const TableQuery& query,
                               const StatementForm& form, RowSink& sink, const OpContext& context) {
  return StatementRunner(connection, query, form, sink, context).run();
}

}  // namespace helve::sql
