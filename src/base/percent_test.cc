#include "base/percent.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Percent, DecodesBytesAndRefusesBrokenEscapes) {
  EXPECT_EQ(percent_decoded("a%20b%C3%a9"), "a b\xC3\xA9");
  EXPECT_EQ(percent_decoded(""), "");
  EXPECT_EQ(percent_decoded("%00"), std::string(1, '\0'));
  EXPECT_EQ(percent_decoded("%FF"), "\xFF") << "what is no UTF-8 is for the caller to refuse";
  EXPECT_EQ(percent_decoded("+"), "+");
  for (const char* broken : {"%", "%2", "a%", "a%2", "%zz", "%2z", "%-1", "%+1", "% 1", "%0x"}) {
    EXPECT_EQ(percent_decoded(broken), std::nullopt) << broken;
  }
}

TEST(Percent, EncodesWhatIsReservedAndReadsItBack) {
  EXPECT_EQ(percent_encoded("a-Z_0.9~"), "a-Z_0.9~");
  EXPECT_EQ(percent_encoded("a b/%\xC3\xA9"), "a%20b%2F%25%C3%A9");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decoded(percent_encoded(all)), all);
}

}  // namespace
}  // namespace helve
