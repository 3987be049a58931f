// Requests of modern clients: header checks, the form of the answer, cancellation by leaving.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mcp_http_harness.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HttpModern, APlainCallIsPlainJson) {
  HttpHarness harness;
  RawClient client(harness.port());
  for (int id = 1; id <= 3; ++id) {
    const auto answer = client.ask(harness.call("echo", "{}", {}, id));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    EXPECT_EQ(answer.header("mcp-session-id"), "");
    EXPECT_THAT(answer.body, HasSubstr(fmt::format("\"id\":{},", id)));
    EXPECT_THAT(answer.body, HasSubstr("\"local\""));
  }
}

TEST(HttpModern, ProgressMakesTheAnswerAStream) {
  HttpHarness harness;
  RawClient client(harness.port());
  const auto answer = client.ask(harness.call("noisy"));
  EXPECT_EQ(answer.status, 200);
  ASSERT_TRUE(answer.is_stream());
  EXPECT_EQ(answer.header("x-accel-buffering"), "no");
  EXPECT_EQ(answer.header("cache-control"), "no-cache");
  for (const char* part : {"\"progress\":1", "\"progress\":2", "\"result\":"}) {
    const auto event = client.next_event();
    ASSERT_TRUE(event);
    EXPECT_THAT(*event, HasSubstr(part));
    EXPECT_THAT(*event, Not(HasSubstr("id: ")));
  }
  EXPECT_FALSE(client.next_event());
  EXPECT_TRUE(client.stream_has_ended());
  EXPECT_EQ(client.ask(harness.call("echo")).status, 200) << "the connection lives on";
}

TEST(HttpModern, AcceptDecidesTheForm) {
  HttpHarness harness;
  const auto json = harness.ask(harness.call("noisy", "{}", "Accept: application/json\r\n"));
  EXPECT_EQ(json.header("content-type"), "application/json");
  EXPECT_THAT(json.body, HasSubstr("\"result\""));
  RawClient client(harness.port());
  EXPECT_TRUE(client.ask(harness.call("echo", "{}", "Accept: text/event-stream\r\n")).is_stream());
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("\"result\""));
  EXPECT_FALSE(client.next_event());
  EXPECT_EQ(harness.ask(harness.call("echo", "{}", "Accept: text/html\r\n")).status, 406);
}

TEST(HttpModern, SeveralAcceptLinesAreOneList) {
  HttpHarness harness;
  RawClient client(harness.port());
  const auto answer = client.ask(harness.call(
      "noisy", "{}", "Accept: text/html\r\nAccept: application/json\r\naccept: text/*\r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.is_stream());
  EXPECT_EQ(harness.ask(harness.call("echo", "{}", "Accept: text/html\r\nAccept: x/y\r\n")).status,
            406);
}

TEST(HttpModern, HeadersMustSayWhatTheBodySays) {
  HttpHarness harness;
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string call = harness.call("echo");
    call.replace(call.find(from), from.size(), to);
    return harness.ask(call);
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"Mcp-Method: tools/call", "Mcp-Method: TOOLS/CALL"},
           {"Mcp-Method: tools/call\r\n", ""},
           {"Mcp-Name: echo", "Mcp-Name: other"},
           {"Mcp-Name: echo\r\n", ""},
           {"MCP-Protocol-Version: 2026-07-28\r\n", ""},
           {"MCP-Protocol-Version: 2026-07-28", "MCP-Protocol-Version: 2025-11-25"},
           {"MCP-Protocol-Version: 2026-07-28", "MCP-Protocol-Version: v9"}}) {
    const auto answer = changed(from, to);
    EXPECT_EQ(answer.status, 400) << to;
    EXPECT_THAT(answer.body, HasSubstr("-32020")) << to;
    EXPECT_THAT(answer.body, HasSubstr("\"id\":1")) << to;
  }
  EXPECT_EQ(changed("Mcp-Name: echo", "MCP-NAME:    echo  ").status, 200);
  EXPECT_EQ(changed("Mcp-Name: echo", "Mcp-Name: =?base64?ZWNobw==?=").status, 200);
  const std::string region = R"({"region":"eu"})";
  EXPECT_EQ(harness.ask(harness.call("route", region, "Mcp-Param-Region: eu\r\n")).status, 200);
  EXPECT_EQ(harness.ask(harness.call("route", region, "Mcp-Param-Region: us\r\n")).status, 400);
  EXPECT_EQ(harness.ask(harness.call("route", region)).status, 400);
}

