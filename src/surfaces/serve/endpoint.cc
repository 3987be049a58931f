#include "surfaces/serve/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "surfaces/serve/content_type.h"
#include "surfaces/serve/graph_store_protocol.h"
#include "surfaces/serve/negotiation.h"

namespace helve::serve {

namespace {

using http::Answer;
using http::header;
using http::view;

constexpr std::string_view kHealthPath = "/healthz";
constexpr std::string_view kPlain = "text/plain; charset=utf-8";
constexpr std::string_view kEndpointMethods = "GET, HEAD, POST, OPTIONS";
constexpr std::size_t kTurnedAwayMax = 64;  // connections that are being told so at once

bool is_graph_path(std::string_view path) {
  if (!path.starts_with(kGraphsPath)) return false;
  return path.size() == kGraphsPath.size() || path[kGraphsPath.size()] == '/';
}

bool is_known(std::string_view path) {
  return path == kEndpointPath || path == kVoidPath || path == kHealthPath || is_graph_path(path);
}

// By the head alone. A form may be an update too, which only its body tells.
bool is_write(const http::WebRequest& head) {
  const std::string_view target = view(head.target());
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view method = view(head.method_string());
  if (is_graph_path(path)) return method != "GET" && method != "HEAD";
  return path == kEndpointPath && method == "POST" &&
         read_content_type(header(head, "Content-Type").value_or("")).media_type ==
             "application/sparql-update";
}

http::WireOptions wire_options_of(const ServeOptions& options, bool is_writable) {
  http::WireOptions wire = options;
  if (is_writable) wire.body_bytes_max = std::max(wire.body_bytes_max, options.write_bytes_max);
  return wire;
}

Headers challenge(bool has_token) {
  return {{"WWW-Authenticate", has_token ? "Bearer realm=\"helve\", error=\"invalid_token\""
                                         : "Bearer realm=\"helve\""}};
}

Refusal refuse_method(std::string_view allowed) {
  return {405, fmt::format("only {} work here\n", allowed), {{"Allow", std::string(allowed)}}};
}

Refusal busy() {
  return {503,
          "the server is busy: all the queries that it runs at once are running\n"
          "hint: try again in a moment\n",
          {{"Retry-After", "1"}}};
}

// Where the request was sent to, as addresses begin. The host has passed the guard.
std::string origin_of(const http::WebFields& fields) {
  return fmt::format("http://{}", header(fields, "Host").value_or("localhost"));
}

// No exception of a worker's may pass: it would end the process.
Answered run_safely(const std::function<Answered()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return {Refusal{500, "the machine has no memory left\nhint: ask for less at once\n"}, {}};
  } catch (const std::exception& failure) {
    return {Refusal{500, fmt::format("internal error: {}\n", failure.what())}, {}};
  }
}

}  // namespace

Endpoint::Endpoint(const ServeOptions& options, const ServedGraph& graph, http::Guard guard,
                   std::shared_ptr<http::Loop> loop, Executor& workers)
    : options_(options),
      wire_options_(wire_options_of(options, graph.is_writable())),
      graph_(graph),
      guard_(std::move(guard)),
      loop_(std::move(loop)),
      workers_(workers) {}

void Endpoint::open(boost::asio::ip::tcp::socket socket) {
  if (wires_.size() >= options_.connections_max + kTurnedAwayMax) return;
  const auto wire = std::make_shared<http::Wire>(std::move(socket), wire_options_, *this);
  wires_.insert(wire);
  if (wires_.size() <= options_.connections_max) return wire->start();
  Answer answer = refusal(503, "the server has too many connections: try again later");
  answer.headers.emplace_back("Retry-After", "1");
  wire->turn_away(std::move(answer));
}

void Endpoint::tick() {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& wire : std::vector(wires_.begin(), wires_.end())) wire->tick(now);
}

void Endpoint::stop_taking() {
  is_stopping_ = true;
  for (const auto& wire : std::vector(wires_.begin(), wires_.end())) wire->close_soon();
}

