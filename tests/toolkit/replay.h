// Replay: calls that once failed (replay.cases), made again with our tools, and what became of
// each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tests/toolkit/workbench.h"

namespace helve::proofs {

struct ReplayCase {
  std::string kind;  // contains, schema, match, discovery: time-outs; the others: see replay.cases
  std::string tool;
  JsonValue arguments;

  bool was_time_out() const;
};

// Names of the graph of bench/gen.py, and what stands for them in another one: "OLD = NEW" by
// line, applied in turn where the old name does not go on.
using ReplayNames = std::vector<std::pair<std::string, std::string>>;
Result<ReplayNames> read_replay_names(const std::filesystem::path& file);

Result<std::vector<ReplayCase>> read_replay_cases(const std::filesystem::path& file,
                                                  const ReplayNames& names = {});

enum class ReplayOutcome : std::uint8_t {
  Answered,  // whole
  Partial,   // with the rows that were found in time, behind a handle that says so
  Repaired,  // refused, and what the refusal suggests was then called and answered
  Failed,    // anything else: no answer, no alternative that works, or too late
};
std::string_view name_of(ReplayOutcome outcome);

struct ReplayResult {
  const ReplayCase* call = nullptr;
  ReplayOutcome outcome = ReplayOutcome::Failed;
  double ms = 0;     // of the call itself
  std::string says;  // why it failed, or what was called instead
};

// The handles that the cases name: results_0 and graph_0. REQUIRES: nothing was called before.
Result<void> prepare_replay(Workbench& bench, const ReplayNames& names = {});
ReplayResult replay(const ReplayCase& call, Workbench& bench);

// The time-outs, judged as if the graph were an endpoint of that many triples of which nothing else
// is known. What is refused there must come with a query that `bench` answers.
ReplayResult replay_as_endpoint(const ReplayCase& call, std::uint64_t triples, Workbench& bench);

// By kind: how many ended how, and their times. `answered` heads the column of the first outcome.
std::string replay_table(const std::vector<ReplayResult>& results,
                         std::string_view answered = "answered");

}  // namespace helve::proofs
