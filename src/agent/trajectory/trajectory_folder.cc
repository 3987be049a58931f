#include "agent/trajectory/trajectory_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/utc.h"

namespace helve::agent {

namespace {

constexpr std::string_view kBegin = "run-";
constexpr std::string_view kEnd = ".jsonl";

bool is_of_folder(const std::filesystem::path& name) {
  const std::string text = name.filename().string();
  return text.starts_with(kBegin) && text.ends_with(kEnd);
}

// 2026-11-16T18:43:58Z as a name: in the order of time.
std::string time_word(WallTime time) {
  std::string word = to_utc(time);
  std::erase_if(word, [](char c) { return c == '-' || c == ':'; });
  return word;
}

}  // namespace

Result<std::unique_ptr<TrajectoryFolder>> TrajectoryFolder::open(TrajectoryFolderOptions options,
                                                                 Env& env) {
  if (options.files_max == 0) {
    return Error{ErrorCode::InvalidInput, "a folder of trajectories must keep one at least"};
  }
  HELVE_TRY(env.files().make_directories(options.path));
  return std::unique_ptr<TrajectoryFolder>(new TrajectoryFolder(std::move(options), env));
}

Result<std::unique_ptr<TrajectorySink>> TrajectoryFolder::next() {
  {
    const std::lock_guard lock(mutex_);
    drop_oldest();
  }
  TrajectoryOptions trajectory;
  trajectory.path =
      options_.path / fmt::format("{}{}-{:08x}{}", kBegin, time_word(env_.clock().wall()),
                                  static_cast<std::uint32_t>(env_.random().next_u64()), kEnd);
  return open_trajectory(trajectory, env_);
}

// Room for one more. What cannot be removed, or is gone already, is not worth a run.
void TrajectoryFolder::drop_oldest() {
  auto names = env_.files().list(options_.path);
  if (!names) return;
  std::erase_if(*names, [](const auto& name) { return !is_of_folder(name); });
  if (names->size() < options_.files_max) return;
  const std::size_t most = names->size() - options_.files_max + 1;
  for (std::size_t i = 0; i < most; ++i) {
    static_cast<void>(env_.files().remove(options_.path / (*names)[i].filename()));
  }
}

}  // namespace helve::agent
