#include "tests/rehearsal/slow_endpoint.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/env.h"
#include "base/executor.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/parser.h"
#include "surfaces/http/listener.h"
#include "surfaces/http/wire.h"
#include "surfaces/serve/answer.h"
#include "surfaces/serve/negotiation.h"

namespace helve::rehearsal {

namespace {

constexpr std::size_t kWorkers = 8;
constexpr std::string_view kPlain = "text/plain; charset=utf-8";

class WholeAnswer final : public serve::AnswerOut {
 public:
  void begin(serve::Headers headers) override { head = std::move(headers); }
  Result<void> write(std::string_view bytes) override {
    body += bytes;
    return {};
  }
  Result<void> flush() override { return {}; }

  serve::Headers head;
  std::string body;
};

// The wire keeps no text of its own: one of those that answers have.
std::string_view type_of(const serve::Headers& head) {
  for (const auto& [name, value] : head) {
    if (name != "Content-Type") continue;
    for (const auto& offer : serve::rows_offers()) {
      if (value == serve::content_type_of(offer)) return offer.media_type;
    }
    for (const auto& offer : serve::graph_offers()) {
      if (value == serve::content_type_of(offer)) return offer.media_type;
    }
  }
  return kPlain;
}

Result<VoidDescription> read_void(const std::string& text) {
  VoidReader reader;
  StringSource source(text);
  HELVE_TRY(rdf::read_document(rdf::Format::Turtle, source, {}, {}, reader));
  return reader.finish();
}

}  // namespace

class SlowEndpoint::Reception final : public http::Reception, public http::WireOwner {
 public:
  Reception(std::shared_ptr<const sparql::Snapshot> data, std::string void_text,
            const VoidDescription& real, SlowOptions options)
      : data_(std::move(data)),
        void_text_(std::move(void_text)),
        options_(options),
        model_(real, *data_, options.rates) {}

  Result<void> start() {
    HELVE_TRY(listener_.bind("127.0.0.1", 0, false, ""));
    listener_.start(*this, [] {});
    return {};
  }
  void stop() {
    listener_.stop(Duration::zero(),
                   {.taking_stopped = {}, .closed = [this] { workers_.reset(); }});
  }
  std::uint16_t port() const { return listener_.port(); }

  std::vector<AskedQuery> take_asked() {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }

  void open(boost::asio::ip::tcp::socket socket) override {
    const auto wire = std::make_shared<http::Wire>(std::move(socket), wire_options_, *this);
    wires_.insert(wire);
    wire->start();
  }
  std::size_t connections() const override { return wires_.size(); }
  void tick() override {
    const auto now = std::chrono::steady_clock::now();
    for (const auto& wire : all_wires()) wire->tick(now);
  }
  void stop_taking() override {
    for (const auto& wire : all_wires()) wire->close_soon();
  }
  void interrupt_all() override {}
  void close_all() override {
    for (const auto& wire : all_wires()) wire->cut();
  }
  bool is_quiet() const override { return true; }

  http::Answer refusal(int status, std::string message) override {
    return {.status = status, .body = std::move(message), .content_type = kPlain, .closes = true};
  }
  std::optional<http::Answer> check(const http::WebRequest& /*head*/) override {
    return std::nullopt;
  }
  void refused(std::string_view /*why*/) override {}
  void closed(const std::shared_ptr<http::Wire>& wire) override { wires_.erase(wire); }

  void handle(const std::shared_ptr<http::Wire>& wire, http::WebRequest request) override {
    const std::string_view target = http::view(request.target());
    const std::size_t mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    if (path == serve::kVoidPath) {
      note({{}, options_.rates.latency_seconds, 0, false});
      return wire->respond({.body = void_text_, .content_type = "text/turtle"});
    }
    auto call = serve::read_call(
        {http::view(request.method_string()),
         mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1),
         http::header(request, "Content-Type"), request.body()});
    auto* const query = std::get_if<serve::QueryCall>(&call);
    if (path != serve::kEndpointPath || query == nullptr) {
      return wire->respond({.status = 404, .body = "nothing is here", .content_type = kPlain});
    }
    serve::AnswerWishes wishes;
    wishes.accept = http::header_list(request, "Accept");
    const bool is_taken =
        workers_->try_submit([this, wire, query = std::move(*query), wishes = std::move(wishes)] {
          respond(wire, answer(query, wishes));
        });
    if (!is_taken) wire->respond({.status = 503, .body = "busy", .content_type = kPlain});
  }

