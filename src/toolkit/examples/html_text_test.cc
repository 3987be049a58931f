#include "toolkit/examples/html_text.h"

#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

TEST(TextOfHtml, IsWhatAReaderSees) {
  EXPECT_EQ(text_of_html("<p>a <a href=\"x>y\">b</a>\n\n c</p>"), "a y\">b c");
  EXPECT_EQ(text_of_html("one<br/>two<li>three</li>four H<sub>2</sub>O"), "one two three four H2O");
  EXPECT_EQ(text_of_html("a<!-- <b> -- > --> b<script>if (a</b>c)</script> c<style>x</STYLE>"),
            "a b c");
  EXPECT_EQ(text_of_html("a < b, <unknown x>c</unknown>, <!DOCTYPE html>d"), "a < b, c, d");
  EXPECT_EQ(text_of_html(""), "");
}

TEST(TextOfHtml, ReferencesAreCharacters) {
  EXPECT_EQ(text_of_html("1 &lt; 2 &unknown; &amp"), "1 < 2 &unknown; &amp");
  EXPECT_EQ(text_of_html("&#39;&#x2192;&#X3b1;&beta;&nbsp;&#160;x"), "'→αβ x");
  // No characters, or none that may be shown.
  EXPECT_EQ(text_of_html("&#0;&#xD800;&#x110000;&#27;&#99999999999;&#;&#x;"),
            "&#0;&#xD800;&#x110000;&#27;&#99999999999;&#;&#x;");
  // What comes of a reference is text.
  EXPECT_EQ(text_of_html("&lt;b&gt; &amp;lt;"), "<b> &lt;");
}

TEST(TextOfHtml, TakesKnownTagsOutOfOtherTexts) {
  EXPECT_EQ(text_with_some_html("related to <a href=\"http://x/y\">kinase</a> &amp; more"),
            "related to kinase & more");
  EXPECT_EQ(text_with_some_html("Select <reaction> <ec> for <B>one</B>"),
            "Select <reaction> <ec> for one");
  EXPECT_EQ(text_with_some_html("a <b"), "a <b");
}

// Each "<" would look for its end to the end of the text.
TEST(TextOfHtml, TakesTimeByTheLengthOfTheText) {
  std::string hostile;
  for (int i = 0; i < 1'000'000; ++i) hostile += "<a<!--";
  EXPECT_EQ(text_of_html(hostile), hostile);
  EXPECT_EQ(text_of_html("<script>" + std::string(1'000'000, '<')), "");
}

}  // namespace
}  // namespace helve::toolkit
