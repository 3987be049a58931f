// Subscriptions: who wants to hear of which resource.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/channel.h"

namespace helve::mcp {

inline constexpr std::size_t kWatchedUrisMax = 1'000;  // of one subscription

// Thread-safe.
class Subscriptions {
 public:
  using Key = std::uint64_t;

  explicit Subscriptions(std::size_t max) : max_(max) {}

  // A listener; 0: there are too many. With the id of a `subscriptions/listen` request every
  // notification carries it.
  Key add(std::shared_ptr<Channel> channel, std::optional<RequestId> listen_id);
  void remove(Key key);
  // False: it watches too much already.
  bool watch(Key key, std::string uri);
  void unwatch(Key key, const std::string& uri);

  void updated(std::string_view uri);
  // Answers all listen requests and forgets them. `info` is what results say of the server, as a
  // JSON object.
  void end_all(std::string_view info);

 private:
  struct Listener {
    std::shared_ptr<Channel> channel;
    std::optional<RequestId> listen_id;
    std::set<std::string, std::less<>> uris;
  };

  std::mutex mutex_;
  std::size_t max_;
  Key last_ = 0;
  std::map<Key, Listener> listeners_;
};

}  // namespace helve::mcp
