#include "surfaces/cli/progress_bar.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace helve::cli {
namespace {

using std::chrono::seconds;

TEST(ProgressLine, ShowsPartRateAndTimeLeft) {
  EXPECT_EQ(progress_line({1'000, 250, 5'000, "reading"}, seconds(10), 120),
            "reading ██████░░░░░░░░░░░░░░░░░░  25 %  5,000 triples  500/s  30.0 s left");
}

TEST(ProgressLine, TheTimeLeftIsThatOfTheStage) {
  const ProgressState state{1'000, 500, 5'000, "indexing", seconds(4)};
  EXPECT_EQ(progress_line(state, seconds(10), 120),
            "indexing ████████████░░░░░░░░░░░░  50 %  5,000 triples  500/s  4.00 s left");
}

TEST(ProgressLine, WithoutATotalShowsCountAndRate) {
  EXPECT_EQ(progress_line({0, 4'096, 5'000, "reading"}, seconds(2), 120),
            "reading  5,000 triples  2,500/s");
}

TEST(ProgressLine, AtTheStartKnowsNoRate) {
  EXPECT_EQ(progress_line({1'000, 0, 0, "reading"}, Duration::zero(), 120),
            "reading ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  0 triples  0/s");
}

TEST(ProgressLine, AtTheEndHasNoTimeLeft) {
  EXPECT_EQ(progress_line({1'000, 1'000, 10, "counting"}, seconds(1), 120),
            "counting ████████████████████████ 100 %  10 triples  10/s");
}

TEST(ProgressLine, AFileThatGrowsStaysAtAHundredPercent) {
  EXPECT_EQ(progress_line({1'000, 5'000, 10, "reading"}, seconds(1), 120),
            "reading ████████████████████████ 100 %  10 triples  10/s");
}

TEST(ProgressLine, KeepsTheWidth) {
  for (std::size_t width = 1; width < 100; ++width) {
    const auto line = progress_line({1'000, 10, 123'456'789, "sorting terms"}, seconds(3), width);
    EXPECT_LE(display_width(line), width);
  }
}

TEST(ProgressBar, DoesNothingWithoutATerminal) {
  bool was_asked = false;
  {
    const ProgressBar bar(Terminal::plain(80), [&] {
      was_asked = true;
      return ProgressState{};
    });
  }
  EXPECT_FALSE(was_asked);
}

}  // namespace
}  // namespace helve::cli
