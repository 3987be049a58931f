// Writing over a socket: who may, how much, what clients are told, and who waits for whom.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>

#include "base/check.h"
#include "surfaces/serve/graph_writer_testing.h"
#include "surfaces/serve/sparql_server.h"
#include "tests/support/raw_client.h"

namespace helve::serve {
namespace {

using mcp::RawAnswer;
using mcp::RawClient;
using ::testing::HasSubstr;

constexpr std::string_view kReader = "reader-0123456789";
constexpr std::string_view kWriter = "writer-0123456789";

class WritingServer : public ::testing::Test {
 protected:
  void start(ServeOptions options) {
    auto started = SparqlServer::start(std::move(options), served_by(writer_));
    HELVE_CHECK(started.has_value());
    server_ = *std::move(started);
  }
  void start() {
    ServeOptions options;
    options.write_token = kWriter;
    start(std::move(options));
  }

  std::string request(std::string_view method, std::string_view target, std::string_view token,
                      std::string_view type = {}, std::string_view body = {},
                      std::string_view headers = {}) const {
    std::string out = fmt::format("{} {} HTTP/1.1\r\nHost: localhost:{}\r\n{}", method, target,
                                  server_->port(), headers);
    if (!token.empty()) out += fmt::format("Authorization: Bearer {}\r\n", token);
    if (!type.empty()) out += fmt::format("Content-Type: {}\r\n", type);
    return out + fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
  }
  RawAnswer ask(std::string_view bytes) const {
    RawClient client(server_->port());
    return client.ask(bytes);
  }
  RawAnswer put(std::string_view token, std::string_view body = "<a> <p> <b> .") const {
    return ask(request("PUT", "/graphs?graph=http://e/g", token, "text/turtle", body));
  }
  RawAnswer update(std::string_view token, std::string_view headers = {}) const {
    return ask(
        request("POST", "/sparql", token, "application/sparql-update", "CLEAR ALL", headers));
  }
  RawAnswer update_form(std::string_view token) const {
    return ask(
        request("POST", "/sparql", token, "application/x-www-form-urlencoded", "update=CLEAR+ALL"));
  }
  int query(std::string_view token) const {
    return ask(request("GET", "/sparql?query=ASK%7B%7D", token)).status;
  }

  std::shared_ptr<FakeGraphWriter> writer_ = std::make_shared<FakeGraphWriter>();
  std::unique_ptr<SparqlServer> server_;
};

TEST_F(WritingServer, NeedsAToken) {
  const auto refused = SparqlServer::start({}, served_by(writer_));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
  EXPECT_THAT(refused.error().hint, HasSubstr("--write-token"));
  ServeOptions options;
  options.host = "0.0.0.0";
  options.write_token = kWriter;
  EXPECT_FALSE(SparqlServer::start(options, served_by(writer_)).has_value())
      << "all the world could read";
}

TEST_F(WritingServer, OneTokenDoesAll) {
  ServeOptions options;
  options.token = kWriter;
  start(std::move(options));
  EXPECT_EQ(query(""), 401);
  EXPECT_EQ(query(kWriter), 200);
  EXPECT_EQ(update("").status, 401);
  EXPECT_EQ(update(kWriter).status, 204);
  EXPECT_EQ(put(kWriter).status, 201);
}

TEST_F(WritingServer, ReadersNeedNoTokenWhereOnlyWritersHaveOne) {
  start();
  EXPECT_EQ(query(""), 200);
  for (const std::string_view wrong : {std::string_view(), kReader}) {
    EXPECT_EQ(update(wrong).status, 401);
    EXPECT_EQ(update_form(wrong).status, 401);
    EXPECT_EQ(put(wrong).status, 401);
    EXPECT_EQ(put(wrong).header("www-authenticate").substr(0, 6), "Bearer");
    EXPECT_EQ(ask(request("DELETE", "/graphs?default", wrong)).status, 401);
  }
  EXPECT_TRUE(writer_->updates.empty());
  EXPECT_EQ(update_form(kWriter).status, 204);
  EXPECT_EQ(writer_->updates.size(), 1U);
}

TEST_F(WritingServer, ReadersAndWritersHaveTheirs) {
  ServeOptions options;
  options.token = kReader;
  options.write_token = kWriter;
  start(std::move(options));
  EXPECT_EQ(query(""), 401);
  EXPECT_EQ(query(kReader), 200);
  EXPECT_EQ(query(kWriter), 200);
  EXPECT_EQ(update("").status, 401);
  EXPECT_EQ(update(kReader).status, 403);
  EXPECT_EQ(update_form(kReader).status, 403);
  EXPECT_EQ(put(kReader).status, 403);
  EXPECT_EQ(put(kWriter).status, 201);
}

TEST_F(WritingServer, AnswersTellWhatWasDone) {
  start();
  const RawAnswer plain = update(kWriter);
  EXPECT_EQ(plain.status, 204);
  EXPECT_EQ(plain.header("helve-version"), "1");
  EXPECT_EQ(plain.header("helve-added"), "1");
  const RawAnswer json = update(kWriter, "Accept: application/json\r\n");
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.header("content-type"), "application/json");
  EXPECT_EQ(json.body, "{\"added\":1,\"removed\":2,\"version\":2}\n");
  EXPECT_EQ(ask(request("GET", "/sparql?query=ASK%7B%7D", "")).header("helve-version"), "2");
  const RawAnswer wrong = ask(
      request("POST", "/sparql", kWriter, "application/sparql-update", "INSERT DATA {\n oops }"));
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("update:2:"));
  EXPECT_EQ(
      ask(request("POST", "/sparql", kWriter, "application/sparql-query", "CLEAR ALL")).status,
      400);
}

