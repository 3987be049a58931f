#include "agent/sandbox/function.h"

#include <gtest/gtest.h>

namespace helve::sandbox {
namespace {

Function named(std::string name) { return {std::move(name), "doc", {}, "object", {}}; }

TEST(Function, NamesAreIdentifiersOfPython) {
  for (const char* name : {"f", "sparql_query", "A1", "SUBMIT2"}) {
    EXPECT_TRUE(named(name).validate()) << name;
  }
  for (const char* name :
       {"", "1a", "a-b", "a b", "class", "None", "_x", "a.b", "ä", "f(", "a\n"}) {
    EXPECT_FALSE(named(name).validate()) << name;
  }
  EXPECT_FALSE(named(std::string(101, 'a')).validate());
}

TEST(Function, ParametersAreChecked) {
  const auto with = [](std::vector<FunctionParameter> parameters) {
    Function function = named("f");
    function.parameters = std::move(parameters);
    return function.validate().has_value();
  };
  EXPECT_TRUE(with({{"a", "list[str]", {}, true}, {"b", "dict[str, int] | None", {}, false}}));
  EXPECT_FALSE(with({{"from", "str", {}, true}}));
  EXPECT_FALSE(with({{"a", "str", {}, true}, {"a", "str", {}, true}}));
  EXPECT_FALSE(with({{"a", "__import__('os')", {}, true}}));
  EXPECT_FALSE(with({{"a", "str = 1): pass #", {}, true}}));
  EXPECT_FALSE(with({{"a", "str", {}, false}, {"b", "str", {}, true}}));
}

TEST(Function, DeclarationsAreComparedWithoutHandlers) {
  Function a = named("f");
  a.parameters = {{"x", "int", JsonValue(1), false}};
  Function b = a;
  b.handler = [](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
    return FunctionValue{};
  };
  EXPECT_TRUE(is_same_declaration(a, b));
  b.parameters[0].otherwise = JsonValue(2);
  EXPECT_FALSE(is_same_declaration(a, b));
}

}  // namespace
}  // namespace helve::sandbox
