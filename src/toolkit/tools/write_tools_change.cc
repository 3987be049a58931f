// data_modify and ddl_execute: from the statement of a call to a change that is made, or not.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sources/sql_tokens.h"
#include "toolkit/tools/handle_view.h"
#include "toolkit/tools/table_tools.h"
#include "toolkit/tools/write_tools.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kShownChars = 4'000;
constexpr std::size_t kNoteChars = 200;
constexpr std::uint64_t kPreviewRows = 5;
constexpr std::size_t kShownParameters = 20;
constexpr std::size_t kParameterChars = 200;

// Like a literal of SQL: no text can look like several values, or like NULL.
std::string quoted_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

std::string shown_parameters(const std::vector<SqlValue>& values) {
  std::string out;
  for (std::size_t i = 0; i < std::min(values.size(), kShownParameters); ++i) {
    out += i == 0 ? "" : ", ";
    if (!values[i]) {
      out += "NULL";
      continue;
    }
    const std::string shown = elide_end(escape_for_terminal(values[i]->value), kParameterChars);
    out += values[i]->datatype.empty() ? quoted_text(shown) : shown;
  }
  if (values.size() > kShownParameters) {
    out += fmt::format(" and {} more", values.size() - kShownParameters);
  }
  return out;
}

// One call of one of the two tools.
class ChangeCall {
 public:
  ChangeCall(ToolCall& call, TableStatement statement)
      : call_(call), statement_(std::move(statement)), scene_{*call.tables, *call.writer,
                                                              call.policy,  row_limit(call),
                                                              call.op,      problem_,
                                                              call.notes} {}

  ToolAnswer answer() {
    for (const std::string& note : statement_.bound.notes) reply_.warn(note);
    if (!statement_.unfit.empty()) return unfit_feed();
    TableWrite write;
    write.sql = statement_.bound.sql;
    write.parameters = statement_.bound.parameters;
    auto change = examine_change(std::move(write), scene_);
    if (!change) return failed(change.error());
    change_ = *std::move(change);
    if (change_.is_definition() != call_.tool.is_defining) return of_other_tool();
    if (!is_dry()) {
      if (auto showable = check_showable(); !showable) return ToolError(showable.error());
    }
    describe();
    auto lease = take_transaction(call_);
    if (!lease) return ToolError(lease.error());
    if (*lease) return in_transaction(**lease);
    const std::string ended =
        call_.writes.transactions.what_became(call_.write_session, call_.tables->info().name);
    if (!ended.empty()) return lost_transaction(ended);
    if (is_dry()) return dry_run(nullptr, scene_.limit.rows);
    return by_itself();
  }

 private:
  bool is_dry() const { return call_.arguments.boolean("dry_run"); }

  // What the token is for. Parameters by their kinds and values, so that none passes for another.
  std::vector<std::string> subject() const {
    std::vector<std::string> texts = {statement_.bound.sql};
    for (const SqlValue& value : statement_.bound.parameters) {
      texts.push_back(value ? value->datatype + "=" + value->value : "NULL");
    }
    return texts;
  }

  ToolAnswer unfit_feed() const {
    return ToolError(Error{
        ErrorCode::InvalidInput,
        fmt::format("{}: it must not decide which rows are changed", statement_.unfit),
        "feed changes from handles that are complete and have values; NOT IN of an empty column "
        "would take every row"});
  }

  ToolAnswer of_other_tool() const {
    if (!change_.is_definition()) {
      return ToolError(Error{ErrorCode::InvalidInput,
                             fmt::format("{} changes rows, not tables", change_.outline.verb),
                             "data_modify does that"});
    }
    const bool may_define = call_.policy.allow_ddl;
    return ToolError(Error{
        ErrorCode::InvalidInput, fmt::format("{} changes tables, not rows", change_.outline.verb),
        may_define ? "ddl_execute does that"
                   : "ddl_execute does that, and the policy does not allow it (allow_ddl)"});
  }

  ToolAnswer lost_transaction(const std::string& what) const {
    return ToolError(Error{ErrorCode::Denied, what,
                           "nothing of it is there: begin a new transaction, or make the call "
                           "again to make this change by itself"});
  }

