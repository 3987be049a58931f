// Conversation: waits for messages of a guest while it watches it: its time, its output, its
// folder. What a guest does wrong ends here, as the reason why it is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/sandbox/channel.h"
#include "agent/sandbox/guest_process.h"
#include "agent/sandbox/output_window.h"
#include "base/clock.h"
#include "base/op_context.h"

namespace helve::sandbox {

// One thing that is asked of the guest, until it has answered.
struct Turn {
  Turn(const OpContext& caller, Duration time, std::size_t output_bytes_kept);

  OpContext context;  // the caller's, and its deadline not later than the end of the turn
  OutputWindow output;
  std::function<void(std::string_view)> on_output;  // whole characters; may be empty
  bool is_interrupted = false;                      // over its time, or cancelled
  bool is_cancelled = false;
  MonotonicTime interrupt_at;  // where it is interrupted: when to do so again
  MonotonicTime kill_at;       // and when to stop asking
  MonotonicTime look_at;       // when to look at what it uses next

  void tell(std::string_view bytes);
  void tell_rest();  // half a character that nothing follows

 private:
  std::string untold_;
};

class Conversation {
 public:
  Conversation(std::unique_ptr<GuestProcess> guest, const SandboxLimits& limits);

  void say(std::string_view message) { channel_.queue(message); }
  void say_raw(std::string_view bytes) { channel_.queue_raw(bytes); }
  // The next message. An error is why the guest is of no use any more.
  Result<std::string> listen(Turn& turn);
  // What it has printed up to now. An error as above.
  Result<void> hear_out(Turn& turn);
  // Its folder and its threads are within their limits. An error as above.
  Result<void> check_use() const;
  // Kills it; how it ended.
  std::string end(bool is_ending) { return guest_->finish(is_ending); }

  const GuestProcess& guest() const { return *guest_; }

 private:
  Result<void> watch(Turn& turn);
  Result<bool> take_output(Turn& turn);

  const std::unique_ptr<GuestProcess> guest_;
  const SandboxLimits limits_;
  Channel channel_;
  bool has_output_ = true;  // it has not closed it
};

}  // namespace helve::sandbox
