// Who may ask at all: hosts, origins, tokens, and where the server listens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mcp_http_harness.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HttpOptions with_callers() {
  HttpOptions options;
  options.callers = {{"token-of-ada", {.identity = "ada"}}, {"token-of-bob", {.identity = "bob"}}};
  return options;
}

std::string get(std::string_view path, std::string_view headers) {
  return fmt::format("GET {} HTTP/1.1\r\n{}\r\n", path, headers);
}

TEST(HttpSecurity, ForeignHostsAreRefused) {
  HttpHarness harness;
  for (const char* host :
       {"evil.example", "evil.example:80", "localhost:1", "127.0.0.1.evil.example"}) {
    EXPECT_EQ(harness.ask(get("/healthz", fmt::format("Host: {}\r\n", host))).status, 403) << host;
    EXPECT_EQ(harness.ask(get("/mcp", fmt::format("Host: {}\r\n", host))).status, 403) << host;
  }
  EXPECT_EQ(harness.ask(get("/healthz", "")).status, 400);
  EXPECT_EQ(harness.ask("GET /healthz HTTP/1.0\r\n\r\n").status, 403);
  EXPECT_EQ(harness.ask(get("/healthz", "Host: localhost\r\nHost: localhost\r\n")).status, 400);
  EXPECT_EQ(
      harness.ask(get("/healthz", fmt::format("Host: 127.0.0.1:{}\r\n", harness.port()))).status,
      200);
  EXPECT_TRUE(harness.counts("helve_refusals_total{reason=\"host\"} 10"));
}

TEST(HttpSecurity, ARefusedRequestDoesNothing) {
  HttpHarness harness;
  std::string call = harness.call("gate");
  call.replace(call.find("Host: localhost"), 15, "Host: evil.example");
  EXPECT_EQ(harness.ask(call).status, 403);
  EXPECT_EQ(harness.ask(harness.call("gate", "{}", "Origin: http://evil.example\r\n")).status, 403);
  EXPECT_EQ(harness.offer->started, 0);
}

TEST(HttpSecurity, ForeignOriginsAreRefusedAndNeverEchoed) {
  HttpOptions options;
  options.allowed_origins = {"https://app.example"};
  HttpHarness harness(options);
  for (const char* origin : {"http://evil.example", "null", "https://app.example.evil"}) {
    const auto answer =
        harness.ask(harness.request("GET", "/healthz", fmt::format("Origin: {}\r\n", origin)));
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(answer.header("access-control-allow-origin"), "");
  }
  for (const char* origin : {"https://app.example", "http://localhost:3000", "http://[::1]"}) {
    const auto answer =
        harness.ask(harness.request("GET", "/healthz", fmt::format("Origin: {}\r\n", origin)));
    EXPECT_EQ(answer.status, 200) << origin;
    EXPECT_EQ(answer.header("access-control-allow-origin"), origin);
    EXPECT_EQ(answer.header("vary"), "Origin");
  }
  EXPECT_TRUE(harness.counts("helve_refusals_total{reason=\"origin\"} 3"));
}

TEST(HttpSecurity, PreflightsAreAnsweredWithoutAToken) {
  HttpOptions options = with_callers();
  options.allowed_origins = {"https://app.example"};
  HttpHarness harness(options);
  const auto answer = harness.ask(harness.request(
      "OPTIONS", "/mcp",
      "Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: content-type, Authorization,mcp-param-region, x-other\r\n"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("access-control-allow-origin"), "https://app.example");
  EXPECT_THAT(answer.header("access-control-allow-methods"), HasSubstr("POST"));
  EXPECT_EQ(answer.header("access-control-allow-headers"),
            "content-type, authorization, mcp-param-region");
  EXPECT_EQ(harness
                .ask(harness.request("OPTIONS", "/mcp",
                                     "Origin: https://evil.example\r\n"
                                     "Access-Control-Request-Method: POST\r\n"))
                .status,
            403);
}

TEST(HttpSecurity, TokensNameTheCaller) {
  HttpHarness harness(with_callers());
  const auto none = harness.ask(harness.call("echo"));
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.header("www-authenticate"), "Bearer realm=\"helve\"");
  const auto wrong = harness.ask(harness.call("echo", "{}", "Authorization: Bearer nonsense\r\n"));
  EXPECT_EQ(wrong.status, 401);
  EXPECT_THAT(wrong.header("www-authenticate"), HasSubstr("invalid_token"));
  const auto ada =
      harness.ask(harness.call("echo", "{}", "Authorization: Bearer token-of-ada\r\n"));
  EXPECT_EQ(ada.status, 200);
  EXPECT_THAT(ada.body, HasSubstr("\"ada\""));
  const auto bob =
      harness.ask(harness.call("echo", "{}", "Authorization: bearer token-of-bob\r\n"));
  EXPECT_THAT(bob.body, HasSubstr("\"bob\""));
  EXPECT_TRUE(harness.counts("helve_refusals_total{reason=\"token\"} 2"));
}

