// Where a server listens, as it is written.
#include <fmt/format.h>

#include <charconv>

#include "surfaces/mcp/config/mcp_config.h"

namespace helve::mcp {

Result<ListenAddress> read_listen_address(std::string_view text) {
  const auto wrong = [&text] {
    return Error{ErrorCode::InvalidInput, fmt::format("\"{}\" is no address to listen on", text),
                 "write HOST:PORT, for example 127.0.0.1:8080"};
  };
  ListenAddress address;
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
    if (is_bracketed) host = host.substr(1, host.size() - 2);
    if (host.empty() || (!is_bracketed && host.find(':') != std::string_view::npos)) return wrong();
    address.host = host;
    port = text.substr(colon + 1);
  } else {
    address.host = "127.0.0.1";
  }
  const auto read = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (read.ec != std::errc() || read.ptr != port.data() + port.size() || port.empty()) {
    return wrong();
  }
  return address;
}

}  // namespace helve::mcp