  // Errors of the statement are repaired; those of the policy say it already.
  ToolError failed(const Error& error) const {
    if (!call_.notes.rule.empty()) return ToolError(error);
    ToolError repaired = repaired_error(error, problem_, statement_, call_);
    const auto tokens = read_sql_tokens(statement_.original, call_.tables->dialect());
    if (tokens && !tokens->empty() && is_word(tokens->front(), "SELECT")) {
      repaired.error.hint = "query_execute runs SELECT";
    }
    return repaired;
  }

  void describe() {
    reply_.set_word("action", change_.outline.verb);
    if (!change_.outline.table.empty()) reply_.set_quietly("table", change_.outline.table);
    if (change_.takes_all()) {
      reply_.set("all_rows", true);
      reply_.warn(fmt::format("there is no WHERE: all rows of {} are taken",
                              quote_name(change_.outline.table)));
    }
    for (const std::string& note : change_.outline.notes) {
      reply_.warn_from_data(
          {"besides: " + note, "the database does something besides", "database_note", note});
    }
    if (!change_.outline.can_roll_back) {
      reply_.warn("what it does cannot be rolled back once it is run");
    }
  }

  std::string what() const {
    return change_.outline.table.empty()
               ? change_.outline.verb
               : change_.outline.verb + " " + quote_name(change_.outline.table);
  }

  std::string said(const ChangeEstimate& estimate) const {
    if (!estimate.rows) {
      return change_.is_definition() ? what() : what() + " would change an unknown number of rows";
    }
    if (change_.is_definition()) {
      return fmt::format("{} would take away {}", what(), count_rows(*estimate.rows));
    }
    return fmt::format("{} would change {}{}{}{}", what(),
                       estimate.is == EstimateIs::Exact ? "" : "about ",
                       change_.takes_all() ? "all rows: " : "", count_rows(*estimate.rows),
                       and_besides(estimate.besides));
  }

  static std::string and_besides(std::uint64_t rows) {
    return rows == 0 ? "" : fmt::format(", and with them {} more", count_rows(rows));
  }

  void show(const ChangeEstimate& estimate) {
    if (estimate.rows) reply_.set("estimated", *estimate.rows);
    if (estimate.besides > 0) reply_.set("besides", estimate.besides);
    reply_.set_word("estimate_is", std::string(name_of(estimate.is)));
    call_.notes.estimated = estimate.rows;
    if (estimate.before.rows == nullptr || estimate.before.rows->rows() == 0) return;
    Handle unstored;
    unstored.rows = estimate.before.rows;
    unstored.origin.prefixes = table_prefixes();
    ReplyList preview = rows_of(unstored, 0, kPreviewRows, {}, "preview");
    preview.handle.clear();
    const std::uint64_t rows = estimate.before.rows->rows();
    preview.left_out = rows > kPreviewRows ? rows - kPreviewRows : 0;
    reply_.list(std::move(preview));
  }

  ToolAnswer dry_run(WriteTransaction* open, std::uint64_t rows_left) {
    const auto estimate = estimate_change(change_, open, rows_left, scene_);
    if (!estimate) return failed(estimate.error());
    reply_.say(said(*estimate) + "; nothing is changed");
    reply_.set_word("status", "dry_run");
    show(*estimate);
    return std::move(reply_);
  }

  ToolAnswer by_itself() {
    auto confirmation = check_confirmation(call_, subject(), reply_);
    if (!confirmation) return ToolError(confirmation.error());
    switch (confirmation->state) {
      case ConfirmationState::State::Missing:
        break;
      case ConfirmationState::State::Given:
        return make(confirmation->change);
      case ConfirmationState::State::NotRequired:
        return make({});
    }
    const auto estimate = estimate_change(change_, nullptr, scene_.limit.rows, scene_);
    if (!estimate) return failed(estimate.error());
    return ask(*estimate, "");
  }

