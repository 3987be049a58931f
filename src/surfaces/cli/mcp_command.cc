// helve mcp: puts the server together (surfaces/mcp) and runs it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/digest.h"
#include "base/env.h"
#include "base/file_identity.h"
#include "sources/store/live/local_factory.h"
#include "surfaces/cli/handle_numbers.h"
#include "surfaces/cli/mcp_arguments.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/cli/open_skills.h"
#include "surfaces/cli/state_folder.h"
#include "surfaces/cli/version.h"
#include "surfaces/cli/worker_program.h"
#include "surfaces/mcp/fixtures/conformance_offer.h"
#include "surfaces/mcp/http/http_server.h"
#include "surfaces/mcp/offer/toolkit_offer.h"
#include "surfaces/mcp/server/server.h"
#include "surfaces/mcp/sources/served_sources.h"
#include "surfaces/mcp/stdio/stdio_server.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/toolkit.h"

namespace helve::cli {

namespace {

// Each of many sessions may keep this much; a session of one process has the default.
constexpr std::size_t kSessionBytesOverHttp = 64 * kMiB;
constexpr Duration kMcpGrace = std::chrono::seconds(10);

// What was stored by other callers, or under other rules for sources, is not seen.
std::filesystem::path session_folder(const mcp::McpConfig& config) {
  std::string rules;
  for (const mcp::SourceConfig& source : config.sources) {
    if (source.policy == nullptr) continue;
    const std::string key = toolkit::visibility_key(*source.policy);
    if (!key.empty()) rules += source.name + '\0' + key + '\0';
  }
  const bool is_common = rules.empty() && config.caller == toolkit::Caller().identity;
  if (is_common) return config.session;
  return config.session / digest_hex(DigestKind::Sha256, config.caller + '\0' + rules);
}

Result<std::unique_ptr<toolkit::Toolkit>> make_toolkit(const mcp::McpConfig& config,
                                                       const CommandContext& context) {
  Env& env = context.env;
  const bool is_http = config.http.listen.has_value();
  toolkit::ToolkitOptions options;
  options.is_one_session = !is_http;
  options.handles.has_secret_keys = is_http;
  if (is_http) options.handles.memory_bytes_max = kSessionBytesOverHttp;
  if (config.session.empty()) {
    options.handles.reserve_numbers = [&env] {
      return reserve_handle_numbers(env, user_state_folder());
    };
  } else {
    options.handles.folder = session_folder(config);
    options.handles.keeps_all_on_disk = true;
    options.keeps_shared_handles_alone = is_http;
    HELVE_TRY(make_private_folder(config.session));
  }
  if (config.limits.sessions) options.sessions_max = *config.limits.sessions;
  options.marks_data = true;
  options.worker_program = worker_program();
  HELVE_ASSIGN(options.skills, open_skills(config.skills.string(), context));
  HELVE_ASSIGN(SessionBank bank, open_session_bank(config.bank, config.is_read_only, context));
  options.bank = std::move(bank.bank);
  options.has_memory_writes = bank.is_writable;
  options.trusts_judgments = config.trusts_judgments;
  std::unique_ptr<toolkit::AuditSink> audit;
  if (!config.audit.empty()) {
    HELVE_ASSIGN(audit, toolkit::open_audit_file(config.audit, env, config.audit_options));
  }
  return toolkit::Toolkit::make(
      std::move(options), env,
      store::make_local_factory(env, {.engine = fmt::format("helve {}", kVersion)}),
      std::move(audit));
}

// The toolkit outlives the server.
mcp::ServerOptions server_options(const mcp::McpConfig& config, const toolkit::Toolkit& toolkit,
                                  SpillSpace* spill) {
  mcp::ServerOptions options;
  options.version = kVersion;
  options.instructions = [&toolkit, toolset = config.toolset](const toolkit::Caller& caller) {
    std::vector<SourceInfo> sources;  // that this caller may know of
    for (auto& source : toolkit.sources(caller)) sources.push_back(std::move(source.info));
    std::string text = mcp::server_instructions(sources, toolset, *caller.policy);
    // Within the 48 bytes that instructions leave of 2 KiB, where clients cut them.
    const bool has_memory = toolkit.registry().find("mem_search").has_value() &&
                            toolkit::may_call(*caller.policy, {"mem_search"});
    if (has_memory) text += "\nEarlier lessons: mem_search (by call_tool).";
    return text;
  };
  options.state_key = config.state_key;
  options.spill = spill;
  if (config.limits.ask_timeout) options.ask_timeout = *config.limits.ask_timeout;
  if (config.limits.requests) options.in_flight_max = *config.limits.requests;
  // Where there are several callers, none may take all the workers.
  if (config.callers.size() > 1) {
    const std::size_t workers = config.limits.workers.value_or(mcp::kWorkersDefault);
    options.calls_per_caller_max = std::max<std::size_t>(1, workers / 2);
  }
  if (config.limits.subscriptions) options.subscriptions_max = *config.limits.subscriptions;
  return options;
}

mcp::HttpOptions http_options(const mcp::McpConfig& config) {
  mcp::HttpOptions options;
  options.host = config.http.listen->host;
  options.port = config.http.listen->port;
  options.path = config.http.path;
  options.allowed_hosts = config.http.allowed_hosts;
  options.allowed_origins = config.http.allowed_origins;
  options.anonymous.identity = config.caller;
  options.anonymous.policy = config.policy;
  for (const mcp::CallerConfig& caller : config.callers) {
    options.callers.push_back({caller.token, {caller.name, "default", caller.policy}});
  }
  const mcp::LimitsConfig& limits = config.limits;
  if (limits.body_bytes) options.body_bytes_max = *limits.body_bytes;
  if (limits.connections) options.connections_max = *limits.connections;
  if (limits.sessions) options.sessions_max = *limits.sessions;
  if (limits.session_idle) options.session_idle = *limits.session_idle;
  if (limits.workers) options.workers = *limits.workers;
  if (limits.queue) options.queue_max = *limits.queue;
  return options;
}

// All that runs, in the order in which it ends.
class McpProcess {
 public:
  McpProcess(const McpOptions& options, CommandContext& context)
      : options_(options), context_(context) {}

