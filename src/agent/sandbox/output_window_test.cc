#include "agent/sandbox/output_window.h"

#include <gtest/gtest.h>

namespace helve::sandbox {
namespace {

TEST(OutputWindow, KeepsAllThatFits) {
  OutputWindow window(10);
  window.add("01234");
  window.add("56789");
  EXPECT_EQ(window.text(), "0123456789");
  EXPECT_EQ(window.omitted(), 0U);
}

TEST(OutputWindow, KeepsBothEnds) {
  OutputWindow window(6);
  for (const char* part : {"ab", "cdefg", "hi", "jklmnopq", "r"}) window.add(part);
  EXPECT_EQ(window.text(), "abc\n... 12 bytes omitted ...\npqr");
  EXPECT_EQ(window.omitted(), 12U);
  EXPECT_EQ(window.total(), 18U);
}

// Whatever the pieces, what is kept is the same.
TEST(OutputWindow, DoesNotDependOnThePieces) {
  std::string all;
  for (int i = 0; i < 1'000; ++i) all += static_cast<char>('a' + i % 26);
  OutputWindow whole(64);
  whole.add(all);
  for (std::size_t piece = 1; piece < 100; ++piece) {
    OutputWindow window(64);
    for (std::size_t at = 0; at < all.size(); at += piece) window.add(all.substr(at, piece));
    ASSERT_EQ(window.text(), whole.text()) << piece;
  }
}

TEST(OutputWindow, CutsBetweenCharacters) {
  OutputWindow window(10);  // five bytes at each end: one whole character and a part
  window.add("äöüäöüäöü");
  EXPECT_EQ(window.text(), "äö\n... 10 bytes omitted ...\nöü");
  EXPECT_EQ(window.omitted(), 10U);
}

TEST(OutputWindow, RepairsWhatIsNoText) {
  OutputWindow window(10);
  window.add(
      "a\xff"
      "b");
  EXPECT_EQ(window.text(),
            "a\xef\xbf\xbd"
            "b");
}

TEST(OutputWindow, MayKeepNothing) {
  OutputWindow window(0);
  window.add("abc");
  EXPECT_EQ(window.omitted(), 3U);
}

}  // namespace
}  // namespace helve::sandbox
