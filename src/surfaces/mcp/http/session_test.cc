// Legacy clients: sessions, streams that can be taken up again, batches.
#include "surfaces/mcp/http/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "tests/support/mcp_http_harness.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr std::string_view kListen = "Accept: text/event-stream\r\n";
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";

// The id of an event.
std::string id_of(const std::optional<std::string>& event) {
  if (!event) return "";
  const std::size_t at = event->find("id: ");
  return event->substr(at + 4, event->find('\n', at) - at - 4);
}

TEST(HttpSession, InitializeBeginsOneAndDeleteEndsIt) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  EXPECT_THAT(session, MatchesRegex("Mcp-Session-Id: [0-9a-f]+\r\n"));
  EXPECT_EQ(session.size(), 16 + 32 + 2);
  EXPECT_NE(session, harness.begin_session());
  EXPECT_EQ(harness.ask(harness.post(kPing, session)).status, 200);
  EXPECT_EQ(
      harness
          .ask(harness.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session))
          .status,
      202);
  EXPECT_EQ(harness.ask(harness.request("DELETE", "/mcp", session)).status, 204);
  for (const std::string& request :
       {harness.post(kPing, session), harness.request("DELETE", "/mcp", session),
        harness.request("GET", "/mcp", session + std::string(kListen))}) {
    EXPECT_EQ(harness.ask(request).status, 404);
  }
}

// "http-..." of a reply of the tool "session".
std::string name_in(const std::string& body) {
  const std::size_t at = body.find("in ");
  return at == std::string::npos ? body : body.substr(at + 3, body.find('"', at) - at - 3);
}

TEST(HttpSession, EachHasANameThatTellsNobodyItsId) {
  HttpHarness harness;
  const std::string first = harness.begin_session();
  const std::string second = harness.begin_session();
  const auto name = [&](const std::string& session) {
    const auto call = HttpHarness::legacy_call("session");
    return name_in(harness.ask(harness.post(call, session + "Accept: application/json\r\n")).body);
  };
  EXPECT_THAT(name(first), MatchesRegex("http-[0-9a-f]+"));
  EXPECT_EQ(name(first).size(), 17U);
  EXPECT_EQ(name(first), name(first));
  EXPECT_NE(name(first), name(second));
  EXPECT_THAT(first, Not(HasSubstr(name(first).substr(5))));
  EXPECT_THAT(harness.ask(harness.call("session")).body, HasSubstr("in stateless"));
  EXPECT_THAT(harness.ask(harness.call("session", "{}", first)).body, HasSubstr("in stateless"));
}

TEST(HttpSession, TheirEndIsTold) {
  FakeEnv env;
  auto harness = std::make_unique<HttpHarness>(HttpOptions{}, env);
  const auto offer = harness->offer;
  const auto call = HttpHarness::legacy_call("session");
  const auto name = [&](const std::string& session) {
    return name_in(
        harness->ask(harness->post(call, session + "Accept: application/json\r\n")).body);
  };
  const std::string deleted = harness->begin_session();
  const std::string expired = harness->begin_session();
  const std::vector<std::string> names = {name(deleted), name(expired)};
  harness->ask(harness->call("echo"));
  EXPECT_TRUE(offer->ended().empty());
  EXPECT_EQ(harness->ask(harness->request("DELETE", "/mcp", deleted)).status, 204);
  EXPECT_EQ(offer->ended(), std::vector<std::string>{names[0]});
  env.clock().advance(std::chrono::minutes(31));
  EXPECT_TRUE(eventually([&] {
    RawClient other(harness->port());  // keeps time going
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return offer->ended().size() == 2;
  }));
  EXPECT_EQ(offer->ended().back(), names[1]);
  const std::string stopped = name(harness->begin_session());
  harness.reset();
  ASSERT_EQ(offer->ended().size(), 3U);
  EXPECT_EQ(offer->ended().back(), stopped);
}

