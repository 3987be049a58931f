// What a client watches: subscriptions of both eras.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "surfaces/mcp/server/client_connection.h"

namespace helve::mcp {

Admission ClientConnection::listen(const Request& request, ClientFacts client,
                                   const std::shared_ptr<Channel>& related) {
  const JsonValue* filter = request.params.find("notifications");
  if (filter == nullptr || filter->if_object() == nullptr) {
    return refuse(request.id, {code::kInvalidParams, "\"notifications\" must be an object", {}},
                  status::kBadRequest);
  }
  std::vector<std::string> uris;
  if (const JsonValue* list = filter->find("resourceSubscriptions")) {
    const JsonValue::Array* items = list->if_array();
    const bool is_good = items != nullptr && items->size() <= kWatchedUrisMax &&
                         std::all_of(items->begin(), items->end(), [](const JsonValue& item) {
                           return item.if_string() != nullptr;
                         });
    if (!is_good) {
      return refuse(request.id,
                    {code::kInvalidParams,
                     fmt::format("\"resourceSubscriptions\" must be a list of at most {} URIs",
                                 kWatchedUrisMax),
                     {}},
                    status::kBadRequest);
    }
    for (const JsonValue& item : *items) uris.push_back(*item.if_string());
  }
  uris = watchable(std::move(uris), client);
  Admission admission = admit_job({request.id, request.method, {}}, std::move(client), related);
  if (admission.next != Next::Run) return admission;
  const auto key = shared_.subscriptions.add(related, request.id);
  auto& job = static_cast<RequestJob&>(*admission.job);
  if (key == 0) {
    forget(job);
    shared_.metrics.count_busy();
    return refuse(request.id, {code::kBusy, "there are too many subscriptions", {}}, status::kBusy);
  }
  job.subscription_ = key;
  std::string honoured;
  for (const std::string& uri : uris) {
    honoured += honoured.empty() ? R"("resourceSubscriptions":[)" : ",";
    append_json_string(honoured, uri);
  }
  if (!honoured.empty()) honoured += ']';
  related->send(
      notification_message("notifications/subscriptions/acknowledged",
                           fmt::format(R"({{"_meta":{{"{}":{}}},"notifications":{{{}}}}})",
                                       kMetaSubscription, request.id, honoured)));
  // Only now: nothing may come before the acknowledgment.
  for (std::string& uri : uris) shared_.subscriptions.watch(key, std::move(uri));
  admission.next = Next::Stream;
  shared_.metrics.count_request(request.method, Metrics::Result::Ok, {});
  return admission;
}

std::vector<std::string> ClientConnection::watchable(std::vector<std::string> uris,
                                                     const ClientFacts& client) {
  TurnSetting setting;
  setting.caller = caller_;
  setting.revision = client.revision;
  setting.capabilities = client.capabilities;
  setting.channel = general_;
  CallTurn turn(std::move(setting), shared_);
  std::erase_if(uris, [&](const std::string& uri) {
    return std::none_of(shared_.offers.begin(), shared_.offers.end(),
                        [&](const auto& offer) { return offer->has_resource(uri, turn); });
  });
  return uris;
}

Admission ClientConnection::watch(const Request& request, const ClientFacts& client) {
  auto uri = text_param(request.params, "uri");
  if (const auto* error = std::get_if<RpcError>(&uri)) return refuse(request.id, *error, 200);
  const auto& text = std::get<std::string>(uri);
  Subscriptions::Key key = 0;
  {
    const std::lock_guard lock(mutex_);
    if (subscription_ == 0) subscription_ = shared_.subscriptions.add(general_, std::nullopt);
    key = subscription_;
  }
  if (request.method == "resources/unsubscribe") {
    shared_.subscriptions.unwatch(key, text);
    return answer(request, "{}", client.revision);
  }
  if (watchable({text}, client).empty()) {
    JsonValue::Object data;
    data.push_back({"uri", JsonValue(shown(text))});
    return refuse(
        request.id,
        {code::kResourceNotFound, "there is no such resource", JsonValue(std::move(data))}, 200);
  }
  if (key == 0 || !shared_.subscriptions.watch(key, text)) {
    return refuse(request.id, {code::kBusy, "there are too many subscriptions", {}}, status::kBusy);
  }
  return answer(request, "{}", client.revision);
}

}  // namespace helve::mcp
