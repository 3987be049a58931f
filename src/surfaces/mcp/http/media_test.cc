#include "surfaces/mcp/http/media.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

TEST(Media, AcceptSaysWhatMayBeSent) {
  const auto read = [](std::string_view text) {
    const Accepts accepts = read_accept(text);
    return std::pair(accepts.json, accepts.sse);
  };
  EXPECT_EQ(read("application/json, text/event-stream"), std::pair(true, true));
  EXPECT_EQ(read("Text/Event-Stream;q=0.5 , APPLICATION/JSON"), std::pair(true, true));
  EXPECT_EQ(read("application/json"), std::pair(true, false));
  EXPECT_EQ(read("text/event-stream"), std::pair(false, true));
  EXPECT_EQ(read(""), std::pair(true, true));
  EXPECT_EQ(read("*/*"), std::pair(true, true));
  EXPECT_EQ(read("application/*"), std::pair(true, false));
  EXPECT_EQ(read("text/html"), std::pair(false, false));
  EXPECT_EQ(read("application/json;q=0, text/event-stream;q=0.0"), std::pair(false, false));
  EXPECT_EQ(read("application/jsonx,,;,"), std::pair(false, false));
}

TEST(Media, ContentTypeMayHaveParameters) {
  EXPECT_TRUE(is_json_type("application/json"));
  EXPECT_TRUE(is_json_type("Application/JSON; charset=utf-8"));
  EXPECT_FALSE(is_json_type("text/plain"));
  EXPECT_FALSE(is_json_type("application/json-patch+json"));
  EXPECT_FALSE(is_json_type(""));
}

TEST(Media, EventIdsComeBack) {
  const auto id = read_event_id(to_string({.is_general = true, .stream = 12, .event = 7}));
  ASSERT_TRUE(id);
  EXPECT_TRUE(id->is_general);
  EXPECT_EQ(id->stream, 12U);
  EXPECT_EQ(id->event, 7U);
  for (const char* wrong :
       {"", "g", "p1", "p-1", "x1-2", "p1-2-3", "p1-", "p1- 2", "p99999999999999999999-1"}) {
    EXPECT_FALSE(read_event_id(wrong)) << wrong;
  }
}

TEST(Media, EventsStayOneLine) {
  EXPECT_EQ(sse_event("{\"a\":\n1}", std::nullopt), "event: message\ndata: {\"a\": 1}\n\n");
  EXPECT_EQ(sse_event("{}", EventId{.is_general = false, .stream = 1, .event = 2}),
            "event: message\nid: p1-2\ndata: {}\n\n");
  EXPECT_EQ(sse_primer({.is_general = false, .stream = 1, .event = 0}),
            "id: p1-0\nretry: 1000\ndata: \n\n");
}

}  // namespace
}  // namespace helve::mcp
