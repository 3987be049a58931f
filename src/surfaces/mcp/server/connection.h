// Connection: the protocol with one client: which revision, what it can, what it asks, what it is
// asked. One for a stdio process and for a session of HTTP; one for each request where there are no
// sessions. Transports hand messages in and carry replies out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/channel.h"
#include "surfaces/mcp/server/server.h"
#include "toolkit/policy/policy.h"

namespace helve::mcp {

struct Reply {
  std::string message;    // one JSON document
  int http_status = 200;  // where it travels by HTTP
  bool is_error = false;  // of the protocol
};

// A request that has been admitted. run() once, on a worker; cancel() at any time, from anywhere.
class Job {
 public:
  virtual ~Job() = default;
  // nullopt: it was cancelled, and nothing more is to be sent for it.
  virtual std::optional<Reply> run() = 0;
  virtual void cancel() = 0;
  virtual bool is_cancelled() const = 0;
  virtual const RequestId& id() const = 0;
  // May take long: a tool, a resource, a prompt. Otherwise the answer is there at once, and a
  // transport may run it where it stands.
  virtual bool is_long() const = 0;
};

struct Admission {
  // Nothing: a notification, or an answer to what the server asked: there is nothing to send.
  // Reply: `reply`. Run: `job` has the answer. Stream: `job` stands for a subscription: messages
  // come through the channel until it is cancelled, or until it ends itself: then its reply comes
  // through the channel too, as the last.
  enum class Next : std::uint8_t { Nothing, Reply, Run, Stream };
  Next next = Next::Nothing;
  Reply reply;
  std::shared_ptr<Job> job;
};

enum class TransportKind : std::uint8_t { Stdio, Http };

// Thread-safe.
class Connection {
 public:
  // `general` carries what belongs to no request; may be null until set_general().
  static std::shared_ptr<Connection> make(Server& server, toolkit::Caller caller,
                                          TransportKind transport,
                                          std::shared_ptr<Channel> general);
  virtual ~Connection() = default;

  // Takes one message, in the order of arrival. `related` carries what belongs to it while it runs.
  virtual Admission admit(Message message, std::shared_ptr<Channel> related) = 0;
  virtual void set_general(std::shared_ptr<Channel> general) = 0;

  // The legacy revision that was agreed on; nullopt before initialize, and for modern clients.
  virtual std::optional<Revision> revision() const = 0;
  // Cancels what runs, and ends what waits for the client.
  virtual void close() = 0;
  // Requests under way.
  virtual std::size_t in_flight() const = 0;
};

// The revision that a message names in _meta; nullopt: none (a legacy message). What it names need
// not be one that is spoken.
std::optional<std::string> named_revision(const Message& message);

}  // namespace helve::mcp
