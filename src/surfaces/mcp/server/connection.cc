#include "surfaces/mcp/server/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "surfaces/mcp/server/client_asks.h"
#include "surfaces/mcp/server/methods.h"

namespace helve::mcp {

namespace {

constexpr int kHttpBadRequest = 400;
constexpr int kHttpNotFound = 404;
constexpr std::int64_t kDiscoverTtlMs = 3'600'000;

const JsonValue* meta_of(const JsonValue& params, std::string_view key) {
  const JsonValue* meta = params.find("_meta");
  return meta == nullptr ? nullptr : meta->find(key);
}

Reply error_reply(const RequestId& id, const RpcError& error, int http_status) {
  return {error_message(id, error), http_status, true};
}

int status_of(const RpcError& error, Revision revision) {
  if (!is_modern(revision)) return 200;
  switch (error.code) {
    case code::kMethodNotFound:
      return kHttpNotFound;
    case code::kMissingCapability:
    case code::kUnsupportedVersion:
    case code::kHeaderMismatch:
      return kHttpBadRequest;
    default:
      return 200;
  }
}

// The general way to the client, which may come, go and change.
class Relay final : public Channel {
 public:
  void send(std::string message) override {
    std::shared_ptr<Channel> target;
    {
      const std::lock_guard lock(mutex_);
      target = target_;
    }
    if (target != nullptr) target->send(std::move(message));
  }

  void set(std::shared_ptr<Channel> target) {
    const std::lock_guard lock(mutex_);
    target_ = std::move(target);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Channel> target_;
};

// What is known of a client: said once in legacy revisions, with every request in modern ones.
struct ClientFacts {
  Revision revision = kNewestLegacy;
  std::shared_ptr<const JsonValue> capabilities =
      std::make_shared<const JsonValue>(JsonValue::Object{});
  std::optional<LogLevel> log_level;
};

class ClientConnection;

class RequestJob final : public Job {
 public:
  RequestJob(std::shared_ptr<ClientConnection> connection, Request request, ClientFacts client,
             std::shared_ptr<Channel> channel)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        client_(std::move(client)),
        channel_(std::move(channel)) {}
  ~RequestJob() override;
  RequestJob(const RequestJob&) = delete;
  RequestJob& operator=(const RequestJob&) = delete;

  std::optional<Reply> run() override;
  void cancel() override;
  bool is_long() const override { return is_long_method(request_.method); }

  bool is_cancelled() const override { return cancel_.is_cancelled(); }
  const RequestId& id() const override { return request_.id; }

 private:
  friend class ClientConnection;
  std::shared_ptr<ClientConnection> connection_;
  Request request_;
  ClientFacts client_;
  std::shared_ptr<Channel> channel_;
  CancelToken cancel_;
  bool is_known_ = false;  // to its connection
  std::atomic<Subscriptions::Key> subscription_ = 0;
};

class ClientConnection final : public Connection,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(Server& server, toolkit::Caller caller, TransportKind transport,
                   std::shared_ptr<Channel> general)
      : shared_(server.shared()),
        caller_(std::move(caller)),
        transport_(transport),
        general_(std::make_shared<Relay>()) {
    general_->set(std::move(general));
  }
  ~ClientConnection() override {
    if (subscription_ != 0) shared_.subscriptions.remove(subscription_);
  }
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  Admission admit(Message message, std::shared_ptr<Channel> related) override {
    if (auto* request = std::get_if<Request>(&message)) {
      return admit_request(std::move(*request), std::move(related));
    }
    if (auto* notification = std::get_if<Notification>(&message)) {
      note(*notification);
    } else if (auto* response = std::get_if<Response>(&message)) {
      asks_.take(std::move(*response));
    } else {
      const auto& malformed = std::get<Malformed>(message);
      return {Admission::Next::Reply,
              {error_message(malformed.id, malformed.error), kHttpBadRequest, true},
              nullptr};
    }
    return {};
  }

  void set_general(std::shared_ptr<Channel> general) override { general_->set(std::move(general)); }

