#include "surfaces/mcp/http/exchange.h"

#include <algorithm>
#include <utility>

namespace helve::mcp {

namespace {

// What result_message() begins with for this id, before the result.
std::string start_of_result(const RequestId& id) {
  std::string text = result_message(id, "{}");
  text.resize(text.rfind("{}"));
  return text;
}

RequestId request_id_of(const Message& message) {
  const Request* request = std::get_if<Request>(&message);
  return request == nullptr ? RequestId{} : request->id;
}

}  // namespace

Exchange::Exchange(ExchangeHost& host, ExchangeSetup setup)
    : host_(host), setup_(std::move(setup)) {}

void Exchange::begin(std::vector<Message> messages) {
  channel_ = std::make_shared<PostedChannel>(
      host_.loop(), host_.options().stream_buffer_max,
      [exchange = weak_from_this()](std::optional<std::string> message) {
        if (const auto self = exchange.lock()) self->say(std::move(message));
      },
      setup_.accepts.sse);
  setup_.wire->on_gone([exchange = weak_from_this()] {
    if (const auto self = exchange.lock()) self->has_gone();
  });
  const bool has_notes = std::any_of(messages.begin(), messages.end(), [](const Message& message) {
    return std::holds_alternative<Notification>(message);
  });
  for (Message& message : messages) take(std::move(message));
  if (has_notes) host_.calls().drop_cancelled();  // they may be cancellations
  is_taken_ = true;
  end_if_complete();
}

void Exchange::take(Message message) {
  RequestId id = request_id_of(message);
  if (is_unheard(message)) {
    RpcError error{
        code::kInvalidRequest, "a subscription needs a client that accepts text/event-stream", {}};
    replies_.push_back({.message = error_message(id, error), .http_status = 406, .is_error = true});
    return;
  }
  Admission admission = setup_.connection->admit(std::move(message), channel_);
  switch (admission.next) {
    case Admission::Next::Nothing:
      return;
    case Admission::Next::Reply:
      replies_.push_back(std::move(admission.reply));
      return;
    case Admission::Next::Run:
      return run(std::move(id), admission.job);
    case Admission::Next::Stream:
      return listen(std::move(id), admission.job);
  }
}

// A subscription whose messages the client would not take.
bool Exchange::is_unheard(const Message& message) const {
  if (setup_.accepts.sse || setup_.session) return false;
  const auto* request = std::get_if<Request>(&message);
  return request != nullptr && request->method == "subscriptions/listen";
}

void Exchange::run(RequestId id, const std::shared_ptr<Job>& job) {
  const std::size_t place = next_place_++;
  jobs_[place] = {std::move(id), job};
  if (!job->is_long()) return has_reply(place, job->run());
  const bool is_accepted = host_.calls().try_add(
      job, [place, loop = host_.loop(), exchange = weak_from_this()](std::optional<Reply> made) {
        loop->post([exchange, place, reply = std::move(made)]() mutable {
          if (const auto self = exchange.lock()) self->has_reply(place, std::move(reply));
        });
      });
  if (!is_accepted) refuse_busy(place);
}

// At once, so that the client can turn elsewhere.
void Exchange::refuse_busy(std::size_t place) {
  host_.metrics().count_busy();
  const Pending pending = jobs_[place];
  pending.job->cancel();
  has_reply(place, busy_reply(pending.id));
}

void Exchange::listen(RequestId id, const std::shared_ptr<Job>& job) {
  last_message_start_ = start_of_result(id);
  jobs_[next_place_++] = {std::move(id), job};
  begin_stream();
}

// A message before the reply, which makes the answer a stream.
void Exchange::say(std::optional<std::string> message) {
  if (has_ended_) return;
  if (!message) {
    host_.metrics().count_refusal("slow");
    return cancel();
  }
  if (!setup_.accepts.sse || !begin_stream()) return;
  send(*message);
  const bool is_last = !last_message_start_.empty() && message->starts_with(last_message_start_);
  if (is_last && !has_ended_) {
    jobs_.clear();
    end_if_complete();
  }
}

// False: there is nobody to stream to.
bool Exchange::begin_stream() {
  if (is_streaming_) return true;
  if (setup_.wire->is_closed()) return false;
  is_streaming_ = true;
  if (setup_.session) {
    stream_ = setup_.session->open_stream(false, setup_.wire, setup_.headers);
  } else {
    setup_.wire->begin_stream(event_stream(setup_.headers));
  }
  for (const Reply& reply : std::exchange(replies_, {})) send(reply.message);
  return true;
}

void Exchange::send(const std::string& message) {
  if (stream_) {
    setup_.session->send(*stream_, message);
  } else {
    setup_.wire->send(sse_event(message, std::nullopt));
  }
}

void Exchange::has_reply(std::size_t place, std::optional<Reply> reply) {
  if (has_ended_) return;
  const auto job = jobs_.extract(place);
  if (!reply) {
    if (!job.empty()) cancelled_ = job.mapped().id;
  } else if (is_streaming_ && !channel_->is_pending()) {
    send(reply->message);
  } else {
    replies_.push_back(*std::move(reply));
  }
  end_if_complete();
}

void Exchange::end_if_complete() {
  if (has_ended_ || !is_taken_ || !jobs_.empty()) return;
  if (!channel_->is_pending()) return end();
  // What was said before the reply is still on its way.
  host_.loop()->post([exchange = weak_from_this()] {
    if (const auto self = exchange.lock()) self->end_if_complete();
  });
}

void Exchange::end() {
  const auto self = shared_from_this();
  const bool is_plain = replies_.size() == 1 && !setup_.is_batch;
  const bool wants_stream = !setup_.accepts.json && !replies_.empty() &&
                            !(is_plain && replies_.front().http_status != 200);
  if (wants_stream) begin_stream();
  has_ended_ = true;
  if (is_streaming_) {
    for (const Reply& reply : std::exchange(replies_, {})) send(reply.message);
    // Clients wait for an answer, not for the end of a stream.
    if (const auto interruption = interruption_of()) send(interruption->body);
    if (stream_) {
      setup_.session->finish(*stream_);
    } else {
      setup_.wire->end_stream();
    }
  } else if (replies_.empty()) {
    answer_nothing();
  } else {
    answer_json();
  }
  host_.ended(self);
}

// For who was interrupted, and did not cancel himself.
std::optional<Answer> Exchange::interruption_of() const {
  if (!cancelled_) return std::nullopt;
  if (host_.is_stopping()) {
    return Answer{.status = 503,
                  .body = error_message(*cancelled_, {code::kBusy, "the server is stopping", {}}),
                  .headers = {{"Retry-After", "1"}}};
  }
  if (!setup_.session || !setup_.session->has_ended()) return std::nullopt;
  RpcError error{code::kInvalidRequest, "the session has ended", {}};
  return Answer{.status = 404, .body = error_message(*cancelled_, error)};
}

// Notifications, or a request that was cancelled.
void Exchange::answer_nothing() {
  Answer answer = interruption_of().value_or(Answer{.status = 202});
  answer.headers.insert(answer.headers.end(), setup_.headers.begin(), setup_.headers.end());
  setup_.wire->respond(std::move(answer));
}

void Exchange::answer_json() {
  Answer answer{.headers = setup_.headers};
  if (!setup_.is_batch) {
    answer.status = replies_.front().http_status;
    answer.body = std::move(replies_.front().message);
    if (answer.status == 503) answer.headers.emplace_back("Retry-After", "1");
  } else {
    answer.body = "[";
    for (const Reply& reply : replies_) {
      if (answer.body.size() > 1) answer.body += ',';
      answer.body += reply.message;
    }
    answer.body += ']';
  }
  setup_.wire->respond(std::move(answer));
}

// A legacy client may come back for its answer, or at least did not take its request back.
void Exchange::has_gone() {
  if (!setup_.session) return cancel();
  // A stream that has begun can be taken up again; before that there is nothing to come back to.
  if (!is_streaming_) channel_->stop_asking();
}

void Exchange::interrupt() {
  // A subscription does not come back: its stream ends here.
  if (!last_message_start_.empty()) return cancel();
  for (const auto& [place, pending] : std::map(jobs_)) pending.job->cancel();
  host_.calls().drop_cancelled();
}

void Exchange::cancel() {
  if (has_ended_) return;
  const auto self = shared_from_this();
  has_ended_ = true;
  for (const auto& [place, pending] : std::exchange(jobs_, {})) pending.job->cancel();
  host_.calls().drop_cancelled();
  if (stream_) setup_.session->finish(*stream_);
  setup_.wire->cut();
  host_.ended(self);
}

}  // namespace helve::mcp
