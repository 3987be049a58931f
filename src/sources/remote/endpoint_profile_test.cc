#include "sources/remote/endpoint_profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const WallTime kProfileNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16);

EndpointProfile full() {
  EndpointProfile profile;
  profile.url = "https://example.org/sparql";
  profile.made = kProfileNow;
  profile.probed = kProfileNow + std::chrono::hours(1);
  profile.engine = "Virtuoso 07.20";
  profile.engine_from = "the header server";
  profile.text_search = TextSearch{"bif:contains", "SELECT {words}", true};
  profile.query_time_max = std::chrono::seconds(60);
  profile.rows_max = 10'000;
  profile.rows_per_second = 1e6;
  profile.takes_only_get = true;
  profile.first_seconds = 4.5;
  profile.lookup_seconds = {{"subject", 0.25}, {"value", -1}};
  profile.notes = {"be kind"};
  profile.note_answer("by class", 2, kProfileNow);
  profile.note_failure({kProfileNow, EndpointCause::TooHeavy, 60, "over all", "timed \"out\""},
                       true);
  return profile;
}

TEST(EndpointProfile, ReadsWhatItWrites) {
  const std::string text = to_text(full());
  const auto read = read_profile(text);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(to_text(*read), text);
  EXPECT_EQ(read->engine, "Virtuoso 07.20");
  EXPECT_EQ(read->text_search, full().text_search);
  EXPECT_EQ(read->query_time_max, std::chrono::seconds(60));
  EXPECT_EQ(read->lookup_seconds.at("value"), -1);
  EXPECT_EQ(read->failures.back().message, "timed \"out\"");
  EXPECT_EQ(read->shapes.at("over all").last_too_heavy, kProfileNow);
}

TEST(EndpointProfile, OtherTextsAreErrors) {
  EXPECT_EQ(read_profile("{}").error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(read_profile("").error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(read_profile(R"({"helve_endpoint_profile": 9})").error().message,
              HasSubstr("version 9"));
}

// Somebody has edited it.
TEST(EndpointProfile, WrongMembersAreAsIfNotThere) {
  const auto read = read_profile(R"({"helve_endpoint_profile": 1, "url": 5, "made": "yesterday",
    "engine": ["x"], "rows_max": -3, "query_time_max_s": 1e300, "lookup_s": [], "notes": [1, "n"],
    "shapes": [{"shape": "a"}, {"shape": "b", "last": "2026-11-16T00:00:00Z", "typical_s": -2}, 7],
    "failures": [{"at": "2026-11-16T00:00:00Z", "cause": "bad luck"}]})");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->engine, "");
  EXPECT_EQ(read->rows_max, 0U);
  EXPECT_EQ(read->query_time_max, std::chrono::seconds(1'000'000));
  EXPECT_THAT(read->notes, ElementsAre("n"));
  EXPECT_EQ(read->shapes.size(), 1U);
  EXPECT_EQ(read->shapes.at("b").typical_seconds, 0);
  EXPECT_TRUE(read->failures.empty());
}

TEST(EndpointProfile, LearnsTimesOfShapes) {
  EndpointProfile profile;
  profile.note_answer("by class", 1, kProfileNow);
  profile.note_answer("by class", 2, kProfileNow);
  const auto record = profile.record_of("by class");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->answered, 2U);
  EXPECT_NEAR(record->typical_seconds, 1.2, 1e-9);
  EXPECT_EQ(record->slowest_seconds, 2);
  EXPECT_FALSE(profile.record_of("over all"));
}

TEST(EndpointProfile, AnAnswerBeyondTheLimitEndsTheLimit) {
  EndpointProfile profile;
  profile.query_time_max = std::chrono::seconds(10);
  profile.note_answer("by class", 9, kProfileNow);
  EXPECT_EQ(profile.traits().query_time_max, std::chrono::seconds(10));
  profile.note_answer("by class", 11, kProfileNow);
  EXPECT_EQ(profile.traits().query_time_max, Duration::zero());
}

TEST(EndpointProfile, OnlySomeAreKept) {
  EndpointProfile profile;
  for (int i = 0; i < 500; ++i) {
    const std::string shape = fmt::format("shape {}", i);
    profile.note_answer(shape, 1, kProfileNow + std::chrono::seconds(i));
    profile.note_failure({kProfileNow, EndpointCause::Down, 0, shape, "no"}, false);
  }
  EXPECT_EQ(profile.failures.size(), kFailuresKept);
  EXPECT_EQ(profile.failures.back().shape, "shape 499");
  EXPECT_EQ(profile.shapes.size(), kShapesKept);
  EXPECT_TRUE(profile.record_of("shape 499"));
  EXPECT_EQ(read_profile(to_text(profile))->shapes.size(), kShapesKept);
  EXPECT_LT(to_text(profile).size(), kProfileBytesMax / 10);
}

TEST(EndpointProfile, ASearchThatWasNotTakenIsNone) {
  EndpointProfile profile = full();
  EXPECT_EQ(profile.traits().text_search, "bif:contains");
  profile.text_search->is_checked = false;
  EXPECT_EQ(profile.traits().text_search, "");
}

}  // namespace
}  // namespace helve::remote
