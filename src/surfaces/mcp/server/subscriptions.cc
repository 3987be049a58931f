#include "surfaces/mcp/server/subscriptions.h"

#include <fmt/format.h>

#include <vector>

#include "base/json_writer.h"
#include "surfaces/mcp/server/revision.h"

namespace helve::mcp {

namespace {

std::string subscription_meta(const RequestId& id) {
  return fmt::format(R"("_meta":{{"{}":{}}})", kMetaSubscription, id);
}

}  // namespace

Subscriptions::Key Subscriptions::add(std::shared_ptr<Channel> channel,
                                      std::optional<RequestId> listen_id) {
  const std::lock_guard lock(mutex_);
  if (listeners_.size() >= max_) return 0;
  listeners_[++last_] = {std::move(channel), std::move(listen_id), {}};
  return last_;
}

void Subscriptions::remove(Key key) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(key);
}

bool Subscriptions::watch(Key key, std::string uri) {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(key);
  if (found == listeners_.end() || found->second.uris.size() >= kWatchedUrisMax) return false;
  found->second.uris.insert(std::move(uri));
  return true;
}

void Subscriptions::unwatch(Key key, const std::string& uri) {
  const std::lock_guard lock(mutex_);
  const auto found = listeners_.find(key);
  if (found != listeners_.end()) found->second.uris.erase(uri);
}

void Subscriptions::updated(std::string_view uri) {
  std::vector<std::pair<std::shared_ptr<Channel>, std::string>> messages;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, listener] : listeners_) {
      if (!listener.uris.contains(uri)) continue;
      std::string params = "{";
      if (listener.listen_id) params += subscription_meta(*listener.listen_id) + ",";
      params += "\"uri\":";
      append_json_string(params, uri);
      params += '}';
      messages.emplace_back(listener.channel,
                            notification_message("notifications/resources/updated", params));
    }
  }
  for (auto& [channel, message] : messages) channel->send(std::move(message));
}

void Subscriptions::end_all(std::string_view info) {
  std::map<Key, Listener> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(listeners_);
  }
  // The result alone: clients take notifications/cancelled before it for an accident, and after it
  // there is nothing left to cancel.
  for (const auto& [key, listener] : ended) {
    if (!listener.listen_id) continue;
    listener.channel->send(
        result_message(*listener.listen_id,
                       fmt::format(R"({{"resultType":"complete","_meta":{{"{}":{},"{}":{}}}}})",
                                   kMetaServerInfo, info, kMetaSubscription, *listener.listen_id)));
  }
}

}  // namespace helve::mcp
