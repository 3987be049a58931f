#include "agent/trajectory/recorded_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/trajectory/diff.h"
#include "agent/trajectory/replay.h"
#include "agent/trajectory/rlm_log.h"
#include "agent/trajectory/run_testing.h"
#include "agent/trajectory/run_words.h"
#include "agent/trajectory/show.h"
#include "agent/trajectory/stats.h"

namespace helve::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RecordedRun, GathersEventsBySteps) {
  const auto runs = runs_in(std::string(kReactRun) + std::string(kRlmRun));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].steps.size(), 2U);
  EXPECT_EQ(runs[0].steps[0].calls[0].rows, 8U);
  EXPECT_TRUE(runs[0].steps[1].calls[0].is_error);
  EXPECT_TRUE(runs[0].has_end);
  EXPECT_FALSE(runs[1].has_end);
  EXPECT_EQ(runs[1].model, "m-2");
  EXPECT_EQ(runs[1].first_line, 9U);
  EXPECT_EQ(runs[1].steps[0].code, "print(1)");
}

TEST(RecordedRun, WhatComesAfterItsEndIsOfTheRun) {
  const std::string judged = std::string(kReactRun) + std::string(kAfterTheEnd);
  const auto runs = runs_in(judged + std::string(kReactRun));
  ASSERT_EQ(runs.size(), 2U);
  ASSERT_TRUE(runs[0].judgment.has_value());
  EXPECT_EQ(runs[0].judgment->verdict, "partial");
  EXPECT_TRUE(runs[0].judgment->is_verified);
  EXPECT_EQ(runs[0].memory.at(0).id, "0123456789ab");
  EXPECT_EQ(runs[0].steps.size(), 2U);
  EXPECT_TRUE(runs[0].has_end);
  EXPECT_FALSE(runs[1].judgment.has_value());
  EXPECT_TRUE(runs[1].memory.empty());
  const std::string shown = *show_run(runs[0], {});
  EXPECT_THAT(shown, HasSubstr("  judgment  partial, f1 0.50, by execution: 4 of 8 rows"));
  EXPECT_THAT(shown, HasSubstr("  memory    added 0123456789ab: Find planets"));
  EXPECT_THAT(stats_text(runs[0]), HasSubstr("judgment      partial"));
  EXPECT_THAT(to_json(stats_json(runs[0])), HasSubstr(R"("verdict":"partial")"));
  const RunDiff diff = diff_runs(runs[0], runs[1]);
  ASSERT_EQ(diff.outcome.size(), 1U);
  EXPECT_EQ(diff.outcome[0].what, "judgment");
}

TEST(RecordedRun, ResultsFindTheirCallsInAnyOrder) {
  const auto runs = runs_in(R"lines({"kind":"run_start","task":"a","loop":"react"}
{"kind":"tool_call","n":1,"id":"a","name":"peek"}
{"kind":"tool_call","n":1,"id":"b","name":"find"}
{"kind":"tool_result","n":1,"id":"b","name":"find","rows":2}
{"kind":"tool_result","n":1,"id":"a","name":"peek","rows":1}
{"kind":"tool_result","n":1,"id":"a","name":"stray","rows":3}
{"kind":"tool_result","n":2,"id":"b","name":"other","error":"no"}
)lines");
  ASSERT_EQ(runs[0].steps.size(), 2U);
  const auto& calls = runs[0].steps[0].calls;
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].rows, 1U);
  EXPECT_EQ(calls[1].rows, 2U);
  EXPECT_EQ(calls[2].name, "stray");
  EXPECT_TRUE(runs[0].steps[1].calls[0].is_error);
}

