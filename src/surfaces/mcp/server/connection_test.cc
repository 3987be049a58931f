#include "surfaces/mcp/server/connection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "surfaces/mcp/server/server_testing.h"
#include "tests/support/fake_env.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

std::string modern(std::string_view method, std::string_view params = "",
                   std::string_view id = "1") {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{{{}{}{}}}}})", id, method,
                     kMeta, params.empty() ? "" : ",", params);
}

std::string legacy(std::string_view method, std::string_view params = "",
                   std::string_view id = "1") {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{{{}}}}})", id, method,
                     params);
}

class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(ServerOptions options) {
    options.version = "1.2.3";
    options.instructions = [](const toolkit::Caller& caller) {
      return "be kind to " + caller.identity;
    };
    connection_.reset();
    server_ = std::make_unique<Server>(std::move(options),
                                       std::vector<std::shared_ptr<Offer>>{offer_}, env_, nullptr);
    connection_ = connect("local");
  }

  std::shared_ptr<Connection> connect(std::string identity) {
    toolkit::Caller caller;
    caller.identity = std::move(identity);
    return Connection::make(*server_, caller, TransportKind::Http, general_);
  }

  static Message message(std::string_view text) {
    return std::move(read_incoming(text, {}).messages.front());
  }

  Admission admit(std::string_view text) { return connection_->admit(message(text), related_); }

  // What is answered; null where nothing is.
  JsonValue ask(std::string_view text) {
    Admission admission = admit(text);
    std::optional<Reply> reply;
    if (admission.next == Admission::Next::Reply) reply = admission.reply;
    if (admission.next == Admission::Next::Run) reply = admission.job->run();
    if (!reply) return {};
    status_ = reply->http_status;
    auto json = parse_json(reply->message);
    EXPECT_TRUE(json) << reply->message;
    return *std::move(json);
  }

  JsonValue initialize(std::string_view version = "2025-11-25",
                       std::string_view capabilities = "{}") {
    return ask(legacy("initialize",
                      fmt::format(R"("protocolVersion":"{}","capabilities":{},"clientInfo":{{}})",
                                  version, capabilities)));
  }

  static int code_of(const JsonValue& reply) {
    const JsonValue* error = reply.find("error");
    return error == nullptr ? 0 : static_cast<int>(error->find("code")->to_int64().value_or(0));
  }
  static JsonValue result_of(const JsonValue& reply) {
    const JsonValue* result = reply.find("result");
    return result == nullptr ? JsonValue() : *result;
  }
  static std::string text_at(const JsonValue& value, std::string_view key) {
    const JsonValue* found = value.find(key);
    return found == nullptr                ? ""
           : found->if_string() != nullptr ? *found->if_string()
                                           : to_json(*found);
  }

  FakeEnv env_;
  std::shared_ptr<SmallOffer> offer_ = std::make_shared<SmallOffer>();
  std::shared_ptr<KeptMessages> general_ = std::make_shared<KeptMessages>();
  std::shared_ptr<KeptMessages> related_ = std::make_shared<KeptMessages>();
  std::unique_ptr<Server> server_;
  std::shared_ptr<Connection> connection_;
  int status_ = 0;
};

TEST_F(ConnectionTest, ASessionEndsOnceAndBehindItsCalls) {
  initialize();
  const Admission running = admit(legacy("tools/call", R"("name":"wait")", "7"));
  ASSERT_EQ(running.next, Admission::Next::Run);
  std::thread worker([&] { EXPECT_FALSE(running.job->run()); });
  ASSERT_TRUE(offer_->wait_started(1));
  EXPECT_TRUE(offer_->ended().empty());
  connection_->close();
  worker.join();
  EXPECT_EQ(offer_->ended(), std::vector<std::string>{"default"});
  EXPECT_EQ(code_of(ask(legacy("tools/call", R"("name":"echo")", "8"))), code::kInvalidRequest);
  connection_->close();
  connection_.reset();
  EXPECT_EQ(offer_->ended().size(), 1U);
}

TEST_F(ConnectionTest, AJobThatNeverRanHoldsUpNoEnd) {
  initialize();
  {
    const Admission waiting = admit(legacy("tools/call", R"("name":"echo")", "7"));
    ASSERT_EQ(waiting.next, Admission::Next::Run);
    connection_->close();
    EXPECT_TRUE(offer_->ended().empty());
  }
  EXPECT_EQ(offer_->ended().size(), 1U);
}

