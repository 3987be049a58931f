// A trajectory as it was read: its events with the lines they stood on, and whether a crash cut it.
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
};

struct TrajectoryFile {
  std::vector<TrajectoryLine> lines;
  // Lines that a crash cut: the last one, or one with a new run behind it. Left out above.
  std::vector<std::uint64_t> cut_lines;
  std::uint64_t unknown = 0;  // lines of kinds that are not known, left out as well
};

// Of a text, for those who have it already. `name` is told in errors.
Result<TrajectoryFile> parse_trajectory(std::string_view text, const std::string& name);
// LimitExceeded beyond kTrajectoryBytesMax.
Result<TrajectoryFile> read_trajectory_file(const std::filesystem::path& path, Env& env);

}  // namespace helve::agent