TEST(RunStats, CountsWhatARunTook) {
  const RunStats stats = stats_of(runs_in(kReactRun)[0]);
  EXPECT_EQ(stats.steps, 2U);
  EXPECT_EQ(stats.tool_calls, 2U);
  EXPECT_EQ(stats.errors, 1U);
  EXPECT_EQ(stats.retries, 1U);
  EXPECT_EQ(stats.usage.input_tokens, 2'500U);
  EXPECT_DOUBLE_EQ(stats.usage.cost.value_or(0), 0.015);
  EXPECT_EQ(stats.largest_reply_tool, "sparql_query");
  EXPECT_EQ(stats.largest_reply_chars, 320U);
  EXPECT_EQ(stats.prompt_chars, 950U);
  EXPECT_EQ(stats.prompt_chars_max, 650U);
}

TEST(RunStats, AnErrorCountsOnce) {
  const RunStats stats = stats_of(runs_in(R"lines({"kind":"run_start","task":"a","loop":"rlm"}
{"kind":"tool_call","n":1,"id":"a","name":"peek"}
{"kind":"tool_result","n":1,"id":"a","name":"peek","error":"no such name"}
{"kind":"iteration","n":1,"code":"peek()","error":"ToolError: no such name"}
{"kind":"iteration","n":2,"code":"x","error":"NameError: x"}
{"kind":"tool_call","n":3,"id":"b","name":"peek"}
{"kind":"tool_result","n":3,"id":"b","name":"peek","error":"no such name"}
{"kind":"iteration","n":3,"code":"x","error":"NameError: x"}
{"kind":"tool_call","n":4,"id":"submit_1","name":"submit","arguments":{"answer":"x"}}
{"kind":"tool_result","n":4,"id":"submit_1","name":"submit","error":"there is no result"}
{"kind":"iteration","n":4,"code":"SUBMIT()","error":"there is no result; look"}
)lines")[0]);
  EXPECT_EQ(stats.errors, 5U);
  EXPECT_EQ(stats.tool_calls, 2U);
  ASSERT_EQ(stats.tools.size(), 2U);
  EXPECT_EQ(stats.tools[1].name, "submit");
  EXPECT_EQ(stats.tools[1].errors, 1U);
}

TEST(RunStats, TellWhatIsEstimatedAndWhatCachesTook) {
  const auto run = runs_in(
      R"lines({"kind":"run_start","task":"t"}
{"kind":"llm_call","n":1,"usage":{"input_tokens":10,"cache_write_tokens":4,"output_tokens":2,"cost":0.5}}
{"kind":"llm_call","n":2,"error":"it broke","usage":{"input_tokens":8,"output_tokens":1,"cost":0.25,"is_estimated":true}}
)lines")[0];
  EXPECT_EQ(run.usage.cache_write_tokens, 4U);
  EXPECT_DOUBLE_EQ(run.usage.cost.value(), 0.75);
  const std::string json = to_json(stats_json(run));
  EXPECT_NE(json.find(R"("input_tokens":18,"cached_tokens":0,"cache_write_tokens":4,)"
                      R"("output_tokens":3,"cost":0.75,"is_estimated":true)"),
            std::string::npos)
      << json;
  EXPECT_NE(stats_text(run).find("18 in, 3 out (estimated)"), std::string::npos);
}

TEST(RunStats, PromptsAreWhatTheRunItselfHasSummedUp) {
  const std::string summed = replaced(kReactRun, R"("iterations":2})",
                                      R"("leakage":{"prompt_chars":77,"prompt_chars_max":44}})");
  const RunStats stats = stats_of(runs_in(summed)[0]);
  EXPECT_EQ(stats.prompt_chars, 77U);
  EXPECT_EQ(stats.prompt_chars_max, 44U);
}

TEST(RunStats, CountsOfHostileFilesDoNotWrap) {
  const std::string huge = replaced(
      replaced(kReactRun, R"("input_tokens":1200)", R"("input_tokens":18446744073709551615)"),
      R"("chars":300)", R"("chars":18446744073709551615)");
  const RunStats stats = stats_of(runs_in(huge)[0]);
  EXPECT_EQ(stats.usage.input_tokens, UINT64_MAX);
  EXPECT_EQ(stats.prompt_chars, UINT64_MAX);
}

TEST(RunStats, OfAnRlmRun) {
  const RunStats stats = stats_of(runs_in(kRlmRun)[0]);
  EXPECT_EQ(stats.reply_chars, 5'000U);
  EXPECT_FALSE(stats.prompt_chars.has_value());
  EXPECT_EQ(stats.sub_calls, 1U);
  EXPECT_FALSE(stats.usage.cost.has_value());
}

TEST(RunStats, IsToldInWords) {
  EXPECT_EQ(stats_text(runs_in(kReactRun)[0]),
            "task          How many planets?\n"
            "loop          react, model m-1\n"
            "end           submitted\n"
            "steps         2\n"
            "model calls   2 (1 retry)\n"
            "tool calls    2\n"
            "errors        1\n"
            "tokens        2,500 in (2,000 cached), 50 out\n"
            "cost          0.0150\n"
            "in the prompt 950 characters in all, 650 in the largest\n"
            "largest reply 320 characters, of sparql_query\n"
            "  peek                          1 call          30 characters (1 failed)\n"
            "  sparql_query                  1 call         320 characters\n");
}

TEST(ShowRun, FoldsEveryTextToOneLine) {
  const auto text = show_run(runs_in(kReactRun)[0], {});
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text,
            "run\n"
            "  task      How many planets?\n"
            "  loop      react, model m-1\n"
            "  context   7 characters; the system text has 8\n"
            "step 1\n"
            "  model     I look.\n"
            "  call      sparql_query query='SELECT * { ?s ?p ?o }' limit=5\n"
            "  result    results_0, 8 rows, 320 characters: 8 rows Mercury\n"
            "step 2\n"
            "  model     There are 8.\n"
            "  call      peek\n"
            "  error     term is missing\n"
            "end\n"
            "  reason    submitted\n"
            "  answer    8 planets\n"
            "  query     SELECT *\n"
            "  tokens    2,500 in (2,000 cached), 50 out\n"
            "  cost      0.0150\n"
            "  prompt    950 characters in all, 650 in the largest\n");
}

TEST(ShowRun, AsJsonItIsWhole) {
  const auto run = show_json(runs_in(kReactRun)[0], {});
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(*run->find("answer")->if_string(), "8 planets");
  EXPECT_EQ(run->find("steps")->if_array()->size(), 2U);
  const auto step = show_json(runs_in(kReactRun)[0], {.step = 1});
  ASSERT_TRUE(step.has_value());
  const JsonValue& call = step->find("calls")->if_array()->at(0);
  EXPECT_EQ(*call.find("preview")->if_string(), "8 rows\nMercury");
  EXPECT_EQ(call.find("arguments")->find("limit")->to_int64(), 5);
  EXPECT_FALSE(show_json(runs_in(kReactRun)[0], {.step = 3}).has_value());
}

TEST(ShowRun, AWordOfTheCallerStandsBeforeItsStep) {
  const std::string steered =
      replaced(kReactRun, R"({"kind":"llm_call","time":"2026-01-01T10:00:03Z")",
               "{\"kind\":\"steering\",\"n\":2,\"message\":\"wrong table\"}\n"
               R"({"kind":"llm_call","time":"2026-01-01T10:00:03Z")");
  const auto run = runs_in(steered)[0];
  EXPECT_EQ(run.steps[1].message, "wrong table");
  EXPECT_THAT(*show_run(run, {.step = 2}), HasSubstr("  caller    wrong table\n"));
  EXPECT_EQ(recorded_words(run.events).at(2).message, "wrong table");
  EXPECT_EQ(diff_runs(runs_in(kReactRun)[0], run).first_step, 2U);
}

TEST(ListRuns, HasALineForEach) {
  EXPECT_EQ(list_text(runs_in(std::string(kReactRun) + std::string(kRlmRun))),
            "  1  2026-01-01T10:00:00Z  react    2 steps  submitted     How many planets?\n"
            "  2  no time               rlm      1 step   no end        How many planets?\n");
  EXPECT_EQ(list_json(runs_in(kRlmRun)).if_array()->at(0).find("run")->to_int64(), 1);
}

TEST(ShowRun, OneStepInFull) {
  const auto text = show_run(runs_in(kReactRun)[0], {.step = 1, .is_full = true});
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("            { ?s ?p ?o }' limit=5\n"));
  EXPECT_THAT(*text, HasSubstr("            Mercury\n"));
  EXPECT_THAT(*text, Not(HasSubstr("step 2")));
  const auto missing = show_run(runs_in(kReactRun)[0], {.step = 3});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().hint, "its steps are 1 to 2");
}

