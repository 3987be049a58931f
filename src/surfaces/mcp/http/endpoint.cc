#include "surfaces/mcp/http/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/digest.h"
#include "surfaces/mcp/http/mirrored_headers.h"
#include "surfaces/mcp/server/http_paths.h"

namespace helve::mcp {

using boost::beast::http::verb;

namespace {

constexpr std::string_view kMethods = "GET, POST, DELETE, OPTIONS";
constexpr std::size_t kTurnedAwayMax = 64;      // connections that are being told so at once
constexpr std::size_t kGeneralStreamsMax = 16;  // of one session

// Headers that pages may send, beside Mcp-Param-*.
constexpr std::string_view kPageHeaders[] = {
    "accept",         "authorization", "content-type",         "last-event-id",
    "mcp-session-id", "mcp-method",    "mcp-protocol-version", "mcp-name"};

bool is_page_header(std::string_view name) {
  constexpr std::string_view kTokenCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  if (name.starts_with("mcp-param-")) {
    return name.find_first_not_of(kTokenCharacters) == std::string_view::npos;
  }
  return std::find(std::begin(kPageHeaders), std::end(kPageHeaders), name) !=
         std::end(kPageHeaders);
}

// Those of a list of header names that a page may send.
std::string allowed_headers(std::string_view wanted) {
  std::string allowed;
  while (!wanted.empty()) {
    const std::size_t comma = wanted.find(',');
    std::string name = ascii_lower(wanted.substr(0, comma));
    wanted = comma == std::string_view::npos ? std::string_view{} : wanted.substr(comma + 1);
    std::erase(name, ' ');
    if (!is_page_header(name)) continue;
    if (!allowed.empty()) allowed += ", ";
    allowed += name;
  }
  return allowed;
}

// The page that asks may read the answer. It has passed the guard.
AnswerHeaders page_headers(const WebFields& fields) {
  const auto origin = header(fields, "Origin");
  if (!origin) return {};
  return {{"Access-Control-Allow-Origin", std::string(*origin)},
          {"Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After"},
          {"Vary", "Origin"}};
}

}  // namespace

Endpoint::Endpoint(const HttpOptions& options, Guard guard, Server& server, Env& env,
                   std::shared_ptr<Loop> loop, CallQueue& calls)
    : options_(options),
      guard_(std::move(guard)),
      server_(server),
      loop_(std::move(loop)),
      calls_(calls),
      sessions_(options, env, server.metrics()) {}

void Endpoint::open(boost::asio::ip::tcp::socket socket) {
  if (wires_.size() >= options_.connections_max + kTurnedAwayMax) return;
  const auto wire = std::make_shared<Wire>(std::move(socket), options_, *this);
  wires_.insert(wire);
  metrics().set_connections(static_cast<std::int64_t>(wires_.size()));
  if (wires_.size() <= options_.connections_max) return wire->start();
  RpcError error{code::kBusy, "the server has too many connections: try again later", {}};
  wire->turn_away({.status = 503,
                   .body = error_message(std::nullopt, error),
                   .headers = {{"Retry-After", "1"}}});
}

void Endpoint::closed(const std::shared_ptr<Wire>& wire) {
  wires_.erase(wire);
  metrics().set_connections(static_cast<std::int64_t>(wires_.size()));
}

void Endpoint::tick() {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& wire : std::vector(wires_.begin(), wires_.end())) wire->tick(now);
  sessions_.sweep();
  for (std::size_t late = calls_.refuse_late(); late > 0; --late) metrics().count_busy();
}

void Endpoint::stop_taking() {
  is_stopping_ = true;
  sessions_.end_general_streams();
  for (const auto& wire : std::vector(wires_.begin(), wires_.end())) wire->close_soon();
}

void Endpoint::interrupt_all() {
  sessions_.end_all();
  for (const auto& exchange : std::vector(exchanges_.begin(), exchanges_.end())) {
    exchange->interrupt();
  }
}

void Endpoint::close_all() {
  sessions_.end_all();
  for (const auto& wire : std::vector(wires_.begin(), wires_.end())) wire->cut();
  exchanges_.clear();
}

bool Endpoint::is_quiet() const {
  return exchanges_.empty() && std::none_of(wires_.begin(), wires_.end(),
                                            [](const auto& wire) { return wire->is_busy(); });
}

Answer Endpoint::refuse(std::string_view why, int status, std::string message) {
  metrics().count_refusal(why);
  return refusal(status, std::move(message));
}

