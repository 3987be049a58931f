#include "sources/rdf/language_tag.h"

#include <gtest/gtest.h>

namespace helve::rdf {
namespace {

TEST(LanguageTag, HasOneSpelling) {
  EXPECT_EQ(normal_language("EN"), "en");
  EXPECT_EQ(normal_language("en-gb"), "en-GB");
  EXPECT_EQ(normal_language("ZH-hant-tw"), "zh-Hant-TW");
  EXPECT_EQ(normal_language("de-1901"), "de-1901");
  EXPECT_EQ(normal_language("sl-ROZAJ-biske"), "sl-rozaj-biske");
  EXPECT_EQ(normal_language("en-CA-X-CA"), "en-CA-x-ca");
  EXPECT_EQ(normal_language("X-AB-CDEF"), "x-ab-cdef");
  EXPECT_EQ(normal_language("de-419-DE"), "de-419-DE");
}

TEST(LanguageTag, KnowsItsNormalForm) {
  EXPECT_TRUE(is_normal_language("en"));
  EXPECT_TRUE(is_normal_language("en-GB"));
  EXPECT_TRUE(is_normal_language(""));
  EXPECT_FALSE(is_normal_language("EN"));
  EXPECT_FALSE(is_normal_language("en-gb"));
  EXPECT_FALSE(is_normal_language("zh-hant"));
}

TEST(LanguageTag, TakesWhatIsNoTag) {
  EXPECT_EQ(normal_language("-"), "-");
  EXPECT_EQ(normal_language("en--LTR-"), "en--ltr-");
  EXPECT_EQ(normal_language("\xC3\x89N"), "\xC3\x89n");
}

TEST(LanguageTag, OfATerm) {
  std::string scratch;
  const TermView plain = TermView::literal("a");
  EXPECT_EQ(with_normal_language(plain, scratch), plain);
  const TermView tagged = TermView::lang_literal("a", "EN-us");
  EXPECT_EQ(with_normal_language(tagged, scratch), TermView::lang_literal("a", "en-US"));
}

}  // namespace
}  // namespace helve::rdf