  std::optional<Revision> revision() const override {
    const std::lock_guard lock(mutex_);
    return legacy_ ? std::optional(legacy_->revision) : std::nullopt;
  }

  void close() override {
    std::vector<std::shared_ptr<RequestJob>> jobs;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, job] : jobs_) jobs.push_back(job.lock());
    }
    for (const auto& job : jobs) {
      if (job != nullptr) job->cancel();
    }
    asks_.close();
    general_->set(nullptr);
  }

  std::size_t in_flight() const override {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }

  std::optional<Reply> run(RequestJob& job);
  void forget(RequestJob& job) {
    if (const auto key = job.subscription_.exchange(0)) shared_.subscriptions.remove(key);
    const std::lock_guard lock(mutex_);
    if (std::exchange(job.is_known_, false)) jobs_.erase(job.id());
  }

 private:
  using Next = Admission::Next;

  static Admission refuse(const RequestId& id, const RpcError& error, int http_status) {
    return {Next::Reply, error_reply(id, error, http_status), nullptr};
  }

  Admission answer(const Request& request, std::string_view members, Revision revision) const {
    shared_.metrics.count_request(request.method, Metrics::Result::Ok, {});
    return {Next::Reply,
            {result_message(request.id, complete_result(members, shared_.options, revision))},
            nullptr};
  }

  Admission admit_request(Request request, std::shared_ptr<Channel> related);
  Admission admit_legacy(Request request, std::shared_ptr<Channel> related);
  Admission admit_modern(Request request, std::shared_ptr<Channel> related,
                         const JsonValue& version);
  Admission admit_job(Request request, ClientFacts client, std::shared_ptr<Channel> related);
  Admission initialize(const Request& request);
  Admission discover(const Request& request) const;
  Admission listen(const Request& request, ClientFacts client,
                   const std::shared_ptr<Channel>& related);
  Admission set_level(const Request& request);
  Admission watch(const Request& request, const ClientFacts& client);
  // What a state is good for: this caller and this call.
  StateScope scope_of(const Request& request) const;
  std::variant<TurnSetting, RpcError> setting_of(const RequestJob& job);
  void note(const Notification& notification);

  SharedState& shared_;
  toolkit::Caller caller_;
  TransportKind transport_;
  std::shared_ptr<Relay> general_;
  ClientAsks asks_;
  mutable std::mutex mutex_;  // of what follows
  std::optional<ClientFacts> legacy_;
  std::map<RequestId, std::weak_ptr<RequestJob>> jobs_;  // transports own them
  Subscriptions::Key subscription_ = 0;  // of legacy clients, made when first needed
};

std::optional<Reply> RequestJob::run() { return connection_->run(*this); }

RequestJob::~RequestJob() { connection_->forget(*this); }

void RequestJob::cancel() {
  cancel_.cancel();
  if (subscription_ != 0) connection_->forget(*this);
}

Admission ClientConnection::admit_request(Request request, std::shared_ptr<Channel> related) {
  if (const JsonValue* version = meta_of(request.params, kMetaVersion)) {
    return admit_modern(std::move(request), std::move(related), *version);
  }
  return admit_legacy(std::move(request), std::move(related));
}

Admission ClientConnection::admit_legacy(Request request, std::shared_ptr<Channel> related) {
  if (request.method == "initialize") return initialize(request);
  std::optional<ClientFacts> client;
  {
    const std::lock_guard lock(mutex_);
    client = legacy_;
  }
  if (request.method == "ping" && (client || transport_ == TransportKind::Stdio)) {
    return answer(request, "{}", kNewestLegacy);
  }
  if (!client) {
    return refuse(request.id,
                  {code::kInvalidParams,
                   fmt::format("params._meta has no \"{}\", and there was no initialize: one of "
                               "them must come first",
                               kMetaVersion),
                   {}},
                  kHttpBadRequest);
  }
  if (request.method == "logging/setLevel") return set_level(request);
  if (request.method == "resources/subscribe" || request.method == "resources/unsubscribe") {
    return watch(request, *client);
  }
  return admit_job(std::move(request), *std::move(client), std::move(related));
}