 private:
  std::vector<std::shared_ptr<http::Wire>> all_wires() const {
    return {wires_.begin(), wires_.end()};
  }

  void note(AskedQuery asked) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(asked));
  }

  // On a worker.
  http::Answer answer(const serve::QueryCall& call, const serve::AnswerWishes& wishes) {
    const auto parsed = sparql::parse_query(call.text);
    if (!parsed) return {.status = 400, .body = parsed.error().to_string(), .content_type = kPlain};
    OpContext op;
    QueryCost cost(model_, parsed->query, op.cancel);
    serve::ServedGraph graph;
    graph.data = make_metered(*data_, cost);
    graph.is_union = true;
    graph.env = &real_env();
    graph.op = op;
    WholeAnswer out;
    const serve::Answered answered = serve::answer_query(call, graph, wishes, op, out);
    const double seconds = std::min(cost.seconds(), options_.rates.limit_seconds);
    real_env().clock().sleep_for(
        Duration(static_cast<std::int64_t>(1e9 * options_.delay_factor * seconds)));
    if (cost.is_over()) {
      note({call.text, seconds, cost.rows_read(), true});
      return {.status = 500,
              .body = fmt::format("Query execution timed out after {} s\n", seconds),
              .content_type = kPlain};
    }
    note({call.text, seconds, cost.rows_read(), answered.refusal.has_value()});
    if (answered.refusal) {
      return {.status = answered.refusal->status,
              .body = answered.refusal->text,
              .content_type = kPlain};
    }
    http::Answer good{.body = std::move(out.body), .content_type = type_of(out.head)};
    // The wire names a type only where there is something of it.
    if (good.body.empty()) good.headers.emplace_back("Content-Type", good.content_type);
    return good;
  }

  void respond(const std::shared_ptr<http::Wire>& wire, http::Answer answer) {
    listener_.loop()->post([wire, answer = std::move(answer)]() mutable {
      if (wire->is_busy()) wire->respond(std::move(answer));
    });
  }

  const std::shared_ptr<const sparql::Snapshot> data_;
  const std::string void_text_;
  const SlowOptions options_;
  const CostModel model_;
  const http::WireOptions wire_options_;
  http::Listener listener_;
  std::unique_ptr<Executor> workers_ = std::make_unique<Executor>(kWorkers, kWorkers);
  std::unordered_set<std::shared_ptr<http::Wire>> wires_;
  std::mutex mutex_;
  std::vector<AskedQuery> asked_;
};

SlowEndpoint::SlowEndpoint(std::unique_ptr<Reception> reception)
    : reception_(std::move(reception)) {}

SlowEndpoint::~SlowEndpoint() { reception_->stop(); }

std::string SlowEndpoint::url() const {
  return fmt::format("http://127.0.0.1:{}{}", reception_->port(), serve::kEndpointPath);
}

std::vector<AskedQuery> SlowEndpoint::take_asked() { return reception_->take_asked(); }

Result<std::unique_ptr<SlowEndpoint>> SlowEndpoint::start(
    std::shared_ptr<const sparql::Snapshot> data, std::string void_text, SlowOptions options) {
  HELVE_ASSIGN(const VoidDescription real, read_void(void_text));
  auto reception =
      std::make_unique<Reception>(std::move(data), std::move(void_text), real, options);
  HELVE_TRY(reception->start());
  return std::unique_ptr<SlowEndpoint>(new SlowEndpoint(std::move(reception)));
}

}  // namespace helve::rehearsal
