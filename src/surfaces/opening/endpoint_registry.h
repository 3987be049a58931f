// EndpointRegistry: endpoints that a user has given names, a file of TOML each, beside those that
// come with the program (endpoint_presets.h). `helve endpoint` is what it is for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "surfaces/opening/endpoint_settings.h"
#include "surfaces/opening/secret.h"

namespace helve::opening {

struct NamedEndpoint {
  std::string name;
  std::string url;
  std::string description;
  EndpointSettings settings;
  std::filesystem::path file;  // empty: it comes with the program
};

// Where a user's endpoints are, and what was learnt of endpoints. Empty: there is no place for it.
struct EndpointFolders {
  std::filesystem::path registry;  // HELVE_ENDPOINTS, or "endpoints" in the configuration of helve
  std::filesystem::path profiles;  // "endpoints" in its state folder
};
EndpointFolders endpoint_folders(const Environment& environment);

class EndpointRegistry {
 public:
  EndpointRegistry(std::filesystem::path folder, Env& env)
      : folder_(std::move(folder)), env_(env) {}

  // By name; a user's own hide those of the program. Files that are wrong are left out, with a
  // warning in the log.
  Result<std::vector<NamedEndpoint>> list() const;
  // NotFound with the nearest names.
  Result<NamedEndpoint> find(std::string_view name) const;
  // InvalidInput for names and settings that are none, and where the name is taken unless
  // `replaces`.
  Result<void> add(const NamedEndpoint& endpoint, bool replaces) const;
  // Also one that cannot be read.
  Result<void> remove(std::string_view name) const;

 private:
  std::filesystem::path file_of(std::string_view name) const;
  Result<std::vector<std::string>> own_names() const;
  Result<NamedEndpoint> read(const std::string& name) const;

  std::filesystem::path folder_;
  Env& env_;
};

// What "endpoint:NAME" means, or a plain NAME that is registered. nullopt: it is something else.
// InvalidInput where there is a file of that name here too.
Result<std::optional<NamedEndpoint>> endpoint_named(std::string_view uri, Env& env,
                                                    const Environment& environment);

}  // namespace helve::opening
