#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

#include "base/check.h"

namespace helve {

namespace {

const EVP_MD* algorithm(DigestKind kind) {
  switch (kind) {
    case DigestKind::Md5:
      return EVP_md5();
    case DigestKind::Sha1:
      return EVP_sha1();
    case DigestKind::Sha256:
      return EVP_sha256();
    case DigestKind::Sha384:
      return EVP_sha384();
    case DigestKind::Sha512:
      return EVP_sha512();
  }
  return nullptr;
}

std::string hex_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * bytes.size());
  for (const unsigned char byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

std::string digest_hex(DigestKind kind, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HELVE_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, algorithm(kind), nullptr) == 1);
  return hex_of({digest.data(), size});
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HELVE_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                   reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                   digest.data(), &size) != nullptr);
  return hex_of({digest.data(), size});
}

bool is_equal_secret(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace helve