TEST(HttpSession, ItMustBeNamed) {
  HttpHarness harness;
  const auto answer = harness.ask(harness.post(kPing));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("Mcp-Session-Id"));
  EXPECT_THAT(answer.body, HasSubstr("\"id\":5"));
  EXPECT_EQ(harness.ask(harness.request("GET", "/mcp", kListen)).status, 400);
  EXPECT_EQ(harness.ask(harness.request("DELETE", "/mcp", "")).status, 400);
  EXPECT_EQ(harness.ask(harness.post(kPing, "Mcp-Session-Id: guess\r\n")).status, 404);
}

TEST(HttpSession, AFailedInitializeBeginsNone) {
  HttpHarness harness;
  const auto answer =
      harness.ask(harness.post(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("mcp-session-id"), "");
}

TEST(HttpSession, AnUnknownVersionInTheHeaderIsRefused) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  EXPECT_EQ(
      harness.ask(harness.post(kPing, session + "MCP-Protocol-Version: 2025-11-25\r\n")).status,
      200);
  EXPECT_EQ(
      harness.ask(harness.post(kPing, session + "MCP-Protocol-Version: 1999-01-01\r\n")).status,
      400);
  EXPECT_EQ(harness
                .ask(harness.request(
                    "GET", "/mcp", session + std::string(kListen) + "MCP-Protocol-Version: x\r\n"))
                .status,
            400);
}

TEST(HttpSession, BatchesAreOfOneRevision) {
  HttpHarness harness;
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},)"
      R"({"jsonrpc":"2.0","id":2,"method":"ping"}])";
  EXPECT_EQ(harness.ask(harness.post(batch, harness.begin_session("2025-06-18"))).status, 400);
  const std::string session = harness.begin_session("2025-03-26");
  const auto answer = harness.ask(harness.post(batch, session));
  EXPECT_EQ(answer.status, 200);
  const auto replies = parse_json(answer.body);
  ASSERT_TRUE(replies && replies->if_array());
  EXPECT_EQ(replies->if_array()->size(), 2U);
  EXPECT_EQ(harness.ask(harness.post(R"([{"jsonrpc":"2.0","method":"notifications/x"}])", session))
                .status,
            202);
  RawClient client(harness.port());
  ASSERT_TRUE(client.ask(harness.post(batch, session + std::string(kListen))).is_stream());
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("\"id\":1"));
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("\"id\":2"));
  EXPECT_FALSE(client.next_message());
}

TEST(HttpSession, EventsHaveIdsAndNewClientsAPrimer) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.post(HttpHarness::legacy_call("noisy"), harness.begin_session()));
  ASSERT_TRUE(client.receive().is_stream());
  EXPECT_EQ(client.next_event(), "id: p1-0\nretry: 1000\ndata: ");
  EXPECT_EQ(id_of(client.next_event()), "p1-1");
  EXPECT_EQ(id_of(client.next_event()), "p1-2");
  const auto last = client.next_event();
  EXPECT_EQ(id_of(last), "p1-3");
  EXPECT_THAT(last.value_or(""), HasSubstr("\"result\""));
  EXPECT_FALSE(client.next_event());
  RawClient old(harness.port());
  old.send(harness.post(HttpHarness::legacy_call("noisy"), harness.begin_session("2025-06-18")));
  ASSERT_TRUE(old.receive().is_stream());
  EXPECT_EQ(id_of(old.next_event()), "p1-1");
}

