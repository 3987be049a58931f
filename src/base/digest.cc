#include "base/digest.h"

#include <openssl/evp.h>

#include <array>

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

}  // namespace

std::string digest_hex(DigestKind kind, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HELVE_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, algorithm(kind), nullptr) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (unsigned int i = 0; i < size; ++i) {
    text.push_back(kDigits[digest[i] >> 4]);
    text.push_back(kDigits[digest[i] & 15]);
  }
  return text;
}

}  // namespace helve
