// Every query of the example corpus becomes a pattern that is a query still, without its constants.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/support/example_queries.h"
#include "tests/support/test_data.h"
#include "toolkit/learning/extract.h"
#include "toolkit/learning/generalise.h"

namespace helve::learning {
namespace {

namespace fs = std::filesystem;
std::vector<std::string> example_queries(const std::string& folder) {
  ExampleQueries examples;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".ttl") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto read =
        rdf::read_document(rdf::Format::Turtle, text.str(), {}, OpContext(), examples);
    EXPECT_TRUE(read) << read.error().to_string();
  }
  return std::move(examples.texts);
}

void expect_clean(const QueryPattern& pattern) {
  sparql::ParseOptions strict;
  strict.is_strict = true;
  const auto parsed = sparql::parse_query(pattern.text, strict);
  EXPECT_TRUE(parsed) << parsed.error().to_string() << "\n" << pattern.text;
  for (const Slot& slot : pattern.slots) {
    for (const std::string& constant : slot.constants) {
      const bool is_told = slot.kind == SlotKind::Text && constant.size() > 5;
      if (is_told) {
        EXPECT_EQ(pattern.text.find("\"" + constant + "\""), std::string::npos) << pattern.text;
      }
      if (slot.kind == SlotKind::Entity) {
        EXPECT_EQ(pattern.text.find("<" + constant + ">"), std::string::npos) << pattern.text;
      }
    }
  }
}

TEST(GeneraliseExamples, EveryQueryIsAPatternAndALesson) {
  HELVE_SHARED_PATH(folder, "data/sib-examples/examples");
  std::size_t queries = 0;
  for (const std::string& text : example_queries(folder)) {
    Executed executed;
    executed.query = text;
    executed.rows = executed.columns = 1;
    const auto pattern = generalise_sparql(text, {});
    if (!pattern) continue;  // not our matter: the parser has tests of its own
    ++queries;
    expect_clean(*pattern);
    const auto item = pattern_lesson(executed);
    EXPECT_TRUE(item) << item.error().to_string() << "\n" << pattern->text;
  }
  EXPECT_GT(queries, 1'000U);
}

}  // namespace
}  // namespace helve::learning
