#include "agent/llm/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::llm {
namespace {

using ::testing::ElementsAre;

// "name|data" of every event, with the bytes in pieces of this size.
std::vector<std::string> events_of(std::string_view text, std::size_t piece) {
  SseReader reader;
  std::vector<SseEvent> events;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    EXPECT_TRUE(reader.add(text.substr(at, piece), events));
  }
  EXPECT_TRUE(reader.finish(events));
  std::vector<std::string> shown;
  for (const SseEvent& event : events) shown.push_back(event.name + "|" + event.data);
  return shown;
}

class SseInPieces : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, SseInPieces, ::testing::Values(1, 2, 3, 5, 1000));

TEST_P(SseInPieces, BlankLinesEndEventsWhateverEndsLines) {
  EXPECT_THAT(events_of("data: a\n\nevent: x\r\ndata: b\r\n\r\ndata: c\r\revent:y\rdata:d\n\r\n",
                        GetParam()),
              ElementsAre("|a", "x|b", "|c", "y|d"));
}

TEST_P(SseInPieces, DataOfSeveralLinesIsJoined) {
  EXPECT_THAT(events_of("data: {\ndata:  1\ndata\ndata:}\n\n", GetParam()),
              ElementsAre("|{\n 1\n\n}"));
}

TEST_P(SseInPieces, CommentsAndUnknownFieldsArePassedOver) {
  EXPECT_THAT(events_of(": keep-alive\n\nid: 7\nretry: 9\nevent: lonely\n\n:\ndata: a\nfoo: b\n\n",
                        GetParam()),
              ElementsAre("|a"));
}

TEST_P(SseInPieces, CharactersMayBeCut) {
  EXPECT_THAT(events_of("\xEF\xBB\xBF"
                        "data: gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\x8D\n\n",
                        GetParam()),
              ElementsAre("|gr\xC3\xBC\xC3\x9F \xF0\x9F\x8C\x8D"));
}

TEST_P(SseInPieces, WhatIsNoCharacterIsReplaced) {
  EXPECT_THAT(events_of("data: a\xFF\xC3\n\n", GetParam()),
              ElementsAre("|a\xEF\xBF\xBD\xEF\xBF\xBD"));
}

TEST_P(SseInPieces, TheLastEventMayLackItsBlankLine) {
  EXPECT_THAT(events_of("data: a\n\ndata: [DONE]", GetParam()), ElementsAre("|a", "|[DONE]"));
}

TEST(Sse, EmptyDataIsAnEvent) { EXPECT_THAT(events_of("data:\n\n\n\n", 4), ElementsAre("|")); }

TEST(Sse, LinesAndEventsAreBounded) {
  std::vector<SseEvent> events;
  SseReader lines({.line_bytes_max = 10, .event_bytes_max = 100});
  EXPECT_TRUE(lines.add("data: 1234", events));
  const auto longer = lines.add("5", events);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::LimitExceeded);

  SseReader whole({.line_bytes_max = 100, .event_bytes_max = 10});
  EXPECT_TRUE(whole.add("data: 1234\n", events));
  EXPECT_TRUE(whole.add("data: 123\n", events));
  const auto more = whole.add("data: 12\n", events);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::LimitExceeded);
  EXPECT_TRUE(events.empty());
}

TEST(Sse, NamesOfEventsCountOnlyForTheirOwn) {
  EXPECT_THAT(events_of("event: a\ndata: 1\n\ndata: 2\n\n", 100), ElementsAre("a|1", "|2"));
}

}  // namespace
}  // namespace helve::llm
