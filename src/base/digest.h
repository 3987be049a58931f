// Message digests, by OpenSSL. The one place that knows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve {

enum class DigestKind : std::uint8_t { Md5, Sha1, Sha256, Sha384, Sha512 };

// Lower-case hexadecimal digits.
std::string digest_hex(DigestKind kind, std::string_view bytes);

// HMAC-SHA-256 in lower-case hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

// Whether they are equal, in a time that does not tell where they differ.
bool is_equal_secret(std::string_view left, std::string_view right);

}  // namespace helve
