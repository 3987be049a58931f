// The law of forgiving input, held against every tool: the ways a call can be written give the same
// answer, and what was not understood is said.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/toolkit/law_world.h"

namespace helve::proofs {
namespace {

using ::testing::HasSubstr;
using toolkit::Parameter;
using toolkit::ParameterType;
using toolkit::Tool;

class LawOfInput : public Laws {
 protected:
  // What was answered, without what may differ between two equal calls: times, warnings, and, where
  // warnings took the room of rows, the rows.
  static std::string essence(const Answer& answer) {
    JsonValue json = answer.json;
    if (json.if_object() == nullptr) return answer.reply.json;
    const bool is_cut = answer.reply.json.find("…") != std::string::npos ||
                        json.find("shown") != nullptr || json.find("left_out") != nullptr ||
                        json.find("has_more") != nullptr;
    std::erase_if(*json.if_object(), [&](const JsonMember& member) {
      const bool is_room = member.value.if_array() != nullptr || member.key == "shown" ||
                           member.key == "left_out" || member.key == "returned" ||
                           member.key == "has_more" || member.key == "next_offset" ||
                           member.key == "prefixes" || member.key == "text" || member.key == "end";
      return member.key == "execution_time_ms" || member.key == "warnings" || (is_cut && is_room);
    });
    return to_json(json);
  }

