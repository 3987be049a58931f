#include "surfaces/mcp/agent/sampling_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "surfaces/mcp/agent/ask_testing.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;

TEST(SamplingProvider, WaitsForTheAnswersOfOlderClients) {
  SamplingTurn turn;
  turn.when_asked = {said("one"), said("two")};
  SamplingProvider model(turn);
  EXPECT_EQ(model.complete({}, {}, nullptr)->text, "one");
  EXPECT_EQ(model.complete({}, {}, nullptr)->text, "two");
  ASSERT_EQ(turn.asked.size(), 2U);
  EXPECT_EQ(turn.asked[0].method, "sampling/createMessage");
  EXPECT_NE(turn.asked[0].key, turn.asked[1].key);
  EXPECT_FALSE(model.is_asking());
}

TEST(SamplingProvider, NewerClientsCarryTheAnswers) {
  SamplingTurn first;
  first.spoken = Revision::R20260728;
  SamplingProvider begins(first);
  EXPECT_EQ(begins.complete({}, {}, nullptr).error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(begins.is_asking());
  // A run that goes on all the same asks no second time.
  EXPECT_FALSE(begins.complete({}, {}, nullptr).has_value());
  ASSERT_EQ(first.asked.size(), 1U);

  SamplingTurn second;
  second.spoken = Revision::R20260728;
  second.kept_state = first.state_to_keep;
  second.came[first.asked[0].key] = said("one");
  SamplingProvider goes_on(second);
  EXPECT_EQ(goes_on.complete({}, {}, nullptr)->text, "one");
  EXPECT_FALSE(goes_on.complete({}, {}, nullptr).has_value());
  EXPECT_TRUE(goes_on.is_asking());

  SamplingTurn third;
  third.spoken = Revision::R20260728;
  third.kept_state = second.state_to_keep;
  third.came[second.asked[0].key] = said("two");
  SamplingProvider ends(third);
  EXPECT_EQ(ends.complete({}, {}, nullptr)->text, "one");
  EXPECT_EQ(ends.complete({}, {}, nullptr)->text, "two");
  EXPECT_TRUE(third.asked.empty());
  EXPECT_FALSE(ends.is_asking());
}

TEST(SamplingProvider, WhatAClientCarriesIsBounded) {
  SamplingTurn turn;
  turn.spoken = Revision::R20260728;
  turn.came["model-1"] = said(std::string(kSamplingStateBytesMax, 'x'));
  SamplingProvider model(turn);
  EXPECT_TRUE(model.complete({}, {}, nullptr).has_value());
  const auto second = model.complete({}, {}, nullptr);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::LimitExceeded);
  EXPECT_FALSE(model.is_asking());
}

TEST(SamplingProvider, ARefusalIsTold) {
  SamplingTurn turn;
  turn.failure = AskFailure{"the user said no", true};
  SamplingProvider model(turn);
  const auto answer = model.complete({}, {}, nullptr);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::Denied);
  EXPECT_THAT(answer.error().message, HasSubstr("the user said no"));
  EXPECT_FALSE(model.is_asking());
}

TEST(SamplingProvider, ACancelledRunAsksNobody) {
  SamplingTurn turn;
  turn.when_asked = {said("one")};
  SamplingProvider model(turn);
  OpContext context;
  context.cancel.cancel();
  EXPECT_EQ(model.complete({}, context, nullptr).error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(turn.asked.empty());
}

}  // namespace
}  // namespace helve::mcp
