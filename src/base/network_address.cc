#include "base/network_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace helve {

namespace {

struct V4Range {
  std::uint32_t first;
  int bits;
};

// https://www.iana.org/assignments/iana-ipv4-special-registry
constexpr std::array kSpecialV4 = {
    V4Range{0x00000000, 8},   // this network
    V4Range{0x0A000000, 8},   // private
    V4Range{0x64400000, 10},  // shared with a provider
    V4Range{0x7F000000, 8},   // loopback
    V4Range{0xA9FE0000, 16},  // link-local: metadata of clouds
    V4Range{0xAC100000, 12},  // private
    V4Range{0xC0000000, 24},  // protocol assignments
    V4Range{0xC0000200, 24},  // documentation
    V4Range{0xC0586300, 24},  // relays of 6to4
    V4Range{0xC0A80000, 16},  // private
    V4Range{0xC6120000, 15},  // benchmarks
    V4Range{0xC6336400, 24},  // documentation
    V4Range{0xCB007100, 24},  // documentation
    V4Range{0xE0000000, 4},   // multicast
    V4Range{0xF0000000, 4},   // reserved, broadcast
};

bool is_public_v4(std::uint32_t address) {
  return std::none_of(kSpecialV4.begin(), kSpecialV4.end(), [address](const V4Range& range) {
    return (address ^ range.first) >> (32 - range.bits) == 0;
  });
}

using V6 = std::array<std::uint8_t, 16>;

std::uint32_t v4_at(const V6& address, std::size_t offset) {
  std::uint32_t v4 = 0;
  for (std::size_t i = 0; i < 4; ++i) v4 = v4 << 8 | address[offset + i];
  return v4;
}

bool begins_with(const V6& address, std::initializer_list<std::uint8_t> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.begin());
}

// https://www.iana.org/assignments/iana-ipv6-special-registry: only 2000::/3 is given out, and of
// that not all.
bool is_public_v6(const V6& address) {
  const bool is_mapped = begins_with(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF});
  if (is_mapped || begins_with(address, {0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_public_v4(v4_at(address, 12));
  }
  if ((address[0] & 0xE0) != 0x20) return false;
  if (begins_with(address, {0x20, 0x02})) return is_public_v4(v4_at(address, 2));  // 6to4
  if (begins_with(address, {0x20, 0x01})) {
    if (address[2] < 2) return false;                            // Teredo, assignments
    if (address[2] == 0x0D && address[3] == 0xB8) return false;  // documentation
  }
  return !(address[0] == 0x3F && address[1] == 0xFF && (address[2] & 0xF0) == 0);  // documentation
}

std::optional<sockaddr_storage> read_digits(std::string_view text) {
  sockaddr_storage storage{};
  const std::string digits(text);
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  if (::inet_pton(AF_INET, digits.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    return storage;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  if (::inet_pton(AF_INET6, digits.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    return storage;
  }
  return std::nullopt;
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return is_public_v4(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  V6 bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr,
              bytes.size());
  return is_public_v6(bytes);
}

bool is_address_in_digits(std::string_view text) { return read_digits(text).has_value(); }

bool is_public_address(std::string_view digits) {
  const auto address = read_digits(digits);
  return address && is_public_address(reinterpret_cast<const sockaddr&>(*address));
}

std::string to_string(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  } else if (address.sa_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  }
  if (bytes == nullptr) return "an address of another kind";
  if (::inet_ntop(address.sa_family, bytes, text.data(), text.size()) == nullptr) return "?";
  return text.data();
}

}  // namespace helve
