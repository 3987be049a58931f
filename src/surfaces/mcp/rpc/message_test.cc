#include "surfaces/mcp/rpc/message.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

Message one(std::string_view text) {
  Incoming incoming = read_incoming(text, {});
  EXPECT_EQ(incoming.messages.size(), 1U);
  EXPECT_FALSE(incoming.is_batch);
  return std::move(incoming.messages.front());
}

// The code of what is no message, and its id where it could be read.
std::pair<int, std::string> fault(std::string_view text) {
  const Message message = one(text);
  const auto* malformed = std::get_if<Malformed>(&message);
  if (malformed == nullptr) return {0, ""};
  EXPECT_FALSE(malformed->error.message.empty());
  return {malformed->error.code, malformed->id.value_or("none")};
}

TEST(Incoming, RequestsHaveAnIdThatIsATextOrAWholeNumber) {
  const Message message = one(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}})");
  const auto& request = std::get<Request>(message);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.method, "m");
  EXPECT_EQ(*request.params.find("a"), JsonValue(1));
  EXPECT_EQ(std::get<Request>(one(R"({"jsonrpc":"2.0","id":"7","method":"m"})")).id, "\"7\"");
  EXPECT_EQ(std::get<Request>(one(R"({"jsonrpc":"2.0","id":-3,"method":"m"})")).id, "-3");
  EXPECT_TRUE(std::get<Request>(one(R"({"jsonrpc":"2.0","id":1,"method":"m"})")).params.is_null());
  for (const char* id : {"null", "1.5", "true", "[]", "{}", "1e400"}) {
    EXPECT_EQ(fault(std::string(R"({"jsonrpc":"2.0","method":"m","id":)") + id + "}").first,
              code::kInvalidRequest)
        << id;
  }
}

TEST(Incoming, NotificationsHaveNone) {
  const Message message = one(R"({"jsonrpc":"2.0","method":"notifications/x"})");
  EXPECT_EQ(std::get<Notification>(message).method, "notifications/x");
}

TEST(Incoming, ResponsesHaveAResultOrAnError) {
  Message message = one(R"({"jsonrpc":"2.0","id":"a","result":{"x":1}})");
  EXPECT_EQ(std::get<Response>(message).id, "\"a\"");
  EXPECT_NE(std::get_if<JsonValue>(&std::get<Response>(message).outcome), nullptr);
  message = one(R"({"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no","data":[1]}})");
  const auto& error = std::get<RpcError>(std::get<Response>(message).outcome);
  EXPECT_EQ(error.code, -5);
  EXPECT_EQ(error.message, "no");
  EXPECT_TRUE(error.data.has_value());
  EXPECT_EQ(fault(R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})").first,
            code::kInvalidRequest);
  EXPECT_EQ(fault(R"({"jsonrpc":"2.0","result":1})").first, code::kInvalidRequest);
  EXPECT_EQ(fault(R"({"jsonrpc":"2.0","id":1,"error":"no"})").first, code::kInvalidRequest);
}

TEST(Incoming, WhatIsWrongSaysSoWithItsId) {
  using Fault = std::pair<int, std::string>;
  EXPECT_EQ(fault("{"), (Fault{code::kParseError, "none"}));
  EXPECT_EQ(fault(""), (Fault{code::kParseError, "none"}));
  EXPECT_EQ(fault("\xff"), (Fault{code::kParseError, "none"}));
  EXPECT_EQ(fault("1"), (Fault{code::kInvalidRequest, "none"}));
  EXPECT_EQ(fault("[]"), (Fault{code::kInvalidRequest, "none"}));
  EXPECT_EQ(fault("{}"), (Fault{code::kInvalidRequest, "none"}));
  EXPECT_EQ(fault(R"({"id":3,"method":"m"})"), (Fault{code::kInvalidRequest, "3"}));
  EXPECT_EQ(fault(R"({"jsonrpc":"1.0","id":3,"method":"m"})"), (Fault{code::kInvalidRequest, "3"}));
  EXPECT_EQ(fault(R"({"jsonrpc":"2.0","id":3,"method":4})"), (Fault{code::kInvalidRequest, "3"}));
  EXPECT_EQ(fault(R"({"jsonrpc":"2.0","id":3})"), (Fault{code::kInvalidRequest, "3"}));
  EXPECT_EQ(fault(R"({"jsonrpc":"2.0","id":3,"method":"m","params":[1]})"),
            (Fault{code::kInvalidParams, "3"}));
}

TEST(Incoming, DepthAndSizeAreLimited) {
  Limits limits;
  limits.json_bytes_max = 64;
  const Incoming incoming = read_incoming(std::string(100, ' ') + "{}", limits);
  EXPECT_EQ(std::get<Malformed>(incoming.messages.front()).error.code, code::kInvalidRequest);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NE(fault(deep).first, 0);
}

TEST(Incoming, BatchesAreBounded) {
  const Incoming two = read_incoming(
      R"([{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"},3])", {});
  EXPECT_TRUE(two.is_batch);
  ASSERT_EQ(two.messages.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Request>(two.messages[0]));
  EXPECT_TRUE(std::holds_alternative<Notification>(two.messages[1]));
  EXPECT_TRUE(std::holds_alternative<Malformed>(two.messages[2]));
  std::string many = "[1";
  for (std::size_t i = 0; i < kBatchMax; ++i) many += ",1";
  EXPECT_EQ(fault(many + "]").first, code::kInvalidRequest);
}

TEST(Outgoing, WhatIsRepeatedIsShort) {
  EXPECT_EQ(shown("tools/call"), "tools/call");
  EXPECT_LE(shown(std::string(1'000'000, 'a')).size(), 110U);
  EXPECT_EQ(shown("a\x1b[31m").find('\x1b'), std::string::npos);
}

TEST(Outgoing, MessagesAreOneDocumentEach) {
  EXPECT_EQ(result_message("7", R"({"a":1})"), R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})");
  EXPECT_EQ(error_message("\"x\"", {code::kBusy, "a \"b\"\n", JsonValue(1)}),
            R"({"jsonrpc":"2.0","id":"x","error":{"code":-31000,"message":"a \"b\"\n","data":1}})");
  EXPECT_EQ(error_message({}, {code::kParseError, "m", {}}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}})");
  EXPECT_EQ(notification_message("n", "{}"), R"({"jsonrpc":"2.0","method":"n","params":{}})");
  EXPECT_EQ(request_message("1", "m", "{}"),
            R"({"jsonrpc":"2.0","id":1,"method":"m","params":{}})");
}

}  // namespace
}  // namespace helve::mcp
