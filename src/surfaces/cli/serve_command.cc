// helve serve: opens graphs and answers SPARQL clients (surfaces/serve), or opens a store and lets
// them write.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "sources/store/live/live_graph.h"
#include "sources/store/live/live_store.h"
#include "sources/store/snapshot_file.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/serve_arguments.h"
#include "surfaces/cli/size.h"
#include "surfaces/cli/version.h"
#include "surfaces/mcp/config/mcp_config.h"
#include "surfaces/opening/load_places.h"
#include "surfaces/opening/secret.h"
#include "surfaces/opening/source_uri.h"
#include "surfaces/serve/live_graph.h"
#include "surfaces/serve/sparql_server.h"

namespace helve::cli {

namespace {

constexpr Duration kServeGrace = std::chrono::seconds(9);  // of the 10 s that a stop may take

class ServeCommand {
 public:
  ServeCommand(const ServeCommandOptions& options, CommandContext& context)
      : options_(options), context_(context) {}

  Result<void> run() {
    // Of queries, not of loading.
    context_.op.deadline = {};
    HELVE_ASSIGN(serve::ServeOptions serve_options, server_options());
    HELVE_TRY(serve::SparqlServer::check(serve_options, options_.is_writable));
    HELVE_TRY(open());
    // A client that has gone is an error of a write, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    const std::string host = serve_options.host;
    HELVE_ASSIGN(const auto server,
                 serve::SparqlServer::start(std::move(serve_options), served_graph()));
    const bool is_bracketed = host.find(':') != std::string::npos;
    HELVE_TRY(
        context_.show(fmt::format("listening on http://{}{}{}:{}/sparql\n", is_bracketed ? "[" : "",
                                  host, is_bracketed ? "]" : "", server->port())));
    HELVE_TRY(context_.out.flush());
    if (data_ != nullptr) graph_.finish(false, context_.op);
    while (!context_.op.cancel.is_cancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    server->stop(kServeGrace);
    if (data_ != nullptr && data_->failure() && graph_.origin == GraphOrigin::Cache)
      graph_.finish(true, context_.op);
    return {};
  }

 private:
  Result<serve::ServeOptions> server_options() const {
    HELVE_ASSIGN(const mcp::ListenAddress address, mcp::read_listen_address(options_.http));
    serve::ServeOptions options;
    options.host = address.host;
    options.port = address.port;
    options.allowed_hosts = options_.allowed_hosts;
    options.cors_origins = options_.cors_origins;
    options.queries_max = options_.queries_max;
    if (context_.timeout) options.timeout = *context_.timeout;
    HELVE_ASSIGN(options.token, read_token(options_.token));
    HELVE_ASSIGN(options.write_token, read_token(options_.write_token));
    if (!options_.body_max.empty()) {
      HELVE_ASSIGN(options.write_bytes_max, parse_size(options_.body_max));
    }
    const bool is_for_writers =
        !options_.write_token.empty() || !options_.body_max.empty() || !options_.loads.empty();
    if (is_for_writers && !options_.is_writable) {
      return Error{ErrorCode::InvalidInput,
                   "--write-token, --max-body and --allow-load are for --writable",
                   "add it, or leave them out"};
    }
    return options;
  }

  Result<std::string> read_token(const std::string& reference) const {
    if (reference.empty()) return std::string();
    return opening::read_secret(reference, "", context_.env,
                                [](const char* name) { return std::getenv(name); });
  }

  // A folder that is written is the only source: what comes from files has no place to keep
  // changes.
  Result<void> open_writable(const std::vector<QuerySource>& sources, const SourceInfo& info) {
    const bool is_folder = sources.size() == 1 && sources.front().graph.empty() &&
                           options_.query.default_graphs.empty() &&
                           store::is_snapshot_folder(sources.front().path, context_.env);
    if (!is_folder) {
      return Error{ErrorCode::InvalidInput, "--writable needs an index folder as the one source",
                   "make one: helve load data.ttl -o data.helve"};
    }
    HELVE_ASSIGN(auto load, opening::allow_loading(options_.loads, context_.env));
    store::LiveOptions live;
    live.program = info.engine;
    live.hold_within(context_.op.memory->bytes_limit() / 4);  // the rest is for queries
    HELVE_ASSIGN(const auto store,
                 store::LiveStore::open(sources.front().path, live, context_.op, context_.env));
    writer_ = serve::make_live_graph(store, info, std::move(load));
    return {};
  }

  Result<void> open() {
    HELVE_ASSIGN(const auto sources, find_sources(options_.query, options_.query.words));
    if (sources.empty()) {
      return Error{ErrorCode::InvalidInput, "there is nothing to serve",
                   "name files or an index folder; sample: is the bundled sample"};
    }
    SourceInfo info;
    info.name = "data";
    info.engine = fmt::format("helve {}", kVersion);
    if (options_.is_writable) return open_writable(sources, info);
    if (sources.size() == 1 && opening::is_sample(sources.front().path)) {
      HELVE_ASSIGN(auto opened, opening::open_source(std::string(opening::kSample), info, false,
                                                     open_tools(context_)));
      graph_ = std::move(opened.graph);
      source_ = std::move(opened.source);
    } else {
      HELVE_ASSIGN(auto graph, open_sources(sources, options_.query, context_));
      if (graph.origin == GraphOrigin::Index) return follow(sources.front().path, graph, info);
      graph_ = std::move(graph);
      HELVE_ASSIGN(source_, store::make_local_graph(graph_.loaded.snapshot, info));
    }
    data_ = graph_.data;
    return {};
  }

  // An index that others may write. The state it was opened in is not kept.
  Result<void> follow(const std::string& folder, const OpenedGraph& graph, const SourceInfo& info) {
    HELVE_ASSIGN(auto states, store::follow_folder(folder, graph.data, context_.env));
    states_ = serve::follow_states(std::move(states), info);
    return {};
  }

  serve::ServedGraph served_graph() const {
    serve::ServedGraph graph;
    graph.data = data_;
    graph.writer = writer_;
    graph.states = states_;
    graph.source = source_;
    graph.is_union = options_.query.is_union;
    graph.is_strict = options_.query.is_strict;
    graph.rows_max = options_.rows_max;
    graph.env = &context_.env;
    graph.op = context_.op;
    return graph;
  }

  const ServeCommandOptions& options_;
  CommandContext& context_;
  OpenedGraph graph_;
  std::shared_ptr<const GraphSource> source_;
  std::shared_ptr<const sparql::Snapshot> data_;
  // In the place of all these: with --writable, and of an index without it.
  std::shared_ptr<serve::GraphWriter> writer_;
  serve::StateReader states_;
};

}  // namespace

Result<void> run_serve(const ServeCommandOptions& options, CommandContext& context) {
  return ServeCommand(options, context).run();
}

}  // namespace helve::cli
