#include "base/unicode_fold.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(UnicodeFold, CaseAndAccents) {
  EXPECT_EQ(fold_text("Full PROFESSOR 12"), "full professor 12");
  EXPECT_EQ(fold_text("Müller"), "muller");
  EXPECT_EQ(fold_text("mu\u0308ller"), "muller");  // decomposed
  EXPECT_EQ(fold_text("Straße"), "strasse");
  EXPECT_EQ(fold_text("Ærøskøbing Łódź Þór"), "aeroskobing lodz thor");
  EXPECT_EQ(fold_text("İstanbul"), "istanbul");
  EXPECT_EQ(fold_text("ΆΣΟΣ"), fold_text("ασος"));
  EXPECT_EQ(fold_text("Ёлка"), "елка");
  EXPECT_EQ(fold_text("ＡＢＣ１"), "abc1");
  EXPECT_EQ(fold_text(""), "");
}

TEST(UnicodeFold, KeepsMarksThatAreLetters) {
  EXPECT_EQ(fold_text("हिन्दी"), "हिन्दी");
  EXPECT_EQ(fold_text("が"), "が");
  EXPECT_EQ(fold_text("한국"), "한국");
  EXPECT_EQ(fold_text("שָׁלוֹם"), "שלום");
}

TEST(UnicodeFold, IsStable) {
  for (const char* text : {"Müller", "Straße", "ﬁne", "Ǆ", "ŉ", "Ω", "㎏", "ΐ", "ſ"}) {
    EXPECT_EQ(fold_text(fold_text(text)), fold_text(text)) << text;
  }
}

TEST(UnicodeFold, Classes) {
  EXPECT_EQ(letter_class(U'a'), LetterClass::Letter);
  EXPECT_EQ(letter_class(U'É'), LetterClass::Capital);
  EXPECT_EQ(letter_class(U'7'), LetterClass::Digit);
  EXPECT_EQ(letter_class(U'٣'), LetterClass::Digit);
  EXPECT_EQ(letter_class(U'-'), LetterClass::None);
  EXPECT_EQ(letter_class(U'\u0301'), LetterClass::Mark);
  EXPECT_EQ(letter_class(U'東'), LetterClass::Continuous);
  EXPECT_EQ(letter_class(U'ー'), LetterClass::Continuous);
  EXPECT_EQ(letter_class(U'ก'), LetterClass::Continuous);
  EXPECT_EQ(letter_class(U'한'), LetterClass::Letter);
  EXPECT_EQ(letter_class(U'\U000E0001'), LetterClass::None);
}

}  // namespace
}  // namespace helve
