// ClientConnection: the Connection that there is, and the jobs of its requests. What a client may
// watch is in client_subscriptions.cc, all else in client_connection.cc.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "surfaces/mcp/server/client_asks.h"
#include "surfaces/mcp/server/connection.h"
#include "surfaces/mcp/server/methods.h"

namespace helve::mcp {

namespace status {
inline constexpr int kBadRequest = 400;
inline constexpr int kNotFound = 404;
inline constexpr int kBusy = 503;
}  // namespace status

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
  bool is_known_ = false;    // to its connection
  bool is_counted_ = false;  // among the calls of its caller
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
    ClientConnection::close();
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
              {error_message(malformed.id, malformed.error), status::kBadRequest, true},
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
      is_closed_ = true;
      for (const auto& [id, job] : jobs_) jobs.push_back(job.lock());
    }
    for (const auto& job : jobs) {
      if (job != nullptr) job->cancel();
    }
    asks_.close();
    general_->set(nullptr);
    end_session_if_done();
  }

  std::size_t in_flight() const override {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }

  std::optional<Reply> run(RequestJob& job);
  void forget(RequestJob& job);

 private:
  using Next = Admission::Next;

  static Admission refuse(const RequestId& id, const RpcError& error, int http_status) {
    return {Next::Reply, {error_message(id, error), http_status, true}, nullptr};
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
  Admission admit_call(Request request, ClientFacts client, std::shared_ptr<Channel> related);
  Admission admit_job(Request request, ClientFacts client, std::shared_ptr<Channel> related);
  Admission initialize(const Request& request);
  Admission discover(const Request& request) const;
  void append_instructions(std::string& members) const;
  Admission listen(const Request& request, ClientFacts client,
                   const std::shared_ptr<Channel>& related);
  Admission set_level(const Request& request);
  Admission watch(const Request& request, const ClientFacts& client);
  // Those of the resources that there are for this caller.
  std::vector<std::string> watchable(std::vector<std::string> uris, const ClientFacts& client);
  // What a state is good for: this caller and this call.
  StateScope scope_of(const Request& request) const;
  std::variant<TurnSetting, RpcError> setting_of(const RequestJob& job);
  Outcome run_guarded(const RequestJob& job, CallTurn& turn);
  void note(const Notification& notification);
  // Tells the offers that the session is over: once, when it is closed and nothing of it runs.
  void end_session_if_done();

  SharedState& shared_;
  toolkit::Caller caller_;
  TransportKind transport_;
  std::shared_ptr<Relay> general_;
  ClientAsks asks_;
  mutable std::mutex mutex_;  // of what follows
  bool is_closed_ = false;
  bool has_ended_ = false;
  std::optional<ClientFacts> legacy_;
  std::map<RequestId, std::weak_ptr<RequestJob>> jobs_;  // transports own them
  Subscriptions::Key subscription_ = 0;  // of legacy clients, made when first needed
};

}  // namespace helve::mcp
