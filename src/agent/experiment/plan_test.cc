#include "agent/experiment/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> ids_of(const std::vector<CellPlan>& cells) {
  std::vector<std::string> ids;
  for (const CellPlan& one : cells) ids.push_back(one.id);
  return ids;
}

TEST(Plan, AllAreFourteenCells) {
  EXPECT_THAT(ids_of(*plan_cells("all")),
              ElementsAre("E1", "E2", "E3", "E4", "E5", "E6", "E7a", "E7b", "E8a", "E8b", "E9",
                          "E10", "E11", "E12"));
}

TEST(Plan, CellsComeOnceInTheirOrder) {
  EXPECT_THAT(ids_of(*plan_cells("E12, e7,E1,E7a,E1")), ElementsAre("E1", "E7a", "E7b", "E12"));
  EXPECT_THAT(ids_of(*plan_cells("E8b")), ElementsAre("E8b"));
}

TEST(Plan, UnknownCellsAreRefused) {
  for (const char* const words : {"E0", "E13", "E1,Ex", "", ",", "E1a", "e"}) {
    const auto cells = plan_cells(words);
    ASSERT_FALSE(cells.has_value()) << words;
    EXPECT_EQ(cells.error().code, ErrorCode::InvalidInput);
    EXPECT_THAT(cells.error().hint, HasSubstr("E1 to E12"));
  }
}

TEST(Plan, MemoryComparesTheSameBankInTwoWays) {
  auto cells = *plan_cells("E8");
  EXPECT_EQ(cells[0].memory, MemoryMode::Injected);
  EXPECT_EQ(cells[1].memory, MemoryMode::Searched);
  EXPECT_TRUE(cells[0].layers.test(static_cast<std::size_t>(context::Layer::Procedures)));
  EXPECT_FALSE(cells[1].layers.test(static_cast<std::size_t>(context::Layer::Procedures)));
  EXPECT_EQ(cells[0].bank, BankStart::Seeds);
  cells = *plan_cells("E8,E9");
  EXPECT_EQ(cells[0].bank, BankStart::Learnt);
  EXPECT_EQ(cells[1].bank, BankStart::Learnt);
  EXPECT_EQ(cells[2].bank, BankStart::Empty);
}

TEST(Plan, PairOfToolsDiffersInRepliesAlone) {
  const auto cells = *plan_cells("E7");
  EXPECT_EQ(cells[0].replies, ReplyForm::Payloads);
  EXPECT_EQ(cells[1].replies, ReplyForm::Handles);
  EXPECT_EQ(cells[0].layers, cells[1].layers);
  EXPECT_EQ(cells[0].memory, cells[1].memory);
}

TEST(Plan, LearningCellsDifferInOneThingEach) {
  PlanOptions options;
  options.rollouts = 5;
  options.bank_max = 7;
  const auto cells = *plan_cells("E9,E10,E11,E12", options);
  for (const CellPlan& one : cells) {
    EXPECT_TRUE(one.learns);
    EXPECT_EQ(one.passes, 2U);
    EXPECT_EQ(one.bank, BankStart::Empty);
    EXPECT_EQ(one.consolidates, one.id == "E10");
    EXPECT_EQ(one.bank_max.has_value(), one.id == "E11");
    EXPECT_EQ(one.rollouts, one.id == "E12" ? 5U : 1U);
  }
  EXPECT_EQ(cells[2].bank_max, 7U);
}

TEST(Plan, SingleLayersAreSingle) {
  const auto cells = *plan_cells("E1,E2,E3,E4,E5,E6");
  for (const CellPlan& one : cells) {
    const std::size_t layers = one.id == "E1" ? 0 : one.id == "E6" ? context::kLayers : 1;
    EXPECT_EQ(one.layers.count(), layers) << one.id;
  }
}

TEST(Plan, MemoryKeepsTheBankItHad) {
  PlanOptions options;
  EXPECT_EQ(plan_cells("E8,E9", options)->at(0).bank, BankStart::Learnt);
  options.has_own_seeds = true;
  EXPECT_EQ(plan_cells("E8,E9", options)->at(0).bank, BankStart::Seeds);
  EXPECT_EQ(plan_cells("E1,all")->size(), plan_cells("all")->size());
}

}  // namespace
}  // namespace helve::agent
