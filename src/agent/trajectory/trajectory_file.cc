#include "agent/trajectory/trajectory_file.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
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

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name) {}

  Result<void> take(std::string_view line, std::uint64_t number, bool is_ended) {
    auto decoded = decode_event(line);
    const bool is_start = decoded && *decoded && (*decoded)->event.kind == EventKind::RunStart;
    if (bad_) HELVE_TRY(settle_bad(is_start));
    if (!decoded) {
      bad_ = BadLine{number, std::move(decoded).error(), is_ended};
      return {};
    }
    if (!*decoded) {
      ++file_.unknown;
      return {};
    }
    return add(*std::move(*decoded), number);
  }

  Result<TrajectoryFile> finish() {
    if (bad_) HELVE_TRY(settle_bad(!bad_->is_ended));
    if (file_.damaged.empty()) return std::move(file_);
    std::erase_if(file_.lines,
                  [this](const TrajectoryLine& line) { return damaged_.contains(line.run); });
    return std::move(file_);
  }

 private:
  Result<void> add(DecodedEvent decoded, std::uint64_t number) {
    if (decoded.event.kind == EventKind::RunStart) runs_[decoded.run] = ++file_.runs;
    const auto found = runs_.find(decoded.run);
    if (found == runs_.end()) {
      if (file_.runs != 0) {
        ++file_.stray;
        return {};
      }
      return told(
          {number, Error{ErrorCode::InvalidInput, "a trajectory begins with run_start"}, true},
          name_);
    }
    last_run_ = found->second;
    file_.lines.push_back(
        {std::move(decoded.event), std::move(decoded.time), number, found->second});
    return {};
  }

  // `is_cut`: a crash ended the line, and nothing of its run is missing but the end.
  Result<void> settle_bad(bool is_cut) {
    BadLine bad = *std::exchange(bad_, std::nullopt);
    // The first line of all is no event that was cut, but some other file.
    if (file_.runs == 0) return told(std::move(bad), name_);
    if (is_cut) {
      file_.cut_lines.push_back(bad.number);
    } else if (damaged_.insert(last_run_).second) {
      file_.damaged.push_back({last_run_, told(std::move(bad), name_)});
    }
    return {};
  }

  const std::string& name_;
  TrajectoryFile file_;
  std::map<std::string, std::uint64_t> runs_;  // the last of each name
  std::set<std::uint64_t> damaged_;
  std::uint64_t last_run_ = 0;  // of the last line that could be read
  std::optional<BadLine> bad_;
};

}  // namespace

Result<TrajectoryFile> parse_trajectory(std::string_view text, const std::string& name) {
  Parser parser(name);
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool is_ended = end != std::string_view::npos;
    text.remove_prefix(is_ended ? end + 1 : text.size());
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    HELVE_TRY(parser.take(line, number, is_ended));
  }
  return parser.finish();
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