TEST(HttpSession, LeavingDoesNotCancelAndTheStreamIsTakenUpAgain) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  RawClient first(harness.port());
  first.send(harness.post(HttpHarness::legacy_call("gate"), session));
  ASSERT_TRUE(first.receive().is_stream());
  const std::string primer = id_of(first.next_event());
  const std::string last = id_of(first.next_event());
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  first.close();
  // Another stream of the session; its messages are not the first one's.
  EXPECT_TRUE(
      harness.ask(harness.post(HttpHarness::legacy_call("noisy", "{}", 2), session)).is_stream());
  harness.offer->is_open = true;
  RawClient again(harness.port());
  again.send(harness.request("GET", "/mcp",
                             fmt::format("{}{}Last-Event-ID: {}\r\n", session, kListen, last)));
  ASSERT_TRUE(again.receive().is_stream());
  EXPECT_THAT(again.next_message().value_or(""), HasSubstr("\"message\":\"through\""));
  EXPECT_THAT(again.next_message().value_or(""), HasSubstr("\"id\":1,\"result\""));
  EXPECT_FALSE(again.next_message());
  EXPECT_TRUE(again.stream_has_ended());
  EXPECT_EQ(harness.offer->cancelled, 0);
  // And once more, from its beginning, although it has ended.
  RawClient third(harness.port());
  third.send(harness.request("GET", "/mcp",
                             fmt::format("{}{}Last-Event-ID: {}\r\n", session, kListen, primer)));
  ASSERT_TRUE(third.receive().is_stream());
  EXPECT_THAT(third.next_message().value_or(""), HasSubstr("\"message\":\"waiting\""));
  EXPECT_THAT(third.next_message().value_or(""), HasSubstr("\"message\":\"through\""));
  EXPECT_THAT(third.next_message().value_or(""), HasSubstr("\"result\""));
}

TEST(HttpSession, WhoComesBackTakesTheStreamOver) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  RawClient lost(harness.port());
  lost.send(harness.post(HttpHarness::legacy_call("gate"), session));
  ASSERT_TRUE(lost.receive().is_stream());
  const std::string primer = id_of(lost.next_event());
  ASSERT_TRUE(lost.next_event());
  RawClient back(harness.port());
  back.send(harness.request("GET", "/mcp",
                            fmt::format("{}{}Last-Event-ID: {}\r\n", session, kListen, primer)));
  ASSERT_TRUE(back.receive().is_stream());
  EXPECT_TRUE(lost.is_closed_by_peer());
  EXPECT_THAT(back.next_message().value_or(""), HasSubstr("waiting"));
  harness.offer->is_open = true;
  EXPECT_THAT(back.next_message().value_or(""), HasSubstr("through"));
  EXPECT_THAT(back.next_message().value_or(""), HasSubstr("\"result\""));
  EXPECT_FALSE(back.next_message());
}

TEST(HttpSession, OnlySoManyGeneralStreams) {
  HttpHarness harness;
  const std::string listen =
      harness.request("GET", "/mcp", harness.begin_session() + std::string(kListen));
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<RawClient>(harness.port()));
    ASSERT_TRUE(clients.back()->ask(listen).is_stream());
  }
  EXPECT_EQ(harness.ask(listen).status, 409);
  clients.pop_back();
  EXPECT_TRUE(eventually([&] { return harness.ask(listen).status == 200; }));
}

TEST(HttpSession, StreamsThatAreNotKeptAreRefused) {
  HttpOptions options;
  options.events_kept = 3;
  HttpHarness harness(options);
  const std::string session = harness.begin_session();
  const auto resume = [&](std::string_view id) {
    return harness
        .ask(harness.request("GET", "/mcp",
                             fmt::format("{}{}Last-Event-ID: {}\r\n", session, kListen, id)))
        .status;
  };
  RawClient client(harness.port());
  client.send(harness.post(HttpHarness::legacy_call("noisy", R"({"count":10})"), session));
  ASSERT_TRUE(client.receive().is_stream());
  while (client.next_event()) {
  }
  EXPECT_EQ(resume("p1-9"), 200);
  EXPECT_EQ(harness.ask(harness.post(HttpHarness::legacy_call("noisy", R"({"count":4})"), session))
                .status,
            200);
  EXPECT_TRUE(eventually([&] { return resume("p1-9") == 400; }));
  EXPECT_EQ(resume("p99-1"), 400);
  EXPECT_EQ(resume("nonsense"), 400);
  EXPECT_EQ(resume("g99-1"), 200) << "a general stream begins anew";
}

