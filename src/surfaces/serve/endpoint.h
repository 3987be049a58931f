// Endpoint: what each request gets: security first, then /healthz, the descriptions, a query, an
// update or a graph, at which a worker is. SparqlServer gives it connections and time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/executor.h"
#include "surfaces/http/guard.h"
#include "surfaces/http/listener.h"
#include "surfaces/http/wire.h"
#include "surfaces/serve/answer_stream.h"
#include "surfaces/serve/sparql_server.h"

namespace helve::serve {

// Lives on the loop, but for its making and its end. The workers end before it does.
class Endpoint final : public http::Reception, public http::WireOwner {
 public:
  Endpoint(const ServeOptions& options, const ServedGraph& graph, http::Guard guard,
           std::shared_ptr<http::Loop> loop, Executor& workers);

  void open(boost::asio::ip::tcp::socket socket) override;
  std::size_t connections() const override { return wires_.size(); }
  void tick() override;
  void stop_taking() override;
  void interrupt_all() override;
  void close_all() override;
  bool is_quiet() const override;

  http::Answer refusal(int status, std::string message) override;
  std::optional<http::Answer> check(const http::WebRequest& head) override;
  std::size_t body_bytes_max(const http::WebRequest& head) override;
  void handle(const std::shared_ptr<http::Wire>& wire, http::WebRequest request) override;
  void refused(std::string_view /*why*/) override {}
  void closed(const std::shared_ptr<http::Wire>& wire) override { wires_.erase(wire); }

 private:
  // Everything about one request that its handlers need.
  struct Visit {
    std::shared_ptr<http::Wire> wire;
    http::WebRequest request;
    std::string path;
    std::string query;  // behind the '?'
    Headers headers;    // that every answer to it has
  };
  // The graph is as it was when the work began.
  using Work = std::function<Answered(const ServedGraph&, const AnswerWishes&, const OpContext&,
                                      AnswerOut&)>;

  bool may_write(const http::WebFields& fields) const;
  // What a client is told that may not write; nullopt: it may.
  std::optional<Refusal> check_writer(const http::WebFields& fields) const;
  Headers page_headers(const http::WebFields& fields) const;
  void respond(const Visit& visit, Refusal refusal) const;
  void handle_health(const Visit& visit) const;
  void handle_void(const Visit& visit);
  void handle_query(const Visit& visit);
  void handle_update(const Visit& visit, UpdateCall call);
  void handle_graph(const Visit& visit);
  void preflight(const Visit& visit) const;
  // Gives the work to a worker; "busy" where all have some.
  void run(const Visit& visit, std::optional<Duration> timeout, Work work);
  void begin_work(const std::shared_ptr<AnswerStream>& stream, AnswerWishes wishes, Work work);

  const ServeOptions& options_;
  const http::WireOptions wire_options_;
  const ServedGraph& graph_;
  const http::Guard guard_;
  const std::shared_ptr<http::Loop> loop_;
  Executor& workers_;
  std::unordered_set<std::shared_ptr<http::Wire>> wires_;
  std::unordered_set<std::shared_ptr<AnswerStream>> streams_;  // that workers are at
  bool is_stopping_ = false;
};

}  // namespace helve::serve
