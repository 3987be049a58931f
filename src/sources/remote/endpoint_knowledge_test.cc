#include "sources/remote/endpoint_knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/redaction.h"
#include "sources/remote/survey_file.h"
#include "tests/support/fake_env.h"

namespace helve::remote {
namespace {

using ::testing::HasSubstr;

class EndpointKnowledgeTest : public ::testing::Test {
 protected:
  std::unique_ptr<EndpointKnowledge> open() {
    EndpointProfile preset;
    preset.url = "https://example.org/sparql";
    preset.notes = {"be kind"};
    return std::make_unique<EndpointKnowledge>(place_, preset, env_);
  }
  std::string content(const std::filesystem::path& path) {
    auto source = env_.files().open_read(path);
    if (!source) return "";
    std::string text(1 << 20, '\0');
    text.resize(*(*source)->read(text));
    return text;
  }
  static EndpointFailure heavy(bool is_told) {
    return {EndpointCause::TooHeavy,
            {ErrorCode::LimitExceeded, "too heavy: timed out"},
            false,
            std::nullopt,
            is_told,
            true};
  }
  static std::shared_ptr<const EndpointSurvey> survey(WallTime asked) {
    EndpointSurvey made;
    made.asked = asked;
    made.asked_graphs = {{"http://e/g", true, {}}};
    made.prefixes = {{"e", "http://e/"}};
    made.schema.triples = 7;
    made.schema.origin = "counts of the endpoint";
    made.schema.is_complete = true;
    made.schema.classes = {{"http://e/C", "a class", 3, true}};
    PropertyInfo property;
    property.iri = "http://e/p";
    property.kind = PropertyKind::Object;
    property.triples = 5;
    property.subjects = 4;
    property.domains = {"http://e/C"};
    made.schema.properties = {property};
    made.schema.namespaces = {{"e", "http://e/", 2}};
    made.schema.graphs = {{"http://e/g", 7}};
    return std::make_shared<const EndpointSurvey>(std::move(made));
  }