  // The statement with its values and what comes besides, for a person.
  std::string shown() const {
    std::string text = shown_statement(statement_.original, kShownChars);
    if (!statement_.bound.parameters.empty()) {
      text += "\nvalues: " + shown_parameters(statement_.bound.parameters);
    }
    for (const std::string& note : change_.outline.notes) {
      text += "\nbesides: " + shown_statement(note, kNoteChars);
    }
    if (!change_.outline.can_roll_back) text += "\nit cannot be rolled back";
    return text;
  }

  // Nobody can say yes to what is not seen whole.
  Result<void> check_showable() const {
    if (!call_.caller.has_person || call_.policy.require_confirmation == Confirmation::None) {
      return {};
    }
    const auto& values = statement_.bound.parameters;
    const bool is_short = std::all_of(values.begin(), values.end(), [](const SqlValue& value) {
      return !value || display_width(escape_for_terminal(value->value)) <= kParameterChars;
    });
    if (display_width(escape_for_terminal(statement_.original)) <= kShownChars && is_short &&
        values.size() <= kShownParameters) {
      return {};
    }
    return Error{ErrorCode::LimitExceeded,
                 "the change is too long to be shown to the person who is to confirm it",
                 fmt::format("{} characters of a statement, {} values of {} characters each are "
                             "shown whole: make the change in parts",
                             format_count(kShownChars), kShownParameters, kParameterChars)};
  }

  ToolAnswer ask(const ChangeEstimate& estimate, const std::string& why) {
    reply_.say(
        fmt::format("not applied, this change needs confirmation: {}{}", why, said(estimate)));
    show(estimate);
    std::string question = fmt::format("{}{} in {} ({}).\n{}", why, said(estimate),
                                       call_.tables->info().name, name_of(estimate.is), shown());
    const bool is_exact = estimate.is == EstimateIs::Exact;
    if (auto asked = request_confirmation(
            call_, subject(), estimate.rows, is_exact, std::move(question), reply_,
            keys_of(change_, estimate.before, is_exact ? estimate.besides : 0));
        !asked) {
      return ToolError(asked.error());
    }
    return std::move(reply_);
  }

  // Makes the change in a transaction of its own.
  ToolAnswer make(const PendingChange& confirmed) {
    const std::uint64_t most = scene_.limit.rows;
    if (auto possible = check_irrevocable(change_, most, scene_); !possible) {
      return failed(possible.error());
    }
    auto begun = call_.writer->begin(call_.op);
    if (!begun) return failed(begun.error());
    WriteTransaction& transaction = **begun;
    const bool is_early = !change_.outline.can_roll_back;
    if (is_early) {
      if (auto noted = call_.record_intent(call_.notes); !noted)
        return unrecorded(transaction, noted.error());
    }
    ChangeEffect effect;
    if (auto applied = apply_change(change_, transaction, most, scene_, effect); !applied) {
      return undone(transaction, effect, failed(applied.error()));
    }
    call_.notes.affected = effect.affected;
    const bool is_other = confirmed.is_exact && effect.affected != confirmed.rows;
    if ((is_other || has_other_rows(confirmed, effect)) && !is_early) {
      return ask_anew(transaction, confirmed, effect);
    }
    if (auto kept = keep(effect); !kept) {
      return undone(transaction, effect, ToolError(kept.error()));
    }
    if (!is_early) {
      if (auto noted = call_.record_intent(call_.notes); !noted)
        return unrecorded(transaction, noted.error());
    }
    const std::uint64_t rows = effect.rows_in_all;
    if (is_early) {
      call_.writes.changed_rows.add_always(call_.caller.identity, rows);
    } else if (auto counted = count_changed(call_, rows); !counted) {
      return undone(transaction, effect, ToolError(counted.error()));
    }
    const CommitOutcome outcome = transaction.commit(call_.op);
    if (outcome.error && !outcome.is_unknown && !is_early) take_back_changed(call_, rows);
    if (outcome.is_unknown) {
      return unknown_end(call_, outcome.error.value_or(Error{ErrorCode::Unavailable, "lost"}));
    }
    if (outcome.error) return undone(transaction, effect, failed(*outcome.error));
    return done(effect);
  }

