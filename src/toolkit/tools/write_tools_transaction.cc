// transaction: several changes that are made together, or not at all.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/tools/call_audit.h"
#include "toolkit/tools/write_tools.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kIdBytes = 4;
constexpr std::size_t kStatementChars = 120;

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

class TransactionCall {
 public:
  explicit TransactionCall(ToolCall& call)
      : call_(call), source_(call.tables->info().name), owner_(call.write_session) {}

  ToolAnswer answer() {
    const std::string& action = call_.arguments.text("action");
    if (action == "begin") return begin();
    auto lease = take_transaction(call_);
    if (!lease) return ToolError(lease.error());
    if (!*lease) return no_transaction(action);
    call_.notes.transaction = (**lease)->id;
    if (action == "commit") return commit(**lease);
    if (action == "rollback") return roll_back(**lease);
    return status(**lease);
  }

 private:
  ToolAnswer begin() {
    if (!call_.writes.lasts) {
      return ToolError(Error{
          ErrorCode::Denied, "no transaction can stay open here: the process ends with the call",
          "make each change by itself with data_modify, or use a surface that stays: helve mcp, "
          "the library"});
    }
    if (call_.caller.is_stateless) {
      return ToolError(Error{
          ErrorCode::Denied,
          "no transaction can stay open here: the client has no session that it could belong to",
          "make each change by itself with data_modify; clients that begin with initialize have "
          "sessions, and so has standard input and output"});
    }
    if (auto person = check_person(call_); !person) return ToolError(person.error());
    const RowLimit limit = row_limit(call_);
    if (auto checked = check_row_limit(limit, call_.policy, call_.notes); !checked) {
      return ToolError(checked.error());
    }
    auto& all = call_.writes.transactions;
    if (auto room = all.check_room(owner_, source_); !room) return ToolError(room.error());
    auto begun = call_.writer->begin(call_.op);
    if (!begun) return ToolError(begun.error());
    OpenTransaction open;
    open.id = "transaction-" + call_.env.random().hex(kIdBytes);
    open.policy = fingerprint_of(call_.policy);
    open.source = call_.tables;
    open.transaction = *std::move(begun);
    open.store = call_.writes.id;
    open.is_recorded = is_recorded(call_.policy);
    const std::string id = open.id;
    if (auto added = all.add(owner_, source_, std::move(open)); !added) {
      return ToolError(added.error());
    }
    call_.notes.transaction = id;
    reply_.say(fmt::format("{} is open on {}: data_modify is part of it until it is committed", id,
                           source_));
    reply_.set_word("status", "open");
    reply_.set_word("transaction", id);
    reply_.set("rows_left", limit.rows);
    reply_.set("seconds_left", whole_seconds(OpenTransactions::kLifeMax));
    reply_.warn(fmt::format("it is rolled back when it is idle for {} s",
                            whole_seconds(OpenTransactions::kIdleMax)));
    reply_.next("data_modify sql=\"...\"");
    reply_.next("transaction action=commit");
    return std::move(reply_);
  }

  ToolAnswer no_transaction(const std::string& action) {
    const std::string ended = call_.writes.transactions.what_became(owner_, source_);
    if (action == "status") {
      reply_.say(ended.empty() ? fmt::format("no transaction is open on {}", source_) : ended);
      reply_.set_word("status", "none");
      return std::move(reply_);
    }
    return ToolError(
        Error{ErrorCode::NotFound,
              ended.empty() ? fmt::format("no transaction is open on {}", source_) : ended,
              "transaction action=begin opens one"});
  }

  void show(const OpenTransactions::Lease& lease) {
    const OpenTransaction& open = *lease;
    reply_.set_word("transaction", open.id);
    reply_.set("affected", open.affected);
    ReplyList list{"statements", {"number", "action", "table", "affected", "sql"}, {}};
    std::int64_t number = 0;
    for (const TransactionStatement& one : open.statements) {
      list.items.emplace_back(ReplyValue::List{++number, one.verb, one.table, one.affected,
                                               shown_statement(one.sql, kStatementChars)});
    }
    reply_.list(std::move(list));
  }

  ToolAnswer status(const OpenTransactions::Lease& lease) {
    const OpenTransaction& open = *lease;
    const std::uint64_t most = row_limit(call_).rows;
    reply_.say(fmt::format("{} is open on {}: {} statement{}, {} changed", open.id, source_,
                           open.statements.size(), open.statements.size() == 1 ? "" : "s",
                           count_rows(open.affected)));
    reply_.set_word("status", "open");
    reply_.set("rows_left", most - std::min(most, open.affected));
    reply_.set("seconds_left", whole_seconds(lease.remaining()));
    show(lease);
    reply_.next("transaction action=commit");
    reply_.next("transaction action=rollback");
    return std::move(reply_);
  }