TEST(HttpSession, GeneralMessagesGoToOneStreamAndWaitForIt) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  EXPECT_EQ(harness
                .ask(harness.post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)"
                                  R"("params":{"uri":"test://one"}})",
                                  session))
                .status,
            200);
  harness.server.resource_updated("test://one");  // before anybody listens
  const std::string listen = harness.request("GET", "/mcp", session + std::string(kListen));
  RawClient first(harness.port());
  ASSERT_TRUE(first.ask(listen).is_stream());
  EXPECT_EQ(id_of(first.next_event()), "g1-0");
  EXPECT_EQ(id_of(first.next_event()), "g1-1");
  RawClient second(harness.port());
  ASSERT_TRUE(second.ask(listen).is_stream());
  EXPECT_EQ(id_of(second.next_event()), "g2-0");
  harness.server.resource_updated("test://one");
  EXPECT_EQ(id_of(second.next_event()), "g2-1");
  second.close();
  harness.server.resource_updated("test://one");
  harness.server.resource_updated("test://one");
  // Either of them was told, depending on when the server saw the second one leave.
  RawClient third(harness.port());
  ASSERT_TRUE(third
                  .ask(harness.request("GET", "/mcp",
                                       session + std::string(kListen) + "Last-Event-ID: g1-0\r\n"))
                  .is_stream());
  EXPECT_EQ(id_of(third.next_event()), "g1-1");
  EXPECT_EQ(harness.ask(harness.request("DELETE", "/mcp", session)).status, 204);
  while (third.next_event()) {
  }
  EXPECT_TRUE(third.stream_has_ended());
}

TEST(HttpSession, TheClientIsAskedOnTheStreamOfItsCall) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  RawClient client(harness.port());
  client.send(harness.post(HttpHarness::legacy_call("ask"), session));
  ASSERT_TRUE(client.receive().is_stream());
  const auto question = client.next_message();
  ASSERT_TRUE(question);
  EXPECT_THAT(*question, HasSubstr("elicitation/create"));
  const auto parsed = parse_json(*question);
  ASSERT_TRUE(parsed);
  const std::string reply =
      fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{}}}}}})",
                  to_json(*parsed->find("id")));
  EXPECT_EQ(harness.ask(harness.post(reply, session)).status, 202);
  EXPECT_THAT(client.next_message().value_or(""), HasSubstr("accept"));
  EXPECT_FALSE(client.next_message());
}

TEST(HttpSession, AClientThatTakesNoStreamIsNotAskedInVain) {
  HttpHarness harness;
  const auto answer = harness.ask(harness.post(
      HttpHarness::legacy_call("ask"), harness.begin_session() + "Accept: application/json\r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("accept text/event-stream"));
}

// Who has left before there was a stream cannot come back to it: nobody waits for its answer.
TEST(HttpSession, AClientThatHasLeftBeforeItsStreamIsNotAsked) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  {
    RawClient client(harness.port());
    client.send(harness.post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                             R"("params":{"name":"gated_ask","arguments":{}}})",
                             session));
    ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  }
  // What came before these has been seen when they are answered.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(harness.ask(harness.post(kPing, session)).status, 200);
  harness.offer->is_open = true;
  EXPECT_TRUE(eventually([&] { return harness.offer->asked == 1; }));
}

TEST(HttpSession, AreCounted) {
  HttpHarness harness;
  EXPECT_TRUE(harness.counts("helve_http_sessions 0\n"));
  const std::string session = harness.begin_session();
  harness.begin_session();
  EXPECT_TRUE(harness.counts("helve_http_sessions 2\n"));
  EXPECT_EQ(harness.ask(harness.request("DELETE", "/mcp", session)).status, 204);
  EXPECT_TRUE(harness.counts("helve_http_sessions 1\n"));
}

TEST(HttpSession, ACallThatWaitsBehindOneThatDoesNotEndIsToldBusy) {
  HttpOptions options;
  options.workers = 1;
  HttpHarness harness(options);
  const std::string session = harness.begin_session();
  RawClient running(harness.port());
  running.send(harness.post(HttpHarness::legacy_call("gate"), session));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  const auto answer = harness.ask(harness.post(HttpHarness::legacy_call("gate", "{}", 2), session));
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("\"id\":2,\"error\":{\"code\":-31000"));
  EXPECT_EQ(harness.offer->started, 1);
  EXPECT_TRUE(harness.counts("helve_busy_total 1\n"));
}