TEST(ShowRun, WhatModelsWriteCannotDriveATerminal) {
  const std::string hostile = replaced(kReactRun, "I look.", R"(\u001b[2Jgone)");
  for (const bool is_full : {false, true}) {
    const auto text = show_run(runs_in(hostile)[0], {.is_full = is_full});
    ASSERT_TRUE(text.has_value());
    EXPECT_THAT(*text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(*text, HasSubstr("\\x1B[2Jgone"));
  }
}

TEST(DiffRuns, TellsWhereRunsPart) {
  const RecordedRun left = runs_in(kReactRun)[0];
  EXPECT_EQ(diff_text(diff_runs(left, left), false), "both runs do the same\n");
  const std::string other = replaced(replaced(kReactRun, R"("name":"peek","arguments":{}}
)",
                                              R"("name":"peek","arguments":{"term":"ex:Planet"}}
)"),
                                     "8 planets", "9 planets");
  EXPECT_EQ(diff_text(diff_runs(left, runs_in(other)[0]), false),
            "the runs part at step 2\n"
            "  < peek\n"
            "  > peek term='ex:Planet'\n"
            "answer\n"
            "  < 8 planets\n"
            "  > 9 planets\n");
}

// The same calls on other data: what they brought is what matters.
TEST(DiffRuns, TellsWhereResultsDiffer) {
  const RecordedRun left = runs_in(kReactRun)[0];
  const std::string rows = replaced(replaced(kReactRun, R"("rows":8)", R"("rows":9)"),
                                    R"(8 rows\nMercury)", R"(9 rows\nMercury)");
  const RunDiff diff = diff_runs(left, runs_in(rows)[0]);
  EXPECT_FALSE(diff.is_same());
  EXPECT_FALSE(diff.first_step.has_value());
  EXPECT_EQ(diff_text(diff, false),
            "the steps are the same\n"
            "step 1, sparql_query: rows\n"
            "  < 8\n"
            "  > 9\n"
            "step 1, sparql_query: preview\n"
            "  < 8 rows Mercury\n"
            "  > 9 rows Mercury\n");
  const std::string error = replaced(kReactRun, "term is missing", "term is wrong");
  EXPECT_FALSE(diff_runs(left, runs_in(error)[0]).is_same());
  const std::string output = replaced(kRlmRun, R"("output":"1\n")", R"("output":"2\n")");
  EXPECT_FALSE(diff_runs(runs_in(kRlmRun)[0], runs_in(output)[0]).is_same());
}

