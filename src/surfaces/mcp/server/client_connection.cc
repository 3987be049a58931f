#include "surfaces/mcp/server/client_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "base/json_writer.h"

namespace helve::mcp {

namespace {

constexpr std::int64_t kDiscoverTtlMs = 3'600'000;

const JsonValue* find_meta(const JsonValue& params, std::string_view key) {
  const JsonValue* meta = params.find("_meta");
  return meta == nullptr ? nullptr : meta->find(key);
}

// What the client says that a call came from (a trace, a prompt), for the audit.
std::vector<std::pair<std::string, std::string>> lineage_of(const Request& request) {
  constexpr std::size_t kPairsMax = 8;
  constexpr std::size_t kCharsMax = 256;
  std::vector<std::pair<std::string, std::string>> lineage;
  lineage.emplace_back("request", request.id.substr(0, kCharsMax));
  const JsonValue* const meta = request.params.find("_meta");
  const JsonValue::Object* const members = meta == nullptr ? nullptr : meta->if_object();
  if (members == nullptr) return lineage;
  for (const JsonMember& member : *members) {
    const std::string* const text = member.value.if_string();
    const bool is_own = member.key.starts_with("io.modelcontextprotocol/");
    if (text == nullptr || is_own || member.key == "progressToken") continue;
    if (lineage.size() == kPairsMax) break;
    lineage.emplace_back(member.key.substr(0, kCharsMax), text->substr(0, kCharsMax));
  }
  return lineage;
}

int status_of(const RpcError& error, Revision revision) {
  if (!is_modern(revision)) return 200;
  switch (error.code) {
    case code::kMethodNotFound:
      return status::kNotFound;
    case code::kMissingCapability:
    case code::kUnsupportedVersion:
    case code::kHeaderMismatch:
      return status::kBadRequest;
    default:
      return 200;
  }
}

}  // namespace

std::optional<Reply> RequestJob::run() { return connection_->run(*this); }

RequestJob::~RequestJob() { connection_->forget(*this); }

void ClientConnection::forget(RequestJob& job) {
  if (const auto key = job.subscription_.exchange(0)) shared_.subscriptions.remove(key);
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(job.is_counted_, false)) shared_.callers.end(caller_.identity);
    if (std::exchange(job.is_known_, false)) jobs_.erase(job.id());
  }
  end_session_if_done();
}

void ClientConnection::end_session_if_done() {
  {
    const std::lock_guard lock(mutex_);
    if (!is_closed_ || has_ended_ || !jobs_.empty() || caller_.is_stateless) return;
    has_ended_ = true;
  }
  for (const auto& offer : shared_.offers) offer->end_session(caller_);
}

void RequestJob::cancel() {
  cancel_.cancel();
  if (subscription_ != 0) connection_->forget(*this);
}

Admission ClientConnection::admit_request(Request request, std::shared_ptr<Channel> related) {
  if (const JsonValue* version = find_meta(request.params, kMetaVersion)) {
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
                  status::kBadRequest);
  }
  if (request.method == "logging/setLevel") return set_level(request);
  if (request.method == "resources/subscribe" || request.method == "resources/unsubscribe") {
    return watch(request, *client);
  }
  return admit_call(std::move(request), *std::move(client), std::move(related));
}

