// TrajectoryFolder: a folder that gets a file for each run, and keeps the latest of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

#include "agent/trajectory/trajectory.h"

namespace helve::agent {

struct TrajectoryFolderOptions {
  std::filesystem::path path;
  std::size_t files_max = 1'000;  // beyond, the oldest of its files go
};

// Several processes may share one folder. Thread-safe.
class TrajectoryFolder {
 public:
  // Makes the folder where it is not there. Env outlives it.
  static Result<std::unique_ptr<TrajectoryFolder>> open(TrajectoryFolderOptions options, Env& env);

  // A new file, named by the time: "run-20261116T184358Z-1a2b3c4d.jsonl".
  Result<std::unique_ptr<TrajectorySink>> next();

 private:
  TrajectoryFolder(TrajectoryFolderOptions options, Env& env)
      : options_(std::move(options)), env_(env) {}
  void drop_oldest();

  const TrajectoryFolderOptions options_;
  Env& env_;
  std::mutex mutex_;  // one at a time counts the files
};

}  // namespace helve::agent
