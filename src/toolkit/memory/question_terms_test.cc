#include "toolkit/memory/question_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(QuestionTerms, AreThoseThatTell) {
  EXPECT_THAT(telling_terms("Which of the genes does it have in common with rats?"),
              ElementsAre("gene", "common", "rat"));
  EXPECT_THAT(telling_terms("THE Isoform of P05067"), ElementsAre("isoform", "p05067"));
}

TEST(QuestionTerms, AreAllWhereNoneTells) {
  EXPECT_THAT(telling_terms("to be or"), ElementsAre("to", "be", "or"));
  EXPECT_THAT(telling_terms("?!"), IsEmpty());
}

}  // namespace
}  // namespace helve::memory
