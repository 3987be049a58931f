// Session: a legacy client between its requests: its Connection, its streams, and the events that
// it may ask for again. SessionTable has all of them. Both live on the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "surfaces/mcp/http/media.h"
#include "surfaces/mcp/http/wire.h"
#include "surfaces/mcp/server/connection.h"

namespace helve::mcp {

class Session : public std::enable_shared_from_this<Session> {
 public:
  using StreamNumber = std::uint64_t;

  // `owner` is the place of the caller's token; nobody else sees the session.
  Session(std::string id, std::size_t owner, std::shared_ptr<Connection> connection,
          const HttpOptions& options);

  const std::string& id() const { return id_; }
  std::size_t owner() const { return owner_; }
  Connection& connection() { return *connection_; }
  const std::shared_ptr<Connection>& shared_connection() { return connection_; }

  // Begins a stream of events on the wire, which is watched from then on.
  StreamNumber open_stream(bool is_general, const std::shared_ptr<Wire>& wire,
                           const AnswerHeaders& headers);
  // Sends, and keeps it for those who come back.
  void send(StreamNumber stream, const std::string& message);
  // Nothing more will come.
  void finish(StreamNumber stream);
  // Goes on behind that event: gives again what came after it, then what comes. False: the stream
  // is not known any more.
  bool resume(const EventId& last, const std::shared_ptr<Wire>& wire, const AnswerHeaders& headers);
  // What belongs to no request: to one of the general streams; kept until there is one.
  void send_general(std::string message);
  std::size_t general_streams() const;
  void end_general_streams();

  void touch(MonotonicTime now) { last_used_ = now; }
  MonotonicTime last_used() const { return last_used_; }
  // Someone listens, or something runs.
  bool is_in_use() const;
  bool has_ended() const { return has_ended_; }
  // Cancels what runs and ends all streams.
  void end();

 private:
  struct Stream {
    bool is_general = false;
    bool is_finished = false;
    std::uint64_t next_event = 1;
    std::size_t kept = 0;  // of its events
    std::shared_ptr<Wire> wire;
  };
  struct Event {
    StreamNumber stream = 0;
    std::uint64_t number = 0;
    std::string message;
  };

  void attach(StreamNumber number, const std::shared_ptr<Wire>& wire, const AnswerHeaders& headers);
  void detach(StreamNumber number, const Wire* wire);
  void keep(StreamNumber stream, std::uint64_t number, const std::string& message);
  void forget_oldest();
  void forget_if_done(StreamNumber number);

  const std::string id_;
  const std::size_t owner_;
  const std::shared_ptr<Connection> connection_;
  const HttpOptions& options_;
  MonotonicTime last_used_{};
  bool has_ended_ = false;

  StreamNumber next_stream_ = 1;
  std::map<StreamNumber, Stream> streams_;
  std::deque<Event> events_;
  std::size_t event_bytes_ = 0;
  std::deque<std::string> waiting_;  // general messages that no stream has had yet
  std::size_t waiting_bytes_ = 0;
};

class SessionTable {
 public:
  SessionTable(const HttpOptions& options, Env& env, Metrics& metrics)
      : options_(options), env_(env), metrics_(metrics) {}

  // For a session that is to be created; cannot be guessed.
  std::string new_id();
  // Null: there are too many, all in use.
  std::shared_ptr<Session> create(std::string id, std::size_t owner,
                                  std::shared_ptr<Connection> connection);
  // Null: there is none, or it is somebody else's.
  std::shared_ptr<Session> find(std::string_view id, std::size_t owner);
  void end(const std::shared_ptr<Session>& session);
  void end_all();
  void end_general_streams();
  // Ends those that have not been used for long.
  void sweep();

 private:
  bool make_room();
  bool make_room_for(std::size_t owner);
  void note_count() { metrics_.set_sessions(static_cast<std::int64_t>(sessions_.size())); }

  const HttpOptions& options_;
  Env& env_;
  Metrics& metrics_;
  std::unordered_map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace helve::mcp
