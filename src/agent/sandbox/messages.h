// The messages between host and guest, as JSON: written here, and read with nothing believed.
// Neighbour: guest.py has the same from the other side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/sandbox/function.h"
#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::sandbox {

// To the guest. The answer bears the same number.
std::string declare_message(std::uint64_t id, const std::vector<const Function*>& functions);
std::string first_message(std::uint64_t id, const SandboxOptions& options);  // no functions
// Its JSON follows as another message.
std::string set_message(std::uint64_t id, const Variable& variable);
std::string execute_message(std::uint64_t id, std::string_view code);
std::string get_message(std::uint64_t id, std::string_view name);
std::string views_message(std::uint64_t id);
std::string value_reply(const FunctionValue& value);
std::string error_reply(const Error& error);

// What a block asks for while it runs.
struct CallRequest {
  std::string name;
  JsonValue arguments;  // an object
};
struct ModelRequest {
  std::vector<std::string> prompts;
};
struct RowsRequest {
  std::string key;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
};
struct SubmitRequest {
  JsonValue value;  // an object
};
using Request = std::variant<CallRequest, ModelRequest, RowsRequest, SubmitRequest>;

// A message of the guest: what it is, and all of it.
struct GuestMessage {
  std::string op;
  JsonValue body;

  bool is_request() const;
  bool is_answer(std::string_view expected, std::uint64_t id) const;
};

// InvalidInput and LimitExceeded for what is no message.
Result<GuestMessage> read_message(std::string_view text);
Result<Request> read_request(GuestMessage message);

// Of "done": value, type and error, each within its limit whatever the guest sends.
void read_done(const JsonValue& body, BlockResult& result);
std::vector<VariableView> read_views(const JsonValue& body);
// The text of a member, at most `bytes_max` of it; empty where there is none.
std::string text_of(const JsonValue& body, std::string_view key, std::size_t bytes_max);

// Whether SUBMIT may take it; InvalidInput says why not.
Result<void> check_submitted(const JsonValue& value, const std::vector<SubmitField>& fields);

}  // namespace helve::sandbox
