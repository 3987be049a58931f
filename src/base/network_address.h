// Which network addresses belong to everybody.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

namespace helve {

// False for loopback, private, shared, link-local, multicast, documentation and reserved ranges of
// IPv4 and IPv6, for IPv6 addresses that carry such an IPv4 one, and for all other families.
bool is_public_address(const sockaddr& address);

// An address in digits; false for what is none.
bool is_address_in_digits(std::string_view text);
bool is_public_address(std::string_view digits);  // false for what is none

std::string to_string(const sockaddr& address);  // without the port

}  // namespace helve