// Who opens one session after the other ends its own, not those of others.
TEST(HttpSecurity, NoCallerTakesAllTheSessions) {
  HttpOptions options = with_callers();
  options.sessions_max = 4;
  HttpHarness harness(options);
  const auto begin = [&](const std::string& token) {
    return harness.ask(
        harness.post(HttpHarness::initialize(), "Authorization: Bearer " + token + "\r\n"));
  };
  for (int i = 0; i < 6; ++i) EXPECT_EQ(begin("token-of-ada").status, 200) << i;
  EXPECT_EQ(begin("token-of-bob").status, 200);
}

TEST(HttpSecurity, MetricsNeedATokenAndHealthDoesNot) {
  HttpHarness harness(with_callers());
  EXPECT_EQ(harness.ask(harness.request("GET", "/metrics", "")).status, 401);
  const auto metrics =
      harness.ask(harness.request("GET", "/metrics", "Authorization: Bearer token-of-ada\r\n"));
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("helve_"));
  EXPECT_THAT(metrics.header("content-type"), HasSubstr("text/plain"));
  EXPECT_EQ(harness.ask(harness.request("GET", "/healthz", "")).body, "ok");
}

TEST(HttpSecurity, ASessionIsItsCallersAlone) {
  HttpHarness harness(with_callers());
  const std::string ada = "Authorization: Bearer token-of-ada\r\n";
  const std::string bob = "Authorization: Bearer token-of-bob\r\n";
  const std::string session = harness.begin_session("2025-11-25", ada);
  const std::string call = HttpHarness::legacy_call("echo");
  EXPECT_EQ(harness.ask(harness.post(call, session + ada)).status, 200);
  EXPECT_EQ(harness.ask(harness.post(call, session + bob)).status, 404);
  EXPECT_EQ(harness.ask(harness.request("DELETE", "/mcp", session + bob)).status, 404);
  EXPECT_EQ(
      harness.ask(harness.request("GET", "/mcp", session + bob + "Accept: text/event-stream\r\n"))
          .status,
      404);
  EXPECT_EQ(harness.ask(harness.post(call, session + ada)).status, 200);
}

TEST(HttpSecurity, APublicAddressNeedsCallers) {
  HttpHarness harness;  // for its server
  HttpOptions options;
  options.host = "0.0.0.0";
  const auto refused = HttpServer::start(options, harness.server, real_env());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
  EXPECT_THAT(refused.error().hint, HasSubstr("tokens"));
  options.callers = with_callers().callers;
  options.allowed_hosts = {"graphs.example"};
  const auto open = HttpServer::start(options, harness.server, real_env());
  ASSERT_TRUE(open) << open.error().to_string();
  RawClient client((*open)->port());
  EXPECT_EQ(client.ask("GET /healthz HTTP/1.1\r\nHost: graphs.example\r\n\r\n").status, 200);
  const std::string any = fmt::format("Host: 0.0.0.0:{}\r\n", (*open)->port());
  EXPECT_EQ(RawClient((*open)->port()).ask(get("/healthz", any)).status, 403);
  EXPECT_EQ(client.ask("GET /healthz HTTP/1.1\r\nHost: other.example\r\n\r\n").status, 403);
}

TEST(HttpSecurity, OptionsThatMakeNoSenseAreErrors) {
  HttpHarness harness;
  const auto code_of = [&](const std::function<void(HttpOptions&)>& change) {
    HttpOptions options;
    change(options);
    const auto server = HttpServer::start(options, harness.server, real_env());
    return server ? std::nullopt : std::optional(server.error().code);
  };
  EXPECT_EQ(code_of([](auto& o) { o.host = "graphs.example"; }), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of([](auto& o) { o.path = "mcp"; }), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of([](auto& o) { o.path = "/metrics"; }), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of([](auto& o) { o.callers = {{"", {}}}; }), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of([](auto& o) { o.allowed_origins = {"*"}; }), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of([&](auto& o) { o.port = harness.port(); }), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::mcp
