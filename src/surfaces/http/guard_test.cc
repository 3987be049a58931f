#include "surfaces/http/guard.h"

#include <gtest/gtest.h>

namespace helve::http {
namespace {

Guard make(GuardOptions options) {
  options.bound_host = "127.0.0.1";
  options.port = 8080;
  auto guard = Guard::make(std::move(options));
  EXPECT_TRUE(guard.has_value());
  return *std::move(guard);
}

TEST(Guard, HostsOfThisMachineAreAllowed) {
  const Guard guard = make({});
  for (const char* host : {"localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "127.1.2.3:8080",
                           "[::1]:8080", "localhost", "127.0.0.1", "[::1]"}) {
    EXPECT_TRUE(guard.allows_host(host)) << host;
  }
}

TEST(Guard, OtherHostsAreRefused) {
  const Guard guard = make({});
  for (const char* host : {"",
                           "evil.example",
                           "evil.example:8080",
                           "localhost.evil.example:8080",
                           "127.0.0.1.evil.example",
                           "127.evil:8080",
                           "localhost:81",
                           "localhost:",
                           "localhost:8080x",
                           "localhost:99999",
                           "user@localhost:8080",
                           "localhost:8080@evil.example",
                           "[::1",
                           "[::2]:8080",
                           "::1:8080",
                           "[::1%25lo]:8080",
                           "0.0.0.0:8080",
                           "localhost/",
                           "local host",
                           "2130706433:8080",
                           "localhost.:8080",
                           "127.0.0.1:8080, evil.example"}) {
    EXPECT_FALSE(guard.allows_host(host)) << host;
  }
}

TEST(Guard, AllowedHostsAreAddedWithOrWithoutPort) {
  const Guard guard = make({.allowed_hosts = {"graphs.example", "Other.example:443"}});
  EXPECT_TRUE(guard.allows_host("graphs.example"));
  EXPECT_TRUE(guard.allows_host("GRAPHS.example:9"));
  EXPECT_TRUE(guard.allows_host("other.example:443"));
  EXPECT_FALSE(guard.allows_host("other.example"));
  EXPECT_FALSE(guard.allows_host("x.graphs.example"));
}

TEST(Guard, OriginsOfThisMachineAreAllowed) {
  const Guard guard = make({});
  for (const char* origin : {"http://localhost", "http://localhost:3000", "https://127.0.0.1:1",
                             "http://[::1]:5173", "HTTP://LocalHost"}) {
    EXPECT_TRUE(guard.allows_origin(origin)) << origin;
  }
  for (const char* origin :
       {"", "null", "*", "http://evil.example", "http://localhost.evil.example", "file://localhost",
        "http://localhost@evil.example", "http://localhost/", "http://", "localhost",
        "http://evil.example/http://localhost", "http://localhost http://evil.example"}) {
    EXPECT_FALSE(guard.allows_origin(origin)) << origin;
  }
}

TEST(Guard, AllowedOriginsMatchWhole) {
  const Guard guard = make({.allowed_origins = {"https://App.example"}});
  EXPECT_TRUE(guard.allows_origin("https://app.example"));
  EXPECT_FALSE(guard.allows_origin("http://app.example"));
  EXPECT_FALSE(guard.allows_origin("https://app.example:444"));
  EXPECT_FALSE(guard.allows_origin("https://app.example.evil"));
}

TEST(Guard, TokensAreFoundByTheirPlace) {
  const Guard guard = make({.tokens = {"alpha", "beta"}});
  EXPECT_TRUE(guard.needs_token());
  EXPECT_EQ(guard.find_token("Bearer alpha"), 0U);
  EXPECT_EQ(guard.find_token("bearer  beta"), 1U);
  for (const char* wrong : {"", "Bearer", "Bearer ", "alpha", "Basic alpha", "Bearer alph",
                            "Bearer alphaa", "Bearer ALPHA", "Bearer alpha beta"}) {
    EXPECT_EQ(guard.find_token(wrong), std::nullopt) << wrong;
  }
  EXPECT_FALSE(make({}).needs_token());
}

TEST(Guard, OptionsThatMakeNoSenseAreErrors) {
  EXPECT_FALSE(Guard::make({.allowed_hosts = {"http://x"}}));
  EXPECT_FALSE(Guard::make({.allowed_hosts = {"*"}}));
  EXPECT_FALSE(Guard::make({.allowed_origins = {"*"}}));
  EXPECT_FALSE(Guard::make({.allowed_origins = {"app.example"}}));
  EXPECT_FALSE(Guard::make({.tokens = {""}}));
  EXPECT_FALSE(Guard::make({.tokens = {"a b"}}));
  EXPECT_FALSE(Guard::make({.tokens = {"same", "same"}}));
}

}  // namespace
}  // namespace helve::http
