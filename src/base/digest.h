// Message digests, by OpenSSL. The one place that knows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve {

enum class DigestKind : std::uint8_t { Md5, Sha1, Sha256, Sha384, Sha512 };

// Lower-case hexadecimal digits.
std::string digest_hex(DigestKind kind, std::string_view bytes);

}  // namespace helve
