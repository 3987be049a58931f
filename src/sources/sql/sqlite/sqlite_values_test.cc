// Values by their declared types.
#include "sources/sql/sqlite/sqlite_values.h"

#include <gmock/gmock.h>

namespace helve::sql {
namespace {

std::string term(const std::string& type, const sqlite::Value& value) {
  TermMaker terms({type});
  const auto made = terms.term(0, value);
  return made ? rdf::to_ntriples(*made) : "-";
}

std::string xsd(std::string_view text, std::string_view type) {
  return "\"" + std::string(text) + "\"^^<http://www.w3.org/2001/XMLSchema#" + std::string(type) +
         ">";
}

sqlite::Value text(std::string_view given) { return given; }

TEST(SqliteValues, ByStorageClass) {
  EXPECT_EQ(term("", std::monostate()), "-");
  EXPECT_EQ(term("", std::int64_t{INT64_MIN}), xsd("-9223372036854775808", "integer"));
  EXPECT_EQ(term("", 0.1), xsd("0.1", "double"));
  EXPECT_EQ(term("", 1e300), xsd("1e+300", "double"));
  EXPECT_EQ(term("", -1.7976931348623157e308), xsd("-1.7976931348623157e+308", "double"));
  EXPECT_EQ(term("", text("")), "\"\"");
  EXPECT_EQ(term("", text("schöne Grüße")), "\"schöne Grüße\"");
  EXPECT_EQ(term("", sqlite::Blob{"\x01\xAB"}), xsd("01AB", "hexBinary"));
  EXPECT_EQ(term("TEXT", text("2009-01-01")), "\"2009-01-01\"");
}

TEST(SqliteValues, DatesAndTimes) {
  EXPECT_EQ(term("date", text("2009-02-28")), xsd("2009-02-28", "date"));
  EXPECT_EQ(term("DATE", text("2009-02-29")), "\"2009-02-29\"");
  EXPECT_EQ(term("DATE", text("2008-02-29")), xsd("2008-02-29", "date"));
  EXPECT_EQ(term("DATE", text("0000-00-00")), "\"0000-00-00\"");
  EXPECT_EQ(term("DATE", text("2009-1-1")), "\"2009-1-1\"");
  EXPECT_EQ(term("DATETIME", text("2009-01-01 10:20")), xsd("2009-01-01T10:20:00", "dateTime"));
  EXPECT_EQ(term("TIMESTAMP", text("2009-01-01T10:20:30.25Z")),
            xsd("2009-01-01T10:20:30.25Z", "dateTime"));
  EXPECT_EQ(term("TIMESTAMP WITH TIME ZONE", text("2009-01-01 10:20:30 +02:00")),
            xsd("2009-01-01T10:20:30+02:00", "dateTime"));
  EXPECT_EQ(term("TIMESTAMP", text("2009-01-01 10:20:30-0530")),
            xsd("2009-01-01T10:20:30-05:30", "dateTime"));
  EXPECT_EQ(term("TIMESTAMP", text("2009-01-01 10:20:30+02")),
            xsd("2009-01-01T10:20:30+02:00", "dateTime"));
  EXPECT_EQ(term("TIMESTAMP", text("2009-01-01 10:20:30+")), "\"2009-01-01 10:20:30+\"");
  EXPECT_EQ(term("DATETIME", text("2009-01-01 25:00:00")), "\"2009-01-01 25:00:00\"");
  EXPECT_EQ(term("DATETIME", text("2009-01-01")), xsd("2009-01-01", "date"));
  EXPECT_EQ(term("DATETIME", std::int64_t{1234567890}), xsd("1234567890", "integer"));
  EXPECT_EQ(term("TIME", text("23:59:59.")), "\"23:59:59.\"");
  EXPECT_EQ(term("TIME", text("23:59")), xsd("23:59:00", "time"));
}

TEST(SqliteValues, FormsThatAreStoredAreTold) {
  TermMaker terms({"DATETIME", "TIME", "DATE", "TIMESTAMP"});
  terms.text(0, "2009-01-01T10:20:30");
  EXPECT_EQ(terms.stored_as(0), "");
  terms.text(0, "2009-01-02 10:20:30");
  terms.text(0, "2009-01-03 10:20:30");
  EXPECT_EQ(terms.stored_as(0), "2009-01-02 10:20:30");
  terms.text(1, "23:59");
  EXPECT_EQ(terms.stored_as(1), "23:59");
  terms.text(2, "2009-01-01");
  EXPECT_EQ(terms.stored_as(2), "");
  terms.text(3, "yesterday");
  EXPECT_EQ(terms.stored_as(3), "");
}

TEST(SqliteValues, TruthsNumbersAndJson) {
  EXPECT_EQ(term("BOOLEAN", std::int64_t{1}), xsd("true", "boolean"));
  EXPECT_EQ(term("bool", text("False")), "\"False\"");
  EXPECT_EQ(term("BOOLEAN", std::int64_t{2}), xsd("2", "integer"));
  EXPECT_EQ(term("NUMERIC(10,2)", 0.99), xsd("0.99", "decimal"));
  EXPECT_EQ(term("NUMERIC(10,2)", 5.0), xsd("5.00", "decimal"));
  EXPECT_EQ(term("DECIMAL(20,4)", 0.1), xsd("0.1000", "decimal"));
  EXPECT_EQ(term("DECIMAL(20,4)", 12345678901234.5678), xsd("12345678901234.568", "decimal"));
  EXPECT_EQ(term("DECIMAL(10, 3)", std::int64_t{-7}), xsd("-7.000", "decimal"));
  EXPECT_EQ(term("DECIMAL", std::int64_t{7}), xsd("7", "decimal"));
  EXPECT_EQ(term("DECIMAL(30,10)", text("12345678901234567890.5")),
            xsd("12345678901234567890.5", "decimal"));
  EXPECT_EQ(term("DECIMAL", text("1E+5")), "\"1E+5\"");
  EXPECT_EQ(term("DECIMAL", 1e20), xsd("1e+20", "double"));
  EXPECT_EQ(term("NUMERIC", std::int64_t{7}), xsd("7", "integer"));
  EXPECT_EQ(term("DECIMAL(5,999999999)", std::int64_t{1}).size(),
            xsd("1." + std::string(30, '0'), "decimal").size());
  EXPECT_EQ(term("JSON", text("[1]")),
            "\"[1]\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>");
  EXPECT_EQ(term("JSON", text("[1")), "\"[1\"");
}

}  // namespace
}  // namespace helve::sql