void Endpoint::interrupt_all() {
  for (const auto& stream : streams_) stream->interrupt();
}

void Endpoint::close_all() {
  interrupt_all();
  for (const auto& wire : std::vector(wires_.begin(), wires_.end())) {
    // What is being sent is not whole.
    if (wire->is_busy()) {
      wire->abort();
    } else {
      wire->cut();
    }
  }
}

bool Endpoint::is_quiet() const {
  return streams_.empty() && std::none_of(wires_.begin(), wires_.end(),
                                          [](const auto& wire) { return wire->is_busy(); });
}

Answer Endpoint::refusal(int status, std::string message) {
  return {
      .status = status, .body = std::move(message) + "\n", .content_type = kPlain, .closes = true};
}

std::optional<Answer> Endpoint::check(const http::WebRequest& head) {
  const auto host = header(head, "Host");
  if (!host && head.version() >= 11) return refusal(400, "the header Host is missing");
  if (!host || !guard_.allows_host(*host)) {
    return refusal(403,
                   "this server does not answer to that host name; --allow-host NAME allows it");
  }
  if (const auto origin = header(head, "Origin"); origin && !guard_.allows_origin(*origin)) {
    return refusal(403, "pages of that origin may not use this server; --cors ORIGIN allows it");
  }
  const std::string_view target = view(head.target());
  if (target == kHealthPath || view(head.method_string()) == "OPTIONS") return std::nullopt;
  const auto authorization = header(head, "Authorization");
  const bool is_known_token = authorization && guard_.find_token(*authorization).has_value();
  std::optional<Refusal> refused;
  if (!options_.token.empty() && !is_known_token) {
    refused = Refusal{401, "the bearer token of this server is needed\n",
                      challenge(authorization.has_value())};
  } else if (graph_.is_writable() && is_write(head)) {
    refused = check_writer(head);
  }
  if (!refused) return std::nullopt;
  Answer answer{
      .status = refused->status, .body = std::move(refused->text), .content_type = kPlain};
  answer.closes = true;
  answer.headers = page_headers(head);
  answer.headers.insert(answer.headers.end(), refused->headers.begin(), refused->headers.end());
  return answer;
}

// The token that writes is the last of the guard's: its own, or the only one.
bool Endpoint::may_write(const http::WebFields& fields) const {
  const auto authorization = header(fields, "Authorization");
  const auto token = authorization ? guard_.find_token(*authorization) : std::nullopt;
  const bool has_two = !options_.token.empty() && !options_.write_token.empty();
  return graph_.is_writable() && token && *token == (has_two ? 1U : 0U);
}

std::optional<Refusal> Endpoint::check_writer(const http::WebFields& fields) const {
  if (may_write(fields)) return std::nullopt;
  const auto authorization = header(fields, "Authorization");
  if (authorization && guard_.find_token(*authorization)) {
    return Refusal{403, "this token may read, but not write\nhint: --write-token is the one\n"};
  }
  return Refusal{401, "the bearer token of those who may write is needed\n",
                 challenge(authorization.has_value())};
}

std::size_t Endpoint::body_bytes_max(const http::WebRequest& head) {
  return may_write(head) ? wire_options_.body_bytes_max : options_.body_bytes_max;
}

// Pages may read answers only where --cors names them; those of this machine may ask.
Headers Endpoint::page_headers(const http::WebFields& fields) const {
  Headers headers{{"X-Content-Type-Options", "nosniff"}};
  if (options_.cors_origins.empty()) return headers;
  headers.emplace_back("Vary", "Origin");
  const std::string origin = ascii_lower(header(fields, "Origin").value_or(""));
  const bool is_listed =
      std::any_of(options_.cors_origins.begin(), options_.cors_origins.end(),
                  [&](const std::string& listed) { return ascii_lower(listed) == origin; });
  if (!is_listed) return headers;
  headers.emplace_back("Access-Control-Allow-Origin", *header(fields, "Origin"));
  headers.emplace_back("Access-Control-Expose-Headers",
                       fmt::format("{}, {}, {}, Helve-Added, Helve-Removed, Helve-Max-Rows, "
                                   "ETag, Location, Retry-After, WWW-Authenticate",
                                   kTruncatedHeader, kNoteHeader, kVersionHeader));
  return headers;
}

