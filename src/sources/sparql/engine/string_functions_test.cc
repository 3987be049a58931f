#include "sources/sparql/engine/string_functions.h"

#include <gtest/gtest.h>

#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using F = Function;

TEST(StringFunctions, Length) {
  check_functions_of({
      {F::StrLen, R"("")", "0"},
      {F::StrLen, R"("chat")", "4"},
      {F::StrLen, R"("chat"@en)", "4"},
      {F::StrLen, R"("食べ物"@ja)", "3"},
      {F::StrLen, R"("a😀b")", "3"},
      {F::StrLen, "1", "error"},
      {F::StrLen, ":x", "error"},
      {F::StrLen, R"("a"^^xsd:token)", "error"},
  });
}

TEST(StringFunctions, SubstringCountsCharactersFromOne) {
  check_functions_of({
      {F::Substr, R"("foobar", 4)", R"("bar")"},
      {F::Substr, R"("foobar"@en, 4)", R"("bar"@en)"},
      {F::Substr, R"("foobar", 4, 1)", R"("b")"},
      {F::Substr, R"("食べ物", 2, 1)", R"("べ")"},
      {F::Substr, R"("a😀b", 2, 1)", R"("😀")"},
      {F::Substr, R"("abc", 1, 0)", R"("")"},
      {F::Substr, R"("abc"@fr, 9)", R"(""@fr)"},
      {F::Substr, R"("abc", 0)", R"("abc")"},
      {F::Substr, R"("abc", -5)", R"("abc")"},
      {F::Substr, R"("12345", 0, 3)", R"("12")"},
      {F::Substr, R"("12345", -3, 5)", R"("1")"},
      {F::Substr, R"("12345", 1.5, 2.6)", R"("234")"},
      {F::Substr, R"("12345", 2.5e0)", R"("345")"},
      {F::Substr, R"("12345", 5, -3)", R"("")"},
      {F::Substr, R"("12345", "NaN"^^xsd:double, 3)", R"("")"},
      {F::Substr, R"("12345", 1, "NaN"^^xsd:double)", R"("")"},
      {F::Substr, R"("12345", -42, "INF"^^xsd:double)", R"("12345")"},
      {F::Substr, R"("12345", "-INF"^^xsd:double)", R"("12345")"},
      {F::Substr, R"("12345", "-INF"^^xsd:double, "INF"^^xsd:double)", R"("")"},
      {F::Substr, R"("12345", 99999999999999999999999)", R"("")"},
      {F::Substr, R"("abc", "1")", "error"},
      {F::Substr, R"("abc", 1, "1")", "error"},
      {F::Substr, "1, 1", "error"},
      {F::Substr, R"(:abc, 1)", "error"},
  });
}

TEST(StringFunctions, CaseKeepsTheLanguage) {
  check_functions_of({
      {F::UCase, R"("foo")", R"("FOO")"},
      {F::UCase, R"("foo"@en)", R"("FOO"@en)"},
      {F::UCase, R"("straße")", R"("STRASSE")"},
      {F::LCase, R"("BAR")", R"("bar")"},
      {F::LCase, R"("ÀÉ"@fr)", R"("àé"@fr)"},
      {F::LCase, "1", "error"},
      {F::UCase, ":x", "error"},
  });
}

TEST(StringFunctions, PartsNeedCompatibleLanguages) {
  check_functions_of({
      {F::StrStarts, R"("foobar", "foo")", "true"},
      {F::StrStarts, R"("foobar"@en, "foo"@en)", "true"},
      {F::StrStarts, R"("foobar"@en, "foo"@EN)", "true"},
      {F::StrStarts, R"("foobar"@en, "foo")", "true"},
      {F::StrStarts, R"("foobar"@en, "foo"@fr)", "error"},
      {F::StrStarts, R"("foobar", "foo"@en)", "error"},
      {F::StrStarts, R"("foobar", "")", "true"},
      {F::StrStarts, R"("foo", "foobar")", "false"},
      {F::StrStarts, R"("1", 1)", "error"},
      {F::StrStarts, R"(1, "1")", "error"},
      {F::StrEnds, R"("foobar", "bar")", "true"},
      {F::StrEnds, R"("foobar", "foo")", "false"},
      {F::StrEnds, R"("foobar"@en, "bar"@de)", "error"},
      {F::Contains, R"("foobar", "oba")", "true"},
      {F::Contains, R"("foobar"@en, "oba")", "true"},
      {F::Contains, R"("foobar", "")", "true"},
      {F::Contains, R"("", "")", "true"},
      {F::Contains, R"("", "a")", "false"},
      {F::Contains, R"("foobar", "FOO")", "false"},
      {F::Contains, R"("foobar", "oba"@en)", "error"},
      {F::Contains, R"(:foobar, "oba")", "error"},
  });
}