// A model, or who made the file, wrote the name of the tool.
TEST(DiffRuns, NamesOfToolsAreHarmlessOnATerminal) {
  RecordedRun left;
  RecordedCall call;
  call.name = "\x1B]0;mine\x07";
  call.preview = "8";
  left.steps.emplace_back().calls.push_back(call);
  RecordedRun right = left;
  right.steps[0].calls[0].preview = "9";
  for (const bool is_full : {false, true}) {
    const std::string text = diff_text(diff_runs(left, right), is_full);
    EXPECT_THAT(text, HasSubstr("]0;mine"));
    EXPECT_EQ(text.find_first_of("\x1B\x07"), std::string::npos) << text;
  }
}

TEST(DiffRuns, OneThatEndedBefore) {
  const std::string text(kReactRun);
  const std::string cut =
      text.substr(0, text.find(R"({"kind":"llm_call","time":"2026-01-01T10:00:03Z")"));
  const RunDiff diff = diff_runs(runs_in(kReactRun)[0], runs_in(cut)[0]);
  EXPECT_EQ(diff.first_step, 2U);
  EXPECT_EQ(diff.calls.back().right, "(ended before)");
  EXPECT_FALSE(diff.is_same());
}

std::string log_of(std::string_view source) {
  StringSink out;
  EXPECT_TRUE(write_rlm_log(runs_in(source)[0], out).has_value());
  return out.text();
}

TEST(RlmLog, InstructionsAreWrittenOnce) {
  const std::string log = log_of(kReactRun);
  EXPECT_THAT(log, HasSubstr("You are."));
  EXPECT_EQ(log.find("You are."), log.rfind("You are."));
  EXPECT_THAT(log, HasSubstr(R"("prompt":[{"role":"user","content":"sparql_query: 8 rows)"));
}

// The members that visualizer/src/lib/types.ts of rlms 0.1.3 reads, with their types.
TEST(RlmLog, HasWhatTheViewerReads) {
  for (const std::string_view source : {kReactRun, kRlmRun}) {
    std::string log = log_of(source);
    const std::size_t end = log.find('\n');
    const auto metadata = parse_json(log.substr(0, end));
    ASSERT_TRUE(metadata.has_value());
    EXPECT_EQ(*metadata->find("type")->if_string(), "metadata");
    log.erase(0, end + 1);
    const auto iteration = parse_json(log.substr(0, log.find('\n')));
    ASSERT_TRUE(iteration.has_value());
    EXPECT_EQ(*iteration->find("type")->if_string(), "iteration");
    EXPECT_EQ(iteration->find("iteration")->to_int64(), 1);
    EXPECT_EQ(iteration->find("prompt")->if_array()->size(), 2U);
    EXPECT_NE(iteration->find("response")->if_string(), nullptr);
    const JsonValue& block = iteration->find("code_blocks")->if_array()->at(0);
    EXPECT_NE(block.find("code")->if_string(), nullptr);
    const JsonValue& result = *block.find("result");
    for (const char* const text : {"stdout", "stderr"}) {
      EXPECT_NE(result.find(text)->if_string(), nullptr) << text;
    }
    EXPECT_NE(result.find("locals")->if_object(), nullptr);
    EXPECT_TRUE(result.find("execution_time")->is_number());
    EXPECT_EQ(result.find("rlm_calls")->if_array()->size(), source == kRlmRun ? 1U : 0U);
  }
}

TEST(RlmLog, TheLastIterationHasTheAnswer) {
  const std::string log = log_of(kReactRun);
  EXPECT_THAT(log, HasSubstr(R"("final_answer":null,"iteration_time":2.0)"));
  EXPECT_THAT(log, HasSubstr(R"("final_answer":"8 planets","iteration_time":null)"));
  EXPECT_THAT(log, HasSubstr(R"(sparql_query(query=\"SELECT *\\n{ ?s ?p ?o }\", limit=5))"));
}

}  // namespace
}  // namespace helve::agent
