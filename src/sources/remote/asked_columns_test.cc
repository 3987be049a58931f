#include "sources/remote/asked_columns.h"

#include <gmock/gmock.h>

#include "sources/sparql/algebra/parser.h"

namespace helve::remote {
namespace {

using ::testing::ElementsAre;

class Kept final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& given) override {
    names = given;
    return {};
  }
  Result<void> row(Row cells) override {
    for (const auto& cell : cells) values.emplace_back(cell ? cell->value : "-");
    return {};
  }
  std::vector<std::string> names;
  std::vector<std::string> values;
};

Kept taken(const char* query, const std::vector<std::string>& names,
           const std::vector<const char*>& values) {
  Kept kept;
  const auto parsed = sparql::parse_query(query);
  EXPECT_TRUE(parsed.has_value());
  AskedColumns asked(parsed->query, kept);
  EXPECT_TRUE(asked.columns(names).has_value());
  std::vector<std::optional<rdf::TermView>> cells;
  for (const char* value : values) cells.emplace_back(rdf::TermView::literal(value));
  EXPECT_TRUE(asked.row(cells).has_value());
  return kept;
}

TEST(AskedColumns, AreThoseOfTheQuery) {
  constexpr const char* kQuery = "SELECT ?a ?b { ?a ?p ?b }";
  const Kept same = taken(kQuery, {"a", "b"}, {"1", "2"});
  EXPECT_THAT(same.names, ElementsAre("a", "b"));
  EXPECT_THAT(same.values, ElementsAre("1", "2"));
  EXPECT_THAT(taken(kQuery, {"b", "a"}, {"1", "2"}).values, ElementsAre("2", "1"));
  const Kept other = taken(kQuery, {"x", "b", "y"}, {"1", "2", "3"});
  EXPECT_THAT(other.names, ElementsAre("a", "b"));
  EXPECT_THAT(other.values, ElementsAre("-", "2"));
  EXPECT_THAT(taken(kQuery, {}, {}).values, ElementsAre("-", "-"));
  EXPECT_THAT(taken("SELECT * { ?a ?p ?b }", {"p", "b", "a"}, {"1", "2", "3"}).names,
              ElementsAre("a", "p", "b"));
}

TEST(AskedColumns, OfAskAreAsTheyCome) {
  EXPECT_THAT(taken("ASK {}", {"x"}, {"1"}).values, ElementsAre("1"));
}

}  // namespace
}  // namespace helve::remote