TEST_F(ConnectionTest, WhatIsInNoSessionEndsNone) {
  toolkit::Caller caller;
  caller.is_stateless = true;
  connection_ = Connection::make(*server_, caller, TransportKind::Http, general_);
  const std::size_t before = offer_->ended().size();
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")"))), 0);
  connection_->close();
  connection_.reset();
  EXPECT_EQ(offer_->ended().size(), before);
}

TEST_F(ConnectionTest, FormsAreNotForClientsThatOnlyOpenPages) {
  initialize("2025-11-25", R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(code_of(ask(legacy("tools/call", R"("name":"ask")"))), code::kInvalidRequest);
}

TEST_F(ConnectionTest, LegacyRevisionsAreAgreedOn) {
  for (const char* version : {"2025-11-25", "2025-06-18", "2025-03-26"}) {
    start({});
    const JsonValue result = result_of(initialize(version));
    EXPECT_EQ(text_at(result, "protocolVersion"), version);
    EXPECT_EQ(text_at(result, "instructions"), "be kind to local");
    EXPECT_EQ(text_at(*result.find("serverInfo"), "name"), "helve");
    EXPECT_EQ(result.find("resultType"), nullptr);
  }
  for (const char* version : {"2024-11-05", "2026-07-28", "1900-01-01"}) {
    start({});
    EXPECT_EQ(text_at(result_of(initialize(version)), "protocolVersion"), "2025-11-25");
  }
  EXPECT_EQ(code_of(initialize()), code::kInvalidRequest) << "twice";
}

TEST_F(ConnectionTest, NothingLegacyGoesBeforeInitialize) {
  EXPECT_EQ(code_of(ask(legacy("tools/list"))), code::kInvalidParams);
  EXPECT_EQ(status_, 400);
  initialize();
  EXPECT_EQ(code_of(ask(legacy("tools/list"))), 0);
  EXPECT_EQ(to_json(result_of(ask(legacy("ping")))), "{}");
}

TEST_F(ConnectionTest, ModernRequestsNeedTheirMeta) {
  const JsonValue unsupported =
      ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
          R"("io.modelcontextprotocol/protocolVersion":"1900-01-01",)"
          R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
  EXPECT_EQ(code_of(unsupported), code::kUnsupportedVersion);
  EXPECT_EQ(status_, 400);
  const JsonValue& data = *unsupported.find("error")->find("data");
  EXPECT_EQ(text_at(data, "requested"), "1900-01-01");
  EXPECT_EQ(text_at(data, "supported"), R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26"])");
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                        R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})")),
            code::kInvalidParams);
  EXPECT_EQ(status_, 400);
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                        R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientCapabilities":{},)"
                        R"("io.modelcontextprotocol/logLevel":"loud"}}})")),
            code::kInvalidParams);
}

