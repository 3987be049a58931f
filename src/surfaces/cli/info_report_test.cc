#include "surfaces/cli/info_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace helve::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Described {
  store::Loaded loaded;
  std::optional<store::LiveSnapshot> data;
  store::Summary summary;

  explicit Described(std::string_view trig, bool is_lenient = false) {
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("a.trig", trig, rdf::Format::TriG));
    loaded = *store::load_documents(std::move(documents), {.lenient = is_lenient}, {});
    data.emplace(loaded.snapshot);
    summary = *store::summarize(*data, {});
  }

  InfoReport report(std::size_t top = 10) const {
    return {{{"a.trig", "trig", 2'048}},   *data, loaded.report, summary,
            std::chrono::milliseconds(12), top};
  }
  std::string text() const { return render_info_text(report(), Terminal::plain(80)); }
  JsonValue json(std::size_t top = 10) const {
    auto value = parse_json(render_info_json(report(top)));
    EXPECT_TRUE(value) << value.error().to_string();
    return value ? *std::move(value) : JsonValue();
  }
};

constexpr std::string_view kSmall =
    "@prefix ex: <http://example.org/> .\n"
    "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    "ex:C a owl:Class . ex:a a ex:C ; ex:p 'x'@en, 1 . ex:b a ex:C .\n"
    "ex:g { ex:a ex:p 1 ; ex:q [] }";

std::uint64_t number(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  return value == nullptr ? ~std::uint64_t{0} : value->to_uint64().value_or(~std::uint64_t{0});
}

TEST(InfoJson, HasEveryCount) {
  const JsonValue json = Described(kSmall).json();
  EXPECT_EQ(number(json, "triples"), 6U);
  EXPECT_EQ(number(json, "statements"), 7U);
  EXPECT_EQ(number(json, "distinct_subjects"), 3U);
  EXPECT_EQ(number(json, "distinct_objects"), 5U);
  EXPECT_EQ(number(json, "blank_nodes"), 1U);
  EXPECT_EQ(number(json, "literals"), 2U);
  EXPECT_EQ(number(json, "skipped"), 0U);
  EXPECT_EQ(number(*json.find("declared"), "classes"), 1U);
  EXPECT_EQ(number(json, "execution_time_ms"), 12U);
  EXPECT_EQ(*json.find("prefixes")->find("ex")->if_string(), "http://example.org/");
  for (const auto* key :
       {"graphs", "classes", "properties", "namespaces", "languages", "datatypes"}) {
    ASSERT_NE(json.find(key), nullptr) << key;
    EXPECT_EQ(number(*json.find(key), "total"), json.find(key)->find("top")->if_array()->size());
  }
}

TEST(InfoJson, FilesAreNamedWithFormatAndSize) {
  const JsonValue json = Described(kSmall).json();
  const JsonValue& file = json.find("files")->if_array()->at(0);
  EXPECT_EQ(*file.find("name")->if_string(), "a.trig");
  EXPECT_EQ(*file.find("format")->if_string(), "trig");
  EXPECT_EQ(number(file, "bytes"), 2'048U);
}

TEST(InfoJson, TheDefaultGraphIsNull) {
  const JsonValue json = Described(kSmall).json();
  const auto& graphs = *json.find("graphs")->find("top")->if_array();
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_TRUE(graphs[0].find("graph")->is_null());
  EXPECT_EQ(number(graphs[0], "statements"), 5U);
  EXPECT_EQ(*graphs[1].find("graph")->if_string(), "http://example.org/g");
}

TEST(InfoJson, TopBoundsTheListsButNotTheTotals) {
  const JsonValue json = Described(kSmall).json(1);
  EXPECT_EQ(number(*json.find("properties"), "total"), 3U);
  EXPECT_EQ(json.find("properties")->find("top")->if_array()->size(), 1U);
  EXPECT_EQ(number(*json.find("graphs"), "total"), 2U);
}

TEST(InfoJson, ShowsTheProblemsOfALenientRead) {
  const JsonValue json = Described("<http://e/a> <http://e/p> 1 . ] .", true).json();
  EXPECT_EQ(number(json, "skipped"), 1U);
  EXPECT_THAT(*json.find("problems")->if_array()->at(0).if_string(), HasSubstr("a.trig:1:31"));
}

TEST(InfoText, ShortensWithTheDeclaredPrefixes) {
  const std::string text = Described(kSmall).text();
  EXPECT_THAT(text, HasSubstr("\n  ex:C "));
  EXPECT_THAT(text, HasSubstr("a.trig  trig  2.0 KiB\n"));
  EXPECT_THAT(text, HasSubstr("  Statements 7, some in several graphs\n"));
  EXPECT_THAT(text, HasSubstr("(default graph)"));
  EXPECT_THAT(text, HasSubstr("1 blank node, 2 literals"));
}

TEST(InfoText, LeavesOutWhatIsNotThere) {
  const std::string text = Described("<http://e/a> <http://e/p> <http://e/b> .").text();
  EXPECT_THAT(text, Not(HasSubstr("Graphs")));
  EXPECT_THAT(text, Not(HasSubstr("Classes")));
  EXPECT_THAT(text, Not(HasSubstr("Languages")));
  EXPECT_THAT(text, Not(HasSubstr("Statements")));
}

TEST(InfoText, AnEmptyGraph) { EXPECT_THAT(Described("").text(), HasSubstr("  Triples    0\n")); }

}  // namespace
}  // namespace helve::cli
