// A small recorded run, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

inline constexpr std::string_view kReactRun =
    R"lines({"kind":"run_start","time":"2026-01-01T10:00:00Z","task":"How many planets?","loop":"react","model":"m-1","config":{"provider":"chat","iterations_max":12},"context":[{"layer":"L0","text":"a graph"}],"system":"You are."}
{"kind":"llm_call","time":"2026-01-01T10:00:01Z","n":1,"request_hash":"aa","chars":300,"answer":{"text":"I look.","calls":[{"id":"c1","name":"sparql_query","arguments":{"query":"SELECT *\n{ ?s ?p ?o }","limit":5}}],"stop":"tool_calls"},"usage":{"input_tokens":1200,"cached_tokens":800,"output_tokens":40,"cost":0.01},"retries":1}
{"kind":"tool_call","time":"2026-01-01T10:00:01Z","n":1,"id":"c1","name":"sparql_query","arguments":{"query":"SELECT *\n{ ?s ?p ?o }","limit":5}}
{"kind":"tool_result","time":"2026-01-01T10:00:02Z","n":1,"id":"c1","name":"sparql_query","handle":"results_0","rows":8,"chars":320,"preview":"8 rows\nMercury","ms":12.5}
{"kind":"llm_call","time":"2026-01-01T10:00:03Z","n":2,"request_hash":"bb","chars":650,"answer":{"text":"There are 8.","calls":[{"id":"c2","name":"peek","arguments":{}}],"stop":"tool_calls"},"usage":{"input_tokens":1300,"cached_tokens":1200,"output_tokens":10,"cost":0.005},"retries":0}
{"kind":"tool_call","time":"2026-01-01T10:00:03Z","n":2,"id":"c2","name":"peek","arguments":{}}
{"kind":"tool_result","time":"2026-01-01T10:00:03Z","n":2,"id":"c2","name":"peek","chars":30,"preview":"","error":"term is missing","code":"invalid_input"}
{"kind":"run_end","time":"2026-01-01T10:00:04Z","stop_reason":"submitted","answer":"8 planets","query":"SELECT *","iterations":2}
)lines";

inline constexpr std::string_view kRlmRun =
    R"lines({"kind":"run_start","task":"How many planets?","loop":"rlm","context":"a graph","system":"Write."}
{"kind":"llm_call","n":1,"answer":{"text":"counting","stop":"end_turn","model":"m-2"},"usage":{"input_tokens":100,"output_tokens":20}}
{"kind":"llm_call","n":1,"prompt":"how many?","answer":{"text":"eight","stop":"end_turn"},"usage":{"input_tokens":7,"output_tokens":2}}
{"kind":"tool_call","n":1,"id":"t1","name":"sparql_query","arguments":{"query":"ASK {}"}}
{"kind":"tool_result","n":1,"id":"t1","name":"sparql_query","chars":5000,"preview":"yes"}
{"kind":"iteration","n":1,"reasoning":"count them","code":"print(1)","output":"1\n"}
)lines";

// What a judge and a bank add to a run that has ended.
inline constexpr std::string_view kAfterTheEnd =
    R"lines({"kind":"judgment","verdict":"partial","verified":true,"by":"execution","f1":0.5,"says":"4 of 8 rows are there"}
{"kind":"memory_write","id":"0123456789ab","title":"Find planets","state":"added"}
)lines";

// The runs of a text that must be a trajectory.
inline std::vector<RecordedRun> runs_in(std::string_view text) {
  auto file = parse_trajectory(text, "test");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().to_string());
  return file ? runs_of(*std::move(file)) : std::vector<RecordedRun>(1);
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const std::size_t at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) out.replace(at, from.size(), to);
  return out;
}

}  // namespace helve::agent
