// Guard: whether a request may come in at all: the host it was meant for, the page it comes from,
// the token it has. Knows texts of headers only; servers ask it before anything else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::http {

// "name:port" or "[address]:port", the name in lower case; nullopt: of another shape.
struct Authority {
  std::string host;
  std::optional<std::uint16_t> port;
};
std::optional<Authority> read_authority(std::string_view text);

// localhost, 127.0.0.0/8, [::1].
bool is_loopback(std::string_view host);

struct GuardOptions {
  std::string bound_host;  // the address, in brackets where it is IPv6; empty: none of its own
  std::uint16_t port = 0;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::vector<std::string> tokens;
};

class Guard {
 public:
  // InvalidInput for entries that no header can match, and for tokens that are empty or twice
  // there.
  static Result<Guard> make(GuardOptions options);

  // By the header Host: loopback, the bound address, or one that is allowed. Against pages whose
  // name was made to point here (DNS rebinding).
  bool allows_host(std::string_view host) const;
  // By the header Origin: a page of this machine, or one that is allowed.
  bool allows_origin(std::string_view origin) const;

  bool needs_token() const { return !digests_.empty(); }
  // The place of the token among GuardOptions::tokens, by the header Authorization. Takes the same
  // time for all wrong ones.
  std::optional<std::size_t> find_token(std::string_view authorization) const;

 private:
  GuardOptions options_;
  std::vector<Authority> hosts_;
  std::vector<std::string> digests_;
};

}  // namespace helve::http
