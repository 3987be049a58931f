#include "agent/sandbox/conversation.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/fd.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::sandbox {

namespace {

constexpr int kSliceMs = 20;  // how late a cancellation may be seen
constexpr auto kLookEvery = std::chrono::milliseconds(50);
constexpr std::size_t kReadBytes = 64 * kKiB;
constexpr std::size_t kReadsMax = 1'024;
constexpr std::size_t kMiBShift = 20;

}  // namespace

Turn::Turn(const OpContext& caller, Duration time, std::size_t output_bytes_kept)
    : context(caller), output(output_bytes_kept), look_at(real_clock().now() + kLookEvery) {
  context.deadline = Deadline(real_clock(), std::min(time, caller.deadline.remaining()));
}

void Turn::tell(std::string_view bytes) {
  if (!on_output) return;
  untold_ += bytes;
  const std::size_t whole = utf8_valid_prefix(untold_);
  std::string rest;
  if (utf8_may_continue(std::string_view(untold_).substr(whole))) rest = untold_.substr(whole);
  untold_.resize(untold_.size() - rest.size());
  if (!untold_.empty()) on_output(repaired_utf8(untold_));
  untold_ = std::move(rest);
}

void Turn::tell_rest() {
  if (on_output && !untold_.empty()) on_output(repaired_utf8(untold_));
  untold_.clear();
}

Conversation::Conversation(std::unique_ptr<GuestProcess> guest, const SandboxLimits& limits)
    : guest_(std::move(guest)),
      limits_(limits),
      channel_(guest_->channel(), limits.message_bytes_max) {}

Result<std::string> Conversation::listen(Turn& turn) {
  for (;;) {
    HELVE_TRY(channel_.send());
    // One that asks and does not read gets no further answers, which would pile up here.
    if (!channel_.has_unsent()) {
      if (auto message = channel_.next()) return *std::move(message);
    }
    HELVE_TRY(watch(turn));
    const int to_read = channel_.has_next() ? 0 : POLLIN;
    const auto wanted = static_cast<short>(channel_.has_unsent() ? to_read | POLLOUT : to_read);
    std::array<pollfd, 3> waiting = {pollfd{guest_->channel(), wanted, 0},
                                     pollfd{has_output_ ? guest_->output() : -1, POLLIN, 0},
                                     pollfd{guest_->process(), POLLIN, 0}};
    const Duration left =
        turn.is_interrupted ? turn.kill_at - real_clock().now() : turn.context.deadline.remaining();
    const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int slice = static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, kSliceMs));
    if (::poll(waiting.data(), waiting.size(), slice) <= 0) continue;
    if (waiting[1].revents != 0) HELVE_TRY(take_output(turn));
    if ((waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) HELVE_TRY(channel_.receive());
    // Its end of the channel may live on in a process that the host has forked.
    if (waiting[2].revents != 0 && (channel_.has_unsent() || !channel_.has_next())) {
      return Error{ErrorCode::Unavailable, "its process has ended"};
    }
  }
}

Result<void> Conversation::hear_out(Turn& turn) {
  // No more than a pipe holds: one that goes on printing is not waited for.
  for (std::size_t reads = 0; reads < kReadsMax; ++reads) {
    HELVE_ASSIGN(const bool had_some, take_output(turn));
    if (!had_some) break;
  }
  turn.tell_rest();
  return {};
}

Result<bool> Conversation::take_output(Turn& turn) {
  std::array<char, kReadBytes> buffer;
  const auto [count, error] = read_fd(guest_->output(), buffer);
  if (error == 0 && count == 0) has_output_ = false;  // closed: it would be ready for ever
  if (error != 0 || count == 0) return false;
  const std::string_view text(buffer.data(), count);
  turn.output.add(text);
  turn.tell(text);
  if (turn.output.total() > limits_.output_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("it printed more than {} MiB", limits_.output_bytes_max >> kMiBShift),
                 "print less, or a part of it"};
  }
  return true;
}

Result<void> Conversation::watch(Turn& turn) {
  const MonotonicTime now = real_clock().now();
  if (now >= turn.look_at) {
    turn.look_at = now + kLookEvery;
    HELVE_TRY(check_use());
  }
  if (!turn.is_interrupted) {
    if (turn.context.check()) return {};
    turn.is_interrupted = true;
    turn.is_cancelled = turn.context.cancel.is_cancelled();
    turn.kill_at = now + limits_.interrupt_time;
  }
  if (now < turn.kill_at) {
    // More than once: the first may come before the block begins, or while it cleans up.
    if (now >= turn.interrupt_at) {
      turn.interrupt_at = now + limits_.interrupt_time / 4;
      guest_->interrupt();
    }
    return {};
  }
  return Error{turn.is_cancelled ? ErrorCode::Cancelled : ErrorCode::LimitExceeded,
               fmt::format("{}, and it did not stop when it was interrupted",
                           turn.is_cancelled ? "the block was cancelled" : "its time was over")};
}

Result<void> Conversation::check_use() const {
  const FolderUse use = guest_->measure(limits_);
  if (use.files > limits_.folder_files_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("its folder held more than {} files, or files out of sight",
                             limits_.folder_files_max)};
  }
  if (use.bytes > limits_.folder_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("its files took more than {} MiB, or were out of sight",
                             limits_.folder_bytes_max >> kMiBShift)};
  }
  if (guest_->threads() > limits_.threads_max + 1) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("it ran more than {} threads", limits_.threads_max)};
  }
  return {};
}

}  // namespace helve::sandbox