  void forget_snapshots(const OpenTransaction& open) {
    for (const TransactionStatement& one : open.statements) {
      for (const std::string& key : one.handles) (void)call_.handles.remove(key);
    }
  }

  ToolAnswer roll_back(OpenTransactions::Lease& lease) {
    const Result<void> back = lease->transaction->roll_back(call_.op);
    lease->transaction.reset();
    lease.end(call_.op, "");
    forget_snapshots(*lease);
    if (!back) {
      reply_.warn("the database did not confirm it, the connection is dropped: " +
                  back.error().message);
    }
    call_.notes.affected = 0;
    reply_.say(fmt::format("{} is rolled back: nothing of its {} statement{} is made", lease->id,
                           lease->statements.size(), lease->statements.size() == 1 ? "" : "s"));
    reply_.set_word("status", "rolled_back");
    reply_.set_word("transaction", lease->id);
    return std::move(reply_);
  }

  std::vector<std::string> subject(const OpenTransaction& open) const {
    std::vector<std::string> texts = {"commit", open.id, std::to_string(open.affected)};
    for (const TransactionStatement& one : open.statements) {
      texts.push_back(one.sql);
      texts.push_back(std::to_string(one.affected));
    }
    return texts;
  }

  std::string question(const OpenTransaction& open) const {
    std::string text = fmt::format("commit {} in {}: {} statement{}, {} changed.", open.id, source_,
                                   open.statements.size(), open.statements.size() == 1 ? "" : "s",
                                   count_rows(open.affected));
    std::size_t number = 0;
    for (const TransactionStatement& one : open.statements) {
      if (++number > kAskedStatements) {
        text += fmt::format("\nand {} more", open.statements.size() - kAskedStatements);
        break;
      }
      text += fmt::format("\n{}. {}{}: {}", number,
                          one.takes_all ? fmt::format("all rows of {}: ", one.table) : "",
                          count_rows(one.affected), one.shown);
    }
    return text;
  }

  ToolAnswer commit(OpenTransactions::Lease& lease) {
    OpenTransaction& open = *lease;
    if (open.statements.empty()) return roll_back(lease);
    call_.notes.estimated = open.affected;
    auto confirmation = check_confirmation(call_, subject(open), reply_);
    if (!confirmation) {
      open.awaits_confirmation = false;
      return ToolError(confirmation.error());
    }
    if (confirmation->state == ConfirmationState::State::Missing) return ask(lease);
    call_.notes.affected = open.affected;
    if (auto noted = call_.record_intent(call_.notes); !noted) {
      lease.end(call_.op, "its commit could not be recorded");
      forget_snapshots(open);
      call_.notes.affected = 0;
      call_.notes.rule = "audit";
      return ToolError(Error{
          noted.error().code,
          "the transaction could not be recorded, and was rolled back: " + noted.error().message,
          "changes are made only where they can be recorded"});
    }
    if (auto counted = count_changed(call_, open.affected); !counted) {
      lease.end(call_.op, "it would have changed too many rows");
      forget_snapshots(open);
      call_.notes.affected = 0;
      return ToolError(counted.error());
    }
    const CommitOutcome outcome = open.transaction->commit(call_.op);
    open.transaction.reset();
    lease.end(call_.op, "");
    if (outcome.error && !outcome.is_unknown) take_back_changed(call_, open.affected);
    if (outcome.is_unknown) {
      return unknown_end(call_, outcome.error.value_or(Error{ErrorCode::Unavailable, "lost"}));
    }
    if (outcome.error) {
      forget_snapshots(open);
      call_.notes.affected = 0;
      Error error = *outcome.error;
      error.restate("the database did not commit the transaction");
      if (error.hint.empty()) {
        error.hint = "it was rolled back: fix the cause in detail and begin a new one";
      }
      return ToolError(std::move(error));
    }
    call_.notes.is_made = true;
    reply_.say(fmt::format("{} is committed: {} changed", open.id, count_rows(open.affected)));
    reply_.set_word("status", "done");
    show(lease);
    return std::move(reply_);
  }

  ToolAnswer ask(OpenTransactions::Lease& lease) {
    OpenTransaction& open = *lease;
    reply_.say(fmt::format("not applied, this change needs confirmation: {} would change {}",
                           open.id, count_rows(open.affected)));
    show(lease);
    if (auto asked =
            request_confirmation(call_, subject(open), open.affected, true, question(open), reply_);
        !asked) {
      return ToolError(asked.error());
    }
    open.awaits_confirmation = true;
    reply_.set("seconds_left", whole_seconds(lease.remaining()));
    return std::move(reply_);
  }

  ToolCall& call_;
  const std::string source_;
  const WriteSession& owner_;
  Reply reply_;
};

}  // namespace

ToolAnswer change_transaction(ToolCall& call) {
  if (auto writable = check_writer(call); !writable) return ToolError(writable.error());
  return TransactionCall(call).answer();
}

}  // namespace helve::toolkit