TEST(HttpSession, ACancelledCallThatWaitsGivesItsPlaceBack) {
  HttpOptions options;
  options.workers = 1;
  options.queue_max = 1;
  HttpHarness harness(options);
  const std::string session = harness.begin_session();
  RawClient running(harness.port());
  running.send(harness.post(HttpHarness::legacy_call("gate"), session));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  RawClient waiting(harness.port());
  waiting.send(harness.post(HttpHarness::legacy_call("gate", "{}", 2), session));
  const std::string cancel = harness.post(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})", session);
  // Until the call has arrived there is nothing to cancel.
  ASSERT_TRUE(eventually([&] {
    EXPECT_EQ(harness.ask(cancel).status, 202);
    return waiting.has_input();
  }));
  EXPECT_EQ(waiting.receive().status, 202);
  EXPECT_EQ(harness.offer->started, 1);
}

TEST(HttpSession, ACancelledCallIsAnsweredByNothing) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  RawClient client(harness.port());
  client.send(
      harness.post(HttpHarness::legacy_call("gate"), session + "Accept: application/json\r\n"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  EXPECT_EQ(harness
                .ask(harness.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                  R"("params":{"requestId":1}})",
                                  session))
                .status,
            202);
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(harness.offer->cancelled, 1);
}

TEST(HttpSession, DeleteCancelsWhatRuns) {
  HttpHarness harness;
  const std::string session = harness.begin_session();
  RawClient client(harness.port());
  client.send(
      harness.post(HttpHarness::legacy_call("gate"), session + "Accept: application/json\r\n"));
  RawClient streamed(harness.port());
  streamed.send(harness.post(HttpHarness::legacy_call("gate", "{}", 2), session));
  ASSERT_TRUE(streamed.receive().is_stream());
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 2; }));
  EXPECT_EQ(harness.ask(harness.request("DELETE", "/mcp", session)).status, 204);
  EXPECT_EQ(client.receive().status, 404);
  std::string last;
  while (const auto message = streamed.next_message()) last = *message;
  EXPECT_THAT(last, HasSubstr("the session has ended"));
  EXPECT_TRUE(streamed.stream_has_ended());
  EXPECT_EQ(harness.offer->cancelled, 2);
}

TEST(HttpSession, IdleOnesEnd) {
  FakeEnv env;
  HttpHarness harness({}, env);
  const std::string session = harness.begin_session();
  env.clock().advance(std::chrono::minutes(20));
  EXPECT_EQ(harness.ask(harness.post(kPing, session)).status, 200);
  env.clock().advance(std::chrono::minutes(31));
  EXPECT_TRUE(eventually([&] {
    // An unrelated connection keeps time going.
    RawClient other(harness.port());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return harness.ask(harness.post(kPing, session)).status == 404;
  }));
}

TEST(HttpSession, ThereAreOnlySoMany) {
  FakeEnv env;
  HttpOptions options;
  options.sessions_max = 2;
  HttpHarness harness(options, env);
  const std::string first = harness.begin_session();
  const std::string second = harness.begin_session();
  const auto busy = harness.ask(harness.post(HttpHarness::initialize()));
  EXPECT_EQ(busy.status, 503);
  EXPECT_THAT(busy.body, HasSubstr("-31000"));
  env.clock().advance(std::chrono::minutes(2));
  EXPECT_EQ(harness.ask(harness.post(kPing, second)).status, 200);
  const std::string third = harness.begin_session();  // in the place of the first
  EXPECT_EQ(harness.ask(harness.post(kPing, first)).status, 404);
  EXPECT_EQ(harness.ask(harness.post(kPing, second)).status, 200);
  EXPECT_EQ(harness.ask(harness.post(kPing, third)).status, 200);
}

TEST(HttpSession, BothErasShareTheEndpoint) {
  HttpHarness harness;
  RawClient client(harness.port());
  const std::string session = harness.begin_session();
  EXPECT_EQ(client.ask(harness.post(kPing, session)).status, 200);
  EXPECT_EQ(client.ask(harness.call("echo", "{}", session)).status, 200);
  EXPECT_EQ(client.ask(harness.post(HttpHarness::legacy_call("echo"), session)).status, 200);
}

}  // namespace
}  // namespace helve::mcp
