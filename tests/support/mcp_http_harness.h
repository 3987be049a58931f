// HttpHarness: a server with an offer made for tests of HTTP, and requests to it as texts.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "surfaces/mcp/http/http_server.h"
#include "surfaces/mcp/server/offer.h"
#include "tests/support/raw_client.h"

namespace helve::mcp {

// Waits, with a limit, until it holds.
inline bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Tools: echo answers with the caller; noisy reports progress `count` times before it answers; gate
// waits until it is opened or cancelled; ask asks the client for its user's word, gated_ask does so
// behind the gate; route has parameters that are repeated in headers.
class TestOffer final : public Offer {
 public:
  std::atomic<int> started = 0;
  std::atomic<int> cancelled = 0;
  std::atomic<int> asked = 0;  // and answered, or given up
  std::atomic<bool> is_open = false;

  std::vector<std::string> list(ListKind kind, Turn& /*turn*/) override {
    if (kind != ListKind::Tools) return {};
    return {R"({"name":"echo","inputSchema":{"type":"object"}})"};
  }
  std::optional<Outcome> call_tool(const std::string& name, const JsonValue& arguments,
                                   Turn& turn) override {
    if (name == "echo" || name == "route") return text(turn.caller().identity);
    if (name == "session") return text("in " + turn.caller().session);
    if (name == "noisy") return make_noise(arguments, turn);
    if (name == "gate") return wait_at_gate(turn);
    if (name == "gated_ask") wait_at_gate(turn);
    if (name != "ask" && name != "gated_ask") return std::nullopt;
    const auto answers = turn.ask({{"word", "elicitation/create",
                                    *parse_json(R"({"message":"?","requestedSchema":)"
                                                R"({"type":"object","properties":{}}})")}},
                                  "");
    ++asked;
    return text(answers ? to_json(answers->front().second) : "nothing");
  }
  std::optional<Outcome> read_resource(const std::string&, Turn&) override { return std::nullopt; }
  std::optional<Outcome> get_prompt(const std::string&, const JsonValue&, Turn&) override {
    return std::nullopt;
  }
  std::optional<Completions> complete(const CompletionRequest&, Turn&) override {
    return std::nullopt;
  }
  bool has_resource(const std::string& uri, Turn&) override { return uri == "test://one"; }
  void end_session(const toolkit::Caller& caller) override {
    const std::lock_guard lock(mutex_);
    ended_.push_back(caller.session);
  }
  // Sessions that have ended.
  std::vector<std::string> ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  std::vector<HeaderParameter> header_parameters(std::string_view tool) const override {
    if (tool != "route") return {};
    return {{"Region", {"region"}}};
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> ended_;

  static Outcome text(std::string_view words) {
    return fmt::format(R"({{"content":[{{"type":"text","text":{}}}]}})", to_json(JsonValue(words)));
  }
  static Outcome make_noise(const JsonValue& arguments, Turn& turn) {
    const JsonValue* count = arguments.find("count");
    const JsonValue* bytes = arguments.find("bytes");
    const std::string words(static_cast<std::size_t>(bytes ? *bytes->to_int64() : 1), 'x');
    for (int i = 1; i <= (count ? *count->to_int64() : 2); ++i) {
      turn.progress(i, std::nullopt, words);
    }
    return text("done");
  }
  Outcome wait_at_gate(Turn& turn) {
    turn.progress(1, std::nullopt, "waiting");
    ++started;
    eventually([&] { return is_open || !turn.op().check(); });
    if (!turn.op().check()) ++cancelled;
    turn.progress(2, std::nullopt, "through");
    return text("through");
  }
};

class HttpHarness {
 public:
  explicit HttpHarness(HttpOptions options = {}, Env& env = real_env(),
                       ServerOptions shared = {.version = "1.0"})
      : server(std::move(shared), {offer}, env, nullptr) {
    auto started = HttpServer::start(std::move(options), server, env);
    HELVE_CHECK(started.has_value());
    http = *std::move(started);
  }
  ~HttpHarness() { offer->is_open = true; }

  std::uint16_t port() const { return http->port(); }

  // The bytes of a request; `headers` are whole lines.
  std::string request(std::string_view method, std::string_view path, std::string_view headers,
                      std::string_view body = {}) const {
    std::string out =
        fmt::format("{} {} HTTP/1.1\r\nHost: localhost:{}\r\n{}", method, path, port(), headers);
    if (!body.empty()) out += fmt::format("Content-Length: {}\r\n", body.size());
    return out + "\r\n" + std::string(body);
  }
  std::string post(std::string_view body, std::string_view headers = {}) const {
    return request("POST", "/mcp",
                   fmt::format("Content-Type: application/json\r\n{}{}",
                               headers.find("Accept:") == std::string_view::npos
                                   ? "Accept: application/json, text/event-stream\r\n"
                                   : "",
                               headers),
                   body);
  }
  // A modern call of a tool, with its headers.
  std::string call(std::string_view tool, std::string_view arguments = "{}",
                   std::string_view headers = {}, int id = 1) const {
    const std::string body = fmt::format(
        R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{},)"
        R"("_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{{}},"progressToken":"t"}}}}}})",
        id, tool, arguments);
    return post(body, fmt::format("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                                  "Mcp-Name: {}\r\n{}",
                                  tool, headers));
  }
  // Another modern method without a name.
  std::string modern(std::string_view method, std::string_view members = {}) const {
    const std::string body =
        fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}"_meta":)"
                    R"({{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                    R"("io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
                    method, members);
    return post(body,
                fmt::format("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n", method));
  }
  static std::string initialize(std::string_view revision = "2025-11-25") {
    return fmt::format(R"({{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{)"
                       R"("protocolVersion":"{}","capabilities":{{"elicitation":{{}}}},)"
                       R"("clientInfo":{{"name":"t","version":"1"}}}}}})",
                       revision);
  }
  static std::string legacy_call(std::string_view tool, std::string_view arguments = "{}",
                                 int id = 1) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}",)"
                       R"("arguments":{},"_meta":{{"progressToken":"t"}}}}}})",
                       id, tool, arguments);
  }
  // The header line of a new session; without an id where there is none.
  std::string begin_session(std::string_view revision = "2025-11-25",
                            std::string_view headers = {}) const {
    RawClient client(port());
    const RawAnswer answer = client.ask(post(initialize(revision), headers));
    return "Mcp-Session-Id: " + answer.header("mcp-session-id") + "\r\n";
  }
  RawAnswer ask(std::string_view bytes) const {
    RawClient client(port());
    return client.ask(bytes);
  }
  bool counts(std::string_view line) {
    return server.metrics().to_prometheus().find(line) != std::string::npos;
  }

  std::shared_ptr<TestOffer> offer = std::make_shared<TestOffer>();
  Server server;
  std::unique_ptr<HttpServer> http;
};

}  // namespace helve::mcp