Answer Endpoint::refusal(int status, std::string message) {
  return {.status = status,
          .body = error_message(std::nullopt, {code::kInvalidRequest, std::move(message), {}}),
          .closes = true};
}

std::optional<std::size_t> Endpoint::find_owner(const WebFields& fields) const {
  if (!guard_.needs_token()) return 0;
  const auto authorization = header(fields, "Authorization");
  return authorization ? guard_.find_token(*authorization) : std::nullopt;
}

const toolkit::Caller& Endpoint::caller_of(std::size_t owner) const {
  return options_.callers.empty() ? options_.anonymous : options_.callers[owner].caller;
}

// The name of a session tells nobody its id, which is as good as a password.
toolkit::Caller Endpoint::caller_in_session(std::size_t owner, std::string_view id) const {
  constexpr std::size_t kDigits = 12;
  toolkit::Caller caller = caller_of(owner);
  caller.session =
      "http-" + digest_hex(DigestKind::Sha256, fmt::format("session {}", id)).substr(0, kDigits);
  caller.shares_handles = true;
  return caller;
}

toolkit::Caller Endpoint::caller_without_session(std::size_t owner) const {
  toolkit::Caller caller = caller_of(owner);
  caller.session = "stateless";
  caller.shares_handles = true;
  caller.is_stateless = true;
  return caller;
}

std::optional<Answer> Endpoint::check(const WebRequest& head) {
  const auto host = header(head, "Host");
  if (!host && head.version() >= 11) return refuse("host", 400, "the header Host is missing");
  if (!host || !guard_.allows_host(*host)) {
    return refuse(
        "host", 403,
        "this server does not answer to that host name; it must be among the allowed hosts");
  }
  if (const auto origin = header(head, "Origin"); origin && !guard_.allows_origin(*origin)) {
    return refuse(
        "origin", 403,
        "pages of that origin may not use this server; it must be among the allowed origins");
  }
  const std::string_view path = view(head.target());
  const bool is_protocol = path == options_.path && head.method() != verb::options;
  if ((is_protocol || path == kMetricsPath) && !find_owner(head)) {
    Answer answer = refuse("token", 401, "a bearer token of this server is needed");
    answer.headers = page_headers(head);
    const bool has_one = header(head, "Authorization").has_value();
    answer.headers.emplace_back(
        "WWW-Authenticate",
        has_one ? "Bearer realm=\"helve\", error=\"invalid_token\"" : "Bearer realm=\"helve\"");
    return answer;
  }
  return std::nullopt;
}

void Endpoint::handle(const std::shared_ptr<Wire>& wire, WebRequest request) {
  const std::size_t owner = find_owner(request).value_or(0);
  Visit visit{wire, std::move(request), owner, {}};
  visit.headers = page_headers(visit.request);
  const std::string_view path = view(visit.request.target());
  if (path == options_.path) return handle_protocol(std::move(visit));
  if (path != kHealthPath && path != kMetricsPath) {
    return answer_error(visit, 404, std::nullopt,
                        {code::kInvalidRequest,
                         fmt::format("nothing is here; the server is at {}", options_.path),
                         {}});
  }
  const verb method = visit.request.method();
  if (method != verb::get && method != verb::head) {
    return answer_wrong_method(visit, "GET, HEAD");
  }
  if (path == kMetricsPath) {
    return answer_text(visit, 200, metrics().to_prometheus(),
                       "text/plain; version=0.0.4; charset=utf-8");
  }
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  return is_stopping_ ? answer_text(visit, 503, "stopping", kPlain)
                      : answer_text(visit, 200, "ok", kPlain);
}

void Endpoint::answer(const Visit& visit, Answer answer) {
  answer.headers.insert(answer.headers.end(), visit.headers.begin(), visit.headers.end());
  visit.wire->respond(std::move(answer));
}

void Endpoint::answer_error(const Visit& visit, int status, const std::optional<RequestId>& id,
                            const RpcError& error) {
  answer(visit, {.status = status, .body = error_message(id, error)});
}

void Endpoint::answer_text(const Visit& visit, int status, std::string text,
                           std::string_view content_type) {
  answer(visit, {.status = status,
                 .body = std::move(text),
                 .content_type = content_type,
                 .headers = {{"Cache-Control", "no-store"}}});
}