TEST_F(ConnectionTest, ModernResultsSayWhatTheyAre) {
  const JsonValue discovered = result_of(ask(modern("server/discover")));
  EXPECT_EQ(text_at(discovered, "resultType"), "complete");
  EXPECT_EQ(text_at(discovered, "cacheScope"), "private") << "the instructions are the caller's";
  EXPECT_EQ(text_at(*discovered.find("_meta")->find(kMetaServerInfo), "version"), "1.2.3");
  const JsonValue listed = result_of(ask(modern("tools/list")));
  EXPECT_TRUE(listed.find("ttlMs")->to_int64().has_value());
  EXPECT_EQ(text_at(listed, "cacheScope"), "private");
  const JsonValue read = result_of(ask(modern("resources/read", R"("uri":"test://one")")));
  EXPECT_EQ(text_at(read, "ttlMs"), "5");
  EXPECT_EQ(text_at(read, "cacheScope"), "public");
  const JsonValue called =
      result_of(ask(modern("tools/call", R"("name":"echo","arguments":{"a":1})")));
  EXPECT_EQ(text_at(*called.find("structuredContent"), "a"), "1");
  EXPECT_EQ(text_at(called, "resultType"), "complete");
}

TEST_F(ConnectionTest, CachingIsForModernClientsOnly) {
  initialize();
  const JsonValue read = result_of(ask(legacy("resources/read", R"("uri":"test://one")")));
  EXPECT_EQ(read.find("ttlMs"), nullptr);
  EXPECT_EQ(read.find("cacheScope"), nullptr);
  EXPECT_NE(read.find("contents"), nullptr);
}

TEST_F(ConnectionTest, MethodsOfTheOtherEraAreUnknown) {
  for (const char* method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe", "nonsense"}) {
    EXPECT_EQ(code_of(ask(modern(method))), code::kMethodNotFound) << method;
    EXPECT_EQ(status_, 404);
  }
  initialize();
  for (const char* method : {"server/discover", "subscriptions/listen", "nonsense"}) {
    EXPECT_EQ(code_of(ask(legacy(method))), code::kMethodNotFound) << method;
    EXPECT_EQ(status_, 200);
  }
}

TEST_F(ConnectionTest, WhatIsNotThereIsAnErrorOfItsEra) {
  const std::string uri = R"("uri":"test://none")";
  const JsonValue modern_reply = ask(modern("resources/read", uri));
  EXPECT_EQ(code_of(modern_reply), code::kInvalidParams);
  EXPECT_EQ(text_at(*modern_reply.find("error")->find("data"), "uri"), "test://none");
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"none")"))), code::kInvalidParams);
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo","arguments":[1])"))),
            code::kInvalidParams);
  EXPECT_EQ(code_of(ask(modern("tools/call"))), code::kInvalidParams);
  EXPECT_EQ(code_of(ask(modern("prompts/get", R"("name":"none")"))), code::kInvalidParams);
  initialize();
  EXPECT_EQ(code_of(ask(legacy("resources/read", uri))), code::kResourceNotFound);
  EXPECT_EQ(code_of(ask(legacy("resources/subscribe", uri))), code::kResourceNotFound);
}

TEST_F(ConnectionTest, ListsHavePages) {
  offer_->tools_listed = 250;
  std::string cursor;
  std::size_t seen = 0;
  std::size_t pages = 0;
  do {
    const JsonValue page = result_of(ask(modern("tools/list", cursor)));
    seen += page.find("tools")->if_array()->size();
    const JsonValue* next = page.find("nextCursor");
    cursor = next == nullptr ? "" : "\"cursor\":" + to_json(*next);
    ++pages;
  } while (!cursor.empty() && pages < 10);
  EXPECT_EQ(seen, 250U);
  EXPECT_EQ(pages, 3U);
  for (const char* bad : {"\"x\"", "\"p\"", "\"p0\"", "\"p999\"", "\"p-1\"", "7", "\"p1x\"",
                          "\"p99999999999999999999999\""}) {
    EXPECT_EQ(code_of(ask(modern("tools/list", std::string("\"cursor\":") + bad))),
              code::kInvalidParams)
        << bad;
  }
}

TEST_F(ConnectionTest, CompletionsAreCutAndCounted) {
  const JsonValue result = result_of(ask(modern(
      "completion/complete",
      R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"a"})")));
  const JsonValue& completion = *result.find("completion");
  EXPECT_EQ(completion.find("values")->if_array()->size(), 100U);
  EXPECT_EQ(text_at(completion, "total"), "150");
  EXPECT_EQ(text_at(completion, "hasMore"), "true");
  for (const char* bad :
       {R"("ref":1)", R"("ref":{"type":"x","name":"greet"},"argument":{"name":"a","value":""})",
        R"("ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"a","value":""})",
        R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"a"})"}) {
    EXPECT_EQ(code_of(ask(modern("completion/complete", bad))), code::kInvalidParams) << bad;
  }
  const JsonValue unknown = ask(modern(
      "completion/complete",
      R"("ref":{"type":"ref/resource","uri":"test://none"},"argument":{"name":"a","value":""})"));
  EXPECT_EQ(text_at(*unknown.find("error"), "message"),
            "there is no template test://none; there are: test://{name}");
}

TEST_F(ConnectionTest, CancellingStopsTheWorkAndAnswersNothing) {
  const Admission admission = admit(modern("tools/call", R"("name":"work")", "\"long\""));
  ASSERT_EQ(admission.next, Admission::Next::Run);
  std::optional<Reply> reply = Reply{};
  std::thread worker([&] { reply = admission.job->run(); });
  ASSERT_TRUE(offer_->wait_started(1));
  EXPECT_EQ(connection_->in_flight(), 1U);
  // Another id than this one stops nothing.
  admit(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}})");
  EXPECT_FALSE(admission.job->is_cancelled());
  admit(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}})");
  worker.join();
  EXPECT_FALSE(reply.has_value());
  EXPECT_EQ(connection_->in_flight(), 0U);
}