  static JsonValue with_room(JsonValue arguments) {
    arguments.if_object()->push_back({"max_chars", JsonValue(20'000)});
    return arguments;
  }

  // Right calls that answer, a few of each tool.
  template <typename Check>
  static void each_right_call(std::uint64_t seed, int each, Check check) {
    CallMaker maker = world().maker(seed);
    for (const Tool& tool : world().bench().registry().tools()) {
      for (int i = 0; i < each; ++i) {
        const MadeCall call = maker.right(tool);
        // What is kept once is there the next time.
        if (tool.category == toolkit::ToolCategory::Memory) {
          (void)world().bench().call(call.tool, with_room(call.arguments));
        }
        const Answer plain = world().bench().call(call.tool, with_room(call.arguments));
        SCOPED_TRACE(brief(call));
        if (!plain.is_error()) check(tool, call, essence(plain));
      }
    }
  }

  static void expect_same(const Tool& tool, const JsonValue& arguments,
                          const std::string& expected) {
    const Answer answer = world().bench().call(tool.name, arguments);
    EXPECT_EQ(essence(answer), expected) << to_json(arguments).substr(0, 300);
  }
};

JsonValue renamed(const JsonValue& arguments, const std::string& from, const std::string& to) {
  JsonValue changed = arguments;
  for (JsonMember& member : *changed.if_object()) {
    if (member.key == from) member.key = to;
  }
  return changed;
}

JsonValue changed(const JsonValue& arguments, const std::string& key, const JsonValue& value) {
  JsonValue copy = arguments;
  for (JsonMember& member : *copy.if_object()) {
    if (member.key == key) member.value = value;
  }
  return copy;
}

TEST_F(LawOfInput, AliasesMeanTheirParameter) {
  std::uint64_t tried = 0;
  each_right_call(41, 3, [&](const Tool& tool, const MadeCall& call, const std::string& plain) {
    for (const Parameter& parameter : tool.parameters) {
      if (call.arguments.find(parameter.name) == nullptr) continue;
      for (const std::string& alias : parameter.aliases) {
        if (has_parameter(tool, alias) || call.arguments.find(alias) != nullptr) continue;
        ++tried;
        expect_same(tool, with_room(renamed(call.arguments, parameter.name, alias)), plain);
      }
    }
  });
  EXPECT_GT(tried, 100U);
}

TEST_F(LawOfInput, NumbersAndTruthsMayBeTexts) {
  each_right_call(42, 3, [&](const Tool& tool, const MadeCall& call, const std::string& plain) {
    JsonValue arguments = call.arguments;
    for (JsonMember& member : *arguments.if_object()) {
      const bool is_scalar = member.value.is_number() || member.value.if_bool() != nullptr;
      if (is_scalar) member.value = JsonValue(to_json(member.value));
    }
    expect_same(tool, with_room(arguments), plain);
  });
}

TEST_F(LawOfInput, ArgumentsMayBePositional) {
  std::uint64_t tried = 0;
  CallMaker maker = world().maker(43);
  for (const Tool& tool : world().bench().registry().tools()) {
    for (int i = 0; i < 3; ++i) {
      const MadeCall call = maker.right(tool);
      JsonValue::Array positional;
      for (const Parameter& parameter : tool.parameters) {
        const JsonValue* value = call.arguments.find(parameter.name);
        positional.push_back(value != nullptr ? *value : JsonValue());
      }
      SCOPED_TRACE(brief(call));
      const Answer plain = world().bench().call(tool.name, call.arguments);
      if (plain.is_error()) continue;
      ++tried;
      const Answer other = world().bench().call(tool.name, JsonValue(positional));
      ASSERT_FALSE(other.is_error()) << other.reply.json;
      // Warnings take room from the rest, so the numbers are compared and not the previews.
      for (const char* key : {"key", "rows", "count", "total_available", "resource", "returned"}) {
        const JsonValue* a = plain.json.find(key);
        const JsonValue* b = other.json.find(key);
        if (a != nullptr && b != nullptr && a->if_array() == nullptr) {
          EXPECT_EQ(*a, *b) << key;
        }
      }
    }
  }
  EXPECT_GT(tried, 40U);
}

TEST_F(LawOfInput, HandlesMayBeRefsOrListsOfOneOrTheirText) {
  std::uint64_t tried = 0;
  each_right_call(44, 3, [&](const Tool& tool, const MadeCall& call, const std::string& plain) {
    for (const Parameter& parameter : tool.parameters) {
      const JsonValue* given = call.arguments.find(parameter.name);
      if (parameter.type != ParameterType::Handle || given == nullptr) continue;
      const std::string key = *given->if_string();
      const auto handle = world().bench().handles().get(key, {});
      ASSERT_TRUE(handle.has_value());
      const JsonValue ref = toolkit::to_json(handle->ref);
      const std::vector<JsonValue> forms = {ref,
                                            JsonValue(JsonValue::Array{ref}),
                                            JsonValue(JsonValue::Array{JsonValue(key)}),
                                            JsonValue("@" + key),
                                            JsonValue(toolkit::to_string(handle->ref)),
                                            object_of({{"key", JsonValue(key)}})};
      for (const JsonValue& form : forms) {
        ++tried;
        expect_same(tool, with_room(changed(call.arguments, parameter.name, form)), plain);
      }
    }
  });
  EXPECT_GT(tried, 100U);
}

// Also where the reply has little room, warnings of the call come first.
std::string warnings_of(const Answer& answer) {
  const JsonValue* warnings = answer.json.find("warnings");
  return warnings != nullptr ? to_json(*warnings) : std::string();
}

TEST_F(LawOfInput, UnknownParametersAreToldWithTheNearest) {
  each_right_call(45, 2, [&](const Tool& tool, const MadeCall& call, const std::string& plain) {
    if (tool.name == "call_tool") return;  // what is told is told of the inner call
    JsonValue arguments = call.arguments;
    const std::string near = has_parameter(tool, "limit") ? "limit" : "max_chars";
    std::string misspelt = near;
    misspelt.insert(2, "x");
    arguments.if_object()->push_back({misspelt, JsonValue(1)});
    const Answer answer = world().bench().call(tool.name, with_room(arguments));
    EXPECT_EQ(essence(answer), plain);
    EXPECT_THAT(warnings_of(answer), HasSubstr(misspelt));
    EXPECT_THAT(warnings_of(answer), HasSubstr(near));
  });
}

TEST_F(LawOfInput, WhatIsOutOfRangeIsClampedAndTold) {
  std::uint64_t tried = 0;
  each_right_call(46, 2, [&](const Tool& tool, const MadeCall& call, const std::string&) {
    for (const Parameter& parameter : tool.parameters) {
      if (parameter.type != ParameterType::Integer) continue;
      std::vector<std::int64_t> outside = {parameter.min - 1};
      if (parameter.max < INT64_MAX) outside.push_back(parameter.max + 1);
      for (const std::int64_t number : outside) {
        ++tried;
        JsonValue arguments = call.arguments;
        std::erase_if(*arguments.if_object(),
                      [&](const JsonMember& one) { return one.key == parameter.name; });
        arguments.if_object()->push_back({parameter.name, JsonValue(number)});
        const std::int64_t bound = std::clamp(number, parameter.min, parameter.max);
        const Answer clamped = world().bench().call(tool.name, with_room(arguments));
        ASSERT_FALSE(clamped.is_error()) << clamped.reply.json;
        EXPECT_THAT(warnings_of(clamped), HasSubstr(parameter.name));
        EXPECT_EQ(essence(clamped),
                  essence(world().bench().call(
                      tool.name, with_room(changed(arguments, parameter.name, JsonValue(bound))))));
      }
    }
  });
  EXPECT_GT(tried, 50U);
}

}  // namespace
}  // namespace helve::proofs
