#include "toolkit/memory/postgres/bank_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

using sql::pq;
using sql::ResultPtr;

constexpr std::size_t kReceiveMax = std::size_t{256} << 20;

// Who changes a bank computes for milliseconds between two statements: one that is silent for
// longer has stopped, and holds everybody up. Where the server is told not to wait for its disk,
// this is told to; any other way of waiting is the server's.
const std::string& limits_statement() {
  static const std::string text =
      "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true), "
      "set_config('idle_in_transaction_session_timeout', '10000', true), "
      "CASE WHEN current_setting('synchronous_commit') = 'off' "
      "THEN set_config('synchronous_commit', 'on', true) END";
  return text;
}

Error lost_connection() {
  return {ErrorCode::Unavailable, "the connection to the server of the bank was lost",
          "call again in a while"};
}

// With words for who owns the bank.
Error bank_error(sql::ServerReport report) {
  report.position = 0;  // in statements of our own
  const std::string_view state = report.state;
  Error error = sql::statement_error(report, {}).error;
  const auto restate = [&](ErrorCode code, const char* message, const char* hint) {
    error.code = code;
    error.message = message;
    error.hint = hint;
  };
  if (state == "42501") {
    restate(ErrorCode::Denied, "the user of the bank may not do this",
            "the user of the bank needs USAGE on its schema, and SELECT, INSERT, UPDATE and DELETE "
            "on its tables");
  } else if (state == "25006") {
    restate(ErrorCode::Denied, "the bank can only be read",
            "the server can only be read from: name the one that can be written to");
  } else if (state == "55P03") {
    restate(ErrorCode::Unavailable, "the bank is being changed by others all the time",
            "call again in a while");
  } else if (state.starts_with("53") || state.starts_with("XX")) {
    restate(ErrorCode::Unavailable, "the server of the bank has a problem",
            "see to the server: its disk may be full");
  } else if (state.starts_with("42") || state.starts_with("3F")) {
    restate(ErrorCode::Unavailable, "the schema of the bank is not as it was made",
            "restore it from a backup, or name another bank");
  } else if (error.code == ErrorCode::Denied) {
    error.hint = "check the user and the password of the bank";
  }
  return error;
}

std::string list_text(const std::vector<std::string>& list) {
  std::string text = "{";
  for (const std::string& value : list) {
    if (text.size() > 1) text += ',';
    text += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

}  // namespace

PgParameter::PgParameter(const std::vector<std::string>& list) : text(list_text(list)) {}

PgParameter::PgParameter(const std::vector<std::int64_t>& list)
    : text(fmt::format("{{{}}}", fmt::join(list, ","))) {}

PgParameter PgParameter::bytes(std::string_view value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * value.size());
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return {std::move(text)};
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

Result<std::unique_ptr<BankSession>> BankSession::open(const sql::DatabaseOptions& options,
                                                       Env& env, const OpContext& context) {
  HELVE_ASSIGN(auto connection, sql::Connection::open_bare(options, env, context));
  return std::unique_ptr<BankSession>(new BankSession(std::move(connection)));
}

void BankSession::begin(BankAccess access, const OpContext& context) {
  constexpr std::int64_t kTimeMax = 600'000;
  constexpr std::int64_t kLockMax = 30'000;
  add_once(access == BankAccess::Read
               ? "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
               : "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE");
  steps_.back().is_told = false;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline.remaining()).count();
  // The server gives up a little before the caller, and on a lock before that, to be able to say
  // so.
  const std::int64_t time = std::clamp<std::int64_t>(left - left / 10, 1, kTimeMax);
  add(limits_statement(), {time, std::clamp<std::int64_t>(left / 4 * 3, 1, kLockMax)});
  steps_.back().is_told = false;
  is_in_transaction_ = true;
}

void BankSession::add(const std::string& sql, std::vector<PgParameter> parameters) {
  Step step;
  step.sql = &sql;
  for (PgParameter& one : parameters) step.parameters.push_back(std::move(one.text));
  steps_.push_back(std::move(step));
}

void BankSession::add_once(std::string sql) {
  Step step;
  step.once = std::move(sql);
  steps_.push_back(std::move(step));
}

void BankSession::commit() {
  add_once("COMMIT");
  steps_.back().is_told = false;
  steps_.back().is_commit = true;
}

