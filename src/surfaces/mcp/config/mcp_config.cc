#include "surfaces/mcp/config/mcp_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/http.h"
#include "base/toml.h"
#include "surfaces/mcp/server/http_paths.h"
#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/open_tables.h"
#include "surfaces/opening/policies.h"
#include "surfaces/opening/policy_file.h"
#include "surfaces/opening/section.h"
#include "surfaces/opening/source_uri.h"
#include "toolkit/tools/nearest_name.h"
#include "toolkit/tools/source_table.h"

namespace helve::mcp {

namespace {

using opening::read_secret;
using opening::Section;
using toolkit::Policy;

constexpr std::size_t kSourcesMax = 256;
constexpr std::size_t kCallersMax = 10'000;

Result<Toolset> read_toolset(std::string_view text) {
  if (const auto found = find_toolset(text)) return *found;
  const std::vector<std::string_view> names(kToolsets.begin(), kToolsets.end());
  return Error{ErrorCode::InvalidInput, fmt::format("there is no toolset \"{}\"", text),
               fmt::format("{}{}", fmt::join(names, ", "), toolkit::did_you_mean(text, names))};
}

std::shared_ptr<const Policy> shared(Policy policy) {
  return std::make_shared<const Policy>(std::move(policy));
}

// Puts a configuration together: the arguments, then the file where they say nothing.
class ConfigReader {
 public:
  ConfigReader(const McpArguments& arguments, Env& env, const Environment& environment)
      : arguments_(arguments), env_(env), environment_(environment) {}

  Result<McpConfig> read() {
    HELVE_TRY(read_arguments());
    if (!arguments_.config_file) {
      if (arguments_.audit_key && config_.audit.empty()) return key_without_file();
      HELVE_TRY(settle_policy(nullptr));
      HELVE_TRY(check_sources(*config_.policy));
      HELVE_TRY(settle_sources());
      return std::move(config_);
    }
    const std::filesystem::path path = *arguments_.config_file;
    folder_ = path.parent_path();
    HELVE_ASSIGN(const std::string text, opening::read_small_file(path, env_));
    HELVE_ASSIGN(TomlDocument parsed, parse_toml(text, path.string()));
    const auto document = std::make_shared<const TomlDocument>(std::move(parsed));
    HELVE_ASSIGN(const Section root, Section::open(*document, "", document->root));
    HELVE_TRY(read_file(root));
    config_.document = document;
    config_.folder = folder_;
    HELVE_TRY(check_callers());
    HELVE_TRY(settle_sources());
    return std::move(config_);
  }

 private:
  Result<void> read_arguments() {
    for (const std::string& text : arguments_.sources) {
      opening::NamedSource named = opening::read_source(text, env_.files());
      HELVE_TRY(toolkit::check_source_name(named.name));
      if (named.uri == text) named.name = free_name(named.name);
      SourceConfig source;
      source.name = std::move(named.name);
      HELVE_TRY(locate(named.uri, source));
      HELVE_TRY(add_source(std::move(source)));
    }
    if (arguments_.http) {
      HELVE_ASSIGN(config_.http.listen, read_listen_address(*arguments_.http));
    }
    if (arguments_.toolset) {
      HELVE_ASSIGN(config_.toolset, read_toolset(*arguments_.toolset));
    }
    if (arguments_.skills) config_.skills = *arguments_.skills;
    if (arguments_.bank) config_.bank = *arguments_.bank;
    if (arguments_.session) config_.session = *arguments_.session;
    if (arguments_.audit_file) config_.audit = *arguments_.audit_file;
    if (arguments_.audit_key) {
      HELVE_ASSIGN(config_.audit_options.key,
                   read_secret(*arguments_.audit_key, "", env_, environment_));
    }
    config_.audit_options.is_fingerprints = arguments_.is_audit_fingerprints;
    return {};
  }