  Result<void> open() {
    HELVE_ASSIGN(config_, mcp::make_mcp_config(options_.arguments, context_.env,
                                               [](const char* name) { return std::getenv(name); }));
    HELVE_TRY(check());
    HELVE_ASSIGN(toolkit_, make_toolkit(config_, context_));
    HELVE_TRY(open_sources());
    std::vector<std::shared_ptr<mcp::Offer>> offers;
    if (options_.extra_offer) {
      HELVE_ASSIGN(auto extra, options_.extra_offer(*toolkit_, config_, context_));
      // Before the toolkit's, which knows which names there are not.
      if (extra != nullptr) offers.push_back(std::move(extra));
    }
    offers.push_back(mcp::make_toolkit_offer(*toolkit_, context_.env,
                                             {config_.toolset, !options_.is_conformance}));
    if (options_.is_conformance) offers.push_back(mcp::make_conformance_offer());
    server_ = std::make_unique<mcp::Server>(server_options(config_, *toolkit_, context_.op.spill),
                                            std::move(offers), context_.env, context_.op.executor);
    add_gauges();
    return {};
  }

  Result<void> serve() {
    // A client that has gone is an error of a write, and the end of serving, not of the process.
    std::signal(SIGPIPE, SIG_IGN);
    note_sources();
    sources_->start();
    auto done = config_.http.listen ? serve_http() : serve_stdio();
    sources_->stop();
    return done;
  }

 private:
  Result<void> check() const {
    if (context_.timeout) {
      return Error{ErrorCode::InvalidInput,
                   "--timeout is not for a server, which runs until it is ended",
                   "the policy bounds its calls: --policy FILE with timeout = SECONDS"};
    }
    const bool has_model =
        config_.document != nullptr && config_.document->root.find("model") != nullptr;
    if (has_model && !options_.extra_offer) {
      return config_.document->at(
          "/model",
          {ErrorCode::InvalidInput, "this program is built without the agent: no model is asked",
           "leave [model] out, or build it with HELVE_AGENT=ON"});
    }
    if (!config_.callers.empty() && !config_.http.listen) {
      return Error{ErrorCode::InvalidInput,
                   "callers have tokens, and on standard input there are none",
                   "serve over HTTP: --http 127.0.0.1:8080, or [http] listen in the file"};
    }
    return {};
  }

