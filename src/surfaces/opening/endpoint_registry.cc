#include "surfaces/opening/endpoint_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/http.h"
#include "base/log.h"
#include "base/near_names.h"
#include "base/toml.h"
#include "sources/remote/endpoint_presets.h"
#include "surfaces/opening/policy_file.h"
#include "toolkit/tools/source_table.h"

namespace helve::opening {

namespace {

constexpr std::string_view kEndpointExtension = ".toml";
constexpr std::string_view kScheme = "endpoint:";
constexpr std::size_t kEndpointsMax = 1'000;

std::filesystem::path folder_by(const Environment& environment, const char* variable,
                                const char* in_home) {
  const auto value = [&](const char* name) {
    const char* const text = environment ? environment(name) : nullptr;
    return text != nullptr ? std::filesystem::path(text) : std::filesystem::path();
  };
  if (const auto chosen = value(variable); chosen.is_absolute()) return chosen / "helve";
  const auto home = value("HOME");
  return home.is_absolute() ? home / in_home / "helve" : std::filesystem::path();
}

NamedEndpoint of_preset(const remote::EndpointPreset& preset) {
  return {
      std::string(preset.name), std::string(preset.url), std::string(preset.description), {}, {}};
}

// Neither a path nor an address.
bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_of("/.:\\=") == std::string_view::npos;
}

}  // namespace

EndpointFolders endpoint_folders(const Environment& environment) {
  EndpointFolders folders;
  const char* const chosen = environment ? environment("HELVE_ENDPOINTS") : nullptr;
  if (chosen != nullptr && *chosen != '\0') {
    folders.registry = chosen;
  } else if (const auto folder = folder_by(environment, "XDG_CONFIG_HOME", ".config");
             !folder.empty()) {
    folders.registry = folder / "endpoints";
  }
  if (const auto folder = folder_by(environment, "XDG_STATE_HOME", ".local/state");
      !folder.empty()) {
    folders.profiles = folder / "endpoints";
  }
  return folders;
}

std::filesystem::path EndpointRegistry::file_of(std::string_view name) const {
  return folder_ / (std::string(name) + std::string(kEndpointExtension));
}

Result<NamedEndpoint> EndpointRegistry::read(const std::string& name) const {
  NamedEndpoint endpoint;
  endpoint.name = name;
  endpoint.file = file_of(name);
  HELVE_ASSIGN(const std::string text, read_small_file(endpoint.file, env_));
  HELVE_ASSIGN(const TomlDocument document, parse_toml(text, endpoint.file.string()));
  HELVE_ASSIGN(const Section section, Section::open(document, "", document.root));
  std::vector<std::string_view> keys = endpoint_keys();
  keys.insert(keys.end(), {"url", "description"});
  HELVE_TRY(section.check_keys(keys));
  HELVE_ASSIGN(const auto url, section.text("url"));
  if (!url) return section.wrong("url", "the address of the endpoint");
  if (auto address = read_http_address(*url); !address) {
    return section.at_hidden("url", std::move(address).error());
  }
  endpoint.url = *url;
  HELVE_ASSIGN(const auto description, section.text("description"));
  endpoint.description = description.value_or("");
  HELVE_ASSIGN(endpoint.settings, read_endpoint_settings(section));
  return endpoint;
}

Result<std::vector<std::string>> EndpointRegistry::own_names() const {
  std::vector<std::string> names;
  if (folder_.empty()) return names;
  const auto files = env_.files().list(folder_);
  if (!files && files.error().code == ErrorCode::NotFound) return names;
  if (!files) return files.error();
  for (const std::filesystem::path& path : *files) {
    const std::string file = path.filename().string();
    if (!file.ends_with(kEndpointExtension) || names.size() == kEndpointsMax) continue;
    names.push_back(file.substr(0, file.size() - kEndpointExtension.size()));
  }
  return names;
}