Admission ClientConnection::admit_modern(Request request, std::shared_ptr<Channel> related,
                                         const JsonValue& version) {
  const std::string* name = version.if_string();
  if (name == nullptr) {
    return refuse(request.id,
                  {code::kInvalidParams, fmt::format("\"{}\" must be a text", kMetaVersion), {}},
                  status::kBadRequest);
  }
  const auto revision = find_revision(*name);
  if (!revision || !is_modern(*revision)) {
    // Who names a legacy revision here knows how to name a modern one.
    JsonValue::Array supported;
    for (const Revision known : kRevisions) {
      if (!revision || is_modern(known)) supported.emplace_back(name_of(known));
    }
    JsonValue::Object data;
    data.push_back({"supported", JsonValue(std::move(supported))});
    data.push_back({"requested", JsonValue(shown(*name))});
    const std::string message = revision
                                    ? fmt::format("{} begins with initialize", name_of(*revision))
                                    : "Unsupported protocol version";
    return refuse(request.id, {code::kUnsupportedVersion, message, JsonValue(std::move(data))},
                  status::kBadRequest);
  }
  const JsonValue* capabilities = find_meta(request.params, kMetaCapabilities);
  if (capabilities == nullptr || capabilities->if_object() == nullptr) {
    return refuse(request.id,
                  {code::kInvalidParams,
                   fmt::format("params._meta needs \"{}\", an object", kMetaCapabilities),
                   {}},
                  status::kBadRequest);
  }
  ClientFacts client;
  client.revision = *revision;
  client.capabilities = std::make_shared<const JsonValue>(*capabilities);
  if (const JsonValue* level = find_meta(request.params, kMetaLogLevel)) {
    if (level->if_string() != nullptr) client.log_level = find_log_level(*level->if_string());
    if (!client.log_level) {
      return refuse(request.id,
                    {code::kInvalidParams, fmt::format("\"{}\" is no level", kMetaLogLevel), {}},
                    status::kBadRequest);
    }
  }
  if (request.method == "server/discover") return discover(request);
  if (request.method == "subscriptions/listen") {
    return listen(request, std::move(client), related);
  }
  return admit_call(std::move(request), std::move(client), std::move(related));
}

Admission ClientConnection::admit_call(Request request, ClientFacts client,
                                       std::shared_ptr<Channel> related) {
  if (!is_offer_method(request.method)) {
    shared_.metrics.count_request("other", Metrics::Result::ProtocolError, {});
    const RpcError error{
        code::kMethodNotFound, fmt::format("there is no method {}", shown(request.method)), {}};
    return refuse(request.id, error, status_of(error, client.revision));
  }
  return admit_job(std::move(request), std::move(client), std::move(related));
}

Admission ClientConnection::admit_job(Request request, ClientFacts client,
                                      std::shared_ptr<Channel> related) {
  const auto job = std::make_shared<RequestJob>(shared_from_this(), std::move(request),
                                                std::move(client), std::move(related));
  const std::lock_guard lock(mutex_);
  if (is_closed_) {
    return refuse(job->id(), {code::kInvalidRequest, "the session has ended", {}},
                  status::kNotFound);
  }
  if (jobs_.size() >= shared_.options.in_flight_max) {
    shared_.metrics.count_busy();
    return refuse(job->id(),
                  {code::kBusy,
                   fmt::format("{} requests are under way: wait for some of them", jobs_.size()),
                   {}},
                  status::kBusy);
  }
  if (jobs_.contains(job->id())) {
    return refuse(job->id(),
                  {code::kInvalidRequest, "a request with this id is still under way", {}},
                  status::kBadRequest);
  }
  if (job->is_long() && !shared_.callers.begin(caller_.identity)) {
    shared_.metrics.count_busy();
    return refuse(job->id(),
                  {code::kBusy, "this caller has too many calls under way: wait for some", {}},
                  status::kBusy);
  }
  job->is_counted_ = job->is_long();
  job->is_known_ = true;
  jobs_.emplace(job->id(), job);
  return {Next::Run, {}, job};
}

void ClientConnection::append_instructions(std::string& members) const {
  if (!shared_.options.instructions) return;
  members += R"(,"instructions":)";
  append_json_string(members, shared_.options.instructions(caller_));
}