Admission ClientConnection::admit_modern(Request request, std::shared_ptr<Channel> related,
                                         const JsonValue& version) {
  const std::string* name = version.if_string();
  if (name == nullptr) {
    return refuse(request.id,
                  {code::kInvalidParams, fmt::format("\"{}\" must be a text", kMetaVersion), {}},
                  kHttpBadRequest);
  }
  const auto revision = find_revision(*name);
  if (!revision || !is_modern(*revision)) {
    JsonValue::Array supported;
    for (const Revision known : kRevisions) supported.emplace_back(name_of(known));
    JsonValue::Object data;
    data.push_back({"supported", JsonValue(std::move(supported))});
    data.push_back({"requested", JsonValue(shown(*name))});
    const std::string message = revision
                                    ? fmt::format("{} begins with initialize", name_of(*revision))
                                    : "Unsupported protocol version";
    return refuse(request.id, {code::kUnsupportedVersion, message, JsonValue(std::move(data))},
                  kHttpBadRequest);
  }
  const JsonValue* capabilities = meta_of(request.params, kMetaCapabilities);
  if (capabilities == nullptr || capabilities->if_object() == nullptr) {
    return refuse(request.id,
                  {code::kInvalidParams,
                   fmt::format("params._meta needs \"{}\", an object", kMetaCapabilities),
                   {}},
                  kHttpBadRequest);
  }
  ClientFacts client;
  client.revision = *revision;
  client.capabilities = std::make_shared<const JsonValue>(*capabilities);
  if (const JsonValue* level = meta_of(request.params, kMetaLogLevel)) {
    if (level->if_string() != nullptr) client.log_level = find_log_level(*level->if_string());
    if (!client.log_level) {
      return refuse(request.id,
                    {code::kInvalidParams, fmt::format("\"{}\" is no level", kMetaLogLevel), {}},
                    kHttpBadRequest);
    }
  }
  if (request.method == "server/discover") return discover(request);
  if (request.method == "subscriptions/listen") {
    return listen(request, std::move(client), related);
  }
  return admit_job(std::move(request), std::move(client), std::move(related));
}

Admission ClientConnection::admit_job(Request request, ClientFacts client,
                                      std::shared_ptr<Channel> related) {
  if (!is_offer_method(request.method)) {
    shared_.metrics.count_request("other", Metrics::Result::ProtocolError, {});
    const RpcError error{
        code::kMethodNotFound, fmt::format("there is no method {}", shown(request.method)), {}};
    return refuse(request.id, error, status_of(error, client.revision));
  }
  const auto job = std::make_shared<RequestJob>(shared_from_this(), std::move(request),
                                                std::move(client), std::move(related));
  const std::lock_guard lock(mutex_);
  if (jobs_.size() >= shared_.options.in_flight_max) {
    shared_.metrics.count_busy();
    return refuse(job->id(),
                  {code::kBusy,
                   fmt::format("{} requests are under way: wait for some of them", jobs_.size()),
                   {}},
                  503);
  }
  if (!jobs_.emplace(job->id(), job).second) {
    return refuse(job->id(),
                  {code::kInvalidRequest, "a request with this id is still under way", {}},
                  kHttpBadRequest);
  }
  job->is_known_ = true;
  return {Next::Run, {}, job};
}

Admission ClientConnection::initialize(const Request& request) {
  const JsonValue* asked = request.params.find("protocolVersion");
  if (asked == nullptr || asked->if_string() == nullptr) {
    return refuse(request.id, {code::kInvalidParams, "\"protocolVersion\" must be a text", {}},
                  kHttpBadRequest);
  }
  ClientFacts client;
  const auto known = find_revision(*asked->if_string());
  client.revision = known && !is_modern(*known) ? *known : kNewestLegacy;
  client.log_level = LogLevel::Info;
  if (const JsonValue* capabilities = request.params.find("capabilities")) {
    client.capabilities = std::make_shared<const JsonValue>(*capabilities);
  }
  std::string members = fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"serverInfo":{})",
                                    name_of(client.revision), capabilities_json(client.revision),
                                    server_info_json(shared_.options, client.revision));
  if (!shared_.options.instructions.empty()) {
    members += R"(,"instructions":)";
    append_json_string(members, shared_.options.instructions);
  }
  members += '}';
  const Revision revision = client.revision;
  const std::lock_guard lock(mutex_);
  if (legacy_) {
    return refuse(request.id, {code::kInvalidRequest, "this connection is initialized already", {}},
                  kHttpBadRequest);
  }
  legacy_ = std::move(client);
  return answer(request, members, revision);
}

