// HTTP itself: forms of requests that must and must not pass, limits, time-outs, stopping.
#include "surfaces/http/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mcp_http_harness.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;

std::string with_host(const HttpHarness& harness, std::string_view start, std::string_view rest) {
  return fmt::format("{}\r\nHost: localhost:{}\r\n{}", start, harness.port(), rest);
}

// The status of a POST with these headers and this body, sent as they are.
int post_status(const HttpHarness& harness, std::string_view headers, std::string_view body) {
  return harness
      .ask(with_host(harness, "POST /mcp HTTP/1.1",
                     fmt::format("Content-Type: application/json\r\n{}\r\n{}", headers, body)))
      .status;
}

TEST(HttpWire, PathsAndMethodsMatchExactly) {
  HttpHarness harness;
  const auto status = [&](std::string_view method, std::string_view path) {
    return harness.ask(harness.request(method, path, "")).status;
  };
  EXPECT_EQ(status("GET", "/healthz"), 200);
  EXPECT_EQ(status("GET", "/healthz/"), 404);
  EXPECT_EQ(status("GET", "/HEALTHZ"), 404);
  EXPECT_EQ(status("GET", "/"), 404);
  EXPECT_EQ(status("GET", "/mcp/../healthz"), 404);
  EXPECT_EQ(status("POST", "/mcp?x"), 404);
  EXPECT_EQ(status("POST", "/healthz"), 405);
  EXPECT_EQ(status("PUT", "/mcp"), 405);
  EXPECT_EQ(status("POST", "/mcp"), 415);
  EXPECT_EQ(status("GET", "/metrics"), 200);
  const auto type = [&](std::string_view path) {
    return harness.ask(harness.request("GET", path, "")).header("content-type");
  };
  EXPECT_EQ(type("/healthz"), "text/plain; charset=utf-8");
  EXPECT_EQ(type("/metrics"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST(HttpWire, HeadHasNoBody) {
  HttpHarness harness;
  RawClient client(harness.port());
  client.send(harness.request("HEAD", "/healthz", ""));
  const auto answer = client.receive(false);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-length"), "2");
  EXPECT_EQ(client.ask(harness.request("GET", "/healthz", "")).body, "ok");
  client.send(harness.request("HEAD", "/mcp", ""));
  EXPECT_EQ(client.receive(false).status, 405);
}

TEST(HttpWire, PipelinedRequestsAreAnsweredInOrder) {
  HttpHarness harness;
  RawClient client(harness.port());
  std::string requests;
  for (int id = 0; id < 50; ++id) requests += harness.call("echo", "{}", {}, id);
  ASSERT_TRUE(client.send(requests));
  for (int id = 0; id < 50; ++id) {
    EXPECT_THAT(client.receive().body, HasSubstr(fmt::format("\"id\":{},", id)));
  }
}

TEST(HttpWire, ABodyByteByByteOrInChunksIsTheSame) {
  HttpHarness harness;
  const std::string call = harness.call("echo");
  RawClient slow(harness.port());
  for (const char byte : call) ASSERT_TRUE(slow.send(std::string_view(&byte, 1)));
  EXPECT_EQ(slow.receive().status, 200);
  const std::size_t length = call.find("Content-Length");
  const std::size_t body = call.find("\r\n\r\n") + 4;
  std::string chunked = call.substr(0, length) + "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = body; at < call.size(); at += 7) {
    const std::string part = call.substr(at, 7);
    chunked += fmt::format("{:x};x=y\r\n{}\r\n", part.size(), part);
  }
  RawClient client(harness.port());
  for (const char byte : chunked + "0\r\n\r\n")
    ASSERT_TRUE(client.send(std::string_view(&byte, 1)));
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.ask(chunked + "0\r\n\r\n").status, 200);
  EXPECT_EQ(client.ask(chunked + "0\r\nMcp-Name: other\r\n\r\n").status, 400) << "trailers";
}

TEST(HttpWire, ExpectContinueIsAnswered) {
  HttpHarness harness;
  const std::string call = harness.call("echo", "{}", "Expect: 100-continue\r\n");
  const std::size_t body = call.find("\r\n\r\n") + 4;
  RawClient client(harness.port());
  EXPECT_EQ(client.ask(call.substr(0, body)).status, 100);
  EXPECT_EQ(client.ask(call.substr(body)).status, 200);
  EXPECT_EQ(client.ask(harness.call("echo", "{}", "Expect: wonders\r\n")).status, 417);
}

TEST(HttpWire, AmbiguousLengthsAreRefused) {
  HttpHarness harness;
  EXPECT_EQ(post_status(harness, "Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Content-Length: 2, 2\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Content-Length: +2\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Content-Length: -1\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Content-Length: 99999999999999999999\r\n", "{}"), 400);
  EXPECT_EQ(
      post_status(harness, "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400);
  EXPECT_EQ(
      post_status(harness, "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "0\r\n\r\n"),
      400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: gzip\r\n", "{}"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                        "0\r\n\r\n"),
            400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: chunked\r\n", "zz\r\n\r\n"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: chunked\r\n", "2\r\n{}xx0\r\n\r\n"), 400);
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"), 400);
}

TEST(HttpWire, WhatIsNoHttpIsRefused) {
  HttpHarness harness;
  for (const char* text :
       {"nonsense\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/2.0\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n"}) {
    EXPECT_EQ(harness.ask(text).status, 400) << text;
  }
}

TEST(HttpWire, SizesAreLimited) {
  HttpOptions options;
  options.header_bytes_max = 1'000;
  options.body_bytes_max = 1'000;
  HttpHarness harness(options);
  EXPECT_EQ(
      harness.ask(harness.request("GET", "/healthz", fmt::format("X: {:1200}\r\n", 1))).status,
      431);
  EXPECT_EQ(harness.ask("GET /" + std::string(2'000, 'x')).status, 431);
  EXPECT_EQ(harness.ask(harness.post(std::string(1'001, ' '))).status, 413);
  EXPECT_EQ(harness.ask(harness.post(std::string(1'000, ' '))).status, 400);
  EXPECT_EQ(
      post_status(harness, "Transfer-Encoding: chunked\r\n", "3e9\r\n" + std::string(0x3e9, ' ')),
      413);
  const std::string chunk = "64\r\n" + std::string(100, ' ') + "\r\n";
  std::string chunks;
  for (int i = 0; i < 11; ++i) chunks += chunk;
  EXPECT_EQ(post_status(harness, "Transfer-Encoding: chunked\r\n", chunks), 413);
  EXPECT_EQ(
      post_status(harness, "Transfer-Encoding: chunked\r\n", "1;" + std::string(200'000, 'x')),
      400);
  // Who may not ask is told that, not how long a body may be.
  EXPECT_EQ(harness.ask("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 99999\r\n\r\n")
                .status,
            403);
  EXPECT_TRUE(harness.counts("helve_refusals_total{reason=\"body\"}"));
}

TEST(HttpWire, TheAnswerToAHugeBodyArrives) {
  HttpHarness harness;
  EXPECT_EQ(harness.ask(harness.post(std::string(4 * kMiB, ' '))).status, 413);
}

TEST(HttpWire, SlowClientsAreCutOff) {
  HttpOptions options;
  options.header_timeout = std::chrono::milliseconds(100);
  options.body_timeout = std::chrono::milliseconds(100);
  options.idle_timeout = std::chrono::milliseconds(100);
  HttpHarness harness(options);
  RawClient header(harness.port());
  EXPECT_EQ(header.ask("GET /healthz HT").status, 408);
  EXPECT_TRUE(header.is_closed_by_peer());
  RawClient body(harness.port());
  EXPECT_EQ(body.ask(with_host(harness, "POST /mcp HTTP/1.1", "Content-Length: 5\r\n\r\n{")).status,
            408);
  RawClient silent(harness.port());
  EXPECT_TRUE(silent.is_closed_by_peer());
  RawClient idle(harness.port());
  EXPECT_EQ(idle.ask(harness.request("GET", "/healthz", "")).status, 200);
  EXPECT_TRUE(idle.is_closed_by_peer());
  // A call that takes longer than all of them is not touched.
  RawClient waiting(harness.port());
  waiting.send(harness.call("gate", "{}", "Accept: application/json\r\n"));
  EXPECT_TRUE(silent.is_closed_by_peer());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  harness.offer->is_open = true;
  EXPECT_EQ(waiting.receive().status, 200);
}

TEST(HttpWire, AWriteThatStallsIsCutOff) {
  HttpOptions options;
  options.write_timeout = std::chrono::milliseconds(100);
  options.stream_buffer_max = 64 * kMiB;
  HttpHarness harness(options);
  RawClient client(harness.port(), 4096);
  client.send(harness.call("noisy", R"({"count":200,"bytes":65536})", ""));
  EXPECT_TRUE(eventually([&] { return harness.counts("helve_refusals_total{reason=\"slow\"}"); }));
}

TEST(HttpWire, ConnectionsAreLimited) {
  HttpOptions options;
  options.connections_max = 2;
  HttpHarness harness(options);
  RawClient one(harness.port());
  RawClient two(harness.port());
  EXPECT_EQ(one.ask(harness.request("GET", "/healthz", "")).status, 200);
  EXPECT_EQ(two.ask(harness.request("GET", "/healthz", "")).status, 200);
  const auto answer = harness.ask(harness.request("GET", "/healthz", ""));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("retry-after"), "1");
  one.close();
  EXPECT_TRUE(eventually(
      [&] { return harness.ask(harness.request("GET", "/healthz", "")).status == 200; }));
}

TEST(HttpWire, OldClientsAreServed) {
  HttpHarness harness;
  RawClient client(harness.port());
  const auto plain = client.ask(with_host(harness, "GET /healthz HTTP/1.0", "\r\n"));
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(plain.header("connection"), "close");
  EXPECT_TRUE(client.is_closed_by_peer());
  RawClient streamed(harness.port());
  std::string call = harness.call("noisy");
  call.replace(call.find("HTTP/1.1"), 8, "HTTP/1.0");
  const auto answer = streamed.ask(call);
  ASSERT_TRUE(answer.is_stream());
  EXPECT_EQ(answer.header("transfer-encoding"), "");
  EXPECT_THAT(streamed.next_message().value_or(""), HasSubstr("\"progress\":1"));
  EXPECT_THAT(streamed.next_message().value_or(""), HasSubstr("\"progress\":2"));
  EXPECT_THAT(streamed.next_message().value_or(""), HasSubstr("\"result\""));
  EXPECT_FALSE(streamed.next_message());
}

TEST(HttpWire, AConnectionClosesWhenAsked) {
  HttpHarness harness;
  RawClient client(harness.port());
  EXPECT_EQ(
      client.ask(harness.request("GET", "/healthz", "Connection: close\r\n")).header("connection"),
      "close");
  EXPECT_TRUE(client.is_closed_by_peer());
  RawClient half(harness.port());
  half.send(harness.request("GET", "/healthz", ""));
  half.end_sending();
  EXPECT_EQ(half.receive().status, 200);
}

}  // namespace
}  // namespace helve::mcp
