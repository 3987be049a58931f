#include "surfaces/http/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "surfaces/http/wire_testing.h"

namespace helve::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Wire, AnswersRequestsHoweverTheyAreCut) {
  for (const std::size_t piece : {1U, 7U, 4'096U}) {
    EchoOwner owner;
    WireTester tester(owner);
    tester.send(
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
        "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyz"
        "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nuv\r\n0\r\n\r\n",
        piece);
    EXPECT_THAT(owner.requests, ElementsAre("GET /a\n", "POST /b\nxyz", "POST /c\nuv"));
    EXPECT_THAT(tester.answers(), StartsWith("HTTP/1.1 200 OK\r\nX-Target: /a\r\n"));
  }
}

TEST(Wire, SendsNoHeaderWithALineBreak) {
  for (const char* value : {"a\r\nSet-Cookie: x", "a\nb", "a\rb", "\r\n\r\nHTTP/1.1 200 OK"}) {
    EchoOwner owner;
    owner.header_value = value;
    WireTester tester(owner);
    tester.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(tester.answers(), StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(tester.answers(), Not(HasSubstr("X-More")));
    EXPECT_THAT(tester.answers(), Not(HasSubstr("Set-Cookie")));
  }
}

TEST(Wire, RefusesWhatIsNoRequest) {
  EchoOwner owner;
  WireTester tester(owner);
  tester.send(
      "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(tester.answers(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(owner.requests.empty());
}

}  // namespace
}  // namespace helve::http