TEST_F(ConnectionTest, ARequestCanBeCancelledBeforeItRuns) {
  const Admission admission = admit(modern("tools/call", R"("name":"echo")", "5"));
  admit(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_FALSE(admission.job->run().has_value());
}

TEST_F(ConnectionTest, AnIdIsUsedOnceAtATime) {
  const Admission first = admit(modern("tools/call", R"("name":"echo")", "5"));
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")", "5"))), code::kInvalidRequest);
  EXPECT_TRUE(first.job->run().has_value());
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")", "5"))), 0);
}

TEST_F(ConnectionTest, AJobThatIsDroppedIsForgotten) {
  { const Admission dropped = admit(modern("tools/call", R"("name":"echo")", "5")); }
  EXPECT_EQ(connection_->in_flight(), 0U);
}

TEST_F(ConnectionTest, TooManyAtOnceAreToldSo) {
  ServerOptions options;
  options.in_flight_max = 2;
  start(std::move(options));
  const Admission one = admit(modern("tools/call", R"("name":"echo")", "1"));
  const Admission two = admit(modern("tools/call", R"("name":"echo")", "2"));
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")", "3"))), code::kBusy);
  EXPECT_EQ(status_, 503);
}

TEST_F(ConnectionTest, NoCallerTakesAllTheRoom) {
  ServerOptions options;
  options.calls_per_caller_max = 1;
  start(std::move(options));
  const Admission one = admit(modern("tools/call", R"("name":"echo")", "1"));
  connection_ = connect("local");
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")", "2"))), code::kBusy);
  EXPECT_EQ(code_of(ask(modern("tools/list"))), 0) << "takes no room";
  connection_ = connect("somebody else");
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")", "2"))), 0);
  EXPECT_TRUE(one.job->run().has_value());
  connection_ = connect("local");
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")", "2"))), 0);
}

TEST_F(ConnectionTest, ACallThatRunsOutOfMemoryEndsAlone) {
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"throw")"))), code::kInternalError);
  EXPECT_EQ(connection_->in_flight(), 0U);
  EXPECT_EQ(code_of(ask(modern("tools/call", R"("name":"echo")"))), 0);
}

TEST_F(ConnectionTest, IdsOfAnySizeCanBeCancelled) {
  const Admission admission =
      admit(modern("tools/call", R"("name":"echo")", "18446744073709551615"));
  admit(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
        R"("params":{"requestId":18446744073709551615}})");
  EXPECT_TRUE(admission.job->is_cancelled());
}

TEST_F(ConnectionTest, ProgressIncreasesAndLogsHaveTheirLevel) {
  ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{)"
      R"("progressToken":"p","io.modelcontextprotocol/logLevel":"warning",)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
  const auto sent = related_->all();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0],
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p",)"
            R"("progress":1,"total":2,"message":"step"}})");
  EXPECT_NE(sent[1].find(R"("progress":2)"), std::string::npos);
  EXPECT_EQ(sent[2],
            R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning",)"
            R"("logger":"steps","data":"loud"}})");
  ask(modern("tools/call", R"("name":"steps")"));
  EXPECT_EQ(related_->all().size(), 3U) << "nobody asked for it";
}

TEST_F(ConnectionTest, LegacyClientsSetTheirLevel) {
  initialize();
  EXPECT_EQ(code_of(ask(legacy("logging/setLevel", R"("level":"loud")"))), code::kInvalidParams);
  ask(legacy("logging/setLevel", R"("level":"debug")"));
  ask(legacy("tools/call", R"("name":"steps")"));
  EXPECT_EQ(related_->all().size(), 2U);
}

