#include "base/digest.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

// The values are those of the standards (RFC 1321, FIPS 180-4).
TEST(Digest, KnownValues) {
  EXPECT_EQ(digest_hex(DigestKind::Md5, "abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(digest_hex(DigestKind::Sha1, "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(digest_hex(DigestKind::Sha256, "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_hex(DigestKind::Sha384, "abc"),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
            "8086072ba1e7cc2358baeca134c825a7");
  EXPECT_EQ(digest_hex(DigestKind::Sha512, "abc").substr(0, 32),
            "ddaf35a193617abacc417349ae204131");
  EXPECT_EQ(digest_hex(DigestKind::Md5, ""), "d41d8cd98f00b204e9800998ecf8427e");
}

// RFC 4231, case 2.
TEST(Digest, KnownAuthenticationCode) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Digest, SecretsAreComparedWhole) {
  EXPECT_TRUE(is_equal_secret("abc", "abc"));
  EXPECT_TRUE(is_equal_secret("", ""));
  EXPECT_FALSE(is_equal_secret("abc", "abd"));
  EXPECT_FALSE(is_equal_secret("abc", "ab"));
}

}  // namespace
}  // namespace helve
