#include "surfaces/opening/endpoint_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/redaction.h"

namespace helve::opening {

namespace {

constexpr double kSecondsMax = 3'600;
constexpr std::uint64_t kAtOnceMax = 64;
constexpr std::uint64_t kRetriesMax = 10;

struct TextKey {
  std::string_view name;
  std::string EndpointSettings::*member;
};
constexpr std::array kTexts = {
    TextKey{"user", &EndpointSettings::user},
    TextKey{"password", &EndpointSettings::password},
    TextKey{"bearer", &EndpointSettings::bearer},
    TextKey{"header", &EndpointSettings::header},
    TextKey{"header_value", &EndpointSettings::header_value},
    TextKey{"ca_file", &EndpointSettings::ca_file},
    TextKey{"proxy", &EndpointSettings::proxy},
    TextKey{"method", &EndpointSettings::method},
    TextKey{"void", &EndpointSettings::void_place},
};

struct TimeKey {
  std::string_view name;
  std::optional<Duration> EndpointSettings::*member;
};
constexpr std::array kTimes = {
    TimeKey{"connect_timeout", &EndpointSettings::connect_timeout},
    TimeKey{"first_byte_timeout", &EndpointSettings::first_byte_timeout},
    TimeKey{"pause", &EndpointSettings::pause},
};

Error wrong(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

bool is_header_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_';
  });
}

// Those that the client writes itself would make another request of it.
bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 12> kOurs = {
      "accept",       "accept-encoding",   "connection", "content-encoding",
      "content-type", "content-length",    "cookie2",    "expect",
      "host",         "transfer-encoding", "upgrade",    "user-agent"};
  const std::string small = ascii_lower(name);
  return std::find(kOurs.begin(), kOurs.end(), small) != kOurs.end();
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace

std::vector<std::string_view> endpoint_keys() {
  std::vector<std::string_view> keys;
  for (const TextKey& key : kTexts) keys.push_back(key.name);
  for (const TimeKey& key : kTimes) keys.push_back(key.name);
  for (const std::string_view key : {"allow_private", "requests_at_once", "retries"}) {
    keys.push_back(key);
  }
  return keys;
}

Result<EndpointSettings> read_endpoint_settings(const Section& section) {
  EndpointSettings settings;
  for (const TextKey& key : kTexts) {
    HELVE_ASSIGN(const auto text, section.text(key.name));
    const bool is_secret =
        key.name == "password" || key.name == "bearer" || key.name == "header_value";
    if (text && is_secret && !is_secret_reference(*text)) {
      return section.at_hidden(
          key.name, wrong("a secret is named, not written out",
                          "write \"env:NAME\", or \"file:PATH\" of a file that only you may read"));
    }
    settings.*key.member = text.value_or("");
  }
  for (const TimeKey& key : kTimes) {
    HELVE_ASSIGN(settings.*key.member, section.seconds(key.name, kSecondsMax));
  }
  HELVE_ASSIGN(settings.allow_private, section.flag("allow_private"));
  HELVE_ASSIGN(settings.requests_at_once, section.number("requests_at_once", 1, kAtOnceMax));
  HELVE_ASSIGN(settings.retries, section.number("retries", 0, kRetriesMax));
  if (auto checked = check_endpoint_settings(settings); !checked) {
    return section.document().at(section.pointer(), std::move(checked).error());
  }
  return settings;
}

Result<void> check_endpoint_settings(const EndpointSettings& settings) {
  const int ways = (settings.user.empty() ? 0 : 1) + (settings.bearer.empty() ? 0 : 1) +
                   (settings.header.empty() ? 0 : 1);
  if (ways > 1) {
    return wrong("an endpoint is told who asks in one way",
                 "give user and password, or bearer, or header and header_value");
  }
  if (settings.user.empty() != settings.password.empty()) {
    return wrong("user and password belong together", "give both: password = \"env:NAME\"");
  }
  if (settings.header.empty() != settings.header_value.empty()) {
    return wrong("header and header_value belong together",
                 "give both: header = \"X-API-Key\", header_value = \"env:NAME\"");
  }
  if (!settings.header.empty() && (!is_header_name(settings.header) || is_ours(settings.header))) {
    return wrong("header must be the name of a header that is not Helve's own to write",
                 "for example X-API-Key");
  }
  if (settings.user.find_first_of(":\r\n") != std::string::npos) {
    return wrong("user must not have a colon in it", "HTTP basic ends the name of a user there");
  }
  if (settings.proxy.find('@') != std::string::npos) {
    return wrong("proxy has a user or a password in it",
                 "settings are no place for secrets: let the proxy of the environment "
                 "(https_proxy) have them");
  }
  if (!settings.method.empty() && settings.method != "post" && settings.method != "get") {
    return wrong("method must be post or get", "leave it out: post is tried first");
  }
  for (const std::string* secret : {&settings.password, &settings.bearer, &settings.header_value}) {
    if (!secret->empty() && !is_secret_reference(*secret)) {
      return wrong("a secret is named, not written out", "write env:NAME or file:PATH");
    }
  }
  return {};
}

