// What the tools that change SQL databases share: data_modify, ddl_execute and transaction. The
// changes themselves are in toolkit/writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/tools/tool_call.h"
#include "toolkit/writes/change.h"

namespace helve::toolkit {

ToolAnswer data_modify(ToolCall& call);
ToolAnswer ddl_execute(ToolCall& call);
ToolAnswer change_transaction(ToolCall& call);

// Denied where the database cannot be written.
Result<void> check_writer(const ToolCall& call);
// Denied if a person must confirm changes and the caller's surface cannot ask one.
Result<void> check_person(ToolCall& call);

// Whether a change is confirmed.
struct ConfirmationState {
  enum class State : std::uint8_t { NotRequired, Given, Missing };
  State state = State::Missing;
  PendingChange change;  // that was confirmed, if Given
};
// Spends the token of the call. `subject` says what the change is; the caller is added.
Result<ConfirmationState> check_confirmation(ToolCall& call, std::vector<std::string> subject,
                                             Reply& reply);
// The reply then carries the question, and the token if no person is asked.
Result<void> request_confirmation(ToolCall& call, std::vector<std::string> subject,
                                  std::optional<std::uint64_t> rows, bool is_exact,
                                  std::string question, Reply& reply, std::string keys = "");

// Stores the rows, and says so under `key` ("before") of the reply and in the notes of the call.
Result<std::optional<Ref>> store_snapshot(ToolCall& call, const std::string& statement,
                                          const Snapshot& snapshot, const std::string& key,
                                          Reply& reply);

// Statements of a transaction that a person is shown: there can be no more where one confirms it.
inline constexpr std::size_t kAskedStatements = 20;

// "3 rows", "1 row"
std::string count_rows(std::uint64_t rows);
// A statement for a person to read: on one screen, nothing hidden in it.
std::string shown_statement(std::string_view sql, std::size_t chars);
// The commit did not say how it ended.
ToolError unknown_end(ToolCall& call, const Error& cause);
// What the policy still lets the call change.
RowLimit row_limit(const ToolCall& call);
// Before a commit. Denied if other calls have changed rows meanwhile, and these are too many by
// now.
Result<void> count_changed(ToolCall& call, std::uint64_t rows);
void take_back_changed(ToolCall& call, std::uint64_t rows);
// A transaction of the session on this source, where one is open.
Result<std::optional<OpenTransactions::Lease>> take_transaction(ToolCall& call);

}  // namespace helve::toolkit