Admission ClientConnection::discover(const Request& request) const {
  std::string members = R"({"supportedVersions":[)";
  for (const Revision revision : kRevisions) {
    members +=
        fmt::format(R"({}"{}")", revision == kRevisions.front() ? "" : ",", name_of(revision));
  }
  members += fmt::format(R"(],"capabilities":{})", capabilities_json(kRevisions.front()));
  if (!shared_.options.instructions.empty()) {
    members += R"(,"instructions":)";
    append_json_string(members, shared_.options.instructions);
  }
  members += fmt::format(R"(,"ttlMs":{},"cacheScope":"public"}})", kDiscoverTtlMs);
  return answer(request, members, kRevisions.front());
}

Admission ClientConnection::listen(const Request& request, ClientFacts client,
                                   const std::shared_ptr<Channel>& related) {
  const JsonValue* filter = request.params.find("notifications");
  if (filter == nullptr || filter->if_object() == nullptr) {
    return refuse(request.id, {code::kInvalidParams, "\"notifications\" must be an object", {}},
                  kHttpBadRequest);
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
                    kHttpBadRequest);
    }
    for (const JsonValue& item : *items) uris.push_back(*item.if_string());
  }
  Admission admission = admit_job({request.id, "tools/list", {}}, std::move(client), related);
  if (admission.next != Next::Run) return admission;
  const auto key = shared_.subscriptions.add(related, request.id);
  auto& job = static_cast<RequestJob&>(*admission.job);
  if (key == 0) {
    forget(job);
    shared_.metrics.count_busy();
    return refuse(request.id, {code::kBusy, "there are too many subscriptions", {}}, 503);
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
  return admission;
}

Admission ClientConnection::set_level(const Request& request) {
  const JsonValue* name = request.params.find("level");
  const auto level = name != nullptr && name->if_string() != nullptr
                         ? find_log_level(*name->if_string())
                         : std::nullopt;
  if (!level) {
    return refuse(request.id,
                  {code::kInvalidParams,
                   "\"level\" must be debug, info, notice, warning, error, critical, alert or "
                   "emergency",
                   {}},
                  200);
  }
  const std::lock_guard lock(mutex_);
  legacy_->log_level = level;
  return answer(request, "{}", legacy_->revision);
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
  TurnSetting setting;
  setting.caller = caller_;
  setting.revision = client.revision;
  setting.capabilities = client.capabilities;
  setting.channel = general_;
  CallTurn turn(std::move(setting), shared_);
  const bool is_there =
      std::any_of(shared_.offers.begin(), shared_.offers.end(),
                  [&](const auto& offer) { return offer->has_resource(text, turn); });
  if (!is_there) {
    JsonValue::Object data;
    data.push_back({"uri", JsonValue(shown(text))});
    return refuse(
        request.id,
        {code::kResourceNotFound, "there is no such resource", JsonValue(std::move(data))}, 200);
  }
  if (key == 0 || !shared_.subscriptions.watch(key, text)) {
    return refuse(request.id, {code::kBusy, "there are too many subscriptions", {}}, 503);
  }
  return answer(request, "{}", client.revision);
}

void ClientConnection::note(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return;
  const JsonValue* id = notification.params.find("requestId");
  if (id == nullptr) return;
  std::string key;
  if (id->if_string() != nullptr) {
    key = to_json(*id);
  } else if (const auto number = id->to_int64()) {
    key = std::to_string(*number);
  }
  std::shared_ptr<RequestJob> job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(key);
    if (found != jobs_.end()) job = found->second.lock();
  }
  if (job != nullptr) job->cancel();
}

