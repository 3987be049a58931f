#include "agent/trajectory/trajectory_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "agent/trajectory/event_line.h"
#include "base/text.h"

namespace helve::agent {

namespace {

// A line that could not be read, until it is known what stands behind it.
struct BadLine {
  std::uint64_t number;
  Error error;
  bool is_ended;  // by a line end: then it was not cut there
};

Error told(BadLine bad, const std::string& name) {
  bad.error.hint =
      "a trajectory has one JSON object on each line, as 'helve ask --trajectory' writes it";
  const std::uint64_t column = bad.error.position ? bad.error.position->column : 1;
  return std::move(bad.error).at(name, {bad.number, column});
}

}  // namespace

Result<TrajectoryFile> parse_trajectory(std::string_view text, const std::string& name) {
  TrajectoryFile file;
  std::optional<BadLine> bad;
  std::uint64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto decoded = decode_event(line);
    const bool is_start = decoded && *decoded && (*decoded)->event.kind == EventKind::RunStart;
    if (bad && !is_start) return told(*std::move(bad), name);
    if (bad) file.cut_lines.push_back(bad->number);
    bad.reset();
    if (!decoded) {
      bad = BadLine{number, std::move(decoded).error(), end != std::string_view::npos};
    } else if (!*decoded) {
      ++file.unknown;
    } else {
      file.lines.push_back({std::move((*decoded)->event), std::move((*decoded)->time), number});
    }
  }
  // The first line of all is no event that was cut, but some other file.
  if (bad && (bad->is_ended || file.lines.empty())) return told(*std::move(bad), name);
  if (bad) file.cut_lines.push_back(bad->number);
  if (!file.lines.empty() && file.lines.front().event.kind != EventKind::RunStart) {
    return told({file.lines.front().number,
                 Error{ErrorCode::InvalidInput, "a trajectory begins with run_start"}, true},
                name);
  }
  return file;
}

Result<TrajectoryFile> read_trajectory_file(const std::filesystem::path& path, Env& env) {
  HELVE_ASSIGN(const FileStatus status, env.files().status(path));
  if (status.kind != FileKind::Regular) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no file", path.string())};
  }
  if (status.size > kTrajectoryBytesMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} has {}; trajectories are read up to {}", path.string(),
                             format_bytes(status.size), format_bytes(kTrajectoryBytesMax))};
  }
  HELVE_ASSIGN(const auto file, env.files().map(path));
  return parse_trajectory(file->text(), path.string());
}

}  // namespace helve::agent