TEST(StringFunctions, BeforeAndAfter) {
  check_functions_of({
      {F::StrBefore, R"("abc", "b")", R"("a")"},
      {F::StrBefore, R"("abc"@en, "bc")", R"("a"@en)"},
      {F::StrBefore, R"("abc"@en, "b"@cy)", "error"},
      {F::StrBefore, R"("abc"^^xsd:string, "")", R"("")"},
      {F::StrBefore, R"("abc", "xyz")", R"("")"},
      {F::StrBefore, R"("abc"@en, "z"@en)", R"("")"},
      {F::StrBefore, R"("abc"@en, ""@en)", R"(""@en)"},
      {F::StrBefore, R"("abc"@en, "")", R"(""@en)"},
      {F::StrBefore, R"("abcb", "b")", R"("a")"},
      {F::StrAfter, R"("abc", "b")", R"("c")"},
      {F::StrAfter, R"("abc"@en, "ab")", R"("c"@en)"},
      {F::StrAfter, R"("abc"@en, "b"@cy)", "error"},
      {F::StrAfter, R"("abc", "")", R"("abc")"},
      {F::StrAfter, R"("abc", "xyz")", R"("")"},
      {F::StrAfter, R"("abc"@en, "z")", R"("")"},
      {F::StrAfter, R"("abc"@en, "")", R"("abc"@en)"},
      {F::StrAfter, R"("abcb", "b")", R"("cb")"},
      {F::StrAfter, R"(1, "b")", "error"},
  });
}

TEST(StringFunctions, EncodeForUri) {
  check_functions_of({
      {F::EncodeForUri, R"("Los Angeles")", R"("Los%20Angeles")"},
      {F::EncodeForUri, R"("Los Angeles"@en)", R"("Los%20Angeles")"},
      {F::EncodeForUri, R"("aZ09-_.~/?#é")", R"("aZ09-_.~%2F%3F%23%C3%A9")"},
      {F::EncodeForUri, ":x", "error"},
  });
}

TEST(StringFunctions, ConcatKeepsACommonLanguage) {
  check_functions_of({
      {F::Concat, "", R"("")"},
      {F::Concat, R"("foo", "bar")", R"("foobar")"},
      {F::Concat, R"("foo"@en, "bar"@en)", R"("foobar"@en)"},
      {F::Concat, R"("foo"@en, "bar"@EN)", R"("foobar"@en)"},
      {F::Concat, R"("foo"@en, "bar")", R"("foobar")"},
      {F::Concat, R"("foo", "bar"@en)", R"("foobar")"},
      {F::Concat, R"("foo"@en, "bar"@es)", R"("foobar")"},
      {F::Concat, R"("foo"@en)", R"("foo"@en)"},
      {F::Concat, R"("a", "b", "c", "d", "e", "f")", R"("abcdef")"},
      {F::Concat, R"("a", 1)", "error"},
      {F::Concat, R"("a", :x)", "error"},
  });
}

TEST(StringFunctions, LanguageRanges) {
  check_functions_of({
      {F::LangMatches, R"("fr", "FR")", "true"},
      {F::LangMatches, R"("fr-BE", "fr")", "true"},
      {F::LangMatches, R"("fr-BE", "fr-be")", "true"},
      {F::LangMatches, R"("fr", "fr-BE")", "false"},
      {F::LangMatches, R"("frr", "fr")", "false"},
      {F::LangMatches, R"("fr", "*")", "true"},
      {F::LangMatches, R"("", "*")", "false"},
      {F::LangMatches, R"("", "fr")", "false"},
      {F::LangMatches, R"("de-Latn-DE", "de-de")", "false"},
      {F::LangMatches, R"("fr"@en, "fr")", "error"},
      {F::LangMatches, R"(1, "fr")", "error"},
  });
}

TEST(StringFunctions, RegexAndReplace) {
  check_functions_of({
      {F::Regex, R"("Alice", "^ali", "i")", "true"},
      {F::Regex, R"("Alice", "^ali")", "false"},
      {F::Regex, R"("Alice"@en, "lic")", "true"},
      {F::Regex, R"("Alice", "lic"@en)", "error"},
      {F::Regex, R"("Alice", "lic", "i"@en)", "error"},
      {F::Regex, R"(:Alice, "lic")", "error"},
      {F::Regex, R"(1, "1")", "error"},
      {F::Regex, R"("a", "(")", "error"},
      {F::Regex, R"("a", "a", "z")", "error"},
      {F::Replace, R"("abcd", "b", "Z")", R"("aZcd")"},
      {F::Replace, R"("abab", "B", "Z", "i")", R"("aZaZ")"},
      {F::Replace, R"("abab"@en, "B.", "Z", "i")", R"("aZb"@en)"},
      {F::Replace, R"("abracadabra", "bra", "*")", R"("a*cada*")"},
      {F::Replace, R"('abracadabra', 'a(.)', 'a$1$1')", R"("abbraccaddabbra")"},
      {F::Replace, R"("abc", "x*", "-")", "error"},
      {F::Replace, R"("abc", "b", "$")", "error"},
      {F::Replace, R"("abc", "b", "\\x")", "error"},
      {F::Replace, R"("abc", "b", "\\$")", R"("a$c")"},
      {F::Replace, R"("abc", "b", "x"@en)", "error"},
      {F::Replace, R"(1, "b", "x")", "error"},
  });
}

TEST(StringFunctions, Digests) {
  check_functions_of({
      {F::Md5, R"("abc")", R"("900150983cd24fb0d6963f7d28e17f72")"},
      {F::Sha1, R"("abc")", R"("a9993e364706816aba3e25717850c26c9cd0d89d")"},
      {F::Sha256, R"("")", R"("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")"},
      {F::Sha384, R"("abc")",
       R"("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed)"
       R"(8086072ba1e7cc2358baeca134c825a7")"},
      {F::Sha512, R"("abc")",
       R"("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a)"
       R"(2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")"},
      {F::Md5, R"("abc"@en)", "error"},
      {F::Md5, ":abc", "error"},
  });
}

