// Any lines as messages of one MCP client. A line that begins with '+' is taken, and run only when
// a line begins with '!' or at the end, so that cancellations meet requests under way. Whatever
// comes: every request has one answer unless it was cancelled, every answer is a JSON document with
// the id of a request, and what is no message is answered or passed over, never more.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/env.h"
#include "base/json.h"
#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/connection.h"
#include "surfaces/mcp/server/offer.h"
#include "surfaces/mcp/server/server.h"

namespace {

using namespace helve;
using namespace helve::mcp;

constexpr std::size_t kLinesMax = 64;

// One of each kind, and tools that use all ways back to the client.
class FakeOffer : public Offer {
 public:
  std::vector<std::string> list(ListKind kind, Turn& /*turn*/) override {
    switch (kind) {
      case ListKind::Tools:
        return {R"({"name":"echo","inputSchema":{"type":"object"}})"};
      case ListKind::Resources:
        return {R"({"uri":"test://one","name":"one"})"};
      case ListKind::ResourceTemplates:
        return {R"({"uriTemplate":"test://{name}","name":"any"})"};
      case ListKind::Prompts:
        break;
    }
    return {R"({"name":"say"})"};
  }

  std::optional<Outcome> call_tool(const std::string& name, const JsonValue& arguments,
                                   Turn& turn) override {
    if (name == "echo") return Outcome(content(to_json(arguments)));
    if (name == "tell") {
      turn.progress(1, 2, "half");
      turn.log(LogLevel::Warning, "fuzz", R"({"a":1})");
      turn.progress(2, 2, "whole");
      return Outcome(content("told"));
    }
    if (name == "ask") return asked(turn);
    if (name == "fail") return Outcome(RpcError{code::kInternalError, "failed", std::nullopt});
    return std::nullopt;
  }

  std::optional<Outcome> read_resource(const std::string& uri, Turn& /*turn*/) override {
    if (uri != "test://one") return std::nullopt;
    return Outcome(R"({"contents":[{"uri":"test://one","text":"1"}]})");
  }

  std::optional<Outcome> get_prompt(const std::string& name, const JsonValue& /*arguments*/,
                                    Turn& /*turn*/) override {
    if (name != "say") return std::nullopt;
    return Outcome(R"({"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]})");
  }

  std::optional<Completions> complete(const CompletionRequest& request, Turn& /*turn*/) override {
    if (request.name != "say" && request.name != "test://{name}") return std::nullopt;
    return Completions{std::vector<std::string>(150, request.value)};
  }

  bool has_resource(const std::string& uri, Turn& /*turn*/) override { return uri == "test://one"; }

 private:
  static std::string content(std::string_view text) {
    std::string out = R"({"content":[{"type":"text","text":)";
    append_json_string(out, text);
    return out + "}]}";
  }

  static std::optional<Outcome> asked(Turn& turn) {
    JsonValue::Object params;
    params.push_back({"message", JsonValue("Sure?")});
    const auto answers =
        turn.ask({{"sure", "elicitation/create", JsonValue(std::move(params))}}, "kept");
    return Outcome(content(answers ? turn.state() : "nobody answers"));
  }
};

// What has come, and what was owed for it.
class Ledger {
 public:
  void take(std::string_view text) {
    const auto message = parse_json(text);
    HELVE_CHECK(message.has_value());
    HELVE_CHECK(text.find('\n') == std::string_view::npos);
    const JsonValue* version = message->find("jsonrpc");
    HELVE_CHECK(version != nullptr && *version == JsonValue("2.0"));
    if (message->find("method") != nullptr) return;
    HELVE_CHECK((message->find("result") == nullptr) != (message->find("error") == nullptr));
    const JsonValue* id = message->find("id");
    const std::lock_guard lock(mutex_);
    if (id == nullptr) {
      HELVE_CHECK(message->find("error") != nullptr);
      ++nameless_;
    } else {
      ++answers_[to_json(*id)];
    }
  }
  void owe(const RequestId& id) { ++owed_[id]; }
  void forgive(const RequestId& id) { forgiven_[id] = true; }
  void owe_nameless() { ++nameless_owed_; }

  void settle() const {
    HELVE_CHECK(nameless_ <= nameless_owed_);
    for (const auto& [id, count] : answers_) {
      const auto owed = owed_.find(id);
      HELVE_CHECK(owed != owed_.end() && count <= owed->second);
    }
    for (const auto& [id, count] : owed_) {
      if (forgiven_.count(id) != 0) continue;
      const auto answers = answers_.find(id);
      HELVE_CHECK(answers != answers_.end() && answers->second == count);
    }
  }