  Result<void> read_file(const Section& root) {
    HELVE_TRY(root.check_keys({"toolset", "read_only", "policy", "audit", "audit_key",
                               "audit_fingerprints", "skills", "bank", "session", "trust_judgments",
                               "state_key", "source", "caller", "http", "limits", "model"}));
    HELVE_ASSIGN(const auto toolset, root.text("toolset"));
    if (toolset) {
      auto read = read_toolset(*toolset);
      if (!read) return root.at("toolset", std::move(read).error());
      if (!arguments_.toolset) config_.toolset = *read;
    }
    HELVE_ASSIGN(const auto audit, root.text("audit"));
    if (audit && !arguments_.audit_file) config_.audit = folder_ / *audit;
    HELVE_TRY(read_audit_options(root));
    HELVE_ASSIGN(const auto skills, root.text("skills"));
    if (skills && !arguments_.skills) config_.skills = folder_ / *skills;
    HELVE_ASSIGN(const auto session, root.text("session"));
    if (session && !arguments_.session) config_.session = folder_ / *session;
    HELVE_ASSIGN(const auto bank, root.text("bank"));
    if (bank && !arguments_.bank) {
      config_.bank = sql::is_database_uri(*bank) ? *bank : (folder_ / *bank).string();
    }
    HELVE_ASSIGN(const auto trust, root.flag("trust_judgments"));
    config_.trusts_judgments = trust.value_or(false);
    HELVE_ASSIGN(const auto state_key, root.text("state_key"));
    if (state_key) {
      auto secret = read_secret(*state_key, folder_, env_, environment_);
      if (!secret) return root.at_hidden("state_key", std::move(secret).error());
      config_.state_key = *std::move(secret);
    }
    HELVE_TRY(read_http(root));
    HELVE_TRY(read_limits(root));
    HELVE_TRY(settle_policy(&root));
    HELVE_TRY(read_sources(root));
    if (auto known = check_sources(*config_.policy); !known) {
      // What the command line says of it is in no line of the file.
      if (arguments_.policy_file) return std::move(known).error();
      return root.at("policy", std::move(known).error());
    }
    return read_callers(root);
  }

  static Error key_without_file() {
    return {ErrorCode::InvalidInput, "there is a key for an audit file, and no audit file",
            "name one, or leave the key out"};
  }

  Result<void> read_audit_options(const Section& root) {
    HELVE_ASSIGN(const auto key, root.text("audit_key"));
    if (key) {
      auto secret = read_secret(*key, folder_, env_, environment_);
      if (!secret) return root.at_hidden("audit_key", std::move(secret).error());
      if (!arguments_.audit_key) config_.audit_options.key = *std::move(secret);
      if (config_.audit.empty()) return root.at("audit_key", key_without_file());
    }
    HELVE_ASSIGN(const auto is_fingerprints, root.flag("audit_fingerprints"));
    if (is_fingerprints.value_or(false)) config_.audit_options.is_fingerprints = true;
    if (arguments_.audit_key && config_.audit.empty()) return key_without_file();
    return {};
  }

  Result<void> read_http(const Section& root) {
    const JsonValue* const value = root.find("http");
    if (value == nullptr) return {};
    HELVE_ASSIGN(const Section http, Section::open(root.document(), "/http", *value));
    HELVE_TRY(http.check_keys({"listen", "path", "allowed_hosts", "allowed_origins"}));
    // A port alone looks like a number.
    const JsonValue* const written = http.find("listen");
    if (written != nullptr && written->is_number()) {
      return http.wrong("listen",
                        fmt::format("a text in quotes: write listen = \"{}\"", to_json(*written)));
    }
    HELVE_ASSIGN(const auto listen, http.text("listen"));
    if (listen) {
      auto address = read_listen_address(*listen);
      if (!address) return http.at("listen", std::move(address).error());
      if (!arguments_.http) config_.http.listen = *std::move(address);
    }
    HELVE_ASSIGN(const auto path, http.text("path"));
    if (path) {
      if (!is_endpoint_path(*path)) return http.wrong("path", kEndpointPathRule);
      config_.http.path = *path;
    }
    HELVE_ASSIGN(auto hosts, http.texts("allowed_hosts"));
    if (hosts) config_.http.allowed_hosts = *std::move(hosts);
    HELVE_ASSIGN(auto origins, http.texts("allowed_origins"));
    if (origins) config_.http.allowed_origins = *std::move(origins);
    return {};
  }

