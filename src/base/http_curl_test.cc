// Http against a server of our own on the loopback interface.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/compression.h"
#include "base/env.h"
#include "base/fd.h"
#include "base/http.h"
#include "tests/support/fake_env.h"

namespace helve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Serves one connection after another: reads a request, writes what the handler gives, closes. An
// empty answer leaves the client waiting until the server ends.
class LoopbackServer {
 public:
  using Handler = std::function<std::string(const std::string& request)>;

  explicit LoopbackServer(Handler handler)
      : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    HELVE_CHECK(::bind(listener_.get(), generic, sizeof(address)) == 0);
    HELVE_CHECK(::listen(listener_.get(), 16) == 0);
    socklen_t size = sizeof(address);
    HELVE_CHECK(::getsockname(listener_.get(), generic, &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  std::string last_request() const {
    const std::lock_guard lock(mutex_);
    return last_request_;
  }
  int requests() const { return requests_; }

 private:
  void serve() {
    std::vector<UniqueFd> held;
    for (;;) {
      UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.is_open()) return;
      const std::string request = read_request(client.get());
      ++requests_;
      {
        const std::lock_guard lock(mutex_);
        last_request_ = request;
      }
      const std::string answer = handler_(request);
      if (answer.empty()) {
        held.push_back(std::move(client));
      } else {
        (void)write_fd_fully(client.get(), answer);
      }
    }
  }

  static std::string read_request(int fd) {
    std::string request;
    std::string buffer(4'096, '\0');
    std::size_t wanted = std::string::npos;
    while (request.size() < wanted) {
      const std::size_t n = read_fd(fd, buffer).count;
      if (n == 0) break;
      request.append(buffer, 0, n);
      const std::size_t head = request.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const std::size_t length = request.find("Content-Length: ");
      wanted = head + 4;
      if (length != std::string::npos && length < head) {
        wanted += std::strtoul(request.c_str() + length + 16, nullptr, 10);
      }
    }
    return request;
  }

  Handler handler_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::string last_request_;
  std::atomic<int> requests_{0};
  std::thread thread_;
};

std::string ok(const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

std::string redirect(const std::string& to, const std::string& status = "302 Found") {
  return "HTTP/1.1 " + status +
         "\r\nConnection: close\r\nContent-Length: 0\r\nX-Old: 1\r\nLocation: " + to + "\r\n\r\n";
}

class CurlHttpTest : public ::testing::Test {
 protected:
  Result<HttpResponse> send(HttpRequest request, const OpContext& context = {}) {
    request.reach.allows_private = true;
    return http_.send(std::move(request), context);
  }
  Result<HttpResponse> get(const std::string& url, const OpContext& context = {}) {
    return send({"GET", url, {}, {}}, context);
  }
  HttpOpened open(HttpRequest request, const OpContext& context = {}) {
    request.reach.allows_private = true;
    return http_.open(std::move(request), context);
  }

  Http& http_ = real_env().http();
};

TEST_F(CurlHttpTest, GetsABody) {
  const LoopbackServer server(
      [](const std::string&) { return ok("hello", "X-Thing:  Some Value \r\n"); });
  const auto response = send({"GET", server.url("/a?b=c"), {{"Accept", "text/turtle"}}, {}});
  ASSERT_TRUE(response) << response.error().to_string();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello");
  EXPECT_THAT(response->headers,
              ::testing::Contains(std::pair<std::string, std::string>("x-thing", "Some Value")));
  EXPECT_THAT(server.last_request(), HasSubstr("GET /a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(server.last_request(), HasSubstr("Accept: text/turtle\r\n"));
}

TEST_F(CurlHttpTest, PostsABody) {
  const LoopbackServer server([](const std::string&) { return ok("{}"); });
  const std::string body = "query=" + std::string(5'000, 'x');
  ASSERT_TRUE(
      send({"POST", server.url("/sparql"), {{"Content-Type", "text/plain"}, {"X-Empty", ""}}, body},
           {}));
  const std::string request = server.last_request();
  EXPECT_THAT(request, HasSubstr("POST /sparql HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: text/plain\r\n"));
  EXPECT_THAT(request, HasSubstr("X-Empty:\r\n"));
  EXPECT_THAT(request, Not(HasSubstr("Expect:")));
  EXPECT_TRUE(request.ends_with("\r\n\r\n" + body));
}

TEST_F(CurlHttpTest, OtherMethodsGoThrough) {
  const LoopbackServer server([](const std::string&) { return ok(""); });
  ASSERT_TRUE(send({"PUT", server.url("/"), {}, "x"}));
  EXPECT_THAT(server.last_request(), HasSubstr("PUT / HTTP/1.1\r\n"));
  ASSERT_TRUE(send({"DELETE", server.url("/"), {}, ""}));
  EXPECT_THAT(server.last_request(), HasSubstr("DELETE / HTTP/1.1\r\n"));
  ASSERT_TRUE(send({"HEAD", server.url("/"), {}, ""}));
  EXPECT_THAT(server.last_request(), HasSubstr("HEAD / HTTP/1.1\r\n"));
  ASSERT_TRUE(get(server.url("/")));
  EXPECT_THAT(server.last_request(), HasSubstr("GET / HTTP/1.1\r\n"));
}

TEST_F(CurlHttpTest, AnyStatusIsAResponse) {
  const LoopbackServer server([](const std::string&) {
    return std::string("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy");
  });
  const auto response = get(server.url("/"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->body, "busy");
}

TEST_F(CurlHttpTest, FollowsRedirectsAndKeepsTheLastHeaders) {
  const LoopbackServer server([](const std::string& request) {
    return request.starts_with("GET /end") ? ok("there") : redirect("/end");
  });
  const auto response = get(server.url("/start"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "there");
  for (const auto& [name, value] : response->headers) EXPECT_NE(name, "x-old");
}

TEST_F(CurlHttpTest, RedirectsToOtherServersAreRefusedIfTheReachSaysSo) {
  std::atomic<int> asked = 0;
  const LoopbackServer other([&asked](const std::string&) {
    ++asked;
    return ok("other");
  });
  const std::string elsewhere = other.url("/");
  const LoopbackServer server([&](const std::string& request) {
    if (request.starts_with("GET /same")) return redirect("/end");
    return request.starts_with("GET /end") ? ok("there") : redirect(elsewhere);
  });
  HttpRequest request{"GET", server.url("/other"), {}, {}};
  request.reach.stays_at_origin = true;
  const auto refused = send(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
  EXPECT_EQ(asked, 0);
  request.url = server.url("/same");
  EXPECT_TRUE(send(request));
}

TEST_F(CurlHttpTest, RedirectsAreCounted) {
  const LoopbackServer server([](const std::string&) { return redirect("/again"); });
  OpContext context;
  context.limits.http_redirects_max = 3;
  const auto response = get(server.url("/"), context);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(server.requests(), 4);
}

TEST_F(CurlHttpTest, RedirectsStayOnHttp) {
  const LoopbackServer server([](const std::string&) { return redirect("file:///etc/passwd"); });
  const auto response = get(server.url("/"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::InvalidInput);
}

TEST_F(CurlHttpTest, OtherSchemesAreRefused) {
  for (const std::string url : {"file:///etc/passwd", "ftp://x/", "gopher://x", "", "x"}) {
    const auto response = get(url);
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::InvalidInput);
  }
}

TEST_F(CurlHttpTest, HeaderInjectionIsRefused) {
  const auto inject = [&](const std::string& name, const std::string& value) {
    return send({"GET", "http://127.0.0.1:1/", {{name, value}}, {}}).error().code;
  };
  EXPECT_EQ(inject("X-A", "1\r\nX-B: 2"), ErrorCode::InvalidInput);
  EXPECT_EQ(inject("X A", "1"), ErrorCode::InvalidInput);
  EXPECT_EQ(inject("", "1"), ErrorCode::InvalidInput);
  EXPECT_EQ(send({"GET /x\r\n", "http://127.0.0.1:1/", {}, {}}).error().code,
            ErrorCode::InvalidInput);
}

TEST_F(CurlHttpTest, LongBodiesAreRefused) {
  const LoopbackServer server([](const std::string&) { return ok(std::string(100'001, 'x')); });
  OpContext context;
  context.limits.http_body_bytes_max = 100'000;
  const auto response = get(server.url("/"), context);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::LimitExceeded);
  context.limits.http_body_bytes_max = 100'001;
  EXPECT_EQ(get(server.url("/"), context)->body.size(), 100'001U);
}

TEST_F(CurlHttpTest, TheLimitCountsDecompressedBytes) {
  StringSink packed;
  const auto gzip = open_compressor(Compression::Gzip, packed);
  ASSERT_TRUE(gzip->write(std::string(1'000'000, 'x')));
  ASSERT_TRUE(gzip->finish());
  const LoopbackServer server(
      [&](const std::string&) { return ok(packed.text(), "Content-Encoding: gzip\r\n"); });
  EXPECT_EQ(get(server.url("/"))->body.size(), 1'000'000U);
  OpContext context;
  context.limits.http_body_bytes_max = 100'000;
  EXPECT_EQ(get(server.url("/"), context).error().code, ErrorCode::LimitExceeded);
}

TEST_F(CurlHttpTest, BodiesCountAgainstTheMemoryBudget) {
  const LoopbackServer server([](const std::string&) { return ok(std::string(50'000, 'x')); });
  MemoryBudget budget("query", 10'000);
  OpContext context;
  context.memory = &budget;
  EXPECT_EQ(get(server.url("/"), context).error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(budget.bytes_used(), 0U);
}

TEST_F(CurlHttpTest, EndlessHeadersAreRefused) {
  const LoopbackServer server([](const std::string&) {
    std::string headers;
    for (int i = 0; i < 300; ++i) headers += "X-H: " + std::string(1'000, 'x') + "\r\n";
    return ok("", headers);
  });
  EXPECT_EQ(get(server.url("/")).error().code, ErrorCode::LimitExceeded);
}

TEST_F(CurlHttpTest, CancellationEndsTheWait) {
  OpContext context;
  const LoopbackServer server([&](const std::string&) {
    context.cancel.cancel();
    return std::string();
  });
  const auto response = get(server.url("/"), context);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::Cancelled);
}

TEST_F(CurlHttpTest, TheDeadlineEndsTheWait) {
  FakeClock clock;
  OpContext context;
  context.deadline = Deadline(clock, std::chrono::seconds(5));
  const LoopbackServer server([&](const std::string&) {
    clock.advance(std::chrono::seconds(5));
    return std::string();
  });
  const auto response = get(server.url("/"), context);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::LimitExceeded);
}

TEST_F(CurlHttpTest, AServerThatIsNotThereIsUnavailableAndSecretsStayOut) {
  std::string url;
  {
    const LoopbackServer server([](const std::string&) { return ok(""); });
    url = server.url("/sparql?key=hidden");
  }
  const auto response = get(url);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(response.error().message, HasSubstr("/sparql"));
  EXPECT_THAT(response.error().message, Not(HasSubstr("hidden")));
  url.insert(7, "user:secret@");
  const auto refused = get(url);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
}

// Sees a megabyte of an endless body and leaves.
TEST_F(CurlHttpTest, BodiesAreReadAsTheyComeAndMayBeLeft) {
  const LoopbackServer server([](const std::string&) { return ok(std::string(8'000'000, 'x')); });
  auto opened = open({"GET", server.url("/"), {}, {}});
  ASSERT_TRUE(opened) << opened.error().error.to_string();
  EXPECT_EQ(opened->head.status, 200);
  EXPECT_EQ(opened->head.header("content-length"), "8000000");
  std::string buffer(100'000, '\0');
  std::size_t count = 0;
  while (count < 1'000'000) {
    const auto read = opened->body->read(buffer);
    ASSERT_TRUE(read && *read > 0);
    count += *read;
  }
  opened->body.reset();
  EXPECT_EQ(get(server.url("/"))->body.size(), 8'000'000U);
}

TEST_F(CurlHttpTest, TheHeadHasItsOwnDeadline) {
  FakeClock clock;
  HttpRequest request;
  request.head_deadline = Deadline(clock, std::chrono::seconds(5));
  const LoopbackServer server([&](const std::string&) {
    clock.advance(std::chrono::seconds(5));
    return std::string();
  });
  request.url = server.url("/");
  const auto opened = open(request);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, HttpFault::HeadTime);
}

TEST_F(CurlHttpTest, PrivateAddressesAreRefusedUnlessAllowed) {
  const LoopbackServer server([](const std::string&) { return ok("inside"); });
  const std::string port = server.url("").substr(std::string("http://127.0.0.1").size());
  for (const std::string host : {"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]",
                                 "[::ffff:127.0.0.1]", "0"}) {
    const auto opened = http_.open({"GET", "http://" + host + port + "/", {}, {}}, {});
    ASSERT_FALSE(opened) << host;
    EXPECT_NE(opened.error().error.code, ErrorCode::Internal) << host;
    EXPECT_EQ(opened.error().fault, HttpFault::Private) << opened.error().error.to_string();
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(CurlHttpTest, AConnectionMadeInsideIsNotUsedByWhoMayNot) {
  const LoopbackServer server([](const std::string&) { return ok("inside"); });
  ASSERT_TRUE(get(server.url("/")));
  EXPECT_FALSE(http_.open({"GET", server.url("/"), {}, {}}, {}));
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(CurlHttpTest, EncodingsThatNobodyAskedForAreRefused) {
  const LoopbackServer server(
      [](const std::string&) { return ok("?", "Content-Encoding: br\r\n"); });
  EXPECT_EQ(get(server.url("/")).error().code, ErrorCode::Unavailable);
}

TEST_F(CurlHttpTest, ARepeatedPostKeepsItsBodyButForSeeOther) {
  const LoopbackServer server([](const std::string& request) {
    if (request.find(" /end ") != std::string::npos) return ok("there");
    return redirect("/end",
                    request.find(" /see ") != std::string::npos ? "303 See Other" : "301 Moved");
  });
  ASSERT_TRUE(send({"POST", server.url("/moved"), {{"Content-Type", "text/x"}}, "query"}));
  EXPECT_THAT(server.last_request(), HasSubstr("POST /end"));
  EXPECT_TRUE(server.last_request().ends_with("query"));
  ASSERT_TRUE(send({"POST", server.url("/see"), {{"Content-Type", "text/x"}}, "query"}));
  EXPECT_THAT(server.last_request(), HasSubstr("GET /end"));
  EXPECT_THAT(server.last_request(), Not(HasSubstr("text/x")));
}

TEST_F(CurlHttpTest, AnAnswerCutShortIsUnavailable) {
  const LoopbackServer server([](const std::string&) {
    return std::string("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
  });
  EXPECT_EQ(get(server.url("/")).error().code, ErrorCode::Unavailable);
}

// Whether the end of the connection is seen with the head or behind it is a matter of luck.
TEST_F(CurlHttpTest, WhatCameBeforeACutIsRead) {
  const LoopbackServer server([](const std::string&) {
    return std::string("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
  });
  for (int round = 0; round < 50; ++round) {
    auto opened = open({"GET", server.url("/"), {}, {}});
    ASSERT_TRUE(opened) << opened.error().error.to_string();
    EXPECT_EQ(opened->head.status, 200);
    std::string buffer(100, '\0');
    EXPECT_EQ(*opened->body->read(buffer), 4U);
    EXPECT_EQ(opened->body->read(buffer).error().code, ErrorCode::Unavailable);
  }
}

}  // namespace
}  // namespace helve