TEST_F(WritingServer, GraphsAreThereOnceTheyAreWritten) {
  start();
  const std::string get =
      request("GET", "/graphs/a", "", {}, {}, "Accept: application/n-triples\r\n");
  EXPECT_EQ(ask(get).status, 404);
  EXPECT_EQ(ask(request("PUT", "/graphs/a", kWriter, "text/turtle", "<b> <c> <d> .")).status, 201);
  const RawAnswer read = ask(get);
  EXPECT_EQ(read.status, 200);
  const std::string base = fmt::format("http://localhost:{}/graphs/", server_->port());
  EXPECT_EQ(read.body, fmt::format("<{0}b> <{0}c> <{0}d> .\n", base));
  const std::string tag = read.header("etag");
  RawClient client(server_->port());
  client.send(request("GET", "/graphs/a", "", {}, {},
                      fmt::format("Accept: application/n-triples\r\nIf-None-Match: {}\r\n", tag)));
  const RawAnswer same = client.receive(false);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.header("content-length"), "");
  client.send(request("HEAD", "/graphs/a", ""));
  EXPECT_EQ(client.receive(false).status, 200);
  client.send(request("HEAD", "/graphs/b", ""));
  EXPECT_EQ(client.receive(false).status, 404);
  EXPECT_EQ(ask(request("OPTIONS", "/graphs", "")).header("allow"),
            "GET, HEAD, PUT, POST, DELETE, OPTIONS");
  EXPECT_EQ(ask(request("GET", "/graphsx", "")).status, 404);
}

