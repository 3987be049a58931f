#include "surfaces/mcp/http/session.h"

#include <algorithm>
#include <utility>

namespace helve::mcp {

namespace {

constexpr std::size_t kIdBytes = 16;
constexpr auto kEvictableAfter = std::chrono::minutes(1);

}  // namespace

Session::Session(std::string id, std::size_t owner, std::shared_ptr<Connection> connection,
                 const HttpOptions& options)
    : id_(std::move(id)), owner_(owner), connection_(std::move(connection)), options_(options) {}

Session::StreamNumber Session::open_stream(bool is_general, const std::shared_ptr<Wire>& wire,
                                           const AnswerHeaders& headers) {
  const StreamNumber number = next_stream_++;
  streams_[number].is_general = is_general;
  attach(number, wire, headers);
  // Clients of earlier revisions take an event without a message for a broken one.
  if (connection_->revision() >= Revision::R20251125) {
    wire->send(sse_primer({.is_general = is_general, .stream = number, .event = 0}));
  }
  if (is_general) {
    for (std::string& message : std::exchange(waiting_, {})) send(number, message);
    waiting_bytes_ = 0;
  }
  return number;
}

void Session::attach(StreamNumber number, const std::shared_ptr<Wire>& wire,
                     const AnswerHeaders& headers) {
  // A connection that is lost without a word may still seem to be there.
  if (const auto old = std::exchange(streams_[number].wire, wire)) old->cut();
  wire->begin_stream(event_stream(headers));
  wire->on_gone([session = weak_from_this(), number, wire = wire.get()] {
    if (const auto self = session.lock()) self->detach(number, wire);
  });
}

void Session::detach(StreamNumber number, const Wire* wire) {
  const auto found = streams_.find(number);
  if (found == streams_.end() || found->second.wire.get() != wire) return;
  const auto old = std::exchange(found->second.wire, nullptr);
  old->cut();
  forget_if_done(number);
}

void Session::send(StreamNumber number, const std::string& message) {
  const auto found = streams_.find(number);
  if (found == streams_.end()) return;
  const EventId id{.is_general = found->second.is_general,
                   .stream = number,
                   .event = found->second.next_event++};
  const auto wire = found->second.wire;
  keep(number, id.event, message);
  if (wire) wire->send(sse_event(message, id));
}

void Session::keep(StreamNumber stream, std::uint64_t number, const std::string& message) {
  events_.push_back({stream, number, message});
  event_bytes_ += message.size();
  ++streams_[stream].kept;
  while (!events_.empty() &&
         (events_.size() > options_.events_kept || event_bytes_ > options_.event_bytes_kept)) {
    forget_oldest();
  }
}

void Session::forget_oldest() {
  const Event event = std::move(events_.front());
  events_.pop_front();
  event_bytes_ -= event.message.size();
  const auto found = streams_.find(event.stream);
  if (found == streams_.end()) return;
  --found->second.kept;
  forget_if_done(event.stream);
}

void Session::forget_if_done(StreamNumber number) {
  const auto found = streams_.find(number);
  if (found == streams_.end()) return;
  const Stream& stream = found->second;
  // A general stream that nobody listens to is as good as finished.
  const bool is_over = stream.is_finished || stream.is_general;
  if (is_over && !stream.wire && stream.kept == 0) streams_.erase(found);
}

void Session::finish(StreamNumber number) {
  const auto found = streams_.find(number);
  if (found == streams_.end()) return;
  found->second.is_finished = true;
  if (const auto wire = std::exchange(found->second.wire, nullptr)) wire->end_stream();
  forget_if_done(number);
}

bool Session::resume(const EventId& last, const std::shared_ptr<Wire>& wire,
                     const AnswerHeaders& headers) {
  const auto found = streams_.find(last.stream);
  if (found == streams_.end() || found->second.is_general != last.is_general) {
    if (!last.is_general) return false;
    open_stream(true, wire, headers);
    return true;
  }
  attach(last.stream, wire, headers);
  for (const Event& event : events_) {
    if (event.stream != last.stream || event.number <= last.event) continue;
    wire->send(sse_event(
        event.message,
        EventId{.is_general = last.is_general, .stream = event.stream, .event = event.number}));
  }
  if (wire->is_closed()) return true;
  if (last.is_general) {
    for (std::string& message : std::exchange(waiting_, {})) send(last.stream, message);
    waiting_bytes_ = 0;
  } else if (found->second.is_finished) {
    finish(last.stream);
  }
  return true;
}

// The newest stream that is listened to; otherwise the newest that may come back.
void Session::send_general(std::string message) {
  std::optional<StreamNumber> target;
  bool is_heard = false;
  for (const auto& [number, stream] : streams_) {
    if (!stream.is_general || (is_heard && !stream.wire)) continue;
    target = number;
    is_heard = stream.wire != nullptr;
  }
  if (target) return send(*target, message);
  waiting_bytes_ += message.size();
  waiting_.push_back(std::move(message));
  while (waiting_.size() > options_.events_kept || waiting_bytes_ > options_.event_bytes_kept) {
    waiting_bytes_ -= waiting_.front().size();
    waiting_.pop_front();
  }
}

std::size_t Session::general_streams() const {
  return static_cast<std::size_t>(std::count_if(
      streams_.begin(), streams_.end(),
      [](const auto& entry) { return entry.second.is_general && entry.second.wire; }));
}

bool Session::is_in_use() const {
  return connection_->in_flight() > 0 ||
         std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return entry.second.wire != nullptr; });
}

