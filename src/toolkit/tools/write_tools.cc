#include "toolkit/tools/write_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.h"
#include "base/text.h"
#include "base/utc.h"
#include "toolkit/tools/call_audit.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/table_tools.h"

namespace helve::toolkit {

namespace {

Parameter confirm_parameter() {
  return optional_text("confirm", "the token of the reply that asked", {"token", "confirmation"});
}

std::vector<ReturnKey> change_keys() {
  return {{"status", "string", "done, confirmation_required, dry_run or open (in a transaction)"},
          {"action", "string", "INSERT, UPDATE, CREATE TABLE and the like"},
          {"table", "string", "that is changed", true},
          {"affected", "integer", "rows that were changed", true},
          {"estimated", "integer", "rows that would be changed", true},
          {"besides", "integer", "rows that change with them", true},
          {"estimate_is", "string", "exact (it was tried and undone), estimate or unknown", true},
          {"all_rows", "boolean", "there is no WHERE: every row is taken", true},
          {"confirm", "string", "token to make the same call with, once", true},
          {"expires_at", "string", "when the token ends", true},
          {"before", "object", "handle of the rows before: key, rows, complete", true},
          {"after", "object", "handle of the rows after", true},
          {"before_none", "string", "why there is no before", true},
          {"after_none", "string", "why there is no after", true},
          {"returned", "object", "handle of what RETURNING gave", true},
          {"preview", "array", "rows that would be changed, as they are", true},
          {"transaction", "string", "the open transaction it is part of", true}};
}

Tool modify_tool() {
  Tool tool;
  tool.name = "data_modify";
  tool.title = "Change rows";
  tool.listing = Listing::Standard;
  tool.category = ToolCategory::Sql;
  tool.needs_tables = true;
  tool.is_writing = true;
  tool.purpose =
      "Runs one INSERT, UPDATE or DELETE on a SQL database. A person may have to confirm it. If "
      "the "
      "reply has a token, the same call with confirm=TOKEN applies the change.";
  tool.parameters = {sql_parameter("one statement; IN (@results_0.x) takes a column"),
                     params_parameter(),
                     flag_parameter("dry_run", false, "only show what would change"),
                     confirm_parameter(), timeout_parameter(30, 300)};
  tool.returns = change_keys();
  tool.examples = {
      {"what would be changed",
       arguments_of({{"sql", JsonValue("UPDATE customer SET country = ? WHERE country = ?")},
                     {"params", JsonValue(JsonValue::Array{JsonValue("Norway"), JsonValue("NO")})},
                     {"dry_run", JsonValue(true)}})}};
  tool.handler = data_modify;
  return tool;
}

Tool define_tool() {
  Tool tool;
  tool.name = "ddl_execute";
  tool.title = "Change tables";
  tool.category = ToolCategory::Sql;
  tool.needs_tables = true;
  tool.is_writing = true;
  tool.is_defining = true;
  tool.purpose =
      "Creates, changes or drops tables, indexes and views of a SQL database. A person may have to "
      "confirm it. If the reply has a token, the same call with confirm=TOKEN applies the change.";
  tool.parameters = {sql_parameter("one CREATE, ALTER, DROP or TRUNCATE"),
                     flag_parameter("dry_run", false, "only show what would change"),
                     confirm_parameter(), timeout_parameter(30, 300)};
  tool.returns = change_keys();
  tool.examples = {
      {"an index", arguments_of({{"sql", JsonValue("CREATE INDEX track_name ON track (name)")}})}};
  tool.handler = ddl_execute;
  return tool;
}

Tool transaction_tool() {
  Tool tool;
  tool.name = "transaction";
  tool.title = "Several changes at once";
  tool.category = ToolCategory::Sql;
  tool.needs_tables = true;
  tool.is_writing = true;
  tool.purpose =
      "Several data_modify calls as one change: begin, change, then commit or rollback. What is "
      "left open is rolled back after a minute.";
  tool.parameters = {
      choice_parameter("action", {"status", "begin", "commit", "rollback"}, "what to do"),
      confirm_parameter(), timeout_parameter(30, 300)};
  tool.returns = {{"status", "string", "none, open, done, rolled_back or confirmation_required"},
                  {"transaction", "string", "its name", true},
                  {"statements", "array", "number, action, table, affected, sql", true},
                  {"affected", "integer", "rows of all its statements", true},
                  {"rows_left", "integer", "that it may still change", true},
                  {"seconds_left", "integer", "until it is rolled back", true},
                  {"confirm", "string", "token to make the same call with, once", true},
                  {"expires_at", "string", "when the token ends", true}};
  tool.examples = {{"open one", arguments_of({{"action", JsonValue("begin")}})},
                   {"make its changes", arguments_of({{"action", JsonValue("commit")}})}};
  tool.handler = change_transaction;
  return tool;
}

// Which database it is, wherever the process runs: paths of files may be relative to that.
std::string place_of(const TableSource& tables) {
  constexpr std::string_view kFile = "sqlite:";
  const std::string& uri = tables.info().uri;
  if (!uri.starts_with(kFile)) return uri;
  std::error_code error;
  // Made whole first: what is not there yet would stay as it is.
  const std::filesystem::path path = std::filesystem::absolute(uri.substr(kFile.size()), error);
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return error ? path.native() : whole.native();
}

// Who makes the change, under which policy, and how it is confirmed.
std::string full_subject(const ToolCall& call, std::vector<std::string> subject) {
  subject.insert(subject.end(),
                 {call.caller.identity, call.caller.session, call.tool.name,
                  call.tables->info().name, place_of(*call.tables), fingerprint_of(call.policy),
                  call.caller.has_person ? "person" : "token"});
  return subject_of(subject);
}

}  // namespace

void add_write_tools(Registry& registry) {
  registry.add(modify_tool());
  registry.add(define_tool());
  registry.add(transaction_tool());
}

std::string count_rows(std::uint64_t rows) {
  return fmt::format("{} row{}", format_count(rows), rows == 1 ? "" : "s");
}

std::string shown_statement(std::string_view sql, std::size_t chars) {
  // A long run of white space would push the rest off the screen.
  constexpr std::size_t kBlanksShown = 8;
  std::string folded;
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t end = std::min(sql.find_first_not_of(" \t\r\n", at), sql.size());
    if (end - at > kBlanksShown) {
      folded += fmt::format(" [{} blanks] ", format_count(end - at));
    } else {
      folded += sql.substr(at, end - at);
    }
    at = std::min(sql.find_first_of(" \t\r\n", end), sql.size());
    folded += sql.substr(end, at - end);
  }
  return elide_end(escape_for_terminal(folded), chars);
}

