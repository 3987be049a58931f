// Exchange: one POST and what comes of it: the jobs of its messages, and the answer, which is a
// JSON document unless something must be said before it: then a stream of events.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/mcp/http/call_queue.h"
#include "surfaces/mcp/http/loop.h"
#include "surfaces/mcp/http/media.h"
#include "surfaces/mcp/http/session.h"
#include "surfaces/mcp/http/wire.h"
#include "surfaces/mcp/server/connection.h"

namespace helve::mcp {

class Exchange;

// What exchanges need of the server around them.
class ExchangeHost {
 public:
  virtual ~ExchangeHost() = default;
  virtual const std::shared_ptr<Loop>& loop() = 0;
  virtual CallQueue& calls() = 0;
  virtual Metrics& metrics() = 0;
  virtual const HttpOptions& options() const = 0;
  virtual bool is_stopping() const = 0;
  virtual void ended(const std::shared_ptr<Exchange>& exchange) = 0;
};

struct ExchangeSetup {
  std::shared_ptr<Wire> wire;
  std::shared_ptr<Connection> connection;
  std::shared_ptr<Session> session;  // null: a modern request, cancelled when its client goes
  Accepts accepts;
  bool is_batch = false;
  AnswerHeaders headers;  // of the answer, whatever it is
};

// Lives on the loop. The host keeps it until it has ended.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(ExchangeHost& host, ExchangeSetup setup);
  // Takes the messages, and answers when the last of their replies is there.
  void begin(std::vector<Message> messages);
  // Cancels its jobs, and answers when they are back.
  void interrupt();

 private:
  struct Pending {
    RequestId id;
    std::shared_ptr<Job> job;
  };

  void take(Message message);
  bool is_unheard(const Message& message) const;
  void run(RequestId id, const std::shared_ptr<Job>& job);
  void listen(RequestId id, const std::shared_ptr<Job>& job);
  void refuse_busy(std::size_t place);
  void say(std::optional<std::string> message);
  void has_reply(std::size_t place, std::optional<Reply> reply);
  void has_gone();
  void cancel();
  bool begin_stream();
  void send(const std::string& message);
  void end_if_complete();
  void end();
  std::optional<Answer> interruption_of() const;
  void answer_nothing();
  void answer_json();

  ExchangeHost& host_;
  ExchangeSetup setup_;
  std::shared_ptr<PostedChannel> channel_;
  std::map<std::size_t, Pending> jobs_;  // that have not replied
  std::size_t next_place_ = 0;
  std::vector<Reply> replies_;                   // that have not been sent
  std::optional<Session::StreamNumber> stream_;  // of the session
  std::string last_message_start_;               // of a subscription: what its reply begins with
  std::optional<RequestId> cancelled_;
  bool is_taken_ = false;  // all messages are
  bool is_streaming_ = false;
  bool has_ended_ = false;
};

}  // namespace helve::mcp
