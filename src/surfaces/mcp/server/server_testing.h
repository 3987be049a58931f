// For tests: an offer of a few tools whose running can be steered, and a channel that keeps what it
// was sent.
#pragma once

#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "surfaces/mcp/server/channel.h"
#include "surfaces/mcp/server/offer.h"

namespace helve::mcp {

class KeptMessages final : public Channel {
 public:
  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    came_.notify_all();
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  // The first `count`, waiting for them; what came when that takes too long.
  std::vector<std::string> first(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(20), [&] { return messages_.size() >= count; });
    return messages_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::string> messages_;
};

// Tools: echo (gives its arguments back), session (names it), wait (until it is cancelled), work
// (checks its context until it is cancelled), steps (tells progress and logs), ask (asks the user
// for a name), fail, throw. Resource test://one, prompt greet, template test://{name}.
class SmallOffer final : public Offer {
 public:
  std::vector<std::string> list(ListKind kind, Turn& turn) override {
    static_cast<void>(turn);
    std::vector<std::string> items;
    if (kind == ListKind::ResourceTemplates) {
      items.emplace_back(R"({"uriTemplate":"test://{name}","name":"one"})");
    }
    if (kind == ListKind::Tools) {
      for (std::size_t i = 0; i < tools_listed; ++i) {
        items.push_back(R"({"name":"t)" + std::to_string(i) +
                        R"(","inputSchema":{"type":"object"}})");
      }
    }
    return items;
  }

  std::optional<Outcome> call_tool(const std::string& name, const JsonValue& arguments,
                                   Turn& turn) override {
    if (name == "echo") return R"({"content":[],"structuredContent":)" + to_json(arguments) + "}";
    if (name == "session") return R"({"session":")" + turn.caller().session + "\"}";
    if (name == "wait") {
      note_started();
      while (!turn.op().cancel.is_cancelled()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return R"({"content":[]})";
    }
    if (name == "work") {
      note_started();
      while (turn.op().check()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return R"({"content":[]})";
    }
    if (name == "steps") {
      for (const double done : {1.0, 1.0, 2.0}) turn.progress(done, 2.0, "step");
      turn.log(LogLevel::Debug, "steps", R"("quiet")");
      turn.log(LogLevel::Warning, "steps", R"("loud")");
      return R"({"content":[]})";
    }
    if (name == "ask") return ask(turn);
    if (name == "throw") throw std::bad_alloc();
    if (name == "fail") return RpcError{code::kInvalidParams, "no", {}};
    return std::nullopt;
  }

  std::optional<Outcome> read_resource(const std::string& uri, Turn& turn) override {
    if (!has_resource(uri, turn)) return std::nullopt;
    return R"({"contents":[{"uri":"test://one","text":"1"}],"ttlMs":5,"cacheScope":"public"})";
  }
  std::optional<Outcome> get_prompt(const std::string& name, const JsonValue& arguments,
                                    Turn& turn) override {
    static_cast<void>(arguments);
    static_cast<void>(turn);
    if (name != "greet") return std::nullopt;
    return R"({"messages":[]})";
  }
  std::optional<Completions> complete(const CompletionRequest& request, Turn& turn) override {
    static_cast<void>(turn);
    if (request.name != "greet" && request.name != "test://{name}") return std::nullopt;
    Completions all;
    for (int i = 0; i < 150; ++i) all.values.push_back(request.value + std::to_string(i));
    return all;
  }
  bool has_resource(const std::string& uri, Turn& turn) override {
    static_cast<void>(turn);
    return uri == "test://one";
  }

  void end_session(const toolkit::Caller& caller) override {
    const std::lock_guard lock(mutex_);
    ended_.push_back(caller.session);
  }
  std::vector<std::string> ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

  // Waits until `count` calls of wait or work have begun.
  bool wait_started(std::size_t count) {
    std::unique_lock lock(mutex_);
    return began_.wait_for(lock, std::chrono::seconds(20), [&] { return started_ >= count; });
  }

  std::size_t tools_listed = 1;

 private:
  static Outcome ask(Turn& turn) {
    JsonValue::Object params;
    params.push_back({"message", JsonValue("your name?")});
    const auto answers =
        turn.ask({{"name", "elicitation/create", JsonValue(std::move(params))}}, "asked once");
    if (!answers) return std::string("{}");
    return R"({"content":[],"structuredContent":{"answer":)" + to_json(answers->front().second) +
           R"(,"state":")" + turn.state() + "\"}}";
  }
  void note_started() {
    const std::lock_guard lock(mutex_);
    ++started_;
    began_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable began_;
  std::size_t started_ = 0;
  std::vector<std::string> ended_;
};

}  // namespace helve::mcp
