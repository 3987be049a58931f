#include "sources/sql/mysql/column_value.h"

#include <gtest/gtest.h>

#include <limits>

#include "sources/rdf/vocabulary.h"
#include "sources/sql/mysql/client_library.h"
#include "sources/sql/mysql/parameters.h"

namespace helve::sql::mysql {
namespace {

MYSQL_TIME moment(unsigned year, unsigned month, unsigned day, unsigned hour = 0,
                  unsigned minute = 0, unsigned second = 0, unsigned long microseconds = 0) {
  MYSQL_TIME time{};
  time.year = year;
  time.month = month;
  time.day = day;
  time.hour = hour;
  time.minute = minute;
  time.second = second;
  time.second_part = microseconds;
  return time;
}

TEST(ColumnValue, DatesThatXsdHoldsAreTyped) {
  const TimeText date = time_text(moment(2024, 2, 29), MYSQL_TYPE_DATE);
  EXPECT_EQ(date.text, "2024-02-29");
  EXPECT_EQ(date.datatype, rdf::kXsdDate);
  const TimeText time = time_text(moment(2024, 2, 29, 1, 2, 3, 500'000), MYSQL_TYPE_DATETIME);
  EXPECT_EQ(time.text, "2024-02-29T01:02:03.5");
  EXPECT_EQ(time.datatype, rdf::kXsdDateTime);
  EXPECT_EQ(time_text(moment(2024, 2, 29, 1, 2, 3), MYSQL_TYPE_TIMESTAMP).text,
            "2024-02-29T01:02:03Z");
  EXPECT_EQ(time_text(moment(0, 0, 0, 23, 59, 59), MYSQL_TYPE_TIME).datatype, rdf::kXsdTime);
}

TEST(ColumnValue, OtherDatesStayText) {
  EXPECT_EQ(time_text(moment(0, 0, 0), MYSQL_TYPE_DATE).datatype, "");
  EXPECT_EQ(time_text(moment(0, 0, 0), MYSQL_TYPE_DATE).text, "0000-00-00");
  EXPECT_EQ(time_text(moment(2024, 5, 0), MYSQL_TYPE_DATE).datatype, "");
  EXPECT_EQ(time_text(moment(0, 0, 0), MYSQL_TYPE_TIMESTAMP).text, "0000-00-00 00:00:00");
  MYSQL_TIME long_time = moment(0, 0, 0, 838, 59, 59);
  EXPECT_EQ(time_text(long_time, MYSQL_TYPE_TIME).text, "838:59:59");
  EXPECT_EQ(time_text(long_time, MYSQL_TYPE_TIME).datatype, "");
  long_time = moment(0, 0, 2, 1, 0, 0);
  long_time.neg = 1;
  EXPECT_EQ(time_text(long_time, MYSQL_TYPE_TIME).text, "-49:00:00");
}

TEST(ColumnValue, NumbersReadBack) {
  EXPECT_EQ(double_text(0), "0");
  EXPECT_EQ(double_text(-0.0), "-0");
  EXPECT_EQ(double_text(0.1), "0.1");
  EXPECT_EQ(double_text(100'000), "100000");
  EXPECT_EQ(double_text(123456789012345.0), "123456789012345");
  EXPECT_EQ(double_text(1e15), "1e+15");
  EXPECT_EQ(double_text(0.0001), "0.0001");
  EXPECT_EQ(double_text(0.00001), "1e-05");
  EXPECT_EQ(double_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(double_text(-std::numeric_limits<double>::infinity()), "-INF");
  EXPECT_EQ(float_text(0.1F), "0.1");
  EXPECT_EQ(float_text(1e6F), "1e+06");
}

TEST(ColumnValue, TypesHaveTheirNames) {
  ASSERT_TRUE(load_client().has_value());
  MYSQL_FIELD field{};
  field.type = MYSQL_TYPE_NEWDECIMAL;
  field.length = 12;
  field.decimals = 2;
  EXPECT_EQ(type_name(field), "decimal(10,2)");
  field.flags = UNSIGNED_FLAG;
  field.length = 11;
  EXPECT_EQ(type_name(field), "decimal(10,2) unsigned");
  field = {};
  field.type = MYSQL_TYPE_VAR_STRING;
  field.charsetnr = 45;
  field.length = 180;
  EXPECT_EQ(type_name(field), "varchar(45)");
  field.charsetnr = 63;
  EXPECT_EQ(type_name(field), "varbinary(180)");
}

TEST(Parameters, MomentsAreGivenInUtc) {
  EXPECT_EQ(date_time_text("2024-02-29T12:30:00"), "2024-02-29 12:30:00");
  EXPECT_EQ(date_time_text("2024-02-29T12:30:00.25Z"), "2024-02-29 12:30:00.25");
  EXPECT_EQ(date_time_text("2024-03-01T01:30:00.5+02:00"), "2024-02-29 23:30:00.5");
  EXPECT_EQ(date_time_text("2024-12-31T23:30:00-01:30"), "2025-01-01 01:00:00");
  EXPECT_EQ(date_time_text("-0044-03-15T00:00:00Z"), "-0044-03-15T00:00:00Z");
  EXPECT_EQ(date_time_text("no moment"), "no moment");
  EXPECT_EQ(date_time_text("2024-02-29T12:30:00+2"), "2024-02-29T12:30:00+2");
  EXPECT_EQ(date_time_text("xxxx-02-29T12:30:00+02:00"), "xxxx-02-29T12:30:00+02:00");
}

}  // namespace
}  // namespace helve::sql::mysql
