#include "sources/rdf/xml_names.h"

#include <gtest/gtest.h>

namespace helve::rdf {
namespace {

TEST(XmlNames, NcNames) {
  EXPECT_TRUE(is_nc_name("a"));
  EXPECT_TRUE(is_nc_name("_1.-\u00B7"));
  EXPECT_TRUE(is_nc_name("\u00E9t\u00E9"));
  EXPECT_TRUE(is_nc_name("\U00010000"));
  EXPECT_FALSE(is_nc_name(""));
  EXPECT_FALSE(is_nc_name("1a"));
  EXPECT_FALSE(is_nc_name("a:b"));
  EXPECT_FALSE(is_nc_name("\u0301b"));
  EXPECT_FALSE(is_nc_name("a b"));
}

TEST(XmlNames, LongestEndingThatIsAName) {
  EXPECT_EQ(nc_name_suffix("http://a/b#c1"), 2U);
  EXPECT_EQ(nc_name_suffix("http://a/1c"), 1U);
  EXPECT_EQ(nc_name_suffix("http://a/12"), 0U);
  EXPECT_EQ(nc_name_suffix("http://a/"), 0U);
  EXPECT_EQ(nc_name_suffix("http://a/\u00E9t\u00E9"), 5U);
  EXPECT_EQ(nc_name_suffix("http://a/\u65E5\u672C"), 6U);
  EXPECT_EQ(nc_name_suffix("http://a/\U00010000b"), 1U);
  EXPECT_EQ(nc_name_suffix(""), 0U);
}

TEST(XmlNames, CharactersThatXmlCannotHold) {
  EXPECT_EQ(find_unwritable_xml_character("a\tb\n\r\u00E9\uFFFD"), std::string_view::npos);
  EXPECT_EQ(find_unwritable_xml_character("a\x01"), 1U);
  EXPECT_EQ(find_unwritable_xml_character(std::string_view("\0", 1)), 0U);
  EXPECT_EQ(find_unwritable_xml_character("ab\uFFFE"), 2U);
  EXPECT_EQ(find_unwritable_xml_character("\uFFFF"), 0U);
}

TEST(XmlNames, ExcerptIsOneLineOfWholeCharacters) {
  EXPECT_EQ(excerpt("one\ntwo"), "one");
  EXPECT_EQ(excerpt(std::string(59, 'x') + "\u00E9"), std::string(59, 'x'));
}

}  // namespace
}  // namespace helve::rdf