// The work that an operation checks in is the progress that clients see.
TEST_F(ConnectionTest, WorkOfTheEngineIsProgress) {
  const Admission admission =
      admit(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work","_meta":{)"
            R"("progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
  std::thread worker([&] { admission.job->run(); });
  const auto sent = related_->first(2);
  admission.job->cancel();
  worker.join();
  ASSERT_GE(sent.size(), 2U);
  double last = 0;
  for (const std::string& text : sent) {
    const auto json = parse_json(text);
    const JsonValue& params = *json->find("params");
    EXPECT_EQ(text_at(params, "progressToken"), "7");
    const double done = params.find("progress")->to_double().value_or(0);
    EXPECT_GT(done, last);
    last = done;
  }
}

TEST_F(ConnectionTest, ModernClientsAreAskedByTheResult) {
  const std::string call = R"("name":"ask","arguments":{"x":1})";
  const JsonValue first = result_of(ask(modern("tools/call", call)));
  EXPECT_EQ(text_at(first, "resultType"), "input_required");
  EXPECT_EQ(text_at(*first.find("inputRequests")->find("name"), "method"), "elicitation/create");
  const std::string state = text_at(first, "requestState");
  const std::string answers =
      R"(,"inputResponses":{"name":{"action":"accept"},"more":{}},"requestState":")";
  const JsonValue second = result_of(ask(modern("tools/call", call + answers + state + "\"")));
  EXPECT_EQ(text_at(second, "resultType"), "complete");
  EXPECT_EQ(text_at(*second.find("structuredContent"), "state"), "asked once");

  EXPECT_EQ(code_of(ask(modern("tools/call", call + answers + state + "x\""))),
            code::kInvalidParams)
      << "changed";
  EXPECT_EQ(code_of(ask(modern("tools/call",
                               R"("name":"ask","arguments":{"x":2})" + answers + state + "\""))),
            code::kInvalidParams)
      << "another call";
  connection_ = connect("somebody else");
  EXPECT_EQ(code_of(ask(modern("tools/call", call + answers + state + "\""))), code::kInvalidParams)
      << "another caller";
  connection_ = connect("local");
  env_.clock().advance(std::chrono::hours(1));
  EXPECT_EQ(code_of(ask(modern("tools/call", call + answers + state + "\""))), code::kInvalidParams)
      << "too late";
}

TEST_F(ConnectionTest, NobodyCanAnswerBeforeBeingAsked) {
  const JsonValue result = result_of(
      ask(modern("tools/call", R"("name":"ask","inputResponses":{"name":{"action":"accept"}})")));
  EXPECT_EQ(text_at(result, "resultType"), "input_required");
}

TEST_F(ConnectionTest, ClientsThatCannotBeAskedAreTold) {
  const JsonValue reply =
      ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{)"
          R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
          R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
  EXPECT_EQ(code_of(reply), code::kMissingCapability);
  EXPECT_EQ(status_, 400);
  EXPECT_EQ(text_at(*reply.find("error")->find("data"), "requiredCapabilities"),
            R"({"elicitation":{}})");
  initialize();
  EXPECT_EQ(code_of(ask(legacy("tools/call", R"("name":"ask")"))), code::kInvalidRequest);
}

TEST_F(ConnectionTest, LegacyClientsAreAskedByARequest) {
  initialize("2025-11-25", R"({"elicitation":{}})");
  const Admission admission = admit(legacy("tools/call", R"("name":"ask")", "9"));
  std::optional<Reply> reply;
  std::thread worker([&] { reply = admission.job->run(); });
  const auto sent = related_->first(1);
  ASSERT_EQ(sent.size(), 1U);
  const auto request = parse_json(sent[0]);
  EXPECT_EQ(text_at(*request, "method"), "elicitation/create");
  EXPECT_EQ(admit(R"({"jsonrpc":"2.0","id":"nobody","result":{}})").next, Admission::Next::Nothing);
  admit(R"({"jsonrpc":"2.0","id":)" + to_json(*request->find("id")) +
        R"(,"result":{"action":"accept"}})");
  worker.join();
  ASSERT_TRUE(reply.has_value());
  EXPECT_NE(reply->message.find(R"("answer":{"action":"accept"})"), std::string::npos);
}

