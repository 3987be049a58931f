#include "surfaces/opening/open_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/file_identity.h"
#include "base/http.h"
#include "base/iri.h"
#include "sources/remote/endpoint_presets.h"
#include "sources/remote/remote_graph.h"
#include "sources/remote/remote_services.h"

namespace helve::opening {

namespace {

// Hosts are asked by the whole process together, whatever sources are theirs.
std::shared_ptr<remote::HostGates> shared_gates() {
  static const auto gates = std::make_shared<remote::HostGates>(real_clock());
  return gates;
}

std::string variable(const Environment& environment, const char* name) {
  const char* const value = environment ? environment(name) : nullptr;
  return value != nullptr ? value : "";
}

// Whether one of the names of no_proxy is the host, or a domain of it.
bool is_without_proxy(const std::string& host, const std::string& names) {
  std::size_t begin = 0;
  while (begin <= names.size()) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    std::string name = ascii_lower(names.substr(begin, end - begin));
    std::erase(name, ' ');
    while (name.starts_with('.')) name.erase(0, 1);
    if (name == "*" || (!name.empty() && (host == name || host.ends_with("." + name)))) return true;
    begin = end + 1;
  }
  return false;
}

std::string proxy_for(const HttpAddress& address, const Environment& environment) {
  std::string without = variable(environment, "no_proxy");
  if (without.empty()) without = variable(environment, "NO_PROXY");
  if (is_private_host(address.host) || is_without_proxy(address.host, without)) return {};
  // HTTP_PROXY in capitals can be set by a request, where a program runs as CGI.
  const bool is_secure = address.scheme == "https";
  for (const char* name : {is_secure ? "https_proxy" : "http_proxy",
                           is_secure ? "HTTPS_PROXY" : "http_proxy", "all_proxy", "ALL_PROXY"}) {
    if (std::string proxy = variable(environment, name); !proxy.empty()) return proxy;
  }
  return {};
}

// A header must stay one.
std::string user_agent_of(const EndpointInput& input) {
  std::string program = input.program.empty() ? "helve" : input.program;
  for (char& c : program) c = c == ' ' ? '/' : c;
  std::string contact = variable(input.environment, "HELVE_CONTACT");
  std::erase_if(contact, [](char c) { return c < ' ' || c == '(' || c == ')'; });
  return contact.empty()
             ? fmt::format("{} (SPARQL client of language-model tools)", program)
             : fmt::format("{} (SPARQL client of language-model tools; {})", program, contact);
}

}  // namespace

bool is_endpoint_uri(std::string_view uri) {
  const auto scheme = split_iri(uri).scheme;
  if (!scheme) return false;
  const std::string name = ascii_lower(*scheme);
  return (name == "http" || name == "https") && uri.substr(scheme->size()).starts_with("://");
}

Result<OpenedEndpoint> open_endpoint(const EndpointInput& input, Env& env) {
  HELVE_ASSIGN(const HttpAddress address, read_http_address(input.uri));
  remote::EndpointOptions options;
  options.name = input.name;
  options.url = input.uri;
  options.user_agent = user_agent_of(input);
  options.reach.allows_private = is_private_host(address.host);
  options.reach.stays_at_origin = input.stays_at_origin;
  options.reach.proxy = proxy_for(address, input.environment);
  remote::EndpointProfile known;
  if (const remote::EndpointPreset* preset = remote::preset_of_url(input.uri)) {
    known = preset->profile();
    options.triples = preset->triples;
    options.host.requests_at_once = preset->requests_at_once;
  }
  known.url = public_part_of_url(input.uri);
  HELVE_TRY(check_endpoint_settings(input.settings));
  HELVE_TRY(apply_settings(input.settings, input.folder, env, input.environment, options));
  remote::ProfilePlace place;
  if (!input.profiles.empty() && make_private_folder(input.profiles)) {
    place = {input.profiles, remote::profile_key(input.uri, identity_of(input.settings))};
  }
  OpenedEndpoint opened;
  opened.knowledge =
      std::make_shared<remote::EndpointKnowledge>(std::move(place), std::move(known), env);
  HELVE_ASSIGN(opened.client, remote::EndpointClient::make(std::move(options), env, shared_gates(),
                                                           opened.knowledge));
  SourceInfo info;
  info.name = input.name;
  info.uri = input.uri;
  info.description = input.description;
  info.engine = "SPARQL endpoint";
  info.features = {"SPARQL 1.1"};
  opened.graph = remote::make_remote_graph(opened.client, opened.knowledge, std::move(info), env);
  return opened;
}

EndpointInput input_of(const NamedEndpoint& endpoint, std::string program,
                       const Environment& environment) {
  return {endpoint.name,
          endpoint.url,
          endpoint.description,
          std::move(program),
          environment,
          endpoint.settings,
          endpoint.file.parent_path(),
          endpoint_folders(environment).profiles};
}

namespace {

Result<EndpointInput> service_input(const std::string& url, const ServiceInput& input, Env& env) {
  EndpointInput endpoint;
  if (!input.folders.registry.empty()) {
    HELVE_ASSIGN(const auto registered, EndpointRegistry(input.folders.registry, env).list());
    const auto same =
        std::find_if(registered.begin(), registered.end(),
                     [&](const NamedEndpoint& one) { return !one.file.empty() && one.url == url; });
    if (same != registered.end()) {
      endpoint.settings = same->settings;
      endpoint.folder = same->file.parent_path();
    }
  }
  endpoint.name = fmt::format("SERVICE <{}>", public_part_of_url(url));
  endpoint.uri = url;
  endpoint.program = input.program;
  endpoint.environment = input.environment;
  endpoint.profiles = input.folders.profiles;
  endpoint.stays_at_origin = true;
  return endpoint;
}

}  // namespace

std::shared_ptr<sparql::ServiceResolver> shared_services(ServiceInput input, Env& env) {
  return std::make_shared<remote::RemoteServices>(
      [input = std::move(input),
       &env](const std::string& url) -> Result<std::shared_ptr<remote::EndpointClient>> {
        HELVE_ASSIGN(const EndpointInput endpoint, service_input(url, input, env));
        HELVE_ASSIGN(auto opened, open_endpoint(endpoint, env));
        return std::move(opened.client);
      });
}

}  // namespace helve::opening
