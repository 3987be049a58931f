// A trajectory as it was read: its events with the lines they stood on and the runs they are of,
// and what a crash or somebody's editor did to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/trajectory/trajectory.h"

namespace helve::agent {

inline constexpr std::uint64_t kTrajectoryBytesMax = std::uint64_t{1} << 30;

struct TrajectoryLine {
  TrajectoryEvent event;
  std::string time;          // empty: none was written
  std::uint64_t number = 0;  // from 1
  std::uint64_t run = 0;     // which run of the file, from 1
};

// A run with a line in its middle that is no event: what it did cannot be told.
struct DamagedRun {
  std::uint64_t run = 0;
  Error error;  // with the line
};

struct TrajectoryFile {
  std::vector<TrajectoryLine> lines;  // of runs that are not damaged
  std::uint64_t runs = 0;             // damaged or not
  std::vector<DamagedRun> damaged;
  // Lines that a crash cut: the last one, or one with a new run behind it. Left out above.
  std::vector<std::uint64_t> cut_lines;
  std::uint64_t unknown = 0;  // lines of kinds that are not known, left out as well
  std::uint64_t stray = 0;    // lines of runs whose first line is not there, left out as well
};

// Of a text, for those who have it already. Lines belong together that name the same run; one that
// names none belongs to the last run_start that names none. `name` is told in errors. InvalidInput
// where the first line is none of a trajectory.
Result<TrajectoryFile> parse_trajectory(std::string_view text, const std::string& name);
// LimitExceeded beyond kTrajectoryBytesMax.
Result<TrajectoryFile> read_trajectory_file(const std::filesystem::path& path, Env& env);

}  // namespace helve::agent
