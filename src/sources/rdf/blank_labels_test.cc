#include "sources/rdf/blank_labels.h"

#include <gtest/gtest.h>

namespace helve::rdf {
namespace {

std::string written(std::string_view label) {
  std::string out;
  BlankLabels("").append_written(out, label);
  return out;
}

TEST(BlankLabels, KeepsOrdinaryLabels) { EXPECT_EQ(written("b0"), "b0"); }

TEST(BlankLabels, MadeUpLabelsNeverMeetWrittenOnes) {
  BlankLabels labels("");
  std::string fresh;
  labels.append_fresh(fresh);
  EXPECT_EQ(fresh, "genid1");
  EXPECT_EQ(written("genid1"), "ugenid1");
  EXPECT_EQ(written("ugenid1"), "uugenid1");
  EXPECT_EQ(written("uu"), "uu");
}

TEST(BlankLabels, PrefixComesFirst) {
  BlankLabels labels("f1_");
  std::string out;
  labels.append_written(out, "x");
  labels.append_fresh(out);
  EXPECT_EQ(out, "f1_xf1_genid1");
}

}  // namespace
}  // namespace helve::rdf
