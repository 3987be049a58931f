#include "sources/rdf/input_window.h"

#include <gtest/gtest.h>

#include "tests/support/stepped_source.h"

namespace helve::rdf {
namespace {

using test::SteppedSource;

class FailingSource final : public ByteSource {
 public:
  Result<std::size_t> read(std::span<char> into) override {
    if (given_) return Error{ErrorCode::Unavailable, "the disk is gone"};
    given_ = true;
    into[0] = 'x';
    return std::size_t{1};
  }

 private:
  bool given_ = false;
};

struct Reading {
  std::string text;
  std::optional<Error> error;
};

// Everything the window gives when nothing is kept.
Reading read_all(InputWindow& window) {
  Reading reading;
  while (true) {
    const Result<bool> more = window.slide(window.end());
    if (!more) {
      reading.error = more.error();
      return reading;
    }
    if (!*more) return reading;
    EXPECT_LT(window.begin(), window.end());
    reading.text.append(window.begin(), window.end());
  }
}

// The same, keeping everything.
std::string read_keeping(InputWindow& window) {
  Result<bool> more = window.slide(window.begin());
  while (more && *more) more = window.slide(window.begin());
  EXPECT_TRUE(more);
  return {window.begin(), window.end()};
}

constexpr std::string_view kMixed =
    "a\u00e9\u20ac\U0001F600z \u00e9\u20ac\U0001F600 plain text behind";

TEST(InputWindow, WholeTextIsGivenWithoutCopying) {
  InputWindow window(kMixed);
  ASSERT_TRUE(window.slide(window.begin()).value());
  EXPECT_EQ(window.begin(), kMixed.data());
  EXPECT_EQ(window.end(), kMixed.data() + kMixed.size());
  EXPECT_FALSE(window.slide(window.begin() + 3).value());
  EXPECT_EQ(window.begin(), kMixed.data() + 3);
  EXPECT_FALSE(window.slide(window.end()).value());
  EXPECT_EQ(window.begin(), window.end());
}

TEST(InputWindow, WholeTextInEveryPieceSize) {
  for (std::size_t piece = 1; piece <= kMixed.size() + 1; ++piece) {
    InputWindow window(kMixed, piece);
    EXPECT_EQ(read_all(window).text, kMixed) << piece;
    InputWindow kept(kMixed, piece);
    EXPECT_EQ(read_keeping(kept), kMixed) << piece;
  }
}

TEST(InputWindow, StreamsInEveryPieceAndStep) {
  for (std::size_t piece = 1; piece <= 12; ++piece) {
    for (std::size_t step = 1; step <= 12; ++step) {
      SteppedSource source(kMixed, step);
      InputWindow window(source, piece, 16);
      const Reading reading = read_all(window);
      EXPECT_EQ(reading.text, kMixed) << piece << " " << step;
      EXPECT_FALSE(reading.error);
      SteppedSource again(kMixed, step);
      InputWindow kept(again, piece, 1000);
      EXPECT_EQ(read_keeping(kept), kMixed) << piece << " " << step;
    }
  }
}

TEST(InputWindow, KeptByteMovesToBegin) {
  SteppedSource source("abcdefghij", 2);
  InputWindow window(source, 2, 8);
  ASSERT_TRUE(window.slide(window.begin()).value());
  ASSERT_EQ(std::string(window.begin(), window.end()), "ab");
  ASSERT_TRUE(window.slide(window.begin() + 1).value());
  EXPECT_EQ(std::string(window.begin(), window.end()), "bcd");
  ASSERT_TRUE(window.slide(window.begin() + 2).value());
  EXPECT_EQ(std::string(window.begin(), window.end()), "def");
}

TEST(InputWindow, EmptyDocuments) {
  InputWindow whole("");
  EXPECT_FALSE(whole.slide(whole.begin()).value());
  StringSource source("");
  InputWindow stream(source, 16, 64);
  EXPECT_FALSE(stream.slide(stream.begin()).value());
  EXPECT_FALSE(stream.slide(stream.begin()).value());
}

TEST(InputWindow, DropsOneByteOrderMark) {
  const std::string text = "\xEF\xBB\xBF\xEF\xBB\xBFx";
  InputWindow whole(text);
  EXPECT_EQ(read_all(whole).text, text.substr(3));
  for (std::size_t step = 1; step <= 8; ++step) {
    SteppedSource source(text, step);
    InputWindow window(source, 8, 64);
    EXPECT_EQ(read_all(window).text, text.substr(3)) << step;
  }
  InputWindow alone("\xEF\xBB\xBF");
  EXPECT_EQ(read_all(alone).text, "");
}

TEST(InputWindow, EndsBeforeTheBadByte) {
  const std::string text = "good \u00e9 \xE9 more";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    SteppedSource source(text, step);
    InputWindow window(source, 8, 64);
    const Reading reading = read_all(window);
    EXPECT_EQ(reading.text, "good \u00e9 ");
    ASSERT_TRUE(reading.error);
    EXPECT_EQ(reading.error->code, ErrorCode::InvalidInput);
    EXPECT_EQ(reading.error->message, "invalid UTF-8 (byte 0xE9)");
    EXPECT_TRUE(window.at_bad_utf8());
    EXPECT_FALSE(window.slide(window.end()));
    window.skip_bad_byte();
    EXPECT_EQ(read_all(window).text, " more");
  }
}

TEST(InputWindow, CutOffCharacterAtTheEnd) {
  const std::string text = "abc\xF0\x9F\x98";
  InputWindow whole(text, 4);
  const Reading reading = read_all(whole);
  EXPECT_EQ(reading.text, "abc");
  ASSERT_TRUE(reading.error);
  EXPECT_EQ(reading.error->message, "the document ends in the middle of a UTF-8 character");
  SteppedSource source(text, 1);
  InputWindow stream(source, 4, 64);
  EXPECT_EQ(read_all(stream).error->message, reading.error->message);
}

TEST(InputWindow, NamesUtf16) {
  InputWindow window(std::string_view("\xFF\xFE<\0h\0", 6));
  EXPECT_NE(read_all(window).error->hint.find("UTF-16"), std::string::npos);
}

TEST(InputWindow, RefusesToKeepMoreThanItsSize) {
  const std::string text(100, 'x');
  SteppedSource source(text, 7);
  InputWindow window(source, 8, 50);
  Result<bool> more = window.slide(window.begin());
  while (more && *more) more = window.slide(window.begin());
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(window.end() - window.begin(), 50);
  EXPECT_TRUE(window.slide(window.end()).value());
}

TEST(InputWindow, PassesErrorsOfTheSourceUp) {
  FailingSource source;
  InputWindow window(source, 8, 64);
  ASSERT_TRUE(window.slide(window.begin()).value());
  const Result<bool> more = window.slide(window.begin());
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(std::string(window.begin(), window.end()), "x");
}

TEST(InputWindow, ReadsNoMoreOftenThanNeeded) {
  const std::string text(1000, 'x');
  SteppedSource source(text, 100);
  InputWindow window(source, 100, 4000);
  EXPECT_EQ(read_keeping(window), text);
  EXPECT_LE(source.calls(), 20);  // ten pieces, some cut where the buffer ended, and the end
}

}  // namespace
}  // namespace helve::rdf
