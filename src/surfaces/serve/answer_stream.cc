#include "surfaces/serve/answer_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/limits.h"

namespace helve::serve {

namespace {

constexpr std::size_t kPieceBytes = 32 * kKiB;
constexpr std::size_t kQueuedBytesMax = 256 * kKiB;
// Rows that were found wait no longer for others. Short enough for who looks on, long enough for
// most answers to be whole by then.
constexpr auto kFlushAfter = std::chrono::milliseconds(250);
constexpr auto kLook = std::chrono::milliseconds(50);  // at the deadline, while waiting for room

}  // namespace

AnswerStream::AnswerStream(std::shared_ptr<http::Loop> loop, std::shared_ptr<http::Wire> wire,
                           Headers headers, bool is_head, OpContext op)
    : loop_(std::move(loop)),
      wire_(std::move(wire)),
      headers_(std::move(headers)),
      is_head_(is_head),
      op_(std::move(op)) {}

void AnswerStream::begin(Headers headers) {
  const std::lock_guard lock(mutex_);
  begun_ = std::move(headers);
}

Result<void> AnswerStream::write(std::string_view bytes) {
  gathered_ += bytes;
  return gathered_.size() < kPieceBytes ? Result<void>() : push();
}

Result<void> AnswerStream::flush() {
  {
    const std::lock_guard lock(mutex_);
    if (queued_.size() + gathered_.size() < kPieceBytes) {
      queued_ += gathered_;
      gathered_.clear();
      if (queued_.empty() || std::exchange(is_pump_planned_, true)) return {};
      plan_pump();
      return {};
    }
  }
  return push();
}

Result<void> AnswerStream::push() {
  std::unique_lock lock(mutex_);
  while (!is_gone_ && queued_.size() >= kQueuedBytesMax) {
    room_.wait_for(lock, kLook);
    HELVE_TRY(op_.check());
  }
  if (is_gone_) return Error{ErrorCode::Cancelled, "the client has gone"};
  queued_ += gathered_;
  gathered_.clear();
  post_pump();
  return {};
}

// REQUIRES: the mutex is held.
void AnswerStream::post_pump() {
  if (std::exchange(is_pump_posted_, true)) return;
  loop_->post([self = shared_from_this()] {
    {
      const std::lock_guard lock(self->mutex_);
      self->is_pump_posted_ = false;
    }
    self->pump();
  });
}

// The loop may end before the time has come: what waits there must not keep the answer.
void AnswerStream::plan_pump() {
  loop_->post_after(kFlushAfter, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || self->has_ended_) return;
    {
      const std::lock_guard lock(self->mutex_);
      self->is_pump_planned_ = false;
    }
    self->pump();
  });
}

// Sends what is queued when the client has taken all before it, so that no more than that waits.
void AnswerStream::pump() {
  if (wire_->is_closed() || wire_->unsent() > 0) return;
  std::string piece;
  Headers headers = headers_;
  {
    const std::lock_guard lock(mutex_);
    piece.swap(queued_);
    headers.insert(headers.end(), begun_.begin(), begun_.end());
  }
  room_.notify_all();
  if (!std::exchange(is_streaming_, true)) {
    wire_->on_sent([self = shared_from_this()] { self->pump(); });
    wire_->begin_stream({std::move(headers), {}});
  }
  wire_->send(piece);
  if (is_complete_ && piece.empty()) wire_->end_stream(late_);
}

void AnswerStream::end(Answered answered, std::function<void()> ended) {
  {
    const std::lock_guard lock(mutex_);
    queued_ += gathered_;
    gathered_ = {};
  }
  loop_->post([self = shared_from_this(), answered = std::move(answered),
               ended = std::move(ended)]() mutable {
    self->has_ended(std::move(answered));
    ended();
  });
}

void AnswerStream::has_ended(Answered answered) {
  has_ended_ = true;
  if (wire_->is_closed()) return;
  if (answered.refusal) {
    if (is_streaming_) return wire_->abort();
    return respond(answered.refusal->status, std::move(answered.refusal->text),
                   answered.refusal->headers);
  }
  is_complete_ = true;
  late_ = std::move(answered.late);
  if (is_streaming_ || (is_head_ && answered.status == 200)) return pump();
  Headers headers;
  std::string body;
  {
    const std::lock_guard lock(mutex_);
    headers = std::move(begun_);
    body.swap(queued_);
  }
  // There is nothing that comes behind the body.
  std::erase_if(headers, [](const auto& header) { return header.first == "Trailer"; });
  headers.insert(headers.end(), late_.begin(), late_.end());
  respond(answered.status, std::move(body), headers);
}

void AnswerStream::respond(int status, std::string body, const Headers& headers) {
  http::Answer answer{.status = status, .body = std::move(body), .headers = headers_};
  answer.content_type = "text/plain; charset=utf-8";
  for (const auto& [name, value] : headers) {
    // An empty graph has a type too, which a wire leaves out where there is no body.
    if (name == "Content-Type" && !answer.body.empty()) {
      answer.content_type = value;
    } else {
      answer.headers.emplace_back(name, value);
    }
  }
  wire_->respond(std::move(answer));
}

void AnswerStream::watch() {
  wire_->on_gone([self = shared_from_this()] { self->has_gone(); });
}

// Also a client that has only ended its side of the connection: it is not heard any more when it
// leaves altogether.
void AnswerStream::has_gone() {
  interrupt();
  wire_->cut();
}

void AnswerStream::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    is_gone_ = true;
  }
  op_.cancel.cancel();
  room_.notify_all();
}

}  // namespace helve::serve
