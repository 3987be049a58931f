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

// RFC 4231, cases 1 to 4, 6 and 7: short keys, and keys longer than a block.
TEST(Digest, KnownAuthenticationCodes) {
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  std::string counted;
  for (char c = 1; c <= 25; ++c) counted.push_back(c);
  EXPECT_EQ(hmac_sha256_hex(counted, std::string(50, '\xcd')),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
  const std::string long_key(131, '\xaa');
  EXPECT_EQ(hmac_sha256_hex(long_key, "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hmac_sha256_hex(long_key,
                            "This is a test using a larger than block-size key and a larger than "
                            "block-size data. The key needs to be hashed before being used by the "
                            "HMAC algorithm."),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(Digest, SecretsAreComparedWhole) {
  EXPECT_TRUE(is_equal_secret("abc", "abc"));
  EXPECT_TRUE(is_equal_secret("", ""));
  EXPECT_FALSE(is_equal_secret("abc", "abd"));
  EXPECT_FALSE(is_equal_secret("abc", "ab"));
}

}  // namespace
}  // namespace helve