Result<std::vector<NamedEndpoint>> EndpointRegistry::list() const {
  std::vector<NamedEndpoint> endpoints;
  HELVE_ASSIGN(const std::vector<std::string> names, own_names());
  for (const std::string& name : names) {
    auto one = read(name);
    if (one) {
      endpoints.push_back(*std::move(one));
    } else {
      log_warn("an endpoint cannot be read", {{"name", name}, {"reason", one.error().to_string()}});
    }
  }
  for (const remote::EndpointPreset& preset : remote::endpoint_presets()) {
    const bool is_hidden =
        std::any_of(endpoints.begin(), endpoints.end(),
                    [&](const NamedEndpoint& one) { return one.name == preset.name; });
    if (!is_hidden) endpoints.push_back(of_preset(preset));
  }
  std::sort(endpoints.begin(), endpoints.end(),
            [](const NamedEndpoint& a, const NamedEndpoint& b) { return a.name < b.name; });
  return endpoints;
}

Result<NamedEndpoint> EndpointRegistry::find(std::string_view name) const {
  HELVE_TRY(toolkit::check_source_name(std::string(name)));
  if (!folder_.empty()) {
    auto own = read(std::string(name));
    if (own || own.error().code != ErrorCode::NotFound) return own;
  }
  if (const remote::EndpointPreset* preset = remote::preset_named(name)) return of_preset(*preset);
  HELVE_ASSIGN(const std::vector<std::string> own, own_names());
  std::vector<std::string_view> names(own.begin(), own.end());
  for (const remote::EndpointPreset& preset : remote::endpoint_presets()) {
    names.emplace_back(preset.name);
  }
  const auto near = near_names(name, names);
  return Error{ErrorCode::NotFound, fmt::format("there is no endpoint named {}", name),
               near.empty() ? "helve endpoint list shows those that there are"
                            : fmt::format("did you mean {}?", near.front())};
}

Result<void> EndpointRegistry::add(const NamedEndpoint& endpoint, bool replaces) const {
  HELVE_TRY(toolkit::check_source_name(endpoint.name));
  HELVE_TRY(read_http_address(endpoint.url));
  HELVE_TRY(check_endpoint_settings(endpoint.settings));
  if (folder_.empty()) {
    return Error{ErrorCode::Unavailable, "there is no folder for endpoints",
                 "set HELVE_ENDPOINTS to one, or HOME"};
  }
  if (!replaces && env_.files().status(file_of(endpoint.name))) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("there is an endpoint named {} already", endpoint.name),
                 "take another name, or --replace"};
  }
  std::string text = fmt::format("url = {}\n", toml_text(endpoint.url));
  if (!endpoint.description.empty()) {
    text += fmt::format("description = {}\n", toml_text(endpoint.description));
  }
  HELVE_TRY(env_.files().make_directories(folder_));
  return write_file_atomically(env_, file_of(endpoint.name), text + to_toml(endpoint.settings));
}

Result<void> EndpointRegistry::remove(std::string_view name) const {
  HELVE_TRY(toolkit::check_source_name(std::string(name)));
  if (!folder_.empty() && env_.files().status(file_of(name))) {
    return env_.files().remove(file_of(name));
  }
  HELVE_TRY(find(name));  // tells of nearest names
  return Error{ErrorCode::InvalidInput, fmt::format("{} comes with the program", name),
               "add one of the same name to hide it"};
}

Result<std::optional<NamedEndpoint>> endpoint_named(std::string_view uri, Env& env,
                                                    const Environment& environment) {
  const EndpointRegistry registry(endpoint_folders(environment).registry, env);
  if (uri.starts_with(kScheme)) {
    HELVE_ASSIGN(NamedEndpoint found, registry.find(uri.substr(kScheme.size())));
    return std::optional(std::move(found));
  }
  if (!is_plain_name(uri) || !toolkit::check_source_name(std::string(uri))) {
    return std::optional<NamedEndpoint>();
  }
  auto found = registry.find(uri);
  if (!found && found.error().code == ErrorCode::NotFound) return std::optional<NamedEndpoint>();
  if (env.files().status(std::string(uri))) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is the name of an endpoint and of a file here", uri),
                 fmt::format("write endpoint:{0} or ./{0}", uri)};
  }
  if (!found) return std::move(found).error();
  return std::optional(*std::move(found));
}

}  // namespace helve::opening