  // As many as were confirmed, but not the same.
  bool has_other_rows(const PendingChange& confirmed, const ChangeEffect& effect) const {
    if (confirmed.keys.empty()) return false;
    return keys_of(change_, effect.before, confirmed.is_exact ? effect.besides : 0) !=
           confirmed.keys;
  }

  // Others have changed rows since the question.
  ToolAnswer ask_anew(WriteTransaction& transaction, const PendingChange& confirmed,
                      const ChangeEffect& effect) {
    if (auto back = transaction.roll_back(call_.op); !back) return ToolError(back.error());
    call_.notes.affected = 0;
    call_.notes.confirmation = "refused";
    ChangeEstimate estimate{effect.affected, EstimateIs::Exact, effect.before, effect.besides};
    return ask(estimate,
               fmt::format("{}{} confirmed, but it is rolled back: now ",
                           effect.affected == confirmed.rows ? "other rows than the " : "",
                           count_rows(confirmed.rows.value_or(0)) +
                               (confirmed.rows == 1U ? " was" : " were")));
  }

  Result<void> keep(const ChangeEffect& effect) {
    for (const auto& [key, snapshot] :
         {std::pair<std::string, const Snapshot*>("before", &effect.before),
          {"after", &effect.after},
          {"returned", effect.returned ? &*effect.returned : nullptr}}) {
      if (snapshot == nullptr) continue;
      HELVE_ASSIGN(const auto ref,
                   store_snapshot(call_, statement_.original, *snapshot, key, reply_));
      if (ref) handles_.push_back(ref->key);
    }
    const Snapshot& before = effect.before;
    if (before.rows != nullptr && before.is_whole && effect.affected > before.rows->rows()) {
      reply_.warn("rows came in between: before does not have all that were changed");
    }
    return {};
  }

  void forget_snapshots() {
    for (const std::string& key : handles_) (void)call_.handles.remove(key);
    handles_.clear();
    call_.notes.before.reset();
    call_.notes.after.reset();
  }

  ToolAnswer undone(WriteTransaction& transaction, const ChangeEffect& effect, ToolError error) {
    forget_snapshots();
    if (!change_.outline.can_roll_back) {
      error.warnings.emplace_back(effect.has_run
                                      ? "it was run and cannot be rolled back: the change is made"
                                      : "it cannot be rolled back: a part of it may be made");
      call_.notes.is_made = effect.has_run;
      return error;
    }
    if (effect.has_run) call_.notes.affected = 0;
    if (auto back = transaction.roll_back(call_.op); !back) {
      error.warnings.push_back("rolling back failed too, the connection is dropped: " +
                               back.error().message);
    }
    return error;
  }

  ToolAnswer unrecorded(WriteTransaction& transaction, const Error& cause) {
    forget_snapshots();
    (void)transaction.roll_back(call_.op);
    call_.notes.affected = 0;
    call_.notes.rule = "audit";
    return ToolError(
        Error{cause.code, "the change could not be recorded, and was rolled back: " + cause.message,
              "changes are made only where they can be recorded"});
  }

  ToolAnswer done(const ChangeEffect& effect) {
    call_.notes.is_made = true;
    if (change_.is_definition()) {
      (void)call_.tables->catalogue(call_.op, true);
      reply_.say(what() + " is done");
    } else {
      reply_.say(fmt::format("{} changed {}{}{}", what(), change_.takes_all() ? "all rows: " : "",
                             count_rows(*effect.affected), and_besides(effect.besides)));
      reply_.set_quietly("affected", *effect.affected);
    }
    reply_.set_word("status", "done");
    finish(effect);
    return std::move(reply_);
  }

  void finish(const ChangeEffect& effect) {
    for (const std::string& note : effect.notes) {
      reply_.warn_from_data({"the database says: " + note, "the database has something to say",
                             "database_note", note});
    }
    if (effect.besides > 0) reply_.set("besides", effect.besides);
    for (const std::string& key : handles_) reply_.next("sparql_slice result=" + key);
  }

