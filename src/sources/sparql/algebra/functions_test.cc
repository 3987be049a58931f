#include "sources/sparql/algebra/functions.h"

#include <gtest/gtest.h>

namespace helve::sparql {
namespace {

TEST(Functions, AreFoundByNameInAnyCase) {
  EXPECT_EQ(function_by_name("strlen"), Function::StrLen);
  EXPECT_EQ(function_by_name("ISURI"), Function::IsIri);
  EXPECT_EQ(function_by_name("Uri"), Function::Iri);
  EXPECT_EQ(function_by_name("&&"), std::nullopt);
  EXPECT_EQ(function_by_name("IN"), std::nullopt);
  EXPECT_EQ(function_by_name("COUNT"), std::nullopt);
}

TEST(Functions, EveryNameLeadsBack) {
  for (auto i = static_cast<std::size_t>(Function::Bound); i < kFunctionCount; ++i) {
    const FunctionInfo& info = function_info(static_cast<Function>(i));
    EXPECT_EQ(function_by_name(info.name), info.function);
    EXPECT_LE(info.arguments_min, info.arguments_max);
  }
}

TEST(Functions, AggregatesLeadBack) {
  EXPECT_EQ(aggregate_by_name("group_concat"), AggregateKind::GroupConcat);
  EXPECT_EQ(aggregate_name(AggregateKind::GroupConcat), "GROUP_CONCAT");
  EXPECT_EQ(aggregate_by_name("MEDIAN"), std::nullopt);
}

}  // namespace
}  // namespace helve::sparql