void Endpoint::handle(const std::shared_ptr<http::Wire>& wire, http::WebRequest request) {
  const std::string_view target = view(request.target());
  const std::size_t mark = target.find('?');
  Visit visit{wire, {}, std::string(target.substr(0, mark)), {}, page_headers(request)};
  if (mark != std::string_view::npos) visit.query = target.substr(mark + 1);
  visit.request = std::move(request);
  if (!is_known(visit.path)) {
    return respond(
        visit,
        {404, fmt::format("nothing is here\nhint: queries are answered at {}, graphs are at {}\n",
                          kEndpointPath, kGraphsPath)});
  }
  if (view(visit.request.method_string()) == "OPTIONS") return preflight(visit);
  if (visit.path == kHealthPath) return handle_health(visit);
  if (visit.path == kVoidPath) return handle_void(visit);
  if (is_graph_path(visit.path)) return handle_graph(visit);
  handle_query(visit);
}

void Endpoint::respond(const Visit& visit, Refusal refusal) const {
  Answer answer{.status = refusal.status,
                .body = std::move(refusal.text),
                .content_type = kPlain,
                .headers = visit.headers};
  answer.headers.insert(answer.headers.end(), refusal.headers.begin(), refusal.headers.end());
  visit.wire->respond(std::move(answer));
}