TEST(HttpModern, StatusFollowsTheError) {
  HttpHarness harness;
  const auto unknown = harness.ask(harness.modern("no/such"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body, HasSubstr("-32601"));
  EXPECT_EQ(harness.ask(harness.modern("initialize")).status, 404);
  std::string other = harness.modern("tools/list");
  for (std::size_t at = 0; (at = other.find("2026-07-28", at)) != std::string::npos;) {
    other.replace(at, 10, "2099-01-01");
  }
  const auto unsupported = harness.ask(other);
  EXPECT_EQ(unsupported.status, 400);
  EXPECT_THAT(unsupported.body, HasSubstr("-32022"));
  const std::string bare = R"({"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}})";
  const auto no_meta = harness.ask(
      harness.post(bare, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n"));
  EXPECT_EQ(no_meta.status, 400);
  EXPECT_THAT(no_meta.body, HasSubstr("-32602"));
  EXPECT_THAT(no_meta.body, HasSubstr("\"id\":7"));
}

TEST(HttpModern, WhatIsNoRequestHasItsStatus) {
  HttpHarness harness;
  const std::string_view version = "MCP-Protocol-Version: 2026-07-28\r\n";
  EXPECT_EQ(
      harness.ask(harness.post(R"({"jsonrpc":"2.0","method":"notifications/x"})", version)).status,
      202);
  EXPECT_EQ(harness.ask(harness.post(R"({"jsonrpc":"2.0","id":1,"result":{}})", version)).status,
            400);
  EXPECT_EQ(harness.ask(harness.post("[]", version)).status, 400);
  EXPECT_EQ(harness.ask(harness.post("{", version)).status, 400);
  EXPECT_THAT(harness.ask(harness.post("{", version)).body, HasSubstr("-32700"));
  for (const char* method : {"GET", "DELETE"}) {
    const auto answer = harness.ask(harness.request(method, "/mcp", version));
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("allow"), "POST, OPTIONS");
  }
}

TEST(HttpModern, LeavingCancelsTheCall) {
  HttpHarness harness;
  RawClient streamed(harness.port());
  streamed.send(harness.call("gate"));
  ASSERT_TRUE(streamed.receive().is_stream());
  RawClient plain(harness.port());
  plain.send(harness.call("gate", "{}", "Accept: application/json\r\n"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 2; }));
  EXPECT_EQ(harness.offer->cancelled, 0);
  streamed.close();
  EXPECT_TRUE(eventually([&] { return harness.offer->cancelled == 1; }));
  plain.close();
  EXPECT_TRUE(eventually([&] { return harness.offer->cancelled == 2; }));
}

TEST(HttpModern, LeavingIsSeenBehindAPipelinedRequest) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.call("gate") + harness.call("echo"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return harness.offer->cancelled == 1; }));
}

TEST(HttpModern, LeavingIsSeenBehindMoreThanIsReadAhead) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.call("gate"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  ASSERT_TRUE(client.send(std::string(2 * kMiB, 'x')));
  EXPECT_EQ(harness.offer->cancelled, 0);
  client.close();
  EXPECT_TRUE(eventually([&] { return harness.offer->cancelled == 1; }));
}

