// Judged runs, for tests.
#pragma once

#include <string>
#include <utility>

#include "agent/learn/extraction.h"

namespace helve::agent {

inline constexpr const char* kMoonsOfSaturn =
    "PREFIX sol: <http://example.org/solar#>\n"
    "SELECT ?m { ?m a sol:Moon ; sol:orbits <http://example.org/body/Saturn> }";

inline TaskCase moons_task() {
  TaskCase task;
  task.id = "moons";
  task.question = "Which of the 146 moons known so far go round \"Saturn\"?";
  task.reference = kMoonsOfSaturn;
  return task;
}

inline LessonOrigin solar_origin() {
  LessonOrigin origin;
  origin.domain = "solar";
  origin.schema_fingerprint = "0123456789abcdef";
  origin.prefixes = {{"sol", "http://example.org/solar#"}};
  return origin;
}

inline JudgedRun judged_run(std::string query, learning::Verdict verdict, bool is_verified = true) {
  JudgedRun run;
  run.run = "trajectories/001-moons-1.jsonl";
  run.result.stop = StopReason::Submitted;
  run.result.query = std::move(query);
  Evidence evidence;
  evidence.handle = "results_0";
  evidence.query = run.result.query;
  evidence.query_hash = "abcd";
  evidence.rows = 4;
  run.result.evidence.push_back(std::move(evidence));
  run.judgment.judgment = {verdict, is_verified, "execution"};
  run.judgment.says = "4 of 4 rows are there";
  return run;
}

}  // namespace helve::agent
