#include "sources/sparql/results/term_frames.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace helve::sparql {
namespace {

using rdf::TermView;

constexpr std::string_view kBefore = R"("x":{"type":"literal","value":)";
constexpr std::string_view kOpened = R"("x":{"type":"literal","value":")";

class TermFramesTest : public ::testing::Test {
 protected:
  // What is found at the beginning of the text: its column and value.
  std::string found(std::string_view text, std::size_t likely = 0) const {
    const auto term = frames_.find(text, likely);
    if (!term) return "nothing";
    const std::string_view value =
        text.substr(term->value_begin, term->value_end - term->value_begin);
    return fmt::format("{} {}{} then {}", term->column, value,
                       term->has_escapes ? " (escaped)" : "", text.substr(term->end));
  }

  TermFrames frames_;
};

TEST_F(TermFramesTest, RecogniseAnotherValueBetweenTheSameBytes) {
  EXPECT_EQ(found(R"("x":{"type":"literal","value":"a"},)"), "nothing");
  frames_.keep(0, kOpened, "\"}", TermView::literal("a"));
  EXPECT_EQ(found(R"("x":{"type":"literal","value":"other"},"y")"), R"(0 other then ,"y")");
  EXPECT_EQ(found(R"("x":{"type":"literal","value":""}})"), "0  then }");
  EXPECT_EQ(found(R"("x":{"type":"literal","value":"\"}\\"},)"), R"(0 \"}\\ (escaped) then ,)");
  EXPECT_EQ(found(R"( "x":{"type":"literal","value":"a"},)"), "nothing");
  EXPECT_EQ(found(R"("x":{"type":"literal","value":"a" },)"), "nothing");
  EXPECT_EQ(found(R"("x":{"type":"literal","value":"a","datatype":"b"})"), "nothing");
  EXPECT_EQ(found("\"x\":{\"type\":\"literal\",\"value\":\"a\nb\"}"), "nothing");
}

TEST_F(TermFramesTest, NeedTheWholeTermInSight) {
  frames_.keep(0, kOpened, "\"}", TermView::literal("a"));
  const std::string text = R"("x":{"type":"literal","value":"a long value \" of many bytes"})";
  EXPECT_NE(found(text), "nothing");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(found(std::string_view(text).substr(0, size)), "nothing") << size;
  }
}

TEST_F(TermFramesTest, GiveTheTermWhatItsFrameSays) {
  frames_.keep(0, kOpened, R"(","datatype":"http://t"})", TermView::literal("1", "http://t"));
  frames_.keep(0, kOpened, R"(","xml:lang":"en"})", TermView::lang_literal("a", "en"));
  const auto typed = frames_.find(R"("x":{"type":"literal","value":"2","datatype":"http://t"})", 0);
  ASSERT_TRUE(typed);
  EXPECT_EQ(typed->frame->with("2"), TermView::literal("2", "http://t"));
  const auto tagged = frames_.find(R"("x":{"type":"literal","value":"b","xml:lang":"en"})", 0);
  ASSERT_TRUE(tagged);
  EXPECT_EQ(tagged->frame->with("b"), TermView::lang_literal("b", "en"));
}

TEST_F(TermFramesTest, ColumnsMayBeMissingOrInAnotherOrder) {
  for (std::size_t column = 0; column < 3; ++column) {
    frames_.keep(column, fmt::format(R"("{}":{{"value":")", column), "\"}", TermView::iri("a"));
  }
  EXPECT_EQ(found(R"("2":{"value":"c"})", 0), "2 c then ");
  EXPECT_EQ(found(R"("0":{"value":"a"})", 1), "0 a then ");
  EXPECT_EQ(found(R"("1":{"value":"b"})", 99), "1 b then ");
}

TEST_F(TermFramesTest, AreBounded) {
  const std::string text(TermFrames::kFrameBytesMax, ' ');
  frames_.keep(0, text + "\"", "\"}", TermView::iri("a"));
  EXPECT_EQ(found(text + "\"a\"}"), "nothing");
  frames_.keep(TermFrames::kColumnsMax, kOpened, "\"}", TermView::iri("a"));
  EXPECT_EQ(found(std::string(kBefore) + "\"a\"}", TermFrames::kColumnsMax), "nothing");
  // The oldest of a column goes; one that is there already takes no other's place.
  for (const char* name : {"a", "b", "b", "b", "c", "d"}) {
    frames_.keep(0, fmt::format("{}\"", name), "\"}", TermView::iri("a"));
  }
  EXPECT_NE(found("a\"1\"}"), "nothing");
  frames_.keep(0, "e\"", "\"}", TermView::iri("a"));
  EXPECT_EQ(found("a\"1\"}"), "nothing");
  for (const char* name : {"b", "c", "d", "e"}) {
    EXPECT_NE(found(fmt::format("{}\"1\"}}", name)), "nothing") << name;
  }
}

}  // namespace
}  // namespace helve::sparql
