// SparqlServer: a graph as an endpoint of the SPARQL 1.1 Protocol and of its Graph Store Protocol,
// over HTTP; for reading alone unless the graph has a writer. The MCP server is its neighbour; both
// stand on surfaces/http/.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "surfaces/http/wire_options.h"
#include "surfaces/serve/served_graph.h"

namespace helve::serve {

struct ServeOptions : http::WireOptions {
  ServeOptions() { header_bytes_max = 64 * kKiB; }  // queries stand in addresses

  std::string host = "127.0.0.1";  // an address, or localhost
  std::uint16_t port = 0;          // 0: any that is free
  std::string token;               // empty: none is needed, and only loopback is listened on
  std::string write_token;         // of who writes, and may read; empty: `token` is
  std::vector<std::string> allowed_hosts;  // beside loopback: "name", "name:port"
  std::vector<std::string> cors_origins;   // "https://name[:port]": whose pages may read answers

  Duration timeout = std::chrono::seconds(30);  // of a request, its sending included; 0: none
  std::size_t queries_max = 32;                 // at once; beyond: 503
  std::size_t write_bytes_max = 64 * kMiB;      // body of who may write; of others: body_bytes_max
};

// Thread-safe. stop() also by the destructor.
class SparqlServer {
 public:
  // Denied: another address than loopback without a token, or a graph that can be written without
  // any. InvalidInput: options that make no
  // sense. Unavailable: the port is taken.
  static Result<std::unique_ptr<SparqlServer>> start(ServeOptions options, ServedGraph graph);
  // The same errors, before there is a graph.
  static Result<void> check(const ServeOptions& options, bool is_writable);
  ~SparqlServer();
  SparqlServer(const SparqlServer&) = delete;
  SparqlServer& operator=(const SparqlServer&) = delete;

  std::uint16_t port() const;
  // Takes no more clients, gives what runs most of `grace` to finish, cancels the rest, and closes.
  // Returns when all threads have ended.
  void stop(Duration grace);

 private:
  class Life;
  explicit SparqlServer(std::unique_ptr<Life> life);
  std::unique_ptr<Life> life_;
};

}  // namespace helve::serve