StateScope ClientConnection::scope_of(const Request& request) const {
  StateScope scope{caller_.identity, request.method};
  for (const char* name : {"name", "uri", "arguments"}) {
    const JsonValue* value = request.params.find(name);
    if (value != nullptr) scope.call += '\n' + to_json(*value);
  }
  return scope;
}

std::variant<TurnSetting, RpcError> ClientConnection::setting_of(const RequestJob& job) {
  const JsonValue& params = job.request_.params;
  TurnSetting setting;
  setting.caller = caller_;
  setting.revision = job.client_.revision;
  setting.capabilities = job.client_.capabilities;
  setting.log_level = job.client_.log_level;
  setting.channel = job.channel_;
  setting.cancel = job.cancel_;
  if (const JsonValue* token = meta_of(params, "progressToken")) {
    if (token->if_string() != nullptr || token->is_number())
      setting.progress_token = to_json(*token);
  }
  setting.ask = [this](const InputRequest& request, Channel& channel, const OpContext& op) {
    return asks_.ask(request, channel, op, shared_.options.ask_timeout);
  };
  if (!is_modern(setting.revision) || !is_asking_method(job.request_.method)) return setting;
  setting.scope = [this, &job] { return scope_of(job.request_); };
  const JsonValue* answers = params.find("inputResponses");
  if (answers != nullptr && answers->if_object() == nullptr) {
    return RpcError{code::kInvalidParams, "\"inputResponses\" must be an object", {}};
  }
  if (answers != nullptr) setting.answers = *answers;
  const JsonValue* sealed = params.find("requestState");
  if (sealed == nullptr) return setting;
  if (sealed->if_string() == nullptr) {
    return RpcError{code::kInvalidParams, "\"requestState\" must be a text", {}};
  }
  auto state = shared_.states.open(setting.scope(), *sealed->if_string());
  if (!state) return RpcError{code::kInvalidParams, state.error().to_string(), {}};
  setting.state = *std::move(state);
  return setting;
}

std::optional<Reply> ClientConnection::run(RequestJob& job) {
  const auto started = shared_.env.clock().now();
  shared_.metrics.begin_request();
  const Revision revision = job.client_.revision;
  Outcome outcome = RpcError{};
  if (!job.cancel_.is_cancelled()) {
    auto setting = setting_of(job);
    if (auto* error = std::get_if<RpcError>(&setting)) {
      outcome = std::move(*error);
    } else {
      CallTurn turn(std::get<TurnSetting>(std::move(setting)), shared_);
      outcome = run_method(job.request_.method, job.request_.params, turn, shared_);
    }
  }
  forget(job);
  const bool is_cancelled = job.cancel_.is_cancelled();
  auto* error = std::get_if<RpcError>(&outcome);
  shared_.metrics.end_request();
  shared_.metrics.count_request(job.request_.method,
                                is_cancelled       ? Metrics::Result::Cancelled
                                : error != nullptr ? Metrics::Result::ProtocolError
                                                   : Metrics::Result::Ok,
                                shared_.env.clock().now() - started);
  if (is_cancelled) return std::nullopt;
  if (error != nullptr) return error_reply(job.id(), *error, status_of(*error, revision));
  return Reply{result_message(job.id(), std::get<std::string>(outcome))};
}

}  // namespace

std::shared_ptr<Connection> Connection::make(Server& server, toolkit::Caller caller,
                                             TransportKind transport,
                                             std::shared_ptr<Channel> general) {
  return std::make_shared<ClientConnection>(server, std::move(caller), transport,
                                            std::move(general));
}

std::optional<std::string> named_revision(const Message& message) {
  const JsonValue* params = nullptr;
  if (const auto* request = std::get_if<Request>(&message)) params = &request->params;
  if (const auto* notification = std::get_if<Notification>(&message)) {
    params = &notification->params;
  }
  const JsonValue* version = params == nullptr ? nullptr : meta_of(*params, kMetaVersion);
  if (version == nullptr) return std::nullopt;
  return version->if_string() != nullptr ? *version->if_string() : std::string();
}

}  // namespace helve::mcp
