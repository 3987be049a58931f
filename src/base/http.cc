// Redirects, whole answers and addresses.
#include "base/http.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/network_address.h"

namespace helve {

namespace {

constexpr std::size_t kHttpReadBytes = 64 * kKiB;

bool is_redirect(int status) {
  constexpr std::array kRedirects = {301, 302, 303, 307, 308};
  return std::find(kRedirects.begin(), kRedirects.end(), status) != kRedirects.end();
}

// The addresses are of servers: they are the detail.
HttpFailure refused_redirect(Error error, const std::string& from, std::string_view target) {
  error.detail = fmt::format("{} redirects to {}", from, public_part_of_url(target));
  return {HttpFault::Redirects, std::move(error)};
}

// The request that goes where the answer points to.
tl::expected<HttpRequest, HttpFailure> redirected(HttpRequest request, const HttpHead& head) {
  const std::string from = public_part_of_url(request.url);
  const auto resolver = IriResolver::from_base(request.url);
  std::string target;
  if (!resolver || !resolver->resolve(head.header("location"), target)) {
    return tl::unexpected(
        refused_redirect({ErrorCode::Unavailable, "a redirect to an invalid URL", "try it later"},
                         from, head.header("location")));
  }
  target.erase(std::min(target.find('#'), target.size()));
  const auto before = read_http_address(request.url);
  const auto after = read_http_address(target);
  if (!before || !after) {
    return tl::unexpected(refused_redirect(
        {ErrorCode::InvalidInput, "a redirect to an address that is not http or https",
         "use the final address"},
        from, target));
  }
  if (before->scheme == "https" && after->scheme == "http") {
    return tl::unexpected(
        refused_redirect({ErrorCode::Denied, "a redirect from https to http is not followed",
                          "use the http address itself if that is meant"},
                         from, target));
  }
  const bool is_upgrade = before->host == after->host && after->scheme == "https";
  if (request.reach.stays_at_origin && *before != *after && !is_upgrade) {
    return tl::unexpected(refused_redirect(
        {ErrorCode::Denied, "a redirect to another server is not followed",
         "only the named address is allowed: ask the final one, if the policy allows it"},
        from, target));
  }
  if (*before != *after && !is_upgrade) request.credentials.clear();
  // Who may ask one host inside may not be sent to another.
  if (before->host != after->host) request.reach.allows_private = false;
  request.url = std::move(target);
  if (head.status == 303) {
    request.method = "GET";
    request.body.clear();
    std::erase_if(request.headers, [](const auto& header) {
      return is_same_in_any_case(header.first, "content-type");
    });
  }
  return request;
}

}  // namespace

std::string_view HttpHead::header(std::string_view lower_case_name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return header.first == lower_case_name;
  });
  return found != headers.end() ? std::string_view(found->second) : std::string_view();
}

HttpOpened Http::open(HttpRequest request, const OpContext& context) {
  for (int followed = 0;; ++followed) {
    HttpOpened opened = exchange(request, context);
    if (!opened || !is_redirect(opened->head.status) || opened->head.header("location").empty()) {
      return opened;
    }
    if (followed >= context.limits.http_redirects_max) {
      return tl::unexpected(refused_redirect(
          {ErrorCode::LimitExceeded,
           fmt::format("more than {} redirects", context.limits.http_redirects_max),
           "use the final address"},
          public_part_of_url(request.url), opened->head.header("location")));
    }
    auto next = redirected(std::move(request), opened->head);
    if (!next) return tl::unexpected(std::move(next).error());
    request = *std::move(next);
  }
}

Result<HttpResponse> Http::send(HttpRequest request, const OpContext& context) {
  auto opened = open(std::move(request), context);
  if (!opened) return std::move(opened).error().error;
  HttpResponse response{opened->head.status, std::move(opened->head.headers), {}};
  MemoryCharge charge(*context.memory, "an HTTP response");
  const std::size_t bytes_max = context.limits.http_body_bytes_max;
  std::string buffer(kHttpReadBytes, '\0');
  for (;;) {
    HELVE_ASSIGN(const std::size_t count, opened->body->read(buffer));
    if (count == 0) return response;
    if (count > bytes_max - response.body.size()) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the HTTP response is longer than the limit of {} bytes", bytes_max),
                   "ask for less or raise http_body_bytes_max"};
    }
    HELVE_TRY(charge.add(count));
    response.body.append(buffer, 0, count);
  }
}

std::string public_part_of_url(std::string_view url) {
  std::string shown(url.substr(0, url.find_first_of("?#")));
  const std::size_t host = shown.find("://");
  if (host == std::string::npos) return shown;
  const std::size_t host_end = std::min(shown.find('/', host + 3), shown.size());
  const std::size_t at = shown.rfind('@', host_end);
  if (at != std::string::npos && at > host) shown.erase(host + 3, at - host - 2);
  return shown;
}

std::string HttpAddress::origin() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("{}://[{}]:{}", scheme, host, port)
               : fmt::format("{}://{}:{}", scheme, host, port);
}

Result<HttpAddress> read_http_address(std::string_view url) {
  const auto bad = [&](std::string_view what) {
    return Error{ErrorCode::InvalidInput, fmt::format("'{}' {}", public_part_of_url(url), what),
                 "give an address that begins with http:// or https://"};
  };
  const IriParts parts = split_iri(url);
  HttpAddress address;
  if (parts.scheme) address.scheme = ascii_lower(*parts.scheme);
  if (address.scheme != "http" && address.scheme != "https") {
    return bad("is no http or https URL");
  }
  if (find_bad_iri_character(url)) return bad("has a character that no URL has");
  std::string_view authority = parts.authority.value_or("");
  if (authority.find('@') != std::string_view::npos) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("'{}' has a user or a password in it", public_part_of_url(url)),
                 "name where they are instead: env:NAME or file:PATH"};
  }
  std::size_t host_end = authority.rfind(':');
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return bad("has a '[' without its ']'");
    address.host = ascii_lower(authority.substr(1, bracket - 1));
    if (!is_address_in_digits(address.host)) return bad("has brackets around no IPv6 address");
    host_end = bracket + 1;
  } else {
    address.host = ascii_lower(authority.substr(0, host_end));
  }
  if (address.host.empty()) return bad("names no host");
  address.port = address.scheme == "https" ? 443 : 80;
  const std::string_view rest =
      host_end >= authority.size() ? std::string_view() : authority.substr(host_end);
  if (rest.empty()) return address;
  const std::string_view digits = rest.substr(1);
  if (rest.front() != ':') return bad("has something behind its host that is no port");
  if (digits.empty()) return address;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error != std::errc() || end != digits.data() + digits.size() || address.port == 0) {
    return bad("has a port that is none");
  }
  return address;
}

bool is_private_host(std::string_view host) {
  if (is_address_in_digits(host)) return !is_public_address(host);
  while (host.ends_with('.')) host.remove_suffix(1);
  const std::string name = ascii_lower(host);
  return name == "localhost" || name.ends_with(".localhost");
}

}  // namespace helve