  Result<void> read_limits(const Section& root) {
    const JsonValue* const value = root.find("limits");
    if (value == nullptr) return {};
    HELVE_ASSIGN(const Section limits, Section::open(root.document(), "/limits", *value));
    HELVE_TRY(limits.check_keys({"body_bytes", "connections", "sessions", "session_idle", "workers",
                                 "queue", "requests", "subscriptions", "ask_timeout"}));
    constexpr double kDay = 86'400;
    LimitsConfig& into = config_.limits;
    HELVE_ASSIGN(into.body_bytes, limits.number("body_bytes", kKiB, kGiB));
    HELVE_ASSIGN(into.connections, limits.number("connections", 1, 100'000));
    HELVE_ASSIGN(into.sessions, limits.number("sessions", 1, 1'000'000));
    HELVE_ASSIGN(into.session_idle, limits.seconds("session_idle", 30 * kDay));
    HELVE_ASSIGN(into.workers, limits.number("workers", 1, 1'024));
    HELVE_ASSIGN(into.queue, limits.number("queue", 0, 100'000));
    HELVE_ASSIGN(into.requests, limits.number("requests", 1, 100'000));
    HELVE_ASSIGN(into.subscriptions, limits.number("subscriptions", 0, 1'000'000));
    HELVE_ASSIGN(into.ask_timeout, limits.seconds("ask_timeout", kDay));
    return {};
  }

  // The policy of the server. `root` is null without a file.
  Result<void> settle_policy(const Section* root) {
    std::optional<bool> read_only;
    if (root != nullptr) {
      HELVE_ASSIGN(read_only, root->flag("read_only"));
    }
    config_.is_read_only = arguments_.is_read_only || read_only.value_or(false);
    Policy base;
    base.read_only = read_only.value_or(true);
    if (root != nullptr) {
      // What the file says is checked even where it does not count.
      HELVE_ASSIGN(policies_, read_policies(*root, base));
    } else {
      policies_.common = base;
    }
    if (arguments_.policy_file) {
      HELVE_ASSIGN(policies_,
                   opening::read_policies(*arguments_.policy_file, env_, std::move(base)));
    }
    if (arguments_.caller) config_.caller = *arguments_.caller;
    HELVE_ASSIGN(Policy policy, arguments_.caller ? policies_.of_named(config_.caller)
                                                  : Result<Policy>(policies_.of(config_.caller)));
    config_.policy = shared(within_server(std::move(policy)));
    return {};
  }

  Policy within_server(Policy policy) const {
    policy.read_only = policy.read_only || config_.is_read_only;
    if (policy.allowed_paths) {
      policy.allowed_paths->insert(policy.allowed_paths->end(), arguments_.allowed_paths.begin(),
                                   arguments_.allowed_paths.end());
    }
    return policy;
  }

  // The key `policy` of the file itself, with callers and sources.
  Result<opening::Policies> read_policies(const Section& root, const Policy& base) {
    const JsonValue* const value = root.find("policy");
    if (value != nullptr && value->if_object() != nullptr) {
      return opening::read_policies_table(root.document(), root.pointer_to("policy"), *value,
                                          folder_, base);
    }
    opening::Policies policies;
    policies.common = base;
    if (value == nullptr) return policies;
    const std::string* const path = value->if_string();
    if (path == nullptr || path->empty()) {
      return root.wrong("policy", "the path of a policy file, or a table of its words");
    }
    auto read = opening::read_policies(folder_ / *path, env_, base);
    // Mistakes inside of the file have a place of their own.
    if (!read && read.error().document.empty()) return root.at("policy", std::move(read).error());
    return read;
  }

  // A policy for nobody may be meant for somebody.
  Result<void> check_callers() const {
    if (config_.callers.empty()) return {};
    std::vector<std::string_view> names = {config_.caller};
    for (const CallerConfig& caller : config_.callers) names.emplace_back(caller.name);
    for (const auto& [name, policy] : policies_.callers) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      return policies_.document.at(
          json_pointer(json_pointer(policies_.pointer, "caller"), name),
          {ErrorCode::NotFound,
           fmt::format("there is no caller named {}{}", name, toolkit::did_you_mean(name, names)),
           "name callers of this server: each [[caller]] has a name"});
    }
    return {};
  }

  // What the policy file says of sources, and whether anybody may change them.
  Result<void> settle_sources() {
    for (const auto& [name, policy] : policies_.sources) {
      if (has_source(name) || config_.sources.empty()) continue;
      return policies_.document.at(json_pointer(json_pointer(policies_.pointer, "source"), name),
                                   check_names({name}).error());
    }
    for (SourceConfig& source : config_.sources) {
      if (const auto also = policies_.of_source(source.name)) {
        source.policy =
            source.policy != nullptr ? shared(toolkit::intersect(*source.policy, *also)) : also;
      }
      const auto lets_write = [&source](const Policy& policy) {
        return opening::lets_write(policy, source.policy.get(), source.name);
      };
      source.is_writable =
          (config_.callers.empty() && lets_write(*config_.policy)) ||
          std::any_of(config_.callers.begin(), config_.callers.end(),
                      [&](const CallerConfig& caller) { return lets_write(*caller.policy); });
    }
    return {};
  }

  // The key `policy` of a section: the path of a file or a table; `base` where it is not there.
  Result<Policy> read_policy(const Section& section, Policy base) {
    const JsonValue* const value = section.find("policy");
    if (value == nullptr) return base;
    if (value->if_object() != nullptr) {
      return opening::read_policy_table(section.document(), section.pointer_to("policy"), *value,
                                        folder_, std::move(base));
    }
    const std::string* const path = value->if_string();
    if (path == nullptr || path->empty()) {
      return section.wrong("policy", "the path of a policy file, or a table of its words");
    }
    auto policy = opening::read_policy_file(folder_ / *path, env_, std::move(base));
    // Mistakes inside of the file have a place of their own.
    if (!policy && policy.error().document.empty()) {
      return section.at("policy", std::move(policy).error());
    }
    return policy;
  }

  Result<void> read_sources(const Section& root) {
    const JsonValue* const value = root.find("source");
    if (value == nullptr) return {};
    HELVE_ASSIGN(const Section sources, Section::open(root.document(), "/source", *value));
    for (const JsonMember& member : *value->if_object()) {
      if (auto is_name = toolkit::check_source_name(member.key); !is_name) {
        return sources.at(member.key, std::move(is_name).error());
      }
      HELVE_ASSIGN(const Section one,
                   Section::open(root.document(), sources.pointer_to(member.key), member.value));
      HELVE_ASSIGN(SourceConfig source, read_source(one, member.key));
      if (auto added = add_source(std::move(source)); !added) {
        return sources.at(member.key, std::move(added).error());
      }
    }
    return {};
  }

  // Paths of the file are relative to it, those of the command line (which is read first) are not.
  Result<void> locate(const std::string& uri, SourceConfig& source) const {
    if (opening::is_sample_tables(uri)) {
      source.is_database = true;
      source.uri = source.place = opening::kSampleTables;
      return {};
    }
    source.is_database = sql::is_database_uri(uri);
    if (source.is_database) {
      HELVE_ASSIGN(const auto address, opening::read_address(uri, folder_));
      source.uri = address.shown();
      source.place = uri;
      source.folder = folder_;
      return {};
    }
    source.is_endpoint = opening::is_endpoint_uri(uri);
    if (source.is_endpoint) {
      HELVE_TRY(read_http_address(uri));
      source.uri = source.place = uri;
      source.folder = folder_;
      return {};
    }
    HELVE_ASSIGN(const auto named, opening::endpoint_named(uri, env_, environment_));
    if (named) {
      source.is_endpoint = true;
      source.uri = source.place = named->url;
      source.folder = named->file.parent_path();
      source.endpoint = named->settings;
      source.description = named->description;
      return {};
    }
    HELVE_ASSIGN(const std::string place, opening::place_of(uri));
    source.place = place == opening::kSample ? place : (folder_ / place).string();
    source.uri = place == uri ? source.place : uri;
    return {};
  }

  Result<SourceConfig> read_source(const Section& section, const std::string& name) {
    std::vector<std::string_view> keys = opening::endpoint_keys();
    keys.insert(keys.begin(), {"uri", "policy", "description"});
    HELVE_TRY(section.check_keys(keys));
    SourceConfig source;
    source.name = name;
    HELVE_ASSIGN(const auto uri, section.text("uri"));
    if (!uri) {
      return section.at(
          "uri", {ErrorCode::InvalidInput, fmt::format("source {} has no uri", name),
                  "write uri = \"PATH\": a file, an index folder, sample:, sample-tables:, or "
                  "a database"});
    }
    if (auto located = locate(*uri, source); !located) {
      return section.at("uri", std::move(located).error());
    }
    HELVE_TRY(read_access(section, *uri, source));
    HELVE_ASSIGN(const auto description, section.text("description"));
    if (description) source.description = *description;
    if (section.find("policy") != nullptr) {
      HELVE_ASSIGN(Policy policy, read_policy(section, toolkit::unrestricted_policy()));
      source.policy = shared(std::move(policy));
    }
    return source;
  }

  // How an endpoint is asked.
  Result<void> read_access(const Section& section, const std::string& uri, SourceConfig& source) {
    for (const std::string_view key : opening::endpoint_keys()) {
      if (section.find(key) == nullptr) continue;
      if (!opening::is_endpoint_uri(uri)) {
        return section.at(key,
                          {ErrorCode::InvalidInput, fmt::format("{} is for SPARQL endpoints", key),
                           source.is_endpoint ? "change it with helve endpoint add --replace"
                                              : "passwords of databases stand in their uri"});
      }
      HELVE_ASSIGN(source.endpoint, opening::read_endpoint_settings(section));
      return {};
    }
    return {};
  }

  bool has_source(std::string_view name) const {
    return std::any_of(config_.sources.begin(), config_.sources.end(),
                       [&](const SourceConfig& known) { return known.name == name; });
  }

  // Files of one name in two folders, and nobody to name them: data.ttl, data.ttl-2.
  std::string free_name(const std::string& name) const {
    constexpr std::size_t kNameKept = 58;  // with a number still a name
    std::string free = name;
    for (std::size_t number = 2; has_source(free) && number <= kSourcesMax + 1; ++number) {
      free = fmt::format("{}-{}", std::string_view(name).substr(0, kNameKept), number);
    }
    return free;
  }

  Result<void> add_source(SourceConfig source) {
    if (has_source(source.name)) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("there are two sources named {}", source.name),
                   "give each a name of its own: NAME=URI"};
    }
    if (config_.sources.size() == kSourcesMax) {
      return Error{ErrorCode::LimitExceeded, fmt::format("more than {} sources", kSourcesMax)};
    }
    config_.sources.push_back(std::move(source));
    return {};
  }

  Result<void> read_callers(const Section& root) {
    const JsonValue* const value = root.find("caller");
    if (value == nullptr) return {};
    const JsonValue::Array* const callers = value->if_array();
    if (callers == nullptr) {
      return root.at("caller", {ErrorCode::InvalidInput, "caller must be a list of tables",
                                "write [[caller]], with two brackets, for each"});
    }
    if (callers->size() > kCallersMax) {
      return root.at("caller",
                     {ErrorCode::LimitExceeded, fmt::format("more than {} callers", kCallersMax)});
    }
    for (std::size_t i = 0; i < callers->size(); ++i) {
      HELVE_ASSIGN(const Section one,
                   Section::open(root.document(), fmt::format("/caller/{}", i), (*callers)[i]));
      HELVE_TRY(read_caller(one));
    }
    return {};
  }

  Result<void> read_caller(const Section& section) {
    HELVE_TRY(section.check_keys({"name", "token", "policy", "sources"}));
    CallerConfig caller;
    HELVE_ASSIGN(const auto name, section.text("name"));
    HELVE_ASSIGN(const auto token, section.text("token"));
    if (!name || !token) {
      return section.at(
          "", {ErrorCode::InvalidInput, fmt::format("a caller has no {}", name ? "token" : "name"),
               "write name = \"...\" and token = \"env:NAME\" or \"file:PATH\""});
    }
    caller.name = *name;
    auto secret = read_secret(*token, folder_, env_, environment_);
    if (!secret) return section.at_hidden("token", std::move(secret).error());
    caller.token = *std::move(secret);
    for (const CallerConfig& known : config_.callers) {
      if (known.name == caller.name) {
        return section.at("name", {ErrorCode::InvalidInput,
                                   fmt::format("there are two callers named {}", caller.name),
                                   "handles belong to a name: give each its own"});
      }
      if (known.token == caller.token) {
        return section.at("token",
                          {ErrorCode::InvalidInput,
                           fmt::format("{} and {} have the same token", known.name, caller.name),
                           "give each a token of its own"});
      }
    }
    // Where it has none of its own, that of the policy file with its name.
    HELVE_ASSIGN(Policy policy, section.find("policy") != nullptr
                                    ? read_policy(section, policies_.common)
                                    : Result<Policy>(policies_.of(caller.name)));
    policy = within_server(std::move(policy));
    if (auto known = check_sources(policy); !known) {
      return section.at("policy", std::move(known).error());
    }
    HELVE_TRY(limit_sources(section, policy));
    caller.policy = shared(std::move(policy));
    config_.callers.push_back(std::move(caller));
    return {};
  }

  Result<void> limit_sources(const Section& section, Policy& policy) {
    HELVE_ASSIGN(auto sources, section.texts("sources"));
    if (!sources) return {};
    if (auto known = check_names(*sources); !known) {
      return section.at("sources", std::move(known).error());
    }
    Policy only = toolkit::unrestricted_policy();
    only.allowed_sources = *std::move(sources);
    policy = toolkit::intersect(policy, only);
    return {};
  }

  Result<void> check_names(const std::vector<std::string>& named) const {
    std::vector<std::string_view> names;
    for (const SourceConfig& source : config_.sources) names.emplace_back(source.name);
    for (const std::string& name : named) {
      if (has_source(name)) continue;
      return Error{
          ErrorCode::NotFound,
          fmt::format("there is no source named {}{}", name, toolkit::did_you_mean(name, names)),
          "name sources of this file or of the command line"};
    }
    return {};
  }

  // Of the allowed_sources of a policy. A server without sources may be a policy's for others.
  Result<void> check_sources(const Policy& policy) const {
    if (!policy.allowed_sources || config_.sources.empty()) return {};
    return check_names(*policy.allowed_sources);
  }

  const McpArguments& arguments_;
  Env& env_;
  const Environment& environment_;
  std::filesystem::path folder_;  // of the file
  opening::Policies policies_;
  McpConfig config_;
};

}  // namespace

Result<McpConfig> make_mcp_config(const McpArguments& arguments, Env& env,
                                  const Environment& environment) {
  return ConfigReader(arguments, env, environment).read();
}

}  // namespace helve::mcp
