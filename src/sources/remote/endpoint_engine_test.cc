#include "sources/remote/endpoint_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EndpointEngine, HeadersTell) {
  const auto engine = recognise_engine(
      HttpHeaders{{"server", "Virtuoso/07.20.3234 (Linux) x86_64-pc-linux-gnu  VDB"}});
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->name, "Virtuoso 07.20.3234");
  EXPECT_EQ(engine->from, "the header server");
  EXPECT_EQ(recognise_engine(HttpHeaders{{"fuseki-request-id", "12"}})->name, "Apache Jena Fuseki");
  EXPECT_EQ(recognise_engine(HttpHeaders{{"server", "Apache Jena Fuseki (4.5.0)"}})->name,
            "Apache Jena Fuseki");
  EXPECT_EQ(recognise_engine(HttpHeaders{{"x-served-by", "wdqs1013"}})->name, "Blazegraph");
  EXPECT_FALSE(recognise_engine(HttpHeaders{{"server", "nginx/1.22"}, {"x-cache", "virtuoso"}}));
}

TEST(EndpointEngine, WordsTell) {
  const auto engine = recognise_engine("Virtuoso 37000 Error SP030: syntax error", "a mistake");
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->name, "Virtuoso");
  EXPECT_EQ(engine->from, "a mistake");
  EXPECT_FALSE(recognise_engine("something went wrong", "a mistake"));
}

TEST(EndpointEngine, SearchesOfEngines) {
  EXPECT_EQ(text_search_of("Virtuoso 07.20.3234")->name, "bif:contains");
  EXPECT_FALSE(text_search_of("Virtuoso 07.20.3234")->is_checked);
  EXPECT_FALSE(text_search_of("Oxigraph 0.3"));
}

// Nothing but words gets into the query.
TEST(EndpointEngine, SearchesAreFilledIn) {
  const TextSearch search = *text_search_of("Virtuoso");
  const std::string query = fill_search(search, "amyloid' OR {limit} \"β-protein\" }", 7);
  EXPECT_THAT(query, HasSubstr("bif:contains \"'amyloid' AND 'OR' AND 'limit' AND 'β' AND "
                               "'protein'\""));
  EXPECT_THAT(query, HasSubstr("LIMIT 7"));
  EXPECT_EQ(fill_search(search, " '\"{}", 7), "");
  const std::string many = fill_search(search, "a b c d e f g h i j k l", 7);
  EXPECT_THAT(many, HasSubstr("'j'"));
  EXPECT_THAT(many, Not(HasSubstr("'k'")));
}

}  // namespace
}  // namespace helve::remote