void Endpoint::answer_wrong_method(const Visit& visit, std::string_view allowed) {
  RpcError error{code::kInvalidRequest, fmt::format("only {} work here", allowed), {}};
  answer(visit, {.status = 405,
                 .body = error_message(std::nullopt, error),
                 .headers = {{"Allow", std::string(allowed)}}});
}

void Endpoint::handle_protocol(Visit visit) {
  const verb method = visit.request.method();
  if (method == verb::post) return post(std::move(visit));
  if (method == verb::options) return preflight(visit);
  if (method != verb::get && method != verb::delete_) {
    return answer_wrong_method(visit, kMethods);
  }
  const auto revision = find_revision(header(visit.request, kVersionHeader).value_or(""));
  if (revision && is_modern(*revision)) return answer_wrong_method(visit, "POST, OPTIONS");
  return method == verb::get ? listen(visit) : end_session(visit);
}

// https://fetch.spec.whatwg.org/#cors-preflight-request
void Endpoint::preflight(const Visit& visit) {
  Answer granted{.status = 204, .headers = {{"Allow", std::string(kMethods)}}};
  if (header(visit.request, "Origin")) {
    granted.headers.emplace_back("Access-Control-Allow-Methods", kMethods);
    const auto wanted = header(visit.request, "Access-Control-Request-Headers");
    const std::string allowed = allowed_headers(wanted.value_or(""));
    if (!allowed.empty()) granted.headers.emplace_back("Access-Control-Allow-Headers", allowed);
    if (header(visit.request, "Access-Control-Request-Private-Network")) {
      granted.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
    }
    granted.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  answer(visit, std::move(granted));
}

// 400 where it names a version that is not spoken.
bool Endpoint::has_spoken_version(const Visit& visit, const std::optional<RequestId>& id) {
  const auto version = header(visit.request, kVersionHeader);
  if (!version || find_revision(*version)) return true;
  JsonValue::Array spoken;
  for (const Revision revision : kRevisions) spoken.emplace_back(name_of(revision));
  JsonValue::Object data{{"supported", JsonValue(std::move(spoken))},
                         {"requested", JsonValue(*version)}};
  answer_error(visit, 400, id,
               {code::kUnsupportedVersion,
                "the header MCP-Protocol-Version names no version that is "
                "spoken here",
                JsonValue(std::move(data))});
  return false;
}

std::shared_ptr<Session> Endpoint::find_session(const Visit& visit,
                                                const std::optional<RequestId>& id) {
  const auto named = header(visit.request, "Mcp-Session-Id");
  if (!named || named->empty()) {
    answer_error(
        visit, 400, id,
        {code::kInvalidRequest,
         "the header Mcp-Session-Id is missing; begin with initialize, or name the revision "
         "in _meta",
         {}});
    return nullptr;
  }
  auto session = sessions_.find(*named, visit.owner);
  if (!session) {
    answer_error(
        visit, 404, id,
        {code::kInvalidRequest, "there is no such session; begin a new one with initialize", {}});
  }
  return session;
}

// A stream for what belongs to no request, or the rest of one that was cut off.
void Endpoint::listen(const Visit& visit) {
  if (!has_spoken_version(visit, std::nullopt)) return;
  if (!read_accept(header_list(visit.request, "Accept")).sse) {
    return answer_error(visit, 406, std::nullopt,
                        {code::kInvalidRequest, "GET needs 'Accept: text/event-stream'", {}});
  }
  const auto session = find_session(visit, std::nullopt);
  if (!session) return;
  if (session->general_streams() >= kGeneralStreamsMax) {
    return answer_error(visit, 409, std::nullopt,
                        {code::kInvalidRequest, "the session has too many streams open", {}});
  }
  const auto last = header(visit.request, "Last-Event-ID");
  if (!last) {
    session->open_stream(true, visit.wire, visit.headers);
    return;
  }
  const auto event = read_event_id(*last);
  if (!event || !session->resume(*event, visit.wire, visit.headers)) {
    answer_error(
        visit, 400, std::nullopt,
        {code::kInvalidRequest, "the stream of that Last-Event-ID is not kept any more", {}});
  }
}

void Endpoint::end_session(const Visit& visit) {
  if (!has_spoken_version(visit, std::nullopt)) return;
  if (const auto session = find_session(visit, std::nullopt)) {
    sessions_.end(session);
    answer(visit, {.status = 204});
  }
}

}  // namespace helve::mcp
