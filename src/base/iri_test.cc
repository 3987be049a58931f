#include "base/iri.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace helve {
namespace {

struct Resolution {
  std::string_view reference;
  std::string_view expected;
};

std::string resolved(const std::string& base, std::string_view reference) {
  const auto resolver = IriResolver::from_base(base);
  if (!resolver) return "bad base";
  std::string out = "kept|";
  const auto result = resolver->resolve(reference, out);
  if (!result) return result.error().to_string();
  EXPECT_TRUE(out.starts_with("kept|"));
  return out.substr(5);
}

// https://www.rfc-editor.org/rfc/rfc3986#section-5.4
TEST(Iri, ResolvesTheExamplesOfRfc3986) {
  const Resolution examples[] = {
      // 5.4.1 Normal
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      // 5.4.2 Abnormal
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g#s/./x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
      {"http:g", "http:g"},
  };
  for (const auto& [reference, expected] : examples) {
    EXPECT_EQ(resolved("http://a/b/c/d;p?q", reference), expected) << reference;
  }
}

TEST(Iri, ResolvesAgainstUnusualBases) {
  struct Case {
    std::string base;
    std::string_view reference;
    std::string_view expected;
  };
  const Case cases[] = {
      {"http://example.org", "rel", "http://example.org/rel"},
      {"http://example.org", "", "http://example.org"},
      {"http://example.org", "?q", "http://example.org?q"},
      {"http://example.org", "../x", "http://example.org/x"},
      {"http://example.org?q", "x", "http://example.org/x"},
      {"http://example.org/dir/file#frag", "", "http://example.org/dir/file"},
      {"http://example.org/dir/file#frag", "#foo", "http://example.org/dir/file#foo"},
      {"http://example.org/dir/file#a/b", "x", "http://example.org/dir/x"},
      {"http://example.org/dir/file?a/b", "x", "http://example.org/dir/x"},
      {"http://ab//de//ghi", "xyz", "http://ab//de//xyz"},
      {"http://ab//de//ghi", "../xyz", "http://ab//de/xyz"},
      {"http://abc/d:f/ghi", "../xyz", "http://abc/xyz"},
      {"file:///a/bb/ccc/d;p?q", "//g", "file://g"},
      {"file:///a/bb/ccc/d;p?q", "../../../g", "file:///g"},
      {"urn:ex:a", "b", "urn:b"},
      {"urn:ex:a", "#b", "urn:ex:a#b"},
      {"urn:ex:a", "./b", "urn:b"},
      {"urn:ex:a", "..", "urn:"},
      {"urn:ex:a", "//h/../p/.", "urn://h/p/"},
      {"tag:x/y/z", "../w", "tag:x/w"},
      {"http://a/../b/./c", "", "http://a/../b/./c"},  // only a merged path loses its dots
      {"http://a/../b/./c", "d", "http://a/b/d"},
      {"http://münchen.example/ß/", "ü?ö#ä", "http://münchen.example/ß/ü?ö#ä"},
  };
  for (const auto& [base, reference, expected] : cases) {
    EXPECT_EQ(resolved(base, reference), expected) << base << " " << reference;
  }
}

TEST(Iri, AbsoluteReferencesStayAsTheyAre) {
  EXPECT_EQ(resolved("http://a/b", "http://x/./y/../z"), "http://x/./y/../z");
  const IriResolver none;
  std::string out;
  EXPECT_FALSE(none.has_base());
  EXPECT_TRUE(none.resolve("urn:a:b", out).has_value());
  EXPECT_EQ(out, "urn:a:b");
}

TEST(Iri, RelativeReferencesNeedABase) {
  const IriResolver none;
  std::string out;
  const auto result = none.resolve("a/b", out);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(out, "");
  for (const char* base : {"", "a/b", "/a", "//host/a", "1a:b", ":b", "a b:c"}) {
    EXPECT_FALSE(IriResolver::from_base(base).has_value()) << base;
  }
}

TEST(Iri, CopiesAndMovesOfAResolverWork) {
  auto resolver = IriResolver::from_base("a:/b/c").value();
  IriResolver copy = resolver;
  const IriResolver moved = std::move(resolver);
  std::string out;
  ASSERT_TRUE(copy.resolve("d", out).has_value());
  ASSERT_TRUE(moved.resolve("/e", out).has_value());
  EXPECT_EQ(out, "a:/b/da:/e");
}

TEST(Iri, LongChainsOfDotSegmentsCollapse) {
  std::string reference;
  for (int i = 0; i < 100'000; ++i) reference += "a/";
  for (int i = 0; i < 100'000; ++i) reference += "../";
  EXPECT_EQ(resolved("http://h/x/y", reference + "z"), "http://h/x/z");
}

TEST(Iri, SplitsIntoParts) {
  const IriParts all = split_iri("http://user@h:80/p/q?x=1?#f#");
  EXPECT_EQ(all.scheme, "http");
  EXPECT_EQ(all.authority, "user@h:80");
  EXPECT_EQ(all.path, "/p/q");
  EXPECT_EQ(all.query, "x=1?");
  EXPECT_EQ(all.fragment, "f#");

  const IriParts empty = split_iri("http://?#");
  EXPECT_EQ(empty.authority, "");
  EXPECT_EQ(empty.path, "");
  EXPECT_EQ(empty.query, "");
  EXPECT_EQ(empty.fragment, "");

  const IriParts plain = split_iri("a/b:c");
  EXPECT_EQ(plain.scheme, std::nullopt);
  EXPECT_EQ(plain.authority, std::nullopt);
  EXPECT_EQ(plain.path, "a/b:c");
  EXPECT_EQ(plain.query, std::nullopt);
  EXPECT_EQ(plain.fragment, std::nullopt);

  EXPECT_EQ(split_iri("#a?b").fragment, "a?b");
  EXPECT_EQ(split_iri("#a?b").query, std::nullopt);
}

TEST(Iri, FindsSchemes) {
  for (const char* iri : {"a:", "urn:x", "svn+ssh:x", "a.b-c:x", "Z3:"}) {
    EXPECT_TRUE(has_iri_scheme(iri)) << iri;
  }
  for (const char* iri : {"", ":", "a", "3a:b", "a/b:c", "-a:b", "ä:b", "a_b:c", "#a:b"}) {
    EXPECT_FALSE(has_iri_scheme(iri)) << iri;
  }
}

TEST(Iri, FindsTheFirstBadCharacterAtAnyPlace) {
  const std::string bad = "<>\"{}|^`\\ \t\n\r" + std::string(1, '\0') + "\x01\x1F";
  const std::string good = "http://exämple.org/%20!#$&'()*+,;=~[]@_-.\x7F";
  EXPECT_EQ(find_bad_iri_character(""), std::nullopt);
  EXPECT_EQ(find_bad_iri_character(good + good), std::nullopt);
  for (const char character : bad) {
    for (std::size_t length = 1; length < 50; ++length) {
      for (std::size_t at = 0; at < length; ++at) {
        std::string iri(length, 'x');
        iri[at] = character;
        ASSERT_EQ(find_bad_iri_character(iri), at) << int{character} << " " << length;
        iri.back() = '<';
        ASSERT_EQ(find_bad_iri_character(iri), at);
      }
    }
  }
  for (int byte = 0x21; byte < 0x100; ++byte) {
    const bool expected_bad = bad.find(static_cast<char>(byte)) != std::string::npos;
    EXPECT_EQ(find_bad_iri_character(std::string(20, static_cast<char>(byte))).has_value(),
              expected_bad)
        << byte;
  }
}

}  // namespace
}  // namespace helve
