#include "agent/llm/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/redaction.h"

namespace helve::llm {
namespace {

using ::testing::ElementsAre;

constexpr const char* kKey = "key-ab-key-ac-77";

class PiecesOfStreams : public ::testing::Test {
 protected:
  PiecesOfStreams() { register_secret(kKey); }

  std::vector<std::string> heard_;
  StreamSink sink_{[this](std::string_view text) { heard_.emplace_back(text); },
                   [this](std::string_view text) { heard_.push_back("~" + std::string(text)); }};
  Pieces pieces_{&sink_, {kKey}};
};

TEST_F(PiecesOfStreams, OrdinaryTextIsNotHeldBack) {
  for (const char* piece : {"Grü", "ße ", "an ", "", "alle"}) pieces_.text(piece);
  EXPECT_THAT(heard_, ElementsAre("Grü", "ße ", "an ", "alle"));
}

TEST_F(PiecesOfStreams, TheKeyIsTakenOutWhereverItIsCut) {
  const std::string text = std::string("a key-ab ") + kKey + "key-ab-" + kKey + " key-ab-k";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    heard_.clear();
    Pieces pieces(&sink_, {kKey});
    for (std::size_t at = 0; at < text.size(); at += size) pieces.text(text.substr(at, size));
    pieces.finish();
    std::string all;
    for (const std::string& piece : heard_) all += piece;
    EXPECT_EQ(all, "a key-ab [secret]key-ab-[secret] key-ab-k") << size;
  }
}

TEST_F(PiecesOfStreams, AKeyThatEndsAsItBeginsIsTakenOutToo) {
  const std::string key = "77-abcd-77-abcd-77";
  register_secret(key);
  Pieces pieces(&sink_, {key});
  for (const char c : "is " + key + "-abcd-77!") pieces.text({&c, 1});
  pieces.finish();
  std::string all;
  for (const std::string& piece : heard_) all += piece;
  EXPECT_EQ(all, "is [secret]-abcd-77!");
}

TEST_F(PiecesOfStreams, WhatMayBeItsBeginningWaits) {
  pieces_.text("my key-a");
  EXPECT_THAT(heard_, ElementsAre("my "));
  pieces_.reasoning("hm");
  pieces_.text("che");
  EXPECT_THAT(heard_, ElementsAre("my ", "~hm", "key-ache"));
  pieces_.text("k");
  EXPECT_EQ(heard_.size(), 3U);
  pieces_.finish();
  EXPECT_EQ(heard_.back(), "k");
}

TEST_F(PiecesOfStreams, WhatIsHeldBackWasNotPassedOn) {
  pieces_.text("key-");
  EXPECT_FALSE(pieces_.has_any());
  pieces_.finish();
  EXPECT_TRUE(pieces_.has_text());
  EXPECT_FALSE(pieces_.has_reasoning());
}

TEST(PiecesWithoutASink, GoNowhere) {
  Pieces pieces(nullptr, {kKey});
  pieces.text("a");
  pieces.finish();
  EXPECT_FALSE(pieces.has_any());
  const StreamSink deaf;
  Pieces unheard(&deaf, {kKey});
  unheard.reasoning("a");
  unheard.finish();
  EXPECT_FALSE(unheard.has_any());
}

}  // namespace
}  // namespace helve::llm
