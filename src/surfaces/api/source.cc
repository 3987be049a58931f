#include "helve/source.h"

#include <fmt/format.h>

#include <cstdlib>

#include "helve/version.h"
#include "surfaces/api/open_source.h"
#include "surfaces/api/state.h"
#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/open_tables.h"
#include "surfaces/opening/source_uri.h"
#include "toolkit/tools/source_table.h"

namespace helve::api {

namespace {

helve::Result<std::shared_ptr<const TableSource>> open_tables(std::string_view uri,
                                                              const SourceOptions& options) {
  opening::TablesInput input;
  input.uri = uri;
  input.name = options.name;
  if (input.name.empty()) input.name = opening::read_source(uri, real_env().files()).name;
  HELVE_TRY(toolkit::check_source_name(input.name));
  input.worker_command = worker_command(options.worker_program);
  input.read_variable = [](const char* name) { return std::getenv(name); };
  input.is_writable = options.is_writable;
  return opening::open_tables(input, real_env());
}

helve::Result<std::shared_ptr<const GraphSource>> open_endpoint(std::string_view uri,
                                                                const SourceOptions& options) {
  opening::EndpointInput input;
  input.uri = uri;
  input.name = options.name;
  if (input.name.empty()) input.name = opening::read_source(uri, real_env().files()).name;
  HELVE_TRY(toolkit::check_source_name(input.name));
  input.program = fmt::format("helve {}", version());
  input.environment = [](const char* name) { return std::getenv(name); };
  const EndpointAccess& access = options.endpoint;
  opening::EndpointSettings& settings = input.settings;
  settings.user = access.user;
  settings.password = access.password;
  settings.bearer = access.bearer;
  settings.header = access.header;
  settings.header_value = access.header_value;
  settings.ca_file = access.ca_file;
  settings.proxy = access.proxy;
  settings.method = access.is_get ? "get" : "";
  settings.void_place = access.void_place;
  if (access.allows_private) settings.allow_private = true;
  settings.connect_timeout = access.connect_timeout;
  settings.first_byte_timeout = access.first_byte_timeout;
  settings.pause = access.pause;
  settings.requests_at_once = access.requests_at_once;
  settings.retries = access.retries;
  input.profiles = access.profile_folder;
  HELVE_ASSIGN(auto opened, opening::open_endpoint(input, real_env()));
  return std::move(opened.graph);
}

}  // namespace

std::vector<std::string> worker_command(const std::string& program) {
  const char* const told = std::getenv("HELVE_PROGRAM");
  if (!program.empty()) return {program, "sql-worker"};
  return {told != nullptr ? told : "helve", "sql-worker"};
}

Source::Source(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const std::string& Source::name() const { return state_->source().info().name; }
const std::string& Source::uri() const { return state_->source().info().uri; }
bool Source::is_remote() const { return state_->source().info().is_remote; }
std::string Source::fingerprint() const { return state_->source().fingerprint(); }

Result<Source> connect(std::string_view uri, const SourceOptions& options) {
  if (opening::is_tables_uri(uri)) {
    auto tables = without_throwing([&] { return open_tables(uri, options); });
    if (!tables) return to_public(tables.error());
    return Source(
        std::make_shared<const Source::State>(Source::State{nullptr, *std::move(tables)}));
  }
  if (opening::is_endpoint_uri(uri)) {
    auto endpoint = without_throwing([&] { return open_endpoint(uri, options); });
    if (!endpoint) return to_public(endpoint.error());
    return Source(
        std::make_shared<const Source::State>(Source::State{*std::move(endpoint), nullptr}));
  }
  return connect_files({std::string(uri)}, options);
}

Result<Source> connect_files(const std::vector<std::string>& uris, const SourceOptions& options) {
  const auto executor = shared_executor();
  const OpContext context = context_of(options.timeout, options.cancel, executor.get());
  auto graph = without_throwing([&] {
    return open_source({uris, options.name, options.is_lenient}, real_env(), context);
  });
  if (!graph) return to_public(graph.error());
  return Source(std::make_shared<const Source::State>(Source::State{*std::move(graph), nullptr}));
}

}  // namespace helve::api
