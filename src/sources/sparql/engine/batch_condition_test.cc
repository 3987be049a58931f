// Conditions for whole batches must give what they give row by row: for every kind of term, unbound
// variables, errors and hard failures.
#include "sources/sparql/engine/batch_condition.h"

#include <gtest/gtest.h>

#include <random>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

constexpr std::string_view kConditionData = R"(
:a :p 1, 2, 40, 41, 1.5, 2.0, 1.0e0, 2.5e0, true, false, "a", "b", "quantum protein", "a"@en,
  "b"@EN-gb, "a"@de, "2020-01-01"^^xsd:date, "2021-06-01"^^xsd:date,
  "2020-01-01T00:00:00Z"^^xsd:dateTime, "2020-01-01T01:00:00+01:00"^^xsd:dateTime,
  "2020-01-01T00:00:00"^^xsd:dateTime, "2020-01-02T00:00:00"^^xsd:dateTime,
  "01"^^xsd:integer, "NaN"^^xsd:double, "INF"^^xsd:double, "x"^^xsd:integer, "a"^^xsd:string,
  "1"^^xsd:byte, "1.50"^^xsd:decimal, "a"^^:type, "b"^^:type, "a"^^xsd:normalizedString,
  "P1D"^^xsd:duration, "", "NaN"^^xsd:float .
:b :q :a, :c, _:x, _:y .
)";

constexpr std::string_view kTerms = R"(1, 2, 40, 41, 1.5, 2.0, 1.0e0, 2.5e0, true, false, "a",
  "b", "quantum protein", "a"@en, "b"@EN-gb, "a"@de, "2020-01-01"^^xsd:date,
  "2021-06-01"^^xsd:date, "2020-01-01T00:00:00Z"^^xsd:dateTime,
  "2020-01-01T01:00:00+01:00"^^xsd:dateTime, "2020-01-01T00:00:00"^^xsd:dateTime,
  "2020-01-02T00:00:00"^^xsd:dateTime, "01"^^xsd:integer, "NaN"^^xsd:double, "INF"^^xsd:double,
  "x"^^xsd:integer, "1"^^xsd:byte, "1.50"^^xsd:decimal, "a"^^:type, "b"^^:type,
  "a"^^xsd:normalizedString, "P1D"^^xsd:duration, "", "NaN"^^xsd:float, :a, :b, :c, :p, 7, -3,
  "not in the data", "nor this"@en, "007"^^xsd:integer, "c"^^:type, :nowhere)";