Admission ClientConnection::initialize(const Request& request) {
  const JsonValue* asked = request.params.find("protocolVersion");
  if (asked == nullptr || asked->if_string() == nullptr) {
    return refuse(request.id, {code::kInvalidParams, "\"protocolVersion\" must be a text", {}},
                  status::kBadRequest);
  }
  ClientFacts client;
  const auto known = find_revision(*asked->if_string());
  client.revision = known && !is_modern(*known) ? *known : kNewestLegacy;
  client.log_level = LogLevel::Info;
  if (const JsonValue* capabilities = request.params.find("capabilities")) {
    client.capabilities = std::make_shared<const JsonValue>(*capabilities);
  }
  std::string members = fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"serverInfo":{})",
                                    name_of(client.revision), capabilities_json(),
                                    server_info_json(shared_.options, client.revision));
  append_instructions(members);
  members += '}';
  const Revision revision = client.revision;
  const std::lock_guard lock(mutex_);
  if (legacy_) {
    return refuse(request.id, {code::kInvalidRequest, "this connection is initialized already", {}},
                  status::kBadRequest);
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
  members += fmt::format(R"(],"capabilities":{})", capabilities_json());
  append_instructions(members);
  // The instructions are for this caller.
  members += fmt::format(R"(,"ttlMs":{},"cacheScope":"private"}})", kDiscoverTtlMs);
  return answer(request, members, kRevisions.front());
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

void ClientConnection::note(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return;
  const JsonValue* id = notification.params.find("requestId");
  if (id == nullptr) return;
  const auto key = request_id(*id);
  if (!key) return;
  std::shared_ptr<RequestJob> job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(*key);
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
  setting.caller.lineage = lineage_of(job.request_);
  setting.revision = job.client_.revision;
  setting.capabilities = job.client_.capabilities;
  setting.log_level = job.client_.log_level;
  setting.channel = job.channel_;
  setting.cancel = job.cancel_;
  if (const JsonValue* token = find_meta(params, "progressToken")) {
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

// One call that runs out of memory must not end the others.
Outcome ClientConnection::run_guarded(const RequestJob& job, CallTurn& turn) {
  try {
    return run_method(job.request_.method, job.request_.params, turn, shared_);
  } catch (const std::bad_alloc&) {
    return RpcError{code::kInternalError, "there was not enough memory for this call", {}};
  } catch (const std::exception& error) {
    return RpcError{
        code::kInternalError, fmt::format("internal error: {}", shown(error.what())), {}};
  }
}

std::optional<Reply> ClientConnection::run(RequestJob& job) {
  const auto started = shared_.env.clock().now();
  shared_.metrics.begin_request();
  const Revision revision = job.client_.revision;
  Outcome outcome = RpcError{};
  bool has_tool_error = false;
  if (!job.cancel_.is_cancelled()) {
    auto setting = setting_of(job);
    if (auto* error = std::get_if<RpcError>(&setting)) {
      outcome = std::move(*error);
    } else {
      CallTurn turn(std::get<TurnSetting>(std::move(setting)), shared_);
      outcome = run_guarded(job, turn);
      has_tool_error = turn.has_tool_error();
    }
  }
  forget(job);
  const bool is_cancelled = job.cancel_.is_cancelled();
  auto* error = std::get_if<RpcError>(&outcome);
  shared_.metrics.end_request();
  shared_.metrics.count_request(job.request_.method,
                                is_cancelled       ? Metrics::Result::Cancelled
                                : error != nullptr ? Metrics::Result::ProtocolError
                                : has_tool_error   ? Metrics::Result::ToolError
                                                   : Metrics::Result::Ok,
                                shared_.env.clock().now() - started);
  if (is_cancelled) return std::nullopt;
  if (error != nullptr)
    return Reply{error_message(job.id(), *error), status_of(*error, revision), true};
  return Reply{result_message(job.id(), std::get<std::string>(outcome))};
}

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
  const JsonValue* version = params == nullptr ? nullptr : find_meta(*params, kMetaVersion);
  if (version == nullptr) return std::nullopt;
  return version->if_string() != nullptr ? *version->if_string() : std::string();
}

}  // namespace helve::mcp