Result<void> check_writer(const ToolCall& call) {
  if (call.writer != nullptr) return {};
  return Error{ErrorCode::Denied,
               fmt::format("{} was opened for reading alone", call.tables->info().name),
               "whoever serves it opens it for writing: by a policy with \"read_only\": false that "
               "is there when it is opened"};
}

RowLimit row_limit(const ToolCall& call) {
  return call.writes.changed_rows.limit(call.caller.identity, call.policy);
}

Result<void> count_changed(ToolCall& call, std::uint64_t rows) {
  const auto broken = call.writes.changed_rows.add(call.caller.identity, call.policy, rows);
  if (!broken) return {};
  call.notes.rule = broken->key;
  return Error{ErrorCode::Denied,
               fmt::format("{} would be changed, and by now the policy leaves {} ({}): nothing of "
                           "it is changed",
                           count_rows(rows), count_rows(broken->rows), broken->key),
               "change fewer rows, or call again in a while"};
}

void take_back_changed(ToolCall& call, std::uint64_t rows) {
  call.writes.changed_rows.take_back(call.caller.identity, rows);
}

Result<void> check_person(ToolCall& call) {
  if (call.policy.require_confirmation != Confirmation::Person || call.caller.has_person) return {};
  call.notes.rule = "require_confirmation";
  call.notes.confirmation = "refused";
  return Error{
      ErrorCode::Denied,
      "not applied: a person must confirm changes, and this session cannot ask one",
      "dry_run shows the effect. An operator can allow the change: with a terminal, an MCP "
      "client with form elicitation or the confirm callback of the library, or by "
      "require_confirmation = \"two_step\" or false in the policy"};
}