constexpr const char* kConditions[] = {
    "?x = 2",
    "?x != 2",
    "2 < ?x",
    "?x <= 2",
    "?x > 1.5",
    "?x >= 1.0e0",
    "?x = 1.5",
    "?x = true",
    "?x < true",
    "?x = \"a\"",
    "?x != \"a\"",
    "?x = \"a\"@en",
    "?x = \"a\"@EN",
    "?x < \"b\"",
    "?x = \"not in the data\"",
    "?x = \"absent\"",
    "?x != \"absent\"@fr",
    "?x = <http://example.org/a>",
    "?x != <http://example.org/absent>",
    "?x = \"NaN\"^^xsd:double",
    "?x = \"01\"^^xsd:integer",
    "?x = \"a\"^^<http://example.org/type>",
    "?x != \"c\"^^<http://example.org/type>",
    "?x = \"2020-01-01T00:00:00Z\"^^xsd:dateTime",
    "?x != \"2020-01-01T01:00:00+01:00\"^^xsd:dateTime",
    "?x > \"2020-01-01T00:00:00Z\"^^xsd:dateTime",
    "?x <= \"2020-01-01T00:00:00\"^^xsd:dateTime",
    "?x < \"2021-01-01\"^^xsd:date",
    "?x = ?y",
    "?x != ?y",
    "?x < ?y",
    "?x >= ?y",
    "?x = ?x",
    "?x <= ?x",
    "sameTerm(?x, ?y)",
    "sameTerm(?x, 2)",
    "!sameTerm(\"a\", ?x)",
    "?x = ?missing",
    "bound(?x)",
    "bound(?missing)",
    "!bound(?x)",
    "isIRI(?x)",
    "isBlank(?x)",
    "isLiteral(?x)",
    "isNumeric(?x)",
    "lang(?x) = \"en\"",
    "langMatches(lang(?x), \"en\")",
    "langMatches(lang(?x), \"*\")",
    "lang(?x) = \"\"",
    "datatype(?x) = xsd:integer",
    "datatype(?x) = <http://example.org/type>",
    "datatype(?x) IN (xsd:string, <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>)",
    "lang(?x) = \"de\" || datatype(?x) = xsd:date",
    "?x IN (1, 2, \"a\")",
    "?x NOT IN (1, 2, \"a\")",
    "?x IN (<http://example.org/a>, <http://example.org/b>)",
    "?x NOT IN (<http://example.org/a>, <http://example.org/nowhere>)",
    "?x IN (\"NaN\"^^xsd:double, \"01\"^^xsd:integer)",
    "?x IN (?y, 2)",
    "?x",
    "!?x",
    "true",
    "?missing",
    "1 = 1 && ?x",
    "regex(?x, \"a\")",
    "regex(?x, \"QUANTUM.*p\", \"i\")",
    "regex(str(?x), \"1\")",
    "contains(?x, \"a\")",
    "contains(str(?x), \"example\")",
    "strstarts(str(?x), \"http:\")",
    "strstarts(?x, \"a\"@en)",
    "strends(?x, \"b\")",
    "contains(?x, 1)",
    "?x + 1 > 2",
    "?x + ?y > 3",
    "str(?x) = \"1\"",
    "strlen(str(?x)) < 3",
    "coalesce(?x, 1) = 1",
    "if(bound(?x), ?x = 1, ?y = 1)",
    "?x > 1 && ?y < 40",
    "?x > 1 || ?y < 40",
    "!(?x > 1 || ?y < 40) || isIRI(?x)",
    "(?x = 1 || ?x = \"a\") && (?y != 2 || bound(?x)) && !(?x = ?y)",
    "xsd:integer(?x) > 1",
    "concat(str(?x), str(?x), str(?x)) != \"\"",
    "?x = 1 || concat(str(?x), \"12345678901234567890\") = \"\"",
    "isLiteral(?x) && strlen(concat(str(?y), str(?y))) > 2",
};

Expression parse(const std::string& condition) {
  ParseOptions options;
  options.known_prefixes = {{"xsd", "http://www.w3.org/2001/XMLSchema#"}};
  auto parsed = parse_query("SELECT ((" + condition + ") AS ?r) {}", options);
  EXPECT_TRUE(parsed) << condition << ": " << (parsed ? "" : parsed.error().to_string());
  return *std::get<Select>(parsed->query.form).items.at(0).expression;
}

class BatchConditionTest : public ::testing::Test {
 protected:
  explicit BatchConditionTest(const Limits& limits = {}) : evaluation_(kConditionData, "", limits) {
    ids_.resize(4);  // unbound
    for (const rdf::Term& term : terms_of(kTerms)) {
      ids_.push_back(evaluation_.terms().intern(term.view()).value());
    }
    for (const char* label : {"x", "y"}) {
      ids_.push_back(evaluation_.terms().intern(rdf::TermView::blank(label)).value());
    }
  }

  void fill(std::size_t rows) {
    batch_.reset(2);
    batch_.rows = rows;
    std::uniform_int_distribution<std::size_t> any(0, ids_.size() - 1);
    for (auto& column : batch_.columns) {
      for (std::size_t row = 0; row < rows; ++row) column.push_back(ids_[any(random_)]);
    }
  }

  BoundExpression bind(const std::string& condition) {
    auto bound =
        BoundExpression::bind(parse(condition), Schema({"x", "y"}), evaluation_.context(), {});
    EXPECT_TRUE(bound) << condition;
    return std::move(*bound);
  }

