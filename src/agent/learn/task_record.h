// TaskRecord: what the closed loop knows of one task, and its form in the journal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/learn/learn.h"
#include "base/json.h"
#include "toolkit/memory/item.h"

namespace helve::agent {

// How far a task is. What is between two of them is done again after a restart, and does no harm
// when it is.
enum class Phase : std::uint8_t {
  Nothing,
  Judged,   // its items are known, and are to be stored
  Stored,   // they are; the bank is to be kept in order
  Counted,  // the verdict was noted for lessons that were given to it, or is lost: never twice
  Done,
};

struct TaskRecord {
  Phase phase = Phase::Nothing;
  LearnedTask task;
  std::vector<memory::Item> lessons;
  std::vector<std::string> fresh;     // ids of lessons that the bank did not have before
  std::vector<std::string> injected;  // ids of lessons that the runs were given
};

JsonValue kept_usage(const llm::Usage& usage);
llm::Usage read_usage(const JsonValue& json);

// Members of the line "judged". Texts of runs are bounded.
JsonValue::Object record_json(const TaskRecord& record);
// The same back, judged. InvalidInput where an item is none.
Result<TaskRecord> read_record(const JsonValue& line);

// What is kept of a run: long texts are cut.
RunResult bounded(RunResult run);

}  // namespace helve::agent
