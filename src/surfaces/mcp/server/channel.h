// Channel: a way to the client. Transports implement it; the server sends through it.
#pragma once

#include <string>

namespace helve::mcp {

// Thread-safe. Messages arrive whole and in the order of the calls; what is sent after the client
// has gone is dropped.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual void send(std::string message) = 0;
  // False: messages are dropped, so that nobody will answer a request of the server. May become so.
  virtual bool can_ask() const { return true; }
};

}  // namespace helve::mcp
