// PostedChannel: how messages of the server get onto the loop, where all state of HTTP lives.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "surfaces/mcp/http/wire.h"
#include "surfaces/mcp/server/channel.h"

namespace helve::mcp {

class PostedChannel final : public Channel {
 public:
  // `deliver` runs on the loop, with each message in order, and with nullopt where messages come
  // faster than the loop takes them and some had to be dropped.
  using Deliver = std::function<void(std::optional<std::string>)>;
  PostedChannel(std::shared_ptr<Loop> loop, std::size_t bytes_max, Deliver deliver,
                bool can_ask = true)
      : loop_(std::move(loop)),
        can_ask_(can_ask),
        state_(std::make_shared<State>(bytes_max, std::move(deliver))) {}

  void send(std::string message) override {
    const std::size_t bytes = message.size();
    if (state_->queued.load() > state_->bytes_max) {
      if (!state_->has_overflown.exchange(true)) {
        loop_->post([state = state_] {
          state->has_overflown = false;
          state->deliver(std::nullopt);
        });
      }
      return;
    }
    state_->queued += bytes + 1;
    loop_->post([state = state_, bytes, text = std::move(message)]() mutable {
      state->queued -= bytes + 1;
      state->deliver(std::move(text));
    });
  }

  bool can_ask() const override { return can_ask_.load(); }
  // The client has gone, and will not come back to this channel.
  void stop_asking() { can_ask_ = false; }

  // Whether something has been sent and not yet delivered.
  bool is_pending() const { return state_->queued.load() != 0; }

 private:
  struct State {
    State(std::size_t max, Deliver to) : bytes_max(max), deliver(std::move(to)) {}
    const std::size_t bytes_max;
    const Deliver deliver;
    std::atomic<std::size_t> queued = 0;
    std::atomic<bool> has_overflown = false;
  };

  std::shared_ptr<Loop> loop_;
  std::atomic<bool> can_ask_;
  std::shared_ptr<State> state_;
};

}  // namespace helve::mcp