  ToolAnswer in_transaction(OpenTransactions::Lease& lease) {
    OpenTransaction& open = *lease;
    call_.notes.transaction = open.id;
    reply_.set_word("transaction", open.id);
    const std::uint64_t most = scene_.limit.rows;
    const std::uint64_t rows_left = most - std::min(most, open.affected);
    if (change_.is_definition() || !change_.outline.can_roll_back) {
      return ToolError(Error{ErrorCode::InvalidInput,
                             fmt::format("{} cannot be part of a transaction here", what()),
                             "commit or roll back the open transaction first"});
    }
    if (is_dry()) {
      ToolAnswer answer = dry_run(open.transaction.get(), rows_left);
      if (std::holds_alternative<ToolError>(answer)) end_if_broken(lease, answer);
      return answer;
    }
    const std::size_t statements_max =
        call_.caller.has_person ? kAskedStatements : OpenTransactions::kStatementsMax;
    if (open.statements.size() >= statements_max) {
      return ToolError(Error{ErrorCode::LimitExceeded,
                             fmt::format("the transaction has {} statements, and may have no more",
                                         open.statements.size()),
                             "commit it or roll it back"});
    }
    open.awaits_confirmation = false;
    call_.notes.confirmation = "not required";  // the commit is asked about
    ChangeEffect effect;
    auto applied = apply_change(change_, *open.transaction, rows_left, scene_, effect);
    if (applied) applied = keep(effect);
    if (!applied) return not_joined(lease, effect, applied.error());
    return joined(lease, effect);
  }

  ToolAnswer joined(OpenTransactions::Lease& lease, const ChangeEffect& effect) {
    OpenTransaction& open = *lease;
    call_.notes.affected = effect.affected;
    open.affected += *effect.affected + effect.besides;
    open.statements.push_back({change_.outline.verb, change_.outline.table, statement_.original,
                               *effect.affected, change_.takes_all(), handles_, shown()});
    reply_.say(fmt::format("{} changed {} in the open transaction, which has changed {} so far",
                           what(), count_rows(*effect.affected), count_rows(open.affected)));
    reply_.set_word("status", "open");
    reply_.set_quietly("affected", *effect.affected);
    finish(effect);
    reply_.next("transaction action=commit");
    reply_.warn("nothing is made before the commit, and query_execute does not see it");
    return std::move(reply_);
  }

  ToolAnswer not_joined(OpenTransactions::Lease& lease, const ChangeEffect& effect,
                        const Error& cause) {
    forget_snapshots();
    ToolAnswer answer = failed(cause);
    if (effect.has_run) {
      call_.notes.affected = 0;
      if (auto undo = lease->transaction->undo(call_.op); !undo) {
        lease.end(call_.op, "a statement of it could not be undone");
        std::get<ToolError>(answer).warnings.push_back(
            "it could not be undone: the whole transaction was rolled back: " +
            undo.error().message);
        return answer;
      }
    }
    end_if_broken(lease, answer);
    return answer;
  }

  // After time or connection ran out there is no transaction any more.
  void end_if_broken(OpenTransactions::Lease& lease, ToolAnswer& answer) const {
    auto& error = std::get<ToolError>(answer);
    const ErrorCode code = error.error.code;
    if (code != ErrorCode::LimitExceeded && code != ErrorCode::Cancelled &&
        code != ErrorCode::Unavailable && code != ErrorCode::Internal) {
      return;
    }
    lease.end(call_.op, "time or connection ran out");
    error.warnings.emplace_back("the whole transaction was rolled back: begin a new one");
  }

  ToolCall& call_;
  TableStatement statement_;
  SqlProblem problem_;
  ChangeScene scene_;
  Change change_;
  Reply reply_;
  std::vector<std::string> handles_;
};

ToolAnswer change(ToolCall& call) {
  if (auto writable = check_writer(call); !writable) return ToolError(writable.error());
  auto statement = read_statement(call);
  if (!statement) return ToolError(statement.error());
  if (!call.arguments.boolean("dry_run")) {
    if (auto person = check_person(call); !person) return ToolError(person.error());
  }
  return ChangeCall(call, *std::move(statement)).answer();
}

}  // namespace

ToolAnswer data_modify(ToolCall& call) { return change(call); }
ToolAnswer ddl_execute(ToolCall& call) { return change(call); }

}  // namespace helve::toolkit