  Selection row_by_row(const BoundExpression& condition, const Selection& from) {
    Selection selection;
    selection.failure = from.failure;
    for (const std::uint32_t row : from.rows) {
      const bool is_true = condition.truth(batch_, row, evaluation_.context()).value_or(false);
      if (evaluation_.context().failure()) {
        selection.failure = evaluation_.context().take_failure();
        break;
      }
      if (is_true) selection.rows.push_back(row);
    }
    return selection;
  }

  void expect_same(const std::string& condition) {
    BoundExpression bound = bind(condition);
    ASSERT_TRUE(bound.is_repeatable());
    std::size_t tested = 0;
    for (const std::size_t rows : {3, 8, 100, 700, 2'000, 1, 50}) {
      fill(rows);
      Selection selection;
      selection.set_all(rows);
      std::erase_if(selection.rows, [&](std::uint32_t /*row*/) { return random_() % 8 == 0; });
      const Selection expected = row_by_row(bound, selection);
      tested += selection.rows.size();
      bound.filter(batch_, selection, evaluation_.context());
      EXPECT_EQ(selection.rows, expected.rows) << condition;
      EXPECT_EQ(selection.failure.has_value(), expected.failure.has_value()) << condition;
      EXPECT_FALSE(evaluation_.context().failure());
    }
    EXPECT_GT(tested, 2'000U);
  }

  Evaluation evaluation_;
  std::mt19937 random_{20'260'101};
  std::vector<Id> ids_;
  Batch batch_;
};

TEST_F(BatchConditionTest, GivesWhatItGivesRowByRow) {
  for (const char* condition : kConditions) expect_same(condition);
}

// Texts that some rows make are too long.
class FailingConditionTest : public BatchConditionTest {
 protected:
  static Limits small_texts() {
    Limits limits;
    limits.literal_bytes_max = 60;
    return limits;
  }
  FailingConditionTest() : BatchConditionTest(small_texts()) {}
};

TEST_F(FailingConditionTest, KeepsTheRowsBeforeAFailure) {
  for (const char* condition : kConditions) expect_same(condition);
  for (const char* condition : {"?x != 1 && ?y != 2 && strlen(concat(str(?y), str(?x), str(?y))) > "
                                "4 && strlen(str(?x)) > 0",
                                "strlen(concat(\"123456789012345678901234567890\", str(?y), "
                                "str(?y))) > 0 || strlen(concat(str(?x), str(?x), str(?x))) > 0",
                                "strstarts(str(?x), \"a\")"}) {
    expect_same(condition);
  }
}

TEST_F(BatchConditionTest, ChanceAndNewNodesAreNotRepeatable) {
  EXPECT_FALSE(bind("rand() < 0.5").is_repeatable());
  EXPECT_FALSE(bind("?x = 1 && isBlank(bnode(\"a\"))").is_repeatable());
  EXPECT_FALSE(bind("struuid() = \"\"").is_repeatable());
  EXPECT_TRUE(bind("now() > ?x").is_repeatable());
}

// Strings are looked at once for each id, however often it comes.
TEST_F(BatchConditionTest, ATextIsTestedOncePerId) {
  BoundExpression bound = bind("regex(?x, \"quantum\")");
  batch_.reset(2);
  batch_.rows = 2'000;
  for (auto& column : batch_.columns) column.assign(batch_.rows, evaluation_.id("\"quantum\""));
  const std::size_t used = evaluation_.op().memory->bytes_used();
  Selection selection;
  selection.set_all(batch_.rows);
  bound.filter(batch_, selection, evaluation_.context());
  EXPECT_EQ(selection.rows.size(), batch_.rows);
  EXPECT_GT(evaluation_.op().memory->bytes_used(), used) << "what is remembered is charged";
  EXPECT_LT(evaluation_.op().memory->bytes_used(), used + 100'000);
}

}  // namespace
}  // namespace helve::sparql