void Session::end() {
  has_ended_ = true;
  connection_->close();
  end_general_streams();
}

void Session::end_general_streams() {
  std::vector<std::shared_ptr<Wire>> wires;
  for (auto& [number, stream] : streams_) {
    if (stream.is_general && stream.wire) wires.push_back(std::exchange(stream.wire, nullptr));
  }
  for (const auto& wire : wires) wire->end_stream();
}

std::string SessionTable::new_id() { return env_.random().hex(kIdBytes); }

std::shared_ptr<Session> SessionTable::create(std::string id, std::size_t owner,
                                              std::shared_ptr<Connection> connection) {
  if (!make_room_for(owner)) return nullptr;
  if (sessions_.size() >= options_.sessions_max && !make_room()) return nullptr;
  auto session = std::make_shared<Session>(id, owner, std::move(connection), options_);
  session->touch(env_.clock().now());
  sessions_[std::move(id)] = session;
  note_count();
  return session;
}

// Where there are several callers each has its share: who opens more ends its own.
bool SessionTable::make_room_for(std::size_t owner) {
  if (options_.callers.size() < 2) return true;
  const std::size_t share =
      std::max<std::size_t>(1, options_.sessions_max / options_.callers.size());
  std::size_t count = 0;
  std::shared_ptr<Session> oldest;
  for (const auto& [id, session] : sessions_) {
    if (session->owner() != owner) continue;
    ++count;
    if (session->is_in_use()) continue;
    if (!oldest || session->last_used() < oldest->last_used()) oldest = session;
  }
  if (count < share) return true;
  if (!oldest) return false;
  end(oldest);
  return true;
}

// One that was not used for a while gives way to a new one.
bool SessionTable::make_room() {
  const MonotonicTime newest = env_.clock().now() - kEvictableAfter;
  std::shared_ptr<Session> oldest;
  for (const auto& [id, session] : sessions_) {
    if (session->last_used() > newest || session->is_in_use()) continue;
    if (!oldest || session->last_used() < oldest->last_used()) oldest = session;
  }
  if (!oldest) return false;
  end(oldest);
  return true;
}

std::shared_ptr<Session> SessionTable::find(std::string_view id, std::size_t owner) {
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end() || found->second->owner() != owner) return nullptr;
  found->second->touch(env_.clock().now());
  return found->second;
}

void SessionTable::end(const std::shared_ptr<Session>& session) {
  sessions_.erase(session->id());
  note_count();
  session->end();
}

void SessionTable::end_all() {
  for (const auto& [id, session] : std::exchange(sessions_, {})) session->end();
  note_count();
}

void SessionTable::end_general_streams() {
  for (const auto& [id, session] : sessions_) session->end_general_streams();
}

void SessionTable::sweep() {
  const MonotonicTime now = env_.clock().now();
  std::vector<std::shared_ptr<Session>> idle;
  for (const auto& [id, session] : sessions_) {
    if (session->is_in_use()) {
      session->touch(now);
    } else if (now - session->last_used() >= options_.session_idle) {
      idle.push_back(session);
    }
  }
  for (const auto& session : idle) end(session);
}

}  // namespace helve::mcp