// https://fetch.spec.whatwg.org/#cors-preflight-request
void Endpoint::preflight(const Visit& visit) const {
  Answer granted{.status = 204, .headers = visit.headers};
  const std::string_view methods =
      is_graph_path(visit.path) ? graph_methods(graph_.is_writable()) : kEndpointMethods;
  granted.headers.emplace_back("Allow", methods);
  const bool is_listed =
      std::any_of(visit.headers.begin(), visit.headers.end(),
                  [](const auto& one) { return one.first == "Access-Control-Allow-Origin"; });
  if (is_listed) {
    granted.headers.emplace_back("Access-Control-Allow-Methods", methods);
    granted.headers.emplace_back("Access-Control-Allow-Headers",
                                 "accept, accept-encoding, authorization, content-encoding, "
                                 "content-type, if-match, if-none-match");
    granted.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  visit.wire->respond(std::move(granted));
}

void Endpoint::handle_health(const Visit& visit) const {
  const std::string_view method = view(visit.request.method_string());
  if (method != "GET" && method != "HEAD") return respond(visit, refuse_method("GET, HEAD"));
  Refusal health{is_stopping_ ? 503 : 200, is_stopping_ ? "stopping" : "ok"};
  health.headers.emplace_back("Cache-Control", "no-store");
  respond(visit, std::move(health));
}

void Endpoint::handle_void(const Visit& visit) {
  const std::string_view method = view(visit.request.method_string());
  if (method != "GET" && method != "HEAD")
    return respond(visit, refuse_method("GET, HEAD, OPTIONS"));
  run(visit, {},
      [origin = origin_of(visit.request)](const ServedGraph& graph, const AnswerWishes& wishes,
                                          const OpContext& op, AnswerOut& out) {
        return answer_void(origin, graph, wishes, op, out);
      });
}

void Endpoint::handle_query(const Visit& visit) {
  const http::WebRequest& request = visit.request;
  ProtocolCall call =
      read_call({view(request.method_string()), visit.query, header(request, "Content-Type"),
                 request.body(), graph_.is_writable()});
  if (auto* const refusal = std::get_if<Refusal>(&call)) return respond(visit, std::move(*refusal));
  if (auto* const update = std::get_if<UpdateCall>(&call)) {
    return handle_update(visit, std::move(*update));
  }
  if (std::holds_alternative<DescriptionCall>(call)) {
    return run(visit, {},
               [origin = origin_of(request)](const ServedGraph& graph, const AnswerWishes& wishes,
                                             const OpContext& op, AnswerOut& out) {
                 return answer_service(origin, graph, wishes, op, out);
               });
  }
  auto& query = std::get<QueryCall>(call);
  const auto timeout = query.timeout;
  query.base_iri = origin_of(request) + std::string(kEndpointPath);
  run(visit, timeout,
      [query = std::move(query)](const ServedGraph& graph, const AnswerWishes& wishes,
                                 const OpContext& op, AnswerOut& out) {
        return answer_query(query, graph, wishes, op, out);
      });
}

void Endpoint::handle_update(const Visit& visit, UpdateCall call) {
  if (auto refusal = check_writer(visit.request)) return respond(visit, *std::move(refusal));
  const auto timeout = call.timeout;
  call.base_iri = origin_of(visit.request) + std::string(kEndpointPath);
  run(visit, timeout,
      [call = std::move(call)](const ServedGraph& graph, const AnswerWishes& wishes,
                               const OpContext& op, AnswerOut& out) {
        return answer_update(call, graph, wishes, op, out);
      });
}

void Endpoint::handle_graph(const Visit& visit) {
  const http::WebRequest& request = visit.request;
  auto read = read_graph_call({view(request.method_string()), visit.path, visit.query,
                               origin_of(request), graph_.is_writable()});
  if (auto* const refusal = std::get_if<Refusal>(&read)) return respond(visit, std::move(*refusal));
  auto call = std::make_shared<GraphCall>(std::get<GraphCall>(std::move(read)));
  if (call->method != GraphMethod::Read) {
    if (auto refusal = check_writer(request)) return respond(visit, *std::move(refusal));
  }
  call->content_type = header(request, "Content-Type").value_or("");
  call->content_encoding = header(request, "Content-Encoding").value_or("");
  call->if_match = http::header_list(request, "If-Match");
  call->if_none_match = http::header_list(request, "If-None-Match");
  call->body = request.body();
  run(visit, call->timeout,
      [call](const ServedGraph& graph, const AnswerWishes& wishes, const OpContext& op,
             AnswerOut& out) { return answer_graph(*call, graph, wishes, op, out); });
}

void Endpoint::run(const Visit& visit, std::optional<Duration> timeout, Work work) {
  if (streams_.size() >= options_.queries_max) return respond(visit, busy());
  AnswerWishes wishes;
  wishes.accept = http::header_list(visit.request, "Accept");
  wishes.has_gzip = wants_gzip(http::header_list(visit.request, "Accept-Encoding"));
  wishes.is_head = view(visit.request.method_string()) == "HEAD";
  OpContext op = graph_.op;
  op.cancel = CancelToken();
  Duration longest = options_.timeout;
  if (timeout && (longest == Duration::zero() || *timeout < longest)) longest = *timeout;
  op.deadline = longest > Duration::zero() ? Deadline(graph_.env->clock(), longest) : Deadline();
  const auto stream = std::make_shared<AnswerStream>(loop_, visit.wire, visit.headers,
                                                     wishes.is_head, std::move(op));
  stream->watch();
  begin_work(stream, std::move(wishes), std::move(work));
}

void Endpoint::begin_work(const std::shared_ptr<AnswerStream>& stream, AnswerWishes wishes,
                          Work work) {
  streams_.insert(stream);
  const auto task = [this, stream, wishes = std::move(wishes), work = std::move(work)] {
    // No query may take from the others all that there is.
    MemoryBudget memory("query", graph_.op.memory->bytes_max() / 2, graph_.op.memory);
    OpContext op = stream->op();
    op.memory = &memory;
    Answered answered = run_safely([&] { return work(graph_.newest(op), wishes, op, *stream); });
    stream->end(std::move(answered), [this, stream] { streams_.erase(stream); });
  };
  if (workers_.try_submit(task)) return;
  stream->end({busy(), {}}, [this, stream] { streams_.erase(stream); });
}

}  // namespace helve::serve