TEST_F(WritingServer, LongBodiesAreForThoseWhoMayWrite) {
  ServeOptions options;
  options.write_token = kWriter;
  options.body_bytes_max = 1'000;
  options.write_bytes_max = 5'000;
  start(std::move(options));
  const std::string small(900, ' ');
  const std::string large(4'000, ' ');
  const std::string huge(6'000, ' ');
  EXPECT_EQ(put(kWriter, large).status, 201);
  EXPECT_EQ(put(kWriter, huge).status, 413);
  EXPECT_EQ(put("", large).status, 401) << "before the body is read";
  const auto form = [&](std::string_view token, const std::string& pad) {
    return ask(request("POST", "/sparql", token, "application/x-www-form-urlencoded",
                       "query=ASK%7B%7D&pad=" + pad))
        .status;
  };
  EXPECT_EQ(form("", small), 200);
  EXPECT_EQ(form("", large), 413);
  EXPECT_EQ(form(kWriter, large), 200);
  const auto chunked = [&](std::string_view token, const std::string& text) {
    return ask(fmt::format("PUT /graphs?default HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: "
                           "Bearer {}\r\nContent-Type: text/turtle\r\nTransfer-Encoding: "
                           "chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                           server_->port(), token, text.size(), text))
        .status;
  };
  EXPECT_EQ(chunked(kWriter, large), 204);
  EXPECT_EQ(chunked(kWriter, huge), 413);
}

// Holds a write until it is let go, or cancelled.
class Held {
 public:
  Result<void> wait(const OpContext& op) {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    while (!is_free_) {
      if (auto checked = op.check(); !checked) {
        ++cancelled_;
        changed_.notify_all();
        return checked;
      }
      changed_.wait_for(lock, std::chrono::milliseconds(5));
    }
    return {};
  }
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  bool has_begun() {
    return until([this] { return begun_ > 0; });
  }
  bool is_cancelled() {
    return until([this] { return cancelled_ > 0; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    is_free_ = true;
    changed_.notify_all();
  }

 private:
  template <typename Holds>
  bool until(Holds holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), holds);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int cancelled_ = 0;
  bool is_free_ = false;
};

TEST_F(WritingServer, ReadersDoNotWaitForWriters) {
  Held held;
  writer_->on_write = [&](const OpContext& op) { return held.wait(op); };
  start();
  RawClient first(server_->port());
  ASSERT_TRUE(first.send(request("PUT", "/graphs/a", kWriter, "text/turtle", "<a> <b> <c> .")));
  ASSERT_TRUE(held.has_begun());
  EXPECT_EQ(query(""), 200);
  const RawAnswer late = ask(
      request("POST", "/sparql?timeout=50ms", kWriter, "application/sparql-update", "CLEAR ALL"));
  EXPECT_EQ(late.status, 504);
  EXPECT_THAT(late.body, HasSubstr("nothing was changed"));
  const int begun = held.begun();
  const RawAnswer conditional = ask(request("PUT", "/graphs/a?timeout=50ms", kWriter, "text/turtle",
                                            " ", "If-None-Match: *\r\n"));
  EXPECT_EQ(conditional.status, 504) << "what it looked at could change";
  EXPECT_EQ(held.begun(), begun);
  held.let_go();
  EXPECT_EQ(first.receive().status, 201);
  EXPECT_EQ(update(kWriter).status, 204);
}

TEST_F(WritingServer, NotManyWriteAtOnce) {
  Held held;
  writer_->on_write = [&](const OpContext& op) { return held.wait(op); };
  start();
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string bytes =
      request("POST", "/sparql", kWriter, "application/sparql-update", "CLEAR ALL");
  const auto send = [&] {
    clients.push_back(std::make_unique<RawClient>(server_->port()));
    ASSERT_TRUE(clients.back()->send(bytes));
  };
  send();
  ASSERT_TRUE(held.has_begun());
  for (std::size_t i = 1; i < WriteGate::kWritersMax; ++i) send();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (writer_->gate().writers() < WriteGate::kWritersMax) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const RawAnswer busy = ask(bytes);
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.header("retry-after"), "1");
  held.let_go();
  for (const auto& client : clients) EXPECT_EQ(client->receive().status, 204);
}

TEST_F(WritingServer, AClientThatLeavesEndsItsWrite) {
  Held held;
  writer_->on_write = [&](const OpContext& op) { return held.wait(op); };
  start();
  RawClient client(server_->port());
  ASSERT_TRUE(client.send(request("PUT", "/graphs/a", kWriter, "text/turtle", "<a> <b> <c> .")));
  ASSERT_TRUE(held.has_begun());
  client.close();
  EXPECT_TRUE(held.is_cancelled());
  EXPECT_EQ(writer_->state().version, 0U);
}

TEST_F(WritingServer, ABodyThatDoesNotEndWritesNothing) {
  start();
  RawClient client(server_->port());
  std::string bytes = request("PUT", "/graphs/a", kWriter, "text/turtle", "<a> <b> <c> .");
  bytes.resize(bytes.size() - 3);
  ASSERT_TRUE(client.send(bytes));
  client.close();
  EXPECT_EQ(query(""), 200);
  EXPECT_EQ(writer_->state().version, 0U);
}

TEST_F(WritingServer, StoppingCancelsAWriteThatDoesNotEnd) {
  Held held;
  writer_->on_write = [&](const OpContext& op) { return held.wait(op); };
  start();
  RawClient client(server_->port());
  ASSERT_TRUE(client.send(request("PUT", "/graphs/a", kWriter, "text/turtle", "<a> <b> <c> .")));
  ASSERT_TRUE(held.has_begun());
  server_->stop(std::chrono::milliseconds(100));
  EXPECT_TRUE(held.is_cancelled());
}

TEST_F(WritingServer, TheDescriptionSaysThatUpdatesAreTaken) {
  start();
  EXPECT_THAT(ask(request("GET", "/sparql", "")).body, HasSubstr("sd:SPARQL11Update"));
  EXPECT_EQ(put(kWriter, "<a> a <C> . <b> a <C> ; <p> 1 .").status, 201);
  const std::string facts = ask(request("GET", "/.well-known/void", "")).body;
  EXPECT_THAT(facts, HasSubstr("void:triples 3"));
  EXPECT_THAT(facts, HasSubstr("void:entities 2"));
}

}  // namespace
}  // namespace helve::serve
