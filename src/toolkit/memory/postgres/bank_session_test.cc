#include "toolkit/memory/postgres/bank_session.h"

#include <gtest/gtest.h>

#include "toolkit/memory/postgres/bank_sql.h"

namespace helve::memory {
namespace {

TEST(PgParameter, IsTheTextThatTheServerReads) {
  using Texts = std::vector<std::string>;
  using Numbers = std::vector<std::int64_t>;
  EXPECT_FALSE(PgParameter().text);
  EXPECT_EQ(PgParameter(std::int64_t{-7}).text, "-7");
  EXPECT_EQ(PgParameter(Texts{}).text, "{}");
  EXPECT_EQ(PgParameter(Texts{"a", "b c", ""}).text, R"({"a","b c",""})");
  EXPECT_EQ(PgParameter(Texts{R"(q"\)", "{,}", "NULL"}).text, R"({"q\"\\","{,}","NULL"})");
  EXPECT_EQ(PgParameter(Numbers{1, -2}).text, "{1,-2}");
  EXPECT_EQ(PgParameter::truth(true).text, "true");
}

TEST(PgParameter, BytesComeBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(bytes_of(*PgParameter::bytes(all).text), all);
  EXPECT_EQ(*PgParameter::bytes("\x01\xFE").text, "\\x01fe");
  EXPECT_EQ(bytes_of("\\xAB"), "\xAB");
  // What a server should not send.
  for (const char* text : {"", "\\x", "\\x0", "\\x0g", "0102"}) {
    EXPECT_EQ(bytes_of(text), "") << text;
  }
}

TEST(BankSql, SchemasHavePlainNames) {
  for (const char* name : {"a", "_b", "helve_memory", "team2"}) EXPECT_TRUE(is_schema_name(name));
  EXPECT_TRUE(is_schema_name(std::string(63, 'a')));
  EXPECT_FALSE(is_schema_name(std::string(64, 'a')));
  for (const char* name : {"", "2a", "A", "a-b", "a\"", "a.b", "a b", "pg_a", "\xC3\xA9"}) {
    EXPECT_FALSE(is_schema_name(name)) << name;
  }
}

// Whatever the search path of the server is, no other table is meant.
TEST(BankSql, EveryTableIsOfItsSchema) {
  const BankSql sql("team");
  EXPECT_EQ(sql.lock_bank,
            "SELECT version, items, length, last_item, last_change FROM \"team\".bank FOR UPDATE");
  for (const std::string* text :
       {&sql.update_bank,     &sql.find_items,    &sql.insert_item,     &sql.update_item,
        &sql.delete_item,     &sql.note_usage,    &sql.read_terms,      &sql.add_postings,
        &sql.delete_postings, &sql.count_terms,   &sql.delete_terms,    &sql.look_any,
        &sql.look_all,        &sql.insert_change, &sql.entries_of,      &sql.latest_change,
        &sql.undone_by,       &sql.history,       &sql.history_of_item, &sql.stats,
        &sql.vector_dims,     &sql.put_vector,    &sql.drop_vectors,    &sql.count_vectors,
        &sql.vectors_stamp,   &sql.vectors,       &sql.without_vectors}) {
    EXPECT_EQ(text->find('@'), std::string::npos) << *text;
    for (const char* word : {"FROM ", "INTO ", "UPDATE ", "JOIN "}) {
      for (std::size_t at = 0; (at = text->find(word, at)) != std::string::npos;) {
        at += std::string_view(word).size();
        const std::string rest = text->substr(at, 6);
        const bool is_table = rest[0] != '(' && !rest.starts_with("unnest") &&
                              !rest.starts_with("SET") && !rest.starts_with("t.") &&
                              rest != "gone)";
        EXPECT_TRUE(!is_table || rest == "\"team\"") << *text;
      }
    }
  }
  for (int version = 0; version < kPostgresSchemaVersion; ++version) {
    const auto statements = schema_step(version, "team");
    EXPECT_FALSE(statements.empty());
    for (const std::string& text : statements) {
      EXPECT_NE(text.find("\"team\"."), std::string::npos) << text;
    }
  }
  EXPECT_TRUE(schema_step(kPostgresSchemaVersion, "team").empty());
}

}  // namespace
}  // namespace helve::memory