TEST(HttpModern, WhoSendsTooFarAheadGetsItsAnswerAndMustComeAgain) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.call("gate", "{}", "Accept: application/json\r\n"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  std::string ahead;
  while (ahead.size() < 128 * kKiB) ahead += harness.call("echo");
  ASSERT_TRUE(client.send(ahead));
  harness.offer->is_open = true;
  EXPECT_THAT(client.receive().body, HasSubstr("through"));
  EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(HttpModern, WhoSendsAheadWithoutEndIsCutOff) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.call("gate"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  const std::string ahead(kMiB, 'x');
  int sent = 0;
  while (sent < 64 && client.send(ahead)) ++sent;
  EXPECT_LT(sent, 64);
  EXPECT_TRUE(eventually([&] { return harness.offer->cancelled == 1; }));
}

TEST(HttpModern, ASlowCallDelaysNoQuickOne) {
  HttpHarness harness;
  RawClient slow(harness.port());
  slow.send(harness.call("gate"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  EXPECT_EQ(harness.ask(harness.call("echo")).status, 200);
  EXPECT_EQ(harness.ask(harness.modern("tools/list")).status, 200);
}

TEST(HttpModern, AFullQueueIsBusyAtOnce) {
  HttpOptions options;
  options.workers = 1;
  options.queue_max = 1;
  HttpHarness harness(options);
  RawClient running(harness.port());
  running.send(harness.call("gate"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  RawClient queued(harness.port());
  queued.send(harness.call("gate"));
  RawAnswer busy;
  ASSERT_TRUE(eventually([&] {
    // Until the queued one is in the queue this one takes its place.
    RawClient client(harness.port());
    client.send(harness.call("gate", "{}", {}, 77));
    pollfd unused{};
    ::poll(&unused, 0, 20);
    if (!harness.counts("helve_busy_total 1")) return false;
    busy = client.receive();
    return busy.status != 0;
  }));
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.header("retry-after"), "1");
  EXPECT_THAT(busy.body, HasSubstr("-31000"));
  EXPECT_THAT(busy.body, HasSubstr("\"id\":77"));
  EXPECT_EQ(harness.ask(harness.modern("server/discover")).status, 200) << "needs no worker";
}

TEST(HttpModern, WithoutAQueueIdleWorkersAnswer) {
  HttpOptions options;
  options.workers = 1;
  options.queue_max = 0;
  HttpHarness harness(options);
  RawClient client(harness.port());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.ask(harness.call("echo")).status, 200);
}

TEST(HttpModern, WhoLeavesGivesItsPlaceInTheQueueBack) {
  HttpOptions options;
  options.workers = 1;
  options.queue_max = 1;
  HttpHarness harness(options);
  RawClient running(harness.port());
  running.send(harness.call("gate"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  for (int i = 0; i < 3; ++i) {
    RawClient leaving(harness.port());
    leaving.send(harness.call("gate"));
    leaving.end_sending();
    EXPECT_TRUE(leaving.is_closed_by_peer());
  }
  EXPECT_TRUE(harness.counts("helve_busy_total 0"));
  harness.offer->is_open = true;
  ASSERT_TRUE(running.receive().is_stream());
  while (running.next_event()) {
  }
  EXPECT_EQ(harness.offer->started, 1);
}

TEST(HttpModern, ASubscriptionIsAStreamUntilItsClientLeavesOrTheServerEndsIt) {
  HttpOptions options;
  options.keep_alive_interval = std::chrono::milliseconds(1);
  HttpHarness harness(options);
  const std::string listen = harness.modern(
      "subscriptions/listen", R"("notifications":{"resourceSubscriptions":["test://one"]},)");
  RawClient client(harness.port());
  ASSERT_TRUE(client.ask(listen).is_stream());
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("subscriptions/acknowledged"));
  EXPECT_EQ(client.next_event(), ": still here");
  harness.server.resource_updated("test://one");
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("resources/updated"));
  harness.server.end_subscriptions();
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("\"result\""));
  EXPECT_FALSE(client.next_message());
  EXPECT_TRUE(client.stream_has_ended());
}

TEST(HttpModern, ASubscriptionThatNobodyCouldReadIsNotMade) {
  ServerOptions none;
  none.subscriptions_max = 0;
  HttpHarness harness({}, real_env(), none);
  std::string listen = harness.modern("subscriptions/listen", R"("notifications":{},)");
  EXPECT_EQ(harness.ask(listen).status, 503) << "it is made";
  listen.replace(listen.find(", text/event-stream"), 19, "");
  const auto refused = harness.ask(listen);
  EXPECT_EQ(refused.status, 406);
  EXPECT_THAT(refused.body, HasSubstr("\"id\":1"));
}

TEST(HttpModern, AClientThatDoesNotReadIsCutOff) {
  HttpOptions options;
  options.stream_buffer_max = 64 * kKiB;
  HttpHarness harness(options);
  RawClient client(harness.port(), 4096);
  client.send(harness.call("noisy", R"({"count":2000,"bytes":16384})"));
  EXPECT_TRUE(eventually([&] { return harness.counts("helve_refusals_total{reason=\"slow\"}"); }));
  EXPECT_EQ(harness.ask(harness.call("echo")).status, 200);
}

}  // namespace
}  // namespace helve::mcp