Result<std::vector<ResultPtr>> BankSession::run(const OpContext& context) {
  const std::vector<Step> steps = std::exchange(steps_, {});
  const bool is_end = !steps.empty() && steps.back().is_commit;
  auto answers = exchange(steps, context);
  if (is_lost_) return answers;
  if (!answers) {
    roll_back(context);
  } else if (is_end) {
    is_in_transaction_ = false;
  }
  return answers;
}

void BankSession::roll_back(const OpContext& context) {
  steps_.clear();
  if (!is_in_transaction_ || is_lost_) return;
  is_in_transaction_ = false;
  std::vector<Step> steps(1);
  steps.front().once = "ROLLBACK";
  if (!exchange(steps, context)) is_lost_ = true;
}

Result<std::vector<ResultPtr>> BankSession::exchange(const std::vector<Step>& steps,
                                                     const OpContext& context) {
  // Before anything is sent: half a pipeline would be of no use.
  for (const Step& step : steps) {
    for (const auto& value : step.parameters) {
      if (value && value->find('\0') != std::string::npos) {
        return Error{ErrorCode::InvalidInput, "a text has the character U+0000",
                     "PostgreSQL has no such texts: leave it out"};
      }
    }
  }
  if (const auto checked = context.check(); !checked) return checked.error();
  auto sent = send(steps);
  if (!sent) {
    is_lost_ = true;
    return sent.error();
  }
  return receive(*sent, context);
}

std::string BankSession::name_of(const std::string& sql) {
  std::string& name = names_[&sql];
  if (name.empty()) name = fmt::format("bank_{}", names_.size());
  return name;
}

Result<std::vector<BankSession::Sent>> BankSession::send(const std::vector<Step>& steps) {
  std::vector<Sent> sent;
  std::set<const std::string*> under_way;
  for (const Step& step : steps) {
    if (step.sql == nullptr) {
      HELVE_TRY(connection_->queue(step.once));
      sent.push_back({nullptr, step.is_told, step.is_commit});
      continue;
    }
    const std::string name = name_of(*step.sql);
    if (!prepared_.contains(step.sql) && under_way.insert(step.sql).second) {
      HELVE_TRY(connection_->queue_prepare(name, *step.sql));
      sent.push_back({step.sql, false, false});
    }
    HELVE_TRY(connection_->queue_prepared(name, step.parameters));
    sent.push_back({nullptr, step.is_told, false});
  }
  HELVE_TRY(connection_->send());
  return sent;
}

Result<std::vector<ResultPtr>> BankSession::receive(const std::vector<Sent>& sent,
                                                    const OpContext& context) {
  std::vector<ResultPtr> answers;
  std::optional<Error> failed;
  std::size_t place = 0;
  std::size_t nothing = 0;
  bool has_answer = false;
  connection_->limit_receiving(kReceiveMax);
  is_lost_ = true;  // until the end of all answers has come
  while (true) {
    auto next = connection_->next(context);
    if (!next) {
      // What is under way on the server is stopped, if it hears of it in time.
      if (next.error().code != ErrorCode::Unavailable) connection_->cancel();
      return next.error();
    }
    ResultPtr result = *std::move(next);
    if (result == nullptr) {
      if (std::exchange(has_answer, false)) {
        ++place;
        nothing = 0;
      } else if (++nothing > 2) {
        return failed ? *failed : lost_connection();
      }
      continue;
    }
    const ExecStatusType status = pq().result_status(result.get());
    if (status == PGRES_PIPELINE_SYNC) break;
    if (place >= sent.size()) return lost_connection();
    has_answer = true;
    if (status == PGRES_FATAL_ERROR && !failed) {
      const sql::ServerReport report = sql::report_of(result.get());
      if (sql::ends_connection(report.state)) return sql::connection_error(report.message, {});
      failed = bank_error(report);
    } else if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
      const Sent& one = sent[place];
      if (one.prepared != nullptr) prepared_.insert(one.prepared);
      // A transaction that had failed before answers ROLLBACK.
      if (one.is_commit && std::string_view(pq().cmd_status(result.get())) != "COMMIT") {
        failed = Error{ErrorCode::Unavailable, "the server rolled the change back", "call again"};
      }
      if (one.is_told) answers.push_back(std::move(result));
    }
  }
  connection_->limit_receiving(0);
  is_lost_ = false;
  if (failed) return *std::move(failed);
  const auto told =
      std::count_if(sent.begin(), sent.end(), [](const Sent& one) { return one.is_told; });
  if (place != sent.size() || answers.size() != static_cast<std::size_t>(told)) {
    is_lost_ = true;
    return lost_connection();
  }
  return answers;
}

}  // namespace helve::memory