  Result<void> open_sources() {
    mcp::ServedSourcesOptions options;
    options.cache = context_.cache;
    options.uses_cache = options_.uses_cache;
    options.engine = fmt::format("helve {}", kVersion);
    options.worker_command = worker_program();
    options.read_variable = [](const char* name) { return std::getenv(name); };
    options.op = context_.op;
    options.op.cancel = CancelToken();  // of its own: calls that run may still need them
    options.changed = [this](const std::string& name) {
      server_->resource_updated("helve://schema/" + name);
      server_->resource_updated("helve://context/" + name);
      server_->resource_updated("helve://sources");
    };
    options.warn = [this](std::string_view text) { context_.warn(text); };
    options.note = [this](std::string_view text) { context_.note(text); };
    HELVE_ASSIGN(sources_, mcp::ServedSources::make(config_.sources, *toolkit_, context_.env,
                                                    std::move(options)));
    return {};
  }

  void add_gauges() {
    server_->metrics().add_gauges([this] { return gauges(); });
  }

  std::vector<mcp::Metrics::Gauge> gauges() const {
    const auto sources = toolkit_->sources(toolkit::Caller());
    const auto count = [&sources](auto is_one) {
      return static_cast<double>(std::count_if(sources.begin(), sources.end(), is_one));
    };
    const toolkit::ToolkitUsage usage = toolkit_->usage();
    return {
        {"helve_sources", "Sources of the server.", static_cast<double>(sources.size())},
        {"helve_sources_ready", "Sources that are loaded.",
         count([](const auto& source) { return source.loaded_at.has_value(); })},
        {"helve_sources_stale", "Sources whose files changed and cannot be read.",
         count([](const auto& source) { return source.state == toolkit::SourceState::Stale; })},
        {"helve_handles", "Results that are kept for callers.", static_cast<double>(usage.handles)},
        {"helve_handle_memory_bytes", "Memory of these results.",
         static_cast<double>(usage.memory_bytes)},
        {"helve_sessions", "Sessions that have results or counters.",
         static_cast<double>(usage.sessions)},
        {"helve_memory_bytes", "Memory that is accounted for: graphs and queries.",
         static_cast<double>(process_memory().bytes_used())},
    };
  }

  void note_sources() const {
    if (config_.sources.empty()) {
      context_.note(
          "no source: tools can only work on what g_load reads; "
          "--source NAME=FILE names one, sample: is the bundled sample");
    }
  }

  Result<void> serve_stdio() {
    if (::isatty(STDIN_FILENO) != 0) {
      context_.note("waiting for messages of an MCP client on standard input; Ctrl-C ends");
    }
    toolkit::Caller caller;
    caller.identity = config_.caller;
    caller.policy = config_.policy;
    mcp::StdioOptions options;
    if (config_.limits.workers) options.threads = *config_.limits.workers;
    if (config_.limits.queue) options.queue_max = *config_.limits.queue;
    if (config_.limits.body_bytes) options.line_bytes_max = *config_.limits.body_bytes;
    return mcp::serve_stdio(*server_, std::move(caller), options, context_.op.cancel);
  }

  Result<void> serve_http() {
    HELVE_ASSIGN(const auto http,
                 mcp::HttpServer::start(http_options(config_), *server_, context_.env));
    const std::string& host = config_.http.listen->host;
    const bool is_bracketed = host.find(':') != std::string::npos;
    context_.note(fmt::format("listening on http://{}{}{}:{}{}", is_bracketed ? "[" : "", host,
                              is_bracketed ? "]" : "", http->port(), config_.http.path));
    while (!context_.op.cancel.is_cancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    server_->end_subscriptions();
    http->stop(kMcpGrace);
    return {};
  }

  const McpOptions& options_;
  CommandContext& context_;
  mcp::McpConfig config_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  std::unique_ptr<mcp::Server> server_;
  std::unique_ptr<mcp::ServedSources> sources_;  // tells the server of changes
};

}  // namespace

Result<void> run_mcp(const McpOptions& options, CommandContext& context) {
  McpProcess process(options, context);
  HELVE_TRY(process.open());
  return process.serve();
}

}  // namespace helve::cli
