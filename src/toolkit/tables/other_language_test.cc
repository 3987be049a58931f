#include "toolkit/tables/other_language.h"

#include <gmock/gmock.h>

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(OtherLanguage, KnowsSparql) {
  EXPECT_TRUE(is_like_sparql("SELECT ?s WHERE { ?s ?p ?o }"));
  EXPECT_TRUE(is_like_sparql("PREFIX ex: <http://e.org/> SELECT * { ?s ex:p 1 }"));
  EXPECT_TRUE(is_like_sparql("ASK { <a> <b> <c> }"));
  EXPECT_TRUE(is_like_sparql("describe <http://e.org/a>"));
  EXPECT_FALSE(is_like_sparql("SELECT name FROM t WHERE a = ?"));
  EXPECT_FALSE(is_like_sparql("SELECT '{' FROM t WHERE a = ?1"));
  EXPECT_FALSE(is_like_sparql("DESCRIBE customer"));
  EXPECT_FALSE(is_like_sparql("?"));
  EXPECT_FALSE(is_like_sparql(""));
}

TEST(OtherLanguage, KnowsSql) {
  EXPECT_TRUE(is_like_sql("SELECT name FROM artist"));
  EXPECT_TRUE(is_like_sql("with x as (select 1) select * from x"));
  EXPECT_TRUE(is_like_sql("SHOW TABLES"));
  EXPECT_FALSE(is_like_sql("SELECT ?s FROM <g> WHERE { ?s ?p ?o }"));
  EXPECT_FALSE(is_like_sql("SELECT name"));
  EXPECT_FALSE(is_like_sql("DESCRIBE <a>"));
  EXPECT_FALSE(is_like_sql(""));
}

TEST(OtherLanguage, KnowsListings) {
  EXPECT_THAT(instead_of_listing("SHOW TABLES"), HasSubstr("schema_inspect lists"));
  EXPECT_THAT(instead_of_listing(" \\dt"), HasSubstr("schema_inspect lists"));
  EXPECT_THAT(instead_of_listing(".tables"), HasSubstr("schema_inspect lists"));
  EXPECT_THAT(instead_of_listing("DESCRIBE customer"), HasSubstr("table=NAME describes"));
  EXPECT_THAT(instead_of_listing("PRAGMA table_info(t)"), HasSubstr("table=NAME describes"));
  EXPECT_THAT(instead_of_listing("SELECT 1"), IsEmpty());
  EXPECT_TRUE(is_handle_name("results_17"));
  EXPECT_FALSE(is_handle_name("results_"));
  EXPECT_FALSE(is_handle_name("results_x"));
}

}  // namespace
}  // namespace helve::toolkit
