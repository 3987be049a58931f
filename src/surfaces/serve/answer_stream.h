// AnswerStream: an answer on its way from the worker that makes it to the connection. What has not
// been sent is bounded: a worker waits for a client that reads slowly, and learns when it has gone.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/op_context.h"
#include "surfaces/http/loop.h"
#include "surfaces/http/wire.h"
#include "surfaces/serve/answer.h"

namespace helve::serve {

class AnswerStream final : public AnswerOut, public std::enable_shared_from_this<AnswerStream> {
 public:
  // `headers` are in every answer. `op` has the deadline and the token that is cancelled when the
  // client goes.
  AnswerStream(std::shared_ptr<http::Loop> loop, std::shared_ptr<http::Wire> wire, Headers headers,
               bool is_head, OpContext op);

  // For the worker. Small answers go out whole; others begin when a piece is full, or some time
  // after a flush(), and an error behind that breaks the connection: nobody may take the part for
  // the whole.
  void begin(Headers headers) override;
  // Cancelled: the client has gone. LimitExceeded: it was not done reading when the time was up.
  Result<void> write(std::string_view bytes) override;
  // What was written goes out in a moment, even if nothing follows.
  Result<void> flush() override;
  // The last call of the worker. `ended` runs on the loop, when nothing more comes of it.
  void end(Answered answered, std::function<void()> ended);

  // For the loop.
  void watch();      // the client, from before the work begins
  void interrupt();  // the work
  const OpContext& op() const { return op_; }

 private:
  Result<void> push();
  void post_pump();
  void plan_pump();
  void pump();
  void has_ended(Answered answered);
  void has_gone();
  void respond(int status, std::string body, const Headers& headers);

  const std::shared_ptr<http::Loop> loop_;
  const std::shared_ptr<http::Wire> wire_;
  const Headers headers_;
  const bool is_head_;
  const OpContext op_;

  std::string gathered_;  // the worker's alone

  std::mutex mutex_;  // of those that follow
  std::condition_variable room_;
  Headers begun_;       // the worker's head
  std::string queued_;  // to be sent
  bool is_pump_posted_ = false;
  bool is_pump_planned_ = false;
  bool is_gone_ = false;

  bool is_streaming_ = false;  // of the loop, as are those that follow
  bool has_ended_ = false;
  bool is_complete_ = false;
  Headers late_;
};

}  // namespace helve::serve
