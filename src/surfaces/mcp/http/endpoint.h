// Endpoint: what each request gets: security first, then /healthz, /metrics, or the protocol, in
// either of its eras (endpoint_post.cc). HttpServer gives it connections and time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "surfaces/http/listener.h"
#include "surfaces/mcp/http/exchange.h"
#include "surfaces/mcp/http/session.h"
#include "surfaces/mcp/http/wire.h"

namespace helve::mcp {

// Lives on the loop, but for its making and its end.
class Endpoint final : public http::Reception, public WireOwner, public ExchangeHost {
 public:
  Endpoint(const HttpOptions& options, Guard guard, Server& server, Env& env,
           std::shared_ptr<Loop> loop, CallQueue& calls);

  void open(boost::asio::ip::tcp::socket socket) override;
  void tick() override;
  std::size_t connections() const override { return wires_.size(); }
  void stop_taking() override;
  void interrupt_all() override;
  void close_all() override;
  bool is_quiet() const override;

  Answer refusal(int status, std::string message) override;
  std::optional<Answer> check(const WebRequest& head) override;
  void handle(const std::shared_ptr<Wire>& wire, WebRequest request) override;
  void refused(std::string_view why) override { metrics().count_refusal(why); }
  void closed(const std::shared_ptr<Wire>& wire) override;

  const std::shared_ptr<Loop>& loop() override { return loop_; }
  CallQueue& calls() override { return calls_; }
  Metrics& metrics() override { return server_.metrics(); }
  const HttpOptions& options() const override { return options_; }
  bool is_stopping() const override { return is_stopping_; }
  void ended(const std::shared_ptr<Exchange>& exchange) override { exchanges_.erase(exchange); }

 private:
  // Everything about one request that its handlers need.
  struct Visit {
    std::shared_ptr<Wire> wire;
    WebRequest request;
    std::size_t owner = 0;  // the place of its token
    AnswerHeaders headers;  // that every answer to it has
  };

  Answer refuse(std::string_view why, int status, std::string message);
  const toolkit::Caller& caller_of(std::size_t owner) const;
  toolkit::Caller caller_in_session(std::size_t owner, std::string_view id) const;
  toolkit::Caller caller_without_session(std::size_t owner) const;
  std::optional<std::size_t> find_owner(const WebFields& fields) const;
  void answer(const Visit& visit, Answer answer);
  void answer_error(const Visit& visit, int status, const std::optional<RequestId>& id,
                    const RpcError& error);
  void answer_text(const Visit& visit, int status, std::string text, std::string_view content_type);
  void answer_wrong_method(const Visit& visit, std::string_view allowed);

  void handle_protocol(Visit visit);
  void preflight(const Visit& visit);
  void listen(const Visit& visit);
  void end_session(const Visit& visit);
  // The session that a request names; answers it, and is null, where there is none.
  std::shared_ptr<Session> find_session(const Visit& visit, const std::optional<RequestId>& id);
  bool has_spoken_version(const Visit& visit, const std::optional<RequestId>& id);

  void post(Visit visit);
  void post_modern(Visit visit, Incoming incoming, Accepts accepts);
  std::optional<RpcError> check_modern(const Visit& visit, const Message& message) const;
  void post_legacy(Visit visit, Incoming incoming, Accepts accepts);
  void begin_session(const Visit& visit, Message message, Accepts accepts);
  void begin_exchange(ExchangeSetup setup, std::vector<Message> messages);

  const HttpOptions& options_;
  const Guard guard_;
  Server& server_;
  const std::shared_ptr<Loop> loop_;
  CallQueue& calls_;
  SessionTable sessions_;
  std::unordered_set<std::shared_ptr<Wire>> wires_;
  std::unordered_set<std::shared_ptr<Exchange>> exchanges_;
  bool is_stopping_ = false;
};

}  // namespace helve::mcp
