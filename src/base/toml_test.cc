// TOML in.
#include "base/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve {
namespace {

using ::testing::HasSubstr;

TomlDocument read_document(std::string_view text) {
  auto document = parse_toml(text, "a.toml");
  EXPECT_TRUE(document) << text << ": " << (document ? "" : document.error().to_string());
  return document ? *std::move(document) : TomlDocument();
}

Error toml_error_of(std::string_view text) {
  const auto document = parse_toml(text, "a.toml");
  EXPECT_FALSE(document) << text;
  return document ? Error{ErrorCode::Internal, "no error"} : document.error();
}

TEST(Toml, ValuesOfEveryKind) {
  EXPECT_EQ(
      to_json(read_document("b = true\ni = 0x10\nf = 1.5\ns = \"a\\u00e9\"\nl = [1, [\"x\"]]\n"
                            "d = 2026-07-28\nt = 07:32:00\nm = 1979-05-27T07:32:00Z\n"
                            "p = { x = 1, y = 'z' }\n[t1.t2]\nk = -1\n[[a]]\nn = 1\n[[a]]\nn = 2\n")
                  .root),
      R"({"b":true,"i":16,"f":1.5,"s":"aé","l":[1,["x"]],"d":"2026-07-28","t":"07:32:00",)"
      R"("m":"1979-05-27T07:32:00Z","p":{"x":1,"y":"z"},"t1":{"t2":{"k":-1}},)"
      R"("a":[{"n":1},{"n":2}]})");
  EXPECT_EQ(to_json(read_document("").root), "{}");
  EXPECT_EQ(to_json(read_document("\xEF\xBB\xBF# only a remark\n").root), "{}");
  EXPECT_EQ(to_json(read_document("s = \"\"\"\na.b.c\n\"\"\"\nz = '''x.y'''").root),
            R"({"s":"a.b.c\n","z":"x.y"})");
}

TEST(Toml, MembersKeepTheOrderOfTheText) {
  EXPECT_EQ(to_json(read_document("z = 1\na = 2\n[m]\nq = 1\nb = 2\n").root),
            R"({"z":1,"a":2,"m":{"q":1,"b":2}})");
}

TEST(Toml, KeysHavePlaces) {
  const TomlDocument document = read_document(
      "toolset = \"all\"\n\n[source.wiki]\n  uri = \"x\"\n[[caller]]\nname = 1\n[[caller]]\n"
      "  \"a/b~\" = 1\n");
  EXPECT_EQ(document.places.at("/toolset"), (TextPosition{1, 1}));
  EXPECT_EQ(document.places.at("/source/wiki/uri"), (TextPosition{4, 3}));
  EXPECT_EQ(document.places.at("/caller/0/name").line, 6U);
  EXPECT_EQ(document.places.at("/caller/1").line, 7U);
  EXPECT_EQ(document.places.at(json_pointer("/caller/1", "a/b~")).line, 8U);
  const Error error{ErrorCode::InvalidInput, "wrong"};
  EXPECT_EQ(document.at("/source/wiki/uri", error).to_string(), "a.toml:4:3: wrong");
  // What has no place is told at what it is in.
  EXPECT_EQ(document.at("/source/wiki/policy", error).position->line, 3U);
  EXPECT_EQ(document.at("/none", error).to_string(), "a.toml: wrong");
}

TEST(Toml, MistakesAreToldWithTheirPlace) {
  const Error error = toml_error_of("a = 1\nb = = 2\n");
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_EQ(error.document, "a.toml");
  ASSERT_TRUE(error.position);
  EXPECT_EQ(error.position->line, 2U);
  EXPECT_EQ(toml_error_of("a = 1\na = 2\n").position->line, 2U);
  EXPECT_EQ(toml_error_of("\n\nx = \"\xFF\"\n").position->line, 3U);
  EXPECT_EQ(toml_error_of("x = inf\n").code, ErrorCode::InvalidInput);
  EXPECT_EQ(toml_error_of("x = [1, nan]\n").position->line, 1U);
  for (const char* bad :
       {"[_8\nb = 1", "[[a\n]]", "[ \n", "x = \u0407", "\u0407 = 1", "x = 1 \u0407", "a", "[a",
        "a = ", "a = \"", "a = '''", "[[a]]\n[a]", "a = 1 b = 2", "\"", "'", "a.\"", "= 1",
        "a = {b = 1", "a = 99999999999999999999"}) {
    EXPECT_EQ(toml_error_of(bad).code, ErrorCode::InvalidInput) << bad;
  }
}

TEST(Toml, TextsHaveAnyCharacters) {
  EXPECT_EQ(to_json(read_document("x = \"\"\"a\\\n  \u0407\"\"\" # \u0407\n").root),
            "{\"x\":\"a\u0407\"}");
}

TEST(Toml, SizeAndDepthAreBounded) {
  Limits limits;
  limits.json_bytes_max = 10;
  const auto large = parse_toml("a = 1\nb = 2\n", "a.toml", limits);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::LimitExceeded);
  std::string dotted = "# a.b.c\nx = 'a.b'\na";
  for (int i = 0; i < 200'000; ++i) dotted += ".a";
  EXPECT_EQ(toml_error_of(dotted + " = 1\n").code, ErrorCode::LimitExceeded);
  EXPECT_EQ(toml_error_of(dotted + " = 1\n").position->line, 3U);
  EXPECT_EQ(toml_error_of("[" + dotted.substr(dotted.rfind('\n') + 1) + "]\n").code,
            ErrorCode::LimitExceeded);
  std::string quoted = "\"a\"";
  for (int i = 0; i < 1'000; ++i) quoted += " . \"a\"";
  EXPECT_EQ(toml_error_of(quoted + " = 1\n").code, ErrorCode::LimitExceeded);
  EXPECT_FALSE(parse_toml("a = " + std::string(100'000, '[') + "\n", "a.toml"));
  std::string tables = "a = ";
  for (int i = 0; i < 10'000; ++i) tables += "{a = ";
  EXPECT_FALSE(parse_toml(tables + "\n", "a.toml"));
  // Many dots that are no key.
  std::string list = "a = [";
  for (int i = 0; i < 1'000; ++i) list += "1.5, 'http://a.b.c/d.e', ";
  EXPECT_EQ(read_document(list + "]\n").root.find("a")->if_array()->size(), 2'000U);
  EXPECT_THAT(toml_error_of("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = {" +
                            std::string("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1}"))
                  .message,
              HasSubstr("levels deep"));
}

}  // namespace
}  // namespace helve