TEST_F(ConnectionTest, ClosingEndsWhatWaitsForTheClient) {
  initialize("2025-11-25", R"({"elicitation":{}})");
  const Admission admission = admit(legacy("tools/call", R"("name":"ask")", "9"));
  std::optional<Reply> reply = Reply{};
  std::thread worker([&] { reply = admission.job->run(); });
  related_->first(1);
  connection_->close();
  worker.join();
  EXPECT_FALSE(reply.has_value());
}

TEST_F(ConnectionTest, ListenersHearOfWhatTheyWatch) {
  const Admission admission = admit(modern(
      "subscriptions/listen",
      R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://one"]})", "4"));
  ASSERT_EQ(admission.next, Admission::Next::Stream);
  server_->resource_updated("test://two");
  server_->resource_updated("test://one");
  auto sent = related_->all();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0],
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":4},)"
            R"("notifications":{"resourceSubscriptions":["test://one"]}}})");
  EXPECT_EQ(sent[1],
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":4},"uri":"test://one"}})");
  server_->end_subscriptions();
  sent = related_->all();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[2], R"({"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","_meta":{)"
                     R"("io.modelcontextprotocol/serverInfo":{"name":"helve","title":"Helve",)"
                     R"("version":"1.2.3"},"io.modelcontextprotocol/subscriptionId":4}}})");
}

TEST_F(ConnectionTest, ListenersWatchOnlyWhatIsThere) {
  const Admission admission = admit(
      modern("subscriptions/listen",
             R"("notifications":{"resourceSubscriptions":["test://hidden","test://one"]})", "4"));
  server_->resource_updated("test://hidden");
  const auto sent = related_->all();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].find(R"("notifications":{"resourceSubscriptions":["test://one"]})"),
            std::string::npos);
}

TEST_F(ConnectionTest, CancelledListenersHearNothing) {
  const Admission admission = admit(modern(
      "subscriptions/listen", R"("notifications":{"resourceSubscriptions":["test://one"]})", "4"));
  admit(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}})");
  server_->resource_updated("test://one");
  server_->end_subscriptions();
  EXPECT_EQ(related_->all().size(), 1U);
  EXPECT_EQ(connection_->in_flight(), 0U);
  EXPECT_EQ(code_of(ask(modern("subscriptions/listen", R"("notifications":[])"))),
            code::kInvalidParams);
}

TEST_F(ConnectionTest, LegacyClientsSubscribe) {
  initialize();
  EXPECT_EQ(to_json(result_of(ask(legacy("resources/subscribe", R"("uri":"test://one")")))), "{}");
  server_->resource_updated("test://one");
  ASSERT_EQ(general_->all().size(), 1U);
  EXPECT_EQ(general_->all()[0],
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)"
            R"({"uri":"test://one"}})");
  ask(legacy("resources/unsubscribe", R"("uri":"test://one")"));
  server_->resource_updated("test://one");
  EXPECT_EQ(general_->all().size(), 1U);
}

TEST_F(ConnectionTest, SubscriptionsAreBounded) {
  ServerOptions options;
  options.subscriptions_max = 1;
  start(std::move(options));
  const Admission first = admit(modern("subscriptions/listen", R"("notifications":{})", "1"));
  EXPECT_EQ(first.next, Admission::Next::Stream);
  EXPECT_EQ(code_of(ask(modern("subscriptions/listen", R"("notifications":{})", "2"))),
            code::kBusy);
}

TEST_F(ConnectionTest, WhatIsNoMessageIsAnswered) {
  const JsonValue reply = ask(R"({"jsonrpc":"2.0","id":8})");
  EXPECT_EQ(code_of(reply), code::kInvalidRequest);
  EXPECT_EQ(text_at(reply, "id"), "8");
  EXPECT_EQ(status_, 400);
}

TEST_F(ConnectionTest, RequestsAreCounted) {
  ask(modern("tools/call", R"("name":"echo")"));
  ask(modern("nonsense"));
  const std::string text = server_->metrics().to_prometheus();
  EXPECT_NE(text.find("helve_requests_total{method=\"tools/call\",result=\"ok\"} 1"),
            std::string::npos);
  EXPECT_NE(text.find("helve_requests_total{method=\"other\",result=\"protocol_error\"} 1"),
            std::string::npos);
  EXPECT_NE(text.find("helve_requests_in_flight 0"), std::string::npos);
}

}  // namespace
}  // namespace helve::mcp
