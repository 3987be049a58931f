#include "surfaces/http/guard.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "base/ascii.h"
#include "base/digest.h"

namespace helve::http {

namespace {

constexpr std::string_view kHostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789.-_";

std::optional<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_host(std::string_view host) {
  if (host.empty() || host.size() > 255) return false;
  if (host.front() != '[') return host.find_first_not_of(kHostCharacters) == std::string_view::npos;
  if (host.size() < 4 || host.back() != ']') return false;
  return host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdef:.") ==
         std::string_view::npos;
}

struct Origin {
  std::string scheme;
  Authority authority;
};

std::optional<Origin> read_origin(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string scheme = ascii_lower(text.substr(0, colon));
  if (scheme.empty() || scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+.-") !=
                            std::string_view::npos) {
    return std::nullopt;
  }
  auto authority = read_authority(text.substr(colon + 3));
  if (!authority) return std::nullopt;
  return Origin{scheme, *std::move(authority)};
}

Result<void> check_tokens(const std::vector<std::string>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_visible = std::all_of(tokens[i].begin(), tokens[i].end(),
                                        [](char c) { return c > 0x20 && c < 0x7F; });
    if (tokens[i].empty() || !is_visible) {
      return Error{ErrorCode::InvalidInput, "a bearer token is empty or has spaces",
                   "tokens are made of visible ASCII characters; 32 random hexadecimal digits do"};
    }
    if (std::find(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens[i]) !=
        tokens.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Error{ErrorCode::InvalidInput, "two callers have the same bearer token",
                   "give every caller a token of its own"};
    }
  }
  return {};
}

}  // namespace

std::optional<Authority> read_authority(std::string_view text) {
  Authority authority;
  std::size_t end = text.size();
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    authority.port = read_port(text.substr(colon + 1));
    if (!authority.port) return std::nullopt;
    end = colon;
  }
  authority.host = ascii_lower(text.substr(0, end));
  if (!is_host(authority.host)) return std::nullopt;
  return authority;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost") return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

Result<Guard> Guard::make(GuardOptions options) {
  Guard guard;
  for (const std::string& host : options.allowed_hosts) {
    auto authority = read_authority(host);
    if (!authority) {
      return Error{ErrorCode::InvalidInput, "not a host: '" + host + "'",
                   "allowed hosts are written as name or name:port"};
    }
    guard.hosts_.push_back(*std::move(authority));
  }
  for (std::string& origin : options.allowed_origins) {
    if (!read_origin(origin)) {
      return Error{ErrorCode::InvalidInput, "not an origin: '" + origin + "'",
                   "allowed origins are written as https://name or https://name:port, one by one"};
    }
    origin = ascii_lower(origin);
  }
  HELVE_TRY(check_tokens(options.tokens));
  for (const std::string& token : options.tokens) {
    guard.digests_.push_back(digest_hex(DigestKind::Sha256, token));
  }
  options.tokens.clear();
  guard.options_ = std::move(options);
  return guard;
}

bool Guard::allows_host(std::string_view host) const {
  const auto asked = read_authority(host);
  if (!asked) return false;
  const bool is_our_port = !asked->port || *asked->port == options_.port;
  if (is_our_port && (is_loopback(asked->host) || asked->host == options_.bound_host)) return true;
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const Authority& allowed) {
    return allowed.host == asked->host && (!allowed.port || allowed.port == asked->port);
  });
}

bool Guard::allows_origin(std::string_view text) const {
  const auto origin = read_origin(text);
  if (!origin) return false;
  if ((origin->scheme == "http" || origin->scheme == "https") &&
      is_loopback(origin->authority.host)) {
    return true;
  }
  const auto& allowed = options_.allowed_origins;
  return std::find(allowed.begin(), allowed.end(), ascii_lower(text)) != allowed.end();
}

std::optional<std::size_t> Guard::find_token(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (!is_same_in_any_case(authorization.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  const std::string digest = digest_hex(DigestKind::Sha256, authorization);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < digests_.size(); ++i) {
    if (is_equal_secret(digest, digests_[i])) found = i;
  }
  return found;
}

}  // namespace helve::http