std::string toml_text(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);  // whose escapes TOML has too
  return quoted;
}

std::string to_toml(const EndpointSettings& settings) {
  std::string text;
  for (const TextKey& key : kTexts) {
    const std::string& value = settings.*key.member;
    if (!value.empty()) text += fmt::format("{} = {}\n", key.name, toml_text(value));
  }
  for (const TimeKey& key : kTimes) {
    const auto& value = settings.*key.member;
    if (value) {
      text += fmt::format("{} = {}\n", key.name, std::chrono::duration<double>(*value).count());
    }
  }
  if (settings.allow_private) text += fmt::format("allow_private = {}\n", *settings.allow_private);
  if (settings.requests_at_once) {
    text += fmt::format("requests_at_once = {}\n", *settings.requests_at_once);
  }
  if (settings.retries) text += fmt::format("retries = {}\n", *settings.retries);
  return text;
}

Result<void> apply_settings(const EndpointSettings& settings, const std::filesystem::path& folder,
                            Env& env, const Environment& environment,
                            remote::EndpointOptions& options) {
  const auto secret = [&](const std::string& reference) {
    return read_credential(reference, folder, env, environment);
  };
  if (!settings.user.empty()) {
    HELVE_ASSIGN(const std::string password, secret(settings.password));
    const std::string basic = base64(settings.user + ":" + password);
    register_secret(basic);
    options.credentials.emplace_back("Authorization", "Basic " + basic);
  }
  if (!settings.bearer.empty()) {
    HELVE_ASSIGN(const std::string token, secret(settings.bearer));
    options.credentials.emplace_back("Authorization", "Bearer " + token);
  }
  if (!settings.header.empty()) {
    HELVE_ASSIGN(std::string value, secret(settings.header_value));
    options.credentials.emplace_back(settings.header, std::move(value));
  }
  if (!settings.ca_file.empty()) {
    options.reach.ca_file = (folder / settings.ca_file).string();
    HELVE_TRY(env.files().status(options.reach.ca_file));
  }
  if (!settings.proxy.empty()) {
    options.reach.proxy = settings.proxy == "none" ? std::string() : settings.proxy;
  }
  const bool is_file = settings.void_place.find("://") == std::string::npos;
  options.void_place = settings.void_place.empty() || !is_file
                           ? settings.void_place
                           : (folder / settings.void_place).string();
  if (!settings.void_place.empty() && is_file) HELVE_TRY(env.files().status(options.void_place));
  if (settings.method == "get") options.method = remote::QueryMethod::Get;
  if (settings.method == "post") options.method = remote::QueryMethod::Post;
  if (settings.allow_private) options.reach.allows_private = *settings.allow_private;
  if (settings.connect_timeout) options.reach.connect_timeout = *settings.connect_timeout;
  if (settings.first_byte_timeout) options.first_byte_timeout = *settings.first_byte_timeout;
  if (settings.pause) options.host.pause = *settings.pause;
  if (settings.requests_at_once) options.host.requests_at_once = *settings.requests_at_once;
  if (settings.retries) options.retries_max = static_cast<int>(*settings.retries);
  return {};
}

std::string identity_of(const EndpointSettings& settings) {
  if (!settings.user.empty()) return "user " + settings.user;
  if (!settings.bearer.empty()) return "bearer " + settings.bearer;
  if (!settings.header.empty()) return settings.header + " " + settings.header_value;
  return {};
}

}  // namespace helve::opening