  FakeEnv env_;
  ProfilePlace place_{"state/endpoints", "example"};
};

TEST_F(EndpointKnowledgeTest, KeepsWhatItLearns) {
  auto first = open();
  first->note_answer("by class", std::chrono::seconds(2), true);
  first->note_failure("over all", heavy(true), std::chrono::seconds(60));
  first->note_rows_max(10'000);
  first->note_headers({{"server", "Virtuoso/7"}});
  first.reset();
  const auto second = open();
  const EndpointProfile profile = second->profile();
  EXPECT_EQ(profile.engine, "Virtuoso 7");
  EXPECT_EQ(profile.rows_max, 10'000U);
  EXPECT_EQ(profile.query_time_max, std::chrono::seconds(60));
  EXPECT_EQ(profile.first_seconds, 2);
  EXPECT_EQ(profile.notes.size(), 1U);
  EXPECT_EQ(second->record_of("by class")->answered, 1U);
  EXPECT_EQ(second->record_of("over all")->too_heavy, 1U);
  EXPECT_EQ(profile.failures.size(), 1U);
}

// Two processes, each with its own memory of the file.
TEST_F(EndpointKnowledgeTest, WhatOthersLearntIsKeptToo) {
  auto one = open();
  auto other = open();
  one->note_answer("by class", std::chrono::seconds(1), false);
  one->keep();
  other->note_answer("by class", std::chrono::seconds(1), false);
  other->note_answer("by value", std::chrono::seconds(1), false);
  other->keep();
  EXPECT_EQ(other->record_of("by class")->answered, 2U);
  one->note_answer("by class", std::chrono::seconds(1), false);
  one.reset();
  EXPECT_EQ(open()->record_of("by class")->answered, 3U);
  EXPECT_EQ(open()->record_of("by value")->answered, 1U);
}

TEST_F(EndpointKnowledgeTest, AnswersAreNotWrittenOneByOne) {
  const auto knowledge = open();
  knowledge->note_answer("by class", std::chrono::seconds(1), false);
  const std::string first = content(place_.profile());
  for (int i = 0; i < 50; ++i) knowledge->note_answer("by class", std::chrono::seconds(1), false);
  EXPECT_EQ(content(place_.profile()), first);
  env_.clock().advance(std::chrono::minutes(1));
  knowledge->note_answer("by class", std::chrono::seconds(1), false);
  EXPECT_THAT(content(place_.profile()), HasSubstr("\"answered\": 52"));
}

// A short deadline of ours says nothing of the endpoint, nor does what we stopped ourselves.
TEST_F(EndpointKnowledgeTest, OurOwnHurryIsNotItsLimit) {
  const auto knowledge = open();
  knowledge->note_failure("by class", heavy(false), std::chrono::seconds(1));
  knowledge->note_failure(
      "by class",
      {EndpointCause::Stopped, {ErrorCode::Cancelled, "stop"}, false, std::nullopt, false},
      std::chrono::seconds(1));
  EXPECT_EQ(knowledge->record_of("by class")->too_heavy, 0U);
  EXPECT_EQ(knowledge->traits().query_time_max, Duration::zero());
  EXPECT_EQ(knowledge->profile().failures.size(), 1U);
  knowledge->note_failure("by class", heavy(false), std::chrono::seconds(30));
  EXPECT_EQ(knowledge->record_of("by class")->too_heavy, 1U);
  EXPECT_EQ(knowledge->traits().query_time_max, Duration::zero());
}

TEST_F(EndpointKnowledgeTest, SurveysAreKeptForAWeek) {
  open()->put_survey(survey(env_.clock().wall()));
  const auto kept = open()->survey();
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(to_text(*kept), to_text(*survey(env_.clock().wall())));
  EXPECT_EQ(kept->schema.properties.front().kind, PropertyKind::Object);
  EXPECT_EQ(open()->traits().known_since, env_.clock().wall());
  env_.clock().advance(std::chrono::hours(24 * 8));
  EXPECT_EQ(open()->survey(), nullptr);
}

// It would be true another time.
TEST_F(EndpointKnowledgeTest, PartialSurveysAreGoodForAMinuteAndNotKept) {
  const auto knowledge = open();
  auto partial = std::make_shared<EndpointSurvey>(*survey(env_.clock().wall()));
  partial->is_partial = true;
  knowledge->put_survey(partial);
  EXPECT_NE(knowledge->survey(), nullptr);
  EXPECT_EQ(open()->survey(), nullptr);
  env_.clock().advance(std::chrono::minutes(1));
  EXPECT_EQ(knowledge->survey(), nullptr);
  EXPECT_NE(knowledge->last_survey(), nullptr);
}

TEST_F(EndpointKnowledgeTest, SecretsThatAServerRepeatsAreNotKept) {
  register_secret("s3cr3t-of-a-t3st");
  {
    const auto knowledge = open();
    knowledge->note_failure("by class",
                            {EndpointCause::Refused,
                             {ErrorCode::Denied, "no such token: s3cr3t-of-a-t3st"},
                             false,
                             std::nullopt,
                             true},
                            Duration{0});
  }
  EXPECT_THAT(content(place_.profile()), HasSubstr("no such token"));
  EXPECT_THAT(content(place_.profile()), ::testing::Not(HasSubstr("s3cr3t")));
}

TEST_F(EndpointKnowledgeTest, OutOfMemoryIsNoLimitOfTime) {
  const auto knowledge = open();
  knowledge->note_failure("over all",
                          {EndpointCause::TooHeavy,
                           {ErrorCode::LimitExceeded, "out of memory"},
                           false,
                           std::nullopt,
                           true},
                          std::chrono::seconds(60));
  EXPECT_EQ(knowledge->record_of("over all")->too_heavy, 1U);
  EXPECT_EQ(knowledge->traits().query_time_max, Duration::zero());
}

TEST_F(EndpointKnowledgeTest, BadFilesArePutAside) {
  ASSERT_TRUE(env_.files().make_directories(place_.folder));
  ASSERT_TRUE(write_file_atomically(env_, place_.profile(), "{ not json"));
  ASSERT_TRUE(write_file_atomically(env_, place_.survey(), "{}"));
  const auto knowledge = open();
  EXPECT_EQ(knowledge->profile().notes.size(), 1U);
  EXPECT_EQ(knowledge->survey(), nullptr);
  EXPECT_EQ(content(place_.profile().string() + ".bad"), "{ not json");
  EXPECT_EQ(content(place_.survey().string() + ".bad"), "{}");
  knowledge->note_rows_max(5);
  EXPECT_EQ(open()->profile().rows_max, 5U);
}

TEST_F(EndpointKnowledgeTest, WithoutAFolderNothingIsWritten) {
  place_ = {};
  const auto knowledge = open();
  knowledge->note_rows_max(5);
  knowledge->put_survey(survey(env_.clock().wall()));
  EXPECT_EQ(knowledge->profile().rows_max, 5U);
  EXPECT_NE(knowledge->survey(), nullptr);
  EXPECT_FALSE(env_.files().list("state"));
}

// Nobody waits for who writes; it is written later.
TEST_F(EndpointKnowledgeTest, WhereAnotherWritesTheChangesWait) {
  ASSERT_TRUE(env_.files().make_directories(place_.folder));
  const auto knowledge = open();
  auto held = env_.files().lock(place_.lock());
  ASSERT_TRUE(held);
  const Duration before = env_.clock().elapsed();
  knowledge->note_rows_max(5);
  EXPECT_EQ(env_.clock().elapsed(), before);
  EXPECT_EQ(knowledge->profile().rows_max, 5U);
  EXPECT_EQ(content(place_.profile()), "");
  held->reset();
  knowledge->keep();
  EXPECT_EQ(open()->profile().rows_max, 5U);
}

TEST(ProfileKey, TellsEndpointsAndIdentitiesApart) {
  const std::string key = profile_key("https://Example.org:81/sparql", "");
  EXPECT_THAT(key, ::testing::StartsWith("_xample.org_81-"));
  EXPECT_NE(key, profile_key("https://Example.org:81/sparql", "user me"));
  EXPECT_NE(key, profile_key("https://Example.org:81/other", ""));
  EXPECT_EQ(profile_key("https://a/../../etc/passwd", "").find('/'), std::string::npos);
}

}  // namespace
}  // namespace helve::remote
