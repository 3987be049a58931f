// Messages that clients post, in either era. The other half of endpoint.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "surfaces/mcp/http/endpoint.h"
#include "surfaces/mcp/http/mirrored_headers.h"

namespace helve::mcp {

namespace {

// Where a message is answered by one reply and nothing may come before it.
class SilentChannel final : public Channel {
 public:
  void send(std::string /*message*/) override {}
  bool can_ask() const override { return false; }
};

std::optional<RequestId> find_request_id(const Message& message) {
  if (const auto* request = std::get_if<Request>(&message)) return request->id;
  if (const auto* malformed = std::get_if<Malformed>(&message)) return malformed->id;
  return std::nullopt;
}

// Of the only message; a batch has no id.
std::optional<RequestId> find_request_id(const Incoming& incoming) {
  return incoming.is_batch ? std::nullopt : find_request_id(incoming.messages.front());
}

bool is_initialize(const Incoming& incoming) {
  if (incoming.is_batch) return false;
  const auto* request = std::get_if<Request>(&incoming.messages.front());
  return request != nullptr && request->method == "initialize";
}

}  // namespace

void Endpoint::post(Visit visit) {
  if (!is_json_type(header(visit.request, "Content-Type").value_or(""))) {
    return answer_error(visit, 415, std::nullopt,
                        {code::kInvalidRequest,
                         "messages are sent as 'Content-Type: "
                         "application/json'",
                         {}});
  }
  const Accepts accepts = read_accept(header_list(visit.request, "Accept"));
  if (!accepts.json && !accepts.sse) {
    return answer_error(visit, 406, std::nullopt,
                        {code::kInvalidRequest,
                         "clients accept 'application/json, text/event-stream', or one of them",
                         {}});
  }
  Incoming incoming = read_incoming(visit.request.body(), server_.limits());
  const auto& messages = incoming.messages;
  const auto revision = find_revision(header(visit.request, kVersionHeader).value_or(""));
  const bool is_modern_post =
      (revision && is_modern(*revision)) ||
      std::any_of(messages.begin(), messages.end(),
                  [](const Message& message) { return named_revision(message).has_value(); });
  if (is_modern_post) return post_modern(std::move(visit), std::move(incoming), accepts);
  post_legacy(std::move(visit), std::move(incoming), accepts);
}

std::optional<RpcError> Endpoint::check_modern(const Visit& visit, const Message& message) const {
  if (const auto* malformed = std::get_if<Malformed>(&message)) return malformed->error;
  if (std::holds_alternative<Response>(message)) {
    return RpcError{
        code::kInvalidRequest, "answers are sent with the request that is repeated", {}};
  }
  const auto* request = std::get_if<Request>(&message);
  if (request == nullptr) return std::nullopt;
  const auto version = named_revision(message);
  if (!version) {
    return RpcError{
        code::kInvalidParams, fmt::format("params._meta must have {}", kMetaVersion), {}};
  }
  return check_mirrored_headers(visit.request, *request, *version, [this](std::string_view tool) {
    return server_.header_parameters(tool);
  });
}

void Endpoint::post_modern(Visit visit, Incoming incoming, Accepts accepts) {
  if (incoming.is_batch) {
    return answer_error(visit, 400, std::nullopt,
                        {code::kInvalidRequest, "a POST has one message, not an array", {}});
  }
  if (const auto error = check_modern(visit, incoming.messages.front())) {
    return answer_error(visit, 400, find_request_id(incoming), *error);
  }
  begin_exchange({.wire = visit.wire,
                  .connection = Connection::make(server_, caller_without_session(visit.owner),
                                                 TransportKind::Http, nullptr),
                  .session = nullptr,
                  .accepts = accepts,
                  .is_batch = false,
                  .headers = std::move(visit.headers)},
                 std::move(incoming.messages));
}

void Endpoint::post_legacy(Visit visit, Incoming incoming, Accepts accepts) {
  const auto id = find_request_id(incoming);
  if (const auto* malformed = std::get_if<Malformed>(&incoming.messages.front());
      malformed != nullptr && !incoming.is_batch) {
    return answer_error(visit, 400, id, malformed->error);
  }
  if (!has_spoken_version(visit, id)) return;
  if (is_initialize(incoming) && !header(visit.request, "Mcp-Session-Id")) {
    return begin_session(visit, std::move(incoming.messages.front()), accepts);
  }
  auto session = find_session(visit, id);
  if (!session) return;
  if (incoming.is_batch && session->connection().revision() != Revision::R20250326) {
    return answer_error(visit, 400, std::nullopt,
                        {code::kInvalidRequest,
                         "a POST has one message; arrays are of revision 2025-03-26 alone",
                         {}});
  }
  begin_exchange({.wire = visit.wire,
                  .connection = session->shared_connection(),
                  .session = session,
                  .accepts = accepts,
                  .is_batch = incoming.is_batch,
                  .headers = std::move(visit.headers)},
                 std::move(incoming.messages));
}

void Endpoint::begin_session(const Visit& visit, Message message, Accepts accepts) {
  const auto id = find_request_id(message);
  std::string session_id = sessions_.new_id();
  auto connection = Connection::make(server_, caller_in_session(visit.owner, session_id),
                                     TransportKind::Http, nullptr);
  Admission admission = connection->admit(std::move(message), std::make_shared<SilentChannel>());
  Reply reply = std::move(admission.reply);
  if (admission.job) {
    auto made = admission.job->run();
    if (!made) return answer(visit, {.status = 202});
    reply = *std::move(made);
  }
  if (reply.is_error) {
    return answer(visit, {.status = reply.http_status, .body = std::move(reply.message)});
  }
  const auto session = sessions_.create(std::move(session_id), visit.owner, connection);
  if (!session) {
    metrics().count_busy();
    connection->close();
    RpcError error{code::kBusy, "the server has too many sessions: try again later", {}};
    return answer(
        visit,
        {.status = 503, .body = error_message(id, error), .headers = {{"Retry-After", "10"}}});
  }
  connection->set_general(std::make_shared<PostedChannel>(
      loop_, options_.stream_buffer_max,
      [target = std::weak_ptr(session)](std::optional<std::string> text) {
        const auto open = target.lock();
        if (open && text) open->send_general(*std::move(text));
      }));
  AnswerHeaders headers = visit.headers;
  headers.emplace_back("Mcp-Session-Id", session->id());
  if (accepts.json) {
    visit.wire->respond({.body = std::move(reply.message), .headers = std::move(headers)});
    return;
  }
  visit.wire->begin_stream(event_stream(std::move(headers)));
  visit.wire->send(sse_event(reply.message, std::nullopt));
  visit.wire->end_stream();
}

void Endpoint::begin_exchange(ExchangeSetup setup, std::vector<Message> messages) {
  const auto exchange = std::make_shared<Exchange>(*this, std::move(setup));
  exchanges_.insert(exchange);
  exchange->begin(std::move(messages));
}

}  // namespace helve::mcp