TEST(StringFunctions, TextsAreLimited) {
  Limits limits;
  limits.literal_bytes_max = 10;
  Evaluation evaluation("", "", limits);
  EXPECT_EQ(evaluation.call(F::Concat, R"("12345", "67890")"), R"("1234567890")");
  EXPECT_EQ(evaluation(operation(F::Concat, R"("12345", "67890", "1")")),
            "failed: a computed text of 11 B is longer than the limit of 10 B");
  ASSERT_TRUE(evaluation.context().failure().has_value());
  EXPECT_EQ(evaluation.context().failure()->code, ErrorCode::LimitExceeded);

  Evaluation encoding("", "", limits);
  EXPECT_EQ(encoding(operation(F::EncodeForUri, R"("    ")")),
            "failed: a computed text of 12 B is longer than the limit of 10 B");
  Evaluation replacing("", "", limits);
  EXPECT_EQ(replacing(operation(F::Replace, R"("aaaa", "a", "123")")),
            "failed: REPLACE makes a text longer than the limit of 10 B");
}

TEST(StringFunctions, LongTextsAreWorkThatCanBeCancelled) {
  Evaluation evaluation;
  evaluation.op().cancel.cancel();
  const Value text = rdf::XsdValue::string(std::string(2 * kMiB, 'x'));
  EXPECT_TRUE(is_error(call_function(F::UCase, std::vector{text}, evaluation.context())));
  ASSERT_TRUE(evaluation.context().failure().has_value());
  EXPECT_EQ(evaluation.context().failure()->code, ErrorCode::Cancelled);
}

TEST(StringFunctions, PatternsThatCannotBeRunEndTheQuery) {
  Evaluation computed;
  const Expression pattern = operation(F::Concat, R"('(a)', '\\1')");
  EXPECT_EQ(computed(operation(F::Regex, {constant(R"("aa")"), pattern})),
            "failed: the regular expression \"(a)\\1\" has the back-reference \\1, which cannot be "
            "run in linear time (RE2)");
  // One that is merely wrong is an error of the row when it is computed, and of the query when it
  // is written.
  Evaluation wrong;
  const Expression open = operation(F::Concat, R"("(", "a")");
  EXPECT_EQ(wrong(operation(F::Regex, {constant(R"("aa")"), open})), "error");
  EXPECT_EQ(wrong(operation(F::Regex, R"("aa", "(a")")),
            "not bound: the regular expression \"(a\" is not valid: missing ): (a");
  EXPECT_EQ(wrong(operation(F::Regex, R"("aa", "a", "g")")),
            "not bound: the flags \"g\" of a regular expression are not known");
}

}  // namespace
}  // namespace helve::sparql
