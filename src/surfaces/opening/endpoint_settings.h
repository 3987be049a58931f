// EndpointSettings: how a SPARQL endpoint is asked, as users write it: beside its address in a
// configuration, or in a file of its own (endpoint_registry.h). Secrets are named, never written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "base/http.h"
#include "base/result.h"
#include "sources/remote/endpoint_client.h"
#include "surfaces/opening/secret.h"
#include "surfaces/opening/section.h"

namespace helve::opening {

// Empty and nullopt: as it is without.
struct EndpointSettings {
  std::string user;          // with `password`: HTTP basic
  std::string password;      // env:NAME or file:PATH
  std::string bearer;        // env:NAME or file:PATH
  std::string header;        // the name of one, such as X-API-Key; its value is header_value
  std::string header_value;  // env:NAME or file:PATH
  std::string ca_file;       // the certificates to trust, instead of those of the machine
  std::string proxy;         // instead of that of the environment; "none": no proxy
  std::string method;        // "post" or "get"
  std::string void_place;    // an address or a file
  std::optional<bool> allow_private;
  std::optional<Duration> connect_timeout;
  std::optional<Duration> first_byte_timeout;
  std::optional<Duration> pause;
  std::optional<std::uint64_t> requests_at_once;
  std::optional<std::uint64_t> retries;
};

// The keys of a table that are read here.
std::vector<std::string_view> endpoint_keys();
// InvalidInput at the key that is wrong. Files are not looked for, secrets not read.
Result<EndpointSettings> read_endpoint_settings(const Section& section);
// What is wrong between them: a user without a password, two ways to say who asks.
Result<void> check_endpoint_settings(const EndpointSettings& settings);
// Lines of TOML, for who reads them with the above.
std::string to_toml(const EndpointSettings& settings);
std::string toml_text(std::string_view text);  // in quotes

// Into what the client takes. Reads the secrets; paths are relative to `folder`.
Result<void> apply_settings(const EndpointSettings& settings, const std::filesystem::path& folder,
                            Env& env, const Environment& environment,
                            remote::EndpointOptions& options);
// Who asks, without a secret: what is known under one identity is not another's.
std::string identity_of(const EndpointSettings& settings);

}  // namespace helve::opening