 private:
  std::mutex mutex_;  // messages may come from threads of the server
  std::map<RequestId, std::size_t> owed_, answers_;
  std::map<RequestId, bool> forgiven_;
  std::size_t nameless_ = 0, nameless_owed_ = 0;
};

class LedgerChannel : public Channel {
 public:
  explicit LedgerChannel(Ledger& ledger) : ledger_(ledger) {}
  void send(std::string message) override { ledger_.take(message); }

 private:
  Ledger& ledger_;
};

Server& shared_server() {
  static Server server(
      [] {
        ServerOptions options;
        options.version = "0";
        options.instructions = [](const toolkit::Caller&) { return std::string("Fuzz."); };
        options.state_key = "a key of thirty-two bytes, always";
        options.ask_timeout = Duration::zero();  // there is nobody to answer meanwhile
        options.in_flight_max = 16;
        options.limits.json_depth_max = 64;
        return options;
      }(),
      {std::make_shared<FakeOffer>()}, real_env(), nullptr);
  return server;
}

class Client {
 public:
  Client()
      : channel_(std::make_shared<LedgerChannel>(ledger_)),
        connection_(Connection::make(shared_server(), {}, TransportKind::Stdio, channel_)) {}

  void say(std::string_view line, bool is_held) {
    const Limits limits = [] {
      Limits chosen;
      chosen.json_depth_max = 64;
      return chosen;
    }();
    Incoming incoming = read_incoming(line, limits);
    HELVE_CHECK(!incoming.messages.empty());
    for (Message& message : incoming.messages) admit(std::move(message), is_held);
  }

  void run_held() {
    for (const std::shared_ptr<Job>& job : std::exchange(held_, {})) run(*job);
  }

  void leave() {
    run_held();
    connection_->close();
    HELVE_CHECK(connection_->in_flight() == 0);
    ledger_.settle();
  }

 private:
  void admit(Message message, bool is_held) {
    const auto* request = std::get_if<Request>(&message);
    const std::optional<RequestId> id =
        request != nullptr ? std::optional(request->id) : std::nullopt;
    if (id) ledger_.owe(*id);
    if (const auto* malformed = std::get_if<Malformed>(&message)) {
      if (malformed->id) {
        ledger_.owe(*malformed->id);
      } else {
        ledger_.owe_nameless();
      }
    }
    if (const auto* notification = std::get_if<Notification>(&message)) note(*notification);
    // Two requests with one id are the client's fault; either may be refused or cancelled.
    const Admission admission = connection_->admit(std::move(message), channel_);
    switch (admission.next) {
      case Admission::Next::Nothing:
        HELVE_CHECK(!id);
        break;
      case Admission::Next::Reply:
        ledger_.take(admission.reply.message);
        break;
      case Admission::Next::Run:
        HELVE_CHECK(id && admission.job != nullptr);
        if (is_held) {
          held_.push_back(admission.job);
        } else {
          run(*admission.job);
        }
        break;
      case Admission::Next::Stream:
        HELVE_CHECK(id && admission.job != nullptr);
        ledger_.forgive(*id);
        streams_.push_back(admission.job);
        break;
    }
  }

  void note(const Notification& notification) {
    if (notification.method != "notifications/cancelled") return;
    const JsonValue* id = notification.params.find("requestId");
    if (id == nullptr) return;
    // As an id is read, for 1.0 is 1.
    const auto read =
        read_incoming(R"({"jsonrpc":"2.0","result":{},"id":)" + to_json(*id) + "}", Limits{});
    if (const auto* response = std::get_if<Response>(&read.messages.front())) {
      ledger_.forgive(response->id);
    }
  }

  void run(Job& job) {
    if (const auto reply = job.run()) ledger_.take(reply->message);
  }

  Ledger ledger_;
  std::shared_ptr<LedgerChannel> channel_;
  std::shared_ptr<Connection> connection_;
  std::vector<std::shared_ptr<Job>> held_, streams_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Client client;
  for (std::size_t lines = 0; !rest.empty() && lines < kLinesMax; ++lines) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.starts_with('!')) {
      client.run_held();
      continue;
    }
    const bool is_held = line.starts_with('+');
    if (is_held) line.remove_prefix(1);
    client.say(line, is_held);
  }
  client.leave();
  return 0;
}