Result<ConfirmationState> check_confirmation(ToolCall& call, std::vector<std::string> subject,
                                             Reply& reply) {
  ConfirmationState confirmation;
  if (!call.caller.declined.empty()) {
    call.notes.rule = "require_confirmation";
    return Error{ErrorCode::Denied,
                 call.caller.unanswered.empty()
                     ? "not applied: the change was declined"
                     : fmt::format("not applied: {}", call.caller.unanswered),
                 "do not repeat it unless the user asks for it"};
  }
  if (call.policy.require_confirmation == Confirmation::None) {
    call.notes.confirmation = "not required";
    confirmation.state = ConfirmationState::State::NotRequired;
    return confirmation;
  }
  HELVE_TRY(check_person(call));
  const bool is_person = call.caller.has_person;
  const std::string given =
      call.arguments.has("confirm") ? call.arguments.text("confirm") : std::string();
  if (is_person && !given.empty()) reply.warn("confirm was ignored: a person is asked instead");
  const std::string& token = is_person ? call.caller.confirmed : given;
  if (token.empty()) return confirmation;
  auto claimed = call.writes.confirmations.claim(token, full_subject(call, std::move(subject)));
  if (!claimed) {
    call.notes.rule = "require_confirmation";
    call.notes.confirmation = "refused";
    return std::move(claimed).error();
  }
  call.notes.confirmation = is_person ? call.caller.confirmed_by : "token";
  call.notes.estimated = claimed->rows;
  confirmation.state = ConfirmationState::State::Given;
  confirmation.change = *std::move(claimed);
  return confirmation;
}

Result<void> request_confirmation(ToolCall& call, std::vector<std::string> subject,
                                  std::optional<std::uint64_t> rows, bool is_exact,
                                  std::string question, Reply& reply, std::string keys) {
  PendingChange change{full_subject(call, std::move(subject)), rows, is_exact, std::move(keys)};
  change.origin = {call.write_session,      call.tool.name,     call.tables->info().name,
                   call.call_hash,          call.notes.call_id, call.notes.transaction,
                   is_recorded(call.policy)};
  HELVE_ASSIGN(const auto asked, call.writes.confirmations.ask(change));
  call.notes.is_asking = true;
  reply.set_word("status", "confirmation_required");
  if (!call.caller.has_person) {
    reply.set("confirm", asked.token);
    reply.set_word("expires_at", to_utc(asked.expires));
  }
  call.confirmation = ConfirmationRequest{asked.token, std::move(question), asked.expires};
  return {};
}

Result<std::optional<Ref>> store_snapshot(ToolCall& call, const std::string& statement,
                                          const Snapshot& snapshot, const std::string& key,
                                          Reply& reply) {
  if (snapshot.rows == nullptr) {
    if (!snapshot.why.empty()) reply.set(key + "_none", snapshot.why);
    return std::optional<Ref>();
  }
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = call.tables->info().name;
  origin.query = fmt::format("rows {}: {}", key, statement);
  origin.call_hash = fmt::format("{} {} {}", call.call_hash, key, call.notes.call_id);
  origin.prefixes = table_prefixes();
  origin.total_available = snapshot.rows->rows() + (snapshot.is_whole ? 0 : 1);
  origin.total_is = snapshot.is_whole ? "exact" : "at_least";
  if (!snapshot.is_whole) origin.incomplete = snapshot.why;
  HELVE_ASSIGN(const Ref ref, call.handles.put(snapshot.rows, std::move(origin), call.op));
  reply.set(
      key, ReplyValue::Members{
               {"key", ref.key}, {"rows", snapshot.rows->rows()}, {"complete", snapshot.is_whole}});
  if (!snapshot.is_whole) reply.warn(fmt::format("{} is not complete: {}", key, snapshot.why));
  AuditSnapshot noted{ref.key, digest_hex(DigestKind::Sha256, snapshot.rows->to_bytes())};
  (key == "before" ? call.notes.before : call.notes.after) = std::move(noted);
  return std::optional(ref);
}

ToolError unknown_end(ToolCall& call, const Error& cause) {
  call.notes.is_uncertain = true;
  const std::string before =
      call.notes.before ? fmt::format("; {} has the rows as they were", call.notes.before->handle)
                        : "";
  ToolError error(
      Error(ErrorCode::Unavailable,
            "the connection broke while the change was committed: whether it is made is not known",
            fmt::format("look with query_execute whether the rows are changed{}; make the call "
                        "again only if they are not",
                        before))
          .with_detail(cause.full_message()));
  error.details = {{"status", "unknown"}, {"call_id", call.notes.call_id}};
  return error;
}

Result<std::optional<OpenTransactions::Lease>> take_transaction(ToolCall& call) {
  HELVE_ASSIGN(auto lease,
               call.writes.transactions.take(call.write_session, call.tables->info().name));
  if (!lease) return std::optional<OpenTransactions::Lease>();
  if ((*lease)->policy != fingerprint_of(call.policy)) {
    call.notes.transaction = (*lease)->id;
    lease->end(call.op, "its policy is no longer that of the calls");
    return Error{ErrorCode::Denied,
                 "the policy is not the one that the transaction was begun within: it was rolled "
                 "back",
                 "begin a new one"};
  }
  return std::optional<OpenTransactions::Lease>(std::move(*lease));
}

}  // namespace helve::toolkit
