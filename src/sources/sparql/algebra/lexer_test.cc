#include "sources/sparql/algebra/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace helve::sparql {
namespace {

using Kind = TokenKind;

std::vector<Kind> kinds(std::string_view text, Version version = Version::Sparql11) {
  Lexer lexer(text, version);
  std::vector<Kind> found;
  do {
    found.push_back(lexer.next().kind);
  } while (found.back() != Kind::End && found.back() != Kind::Bad);
  return found;
}

Token first(std::string_view text, Version version = Version::Sparql11) {
  return Lexer(text, version).next();
}

std::string fault(std::string_view text, Version version = Version::Sparql11) {
  Lexer lexer(text, version);
  for (Token token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    if (token.kind == Kind::Bad) return lexer.fault().message;
  }
  return {};
}

TEST(Lexer, ReadsEveryKind) {
  EXPECT_EQ(kinds("<a> ex:b : _:c ?d $e @en-GB 1 1.5 1e6 .5 'x' \"\"\"y\"\"\" SELECT"),
            (std::vector<Kind>{Kind::IriRef, Kind::PrefixedName, Kind::PrefixedName,
                               Kind::BlankLabel, Kind::Variable, Kind::Variable, Kind::LangTag,
                               Kind::Integer, Kind::Decimal, Kind::Double, Kind::Decimal,
                               Kind::String, Kind::String, Kind::Word, Kind::End}));
  EXPECT_EQ(kinds("{}()[].,;*+-/| || ^ ^^ && ! != = < <= > >= ? # end"),
            (std::vector<Kind>{Kind::LeftBrace,
                               Kind::RightBrace,
                               Kind::LeftParenthesis,
                               Kind::RightParenthesis,
                               Kind::LeftBracket,
                               Kind::RightBracket,
                               Kind::Dot,
                               Kind::Comma,
                               Kind::Semicolon,
                               Kind::Star,
                               Kind::Plus,
                               Kind::Minus,
                               Kind::Slash,
                               Kind::Pipe,
                               Kind::PipePipe,
                               Kind::Caret,
                               Kind::CaretCaret,
                               Kind::AmpAmp,
                               Kind::Bang,
                               Kind::BangEqual,
                               Kind::Equal,
                               Kind::Less,
                               Kind::LessEqual,
                               Kind::Greater,
                               Kind::GreaterEqual,
                               Kind::Question,
                               Kind::End}));
}

TEST(Lexer, TellsIrisFromComparisons) {
  EXPECT_EQ(kinds("?a<?b && ?c>?d"),
            (std::vector<Kind>{Kind::Variable, Kind::Less, Kind::Variable, Kind::AmpAmp,
                               Kind::Variable, Kind::Greater, Kind::Variable, Kind::End}));
  EXPECT_EQ(kinds("?a<?b>?c"),
            (std::vector<Kind>{Kind::Variable, Kind::IriRef, Kind::Variable, Kind::End}));
}

TEST(Lexer, LeavesFinalDotsOutside) {
  EXPECT_EQ(first("ex:a.b.").text, "ex:a.b");
  EXPECT_EQ(first("_:a.b.").text, "a.b");
  EXPECT_EQ(kinds("1. 1.e3 1.5.").size(), 6U);
  EXPECT_EQ(first("true.").text, "true");
}

TEST(Lexer, KeepsSpansOfTheText) {
  Lexer lexer(" # ?x\n  ?name ", Version::Sparql11);
  const Token token = lexer.next();
  EXPECT_EQ(token.text, "name");
  EXPECT_EQ(token.span.begin, 8U);
  EXPECT_EQ(token.span.end, 13U);
}

TEST(Lexer, ReadsEscapesInNamesOf11Only) {
  const Token variable = first("?a\\u0062c");
  EXPECT_EQ(variable.kind, Kind::Variable);
  std::string name;
  append_name_unescaped(name, variable.text);
  EXPECT_EQ(name, "abc");
  EXPECT_EQ(kinds("?a\\u0062c", Version::Sparql12).back(), Kind::Bad);
  EXPECT_EQ(first("\\u0053ELECT").kind, Kind::Word);
  EXPECT_EQ(kinds("\\u0053ELECT", Version::Sparql12).back(), Kind::Bad);
  name.clear();
  append_name_unescaped(name, first("ex:a\\,\\u00E9").text);
  EXPECT_EQ(name, "ex:a,\xC3\xA9");
}

// https://www.w3.org/TR/sparql11-query/#codepointEscape
TEST(Lexer, RefusesEscapesThatTwoReadersWouldReadTwoWays) {
  EXPECT_EQ(fault("\"x\\u0022 }\""),
            "the escape \\u0022 would end or change the string it stands in");
  EXPECT_EQ(fault("\"x\\u0022 }\"", Version::Sparql12), "");
  EXPECT_EQ(fault("\"x\\u0027\""), "");
  EXPECT_NE(fault("'x\\u0027'"), "");
  EXPECT_NE(fault("\"x\\u005Cn\""), "");
  EXPECT_NE(fault("\"x\\u000A\""), "");
  EXPECT_EQ(fault("\"\"\"x\\u000A\"\"\""), "");
  EXPECT_EQ(fault("\"\\\\u0022\""), "");
  EXPECT_NE(fault("# \\u000A SELECT"), "");
  EXPECT_EQ(fault("# \\u000A SELECT", Version::Sparql12), "");
  EXPECT_NE(fault("\\u007B"), "");
  EXPECT_NE(fault("<http://a\\u003E>"), "");
  EXPECT_NE(fault("<http://a\\u003E>", Version::Sparql12), "");
  EXPECT_EQ(fault("<http://a\\u00E9>"), "");
}

TEST(Lexer, RefusesWhatIsNoCharacter) {
  for (const std::string_view text :
       {"'\\uD800'", "'\\uDFFF'", "'\\U00110000'", "'\\u0000'", "'\\u12'", "'\\x'"}) {
    EXPECT_NE(fault(text), "") << text;
    EXPECT_NE(fault(text, Version::Sparql12), "") << text;
  }
}

TEST(Lexer, ReadsBaseDirections) {
  EXPECT_EQ(first("@en--ltr").text, "en--ltr");
  EXPECT_EQ(first("@en--foo").text, "en");
  EXPECT_EQ(first("@en--foo", Version::Sparql12).text, "en--foo");
}

TEST(Lexer, FindsLabelsWhereverTheyStand) {
  EXPECT_EQ(blank_labels_in("_:a '_:b' # _:\\u0063\n_: x_:d."),
            (std::set<std::string>{"a", "b", "c", "d"}));
}

// Names without a colon are looked at once, not once for each dot.
TEST(Lexer, ReadsLongRunsOfDotsInLinearTime) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "a.";
  EXPECT_EQ(kinds(text).size(), 400'001U);
}

}  // namespace
}  // namespace helve::sparql
