#include "toolkit/context/cut_text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace helve::context {
namespace {

TEST(CutText, WhatFitsStaysAsItIs) {
  EXPECT_EQ(cut_line("Ask for less.", 13), "Ask for less.");
  EXPECT_EQ(cut_line("", 0), "");
}

TEST(CutText, CutsBehindASentence) {
  const std::string_view line = "Count before you export. Then ask for pages of a thousand rows.";
  EXPECT_EQ(cut_line(line, 40), "Count before you export. …");
  EXPECT_EQ(cut_line("Is it there? Look (always.) Then go on with all of it.", 32),
            "Is it there? Look (always.) …");
}

TEST(CutText, FullStopsOfWordsAreNoEndOfASentence) {
  EXPECT_EQ(cut_line("Use a class, e.g. Planet, before a filter", 24), "Use a class, e.g. …");
  EXPECT_EQ(cut_line("By J. Galle it was found in 1846 in Berlin", 10), "By J. …");
}

TEST(CutText, CutsBehindAWordWhereASentenceEndsTooEarly) {
  EXPECT_EQ(cut_line("No. And here is a very long sentence about much", 30),
            "No. And here is a very long …");
}

TEST(CutText, NeverLongerThanAskedForAndNeverHalfACharacter) {
  const std::string line = "Größe über alles: ältere Häuser. Örtlich schön übrig";
  for (std::size_t most = 0; most < 60; ++most) {
    const std::string cut = cut_line(line, most);
    EXPECT_EQ(utf8_valid_prefix(cut), cut.size());
    EXPECT_LE(utf8_length(cut), most);
  }
}

TEST(CutText, AWordThatDoesNotFitIsNotCut) { EXPECT_EQ(cut_line("incomprehensibilities", 10), ""); }

}  // namespace
}  // namespace helve::context
