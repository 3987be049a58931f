// Stopping, idle or under load.
#include "surfaces/mcp/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/mcp_http_harness.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;

TEST(HttpServer, StopLetsCallsFinish) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.call("gate", "{}", "Accept: application/json\r\n"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 1; }));
  RawClient idle(harness.port());
  EXPECT_EQ(idle.ask(harness.request("GET", "/healthz", "")).status, 200);
  std::thread stopping([&] { harness.http->stop(std::chrono::seconds(20)); });
  EXPECT_TRUE(idle.is_closed_by_peer());
  EXPECT_FALSE(RawClient(harness.port()).is_connected());
  harness.offer->is_open = true;
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("connection"), "close");
  stopping.join();
  EXPECT_EQ(harness.offer->cancelled, 0);
}

TEST(HttpServer, StopCancelsWhatDoesNotFinish) {
  HttpHarness harness;
  RawClient modern(harness.port());
  modern.send(harness.call("gate", "{}", "Accept: application/json\r\n"));
  RawClient streamed(harness.port());
  streamed.send(harness.call("gate"));
  ASSERT_TRUE(streamed.receive().is_stream());
  RawClient legacy(harness.port());
  legacy.send(harness.post(HttpHarness::legacy_call("gate"),
                           harness.begin_session() + "Accept: application/json\r\n"));
  ASSERT_TRUE(eventually([&] { return harness.offer->started == 3; }));
  harness.http->stop(std::chrono::milliseconds(50));
  EXPECT_EQ(harness.offer->cancelled, 3);
  const auto answer = modern.receive();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("stopping"));
  EXPECT_EQ(legacy.receive().status, 503);
  std::string last;
  while (const auto message = streamed.next_message()) last = *message;
  EXPECT_THAT(last, HasSubstr("stopping"));
  EXPECT_TRUE(streamed.stream_has_ended());
}

TEST(HttpServer, StopEndsStreamsInOrder) {
  HttpHarness harness;
  RawClient subscriber(harness.port());
  subscriber.send(harness.modern("subscriptions/listen", R"("notifications":{},)"));
  ASSERT_TRUE(subscriber.receive().is_stream());
  RawClient listener(harness.port());
  listener.send(
      harness.request("GET", "/mcp", harness.begin_session() + "Accept: text/event-stream\r\n"));
  ASSERT_TRUE(listener.receive().is_stream());
  harness.http->stop(std::chrono::seconds(20));
  EXPECT_THAT(subscriber.next_message().value_or(""), HasSubstr("acknowledged"));
  EXPECT_THAT(subscriber.next_message().value_or(""), HasSubstr("\"result\""));
  EXPECT_FALSE(subscriber.next_message());
  EXPECT_TRUE(subscriber.stream_has_ended());
  while (listener.next_event()) {
  }
  EXPECT_TRUE(listener.stream_has_ended());
}

TEST(HttpServer, StopUnderLoadAnswersOrCloses) {
  HttpHarness harness;
  std::atomic<int> good = 0;
  std::atomic<int> odd = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (;;) {
        RawClient client(harness.port());
        if (!client.is_connected()) return;
        for (int round = 0; round < 50; ++round) {
          const auto answer = client.ask(harness.call(i % 2 == 0 ? "echo" : "noisy"));
          if (answer.status == 0) break;
          if (answer.is_stream()) {
            while (client.next_event()) {
            }
            break;
          }
          ++(answer.status == 200 || answer.status == 503 ? good : odd);
        }
      }
    });
  }
  ASSERT_TRUE(eventually([&] { return good > 100; }));
  harness.http->stop(std::chrono::seconds(10));
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(odd, 0);
  harness.http->stop(std::chrono::seconds(1));  // again: nothing
}

TEST(HttpServer, ChannelsMayOutliveIt) {
  HttpHarness harness;
  RawClient subscriber(harness.port());
  subscriber.send(harness.modern("subscriptions/listen",
                                 R"("notifications":{"resourceSubscriptions":["test://one"]},)"));
  ASSERT_TRUE(subscriber.receive().is_stream());
  const std::string session = harness.begin_session();
  EXPECT_EQ(harness
                .ask(harness.post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)"
                                  R"("params":{"uri":"test://one"}})",
                                  session))
                .status,
            200);
  harness.http.reset();
  harness.server.resource_updated("test://one");
}

}  // namespace
}  // namespace helve::mcp
