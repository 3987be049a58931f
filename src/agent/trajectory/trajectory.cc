#include "agent/trajectory/trajectory.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "agent/trajectory/event_line.h"
#include "agent/trajectory/plain_file.h"
#include "agent/trajectory/trajectory_file.h"
#include "base/digest.h"
#include "base/utc.h"

namespace helve::agent {

namespace {

constexpr std::size_t kRunDigits = 8;

class FileTrajectory final : public TrajectorySink {
 public:
  FileTrajectory(TrajectoryOptions options, std::unique_ptr<WritableFile> file, std::string run,
                 Env& env)
      : options_(std::move(options)), file_(std::move(file)), env_(env), run_(std::move(run)) {}

  void add(EventKind kind, JsonValue body) override {
    const std::string time = options_.has_times ? to_utc(env_.clock().wall()) : std::string();
    if (kind == EventKind::RunStart) begin_run(body);
    const std::string line =
        encode_event(kind, body, EventStamp{run(), time}, options_.line_bytes_max);
    const std::lock_guard lock(mutex_);
    ++events_;
    // Behind a line that was written in part, every other would be part of it.
    if (failure_ || file_ == nullptr) return;
    auto done = file_->write(line);
    if (done) done = file_->flush();
    if (!done) note(done.error(), events_);
  }

  Result<void> finish() override {
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) {
      const auto done = std::exchange(file_, nullptr)->close();
      if (!done && !failure_) note(done.error(), events_);
    }
    if (failure_) return *failure_;
    return {};
  }

 private:
  // Without times it follows from what was asked, so that the same run gives the same bytes.
  void begin_run(const JsonValue& start) {
    std::string id =
        options_.has_times
            ? fmt::format("{:016x}", env_.random().next_u64())
            : digest_hex(DigestKind::Sha256, encode_event(EventKind::RunStart, start, EventStamp{},
                                                          options_.line_bytes_max));
    id.resize(kRunDigits);
    const std::lock_guard lock(mutex_);
    run_ = std::move(id);
  }

  std::string run() {
    const std::lock_guard lock(mutex_);
    return run_;
  }

  void note(const Error& error, std::uint64_t event) {
    failure_.emplace(error.code,
                     fmt::format("the trajectory {} lacks what happened from event {} on: {}",
                                 options_.path.string(), event, error.full_message()),
                     "the run itself is not touched by that; give --trajectory another place");
  }

  const TrajectoryOptions options_;
  std::mutex mutex_;
  std::unique_ptr<WritableFile> file_;
  Env& env_;
  std::string run_;
  std::uint64_t events_ = 0;
  std::optional<Error> failure_;
};

class NoTrajectory final : public TrajectorySink {
 public:
  void add(EventKind /*kind*/, JsonValue /*body*/) override {}
  Result<void> finish() override { return {}; }
};

// Nothing is appended to what is no trajectory.
Result<void> check_first_line(std::string_view text, const std::filesystem::path& path) {
  const auto first = decode_event(text.substr(0, text.find('\n')));
  if (first && *first && (*first)->event.kind == EventKind::RunStart) return {};
  return Error{
      ErrorCode::InvalidInput,
      fmt::format("'{}' is there and is no trajectory: nothing is appended to it", path.string()),
      "name a new file, or one that a run was written to"};
}

// The name of the last run that a whole line is of; empty where it has none.
std::string last_run(std::string_view text) {
  for (std::size_t end = text.rfind('\n'); end != std::string_view::npos; end = text.rfind('\n')) {
    text = text.substr(0, end);
    const std::size_t before = text.rfind('\n');
    const auto line =
        decode_event(before == std::string_view::npos ? text : text.substr(before + 1));
    if (line && *line) return (*line)->run;
  }
  return {};
}

struct FileEnd {
  bool is_cut = false;  // a crash left half a line, which nothing may be appended to
  std::string run;      // the last one
};

Result<FileEnd> look_at_end(const std::filesystem::path& path, Env& env) {
  FileEnd end;
  const auto status = env.files().status(path);
  if (!status || status->kind != FileKind::Regular || status->size == 0) return end;
  HELVE_ASSIGN(const auto file, env.files().map(path));
  if (file->text().empty()) return end;
  HELVE_TRY(check_first_line(file->text(), path));
  end.is_cut = !file->text().ends_with('\n');
  end.run = last_run(file->text());
  return end;
}

}  // namespace

Result<std::unique_ptr<TrajectorySink>> open_trajectory(const TrajectoryOptions& options,
                                                        Env& env) {
  constexpr std::size_t kLineBytesMin = 4 * kKiB;
  if (options.line_bytes_max < kLineBytesMin) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("a line of a trajectory needs {} bytes at least", kLineBytesMin)};
  }
  HELVE_TRY(check_writable_file(options.path, "--trajectory", env));
  HELVE_ASSIGN(FileEnd end, look_at_end(options.path, env));
  if (!options.continues) end.run.clear();
  HELVE_ASSIGN(auto file, env.files().open_write(options.path, WriteMode::Append));
  if (end.is_cut) HELVE_TRY(file->write("\n"));
  return std::unique_ptr<TrajectorySink>(
      std::make_unique<FileTrajectory>(options, std::move(file), std::move(end.run), env));
}

std::unique_ptr<TrajectorySink> no_trajectory() { return std::make_unique<NoTrajectory>(); }

Result<std::vector<TrajectoryEvent>> read_trajectory(const std::filesystem::path& path, Env& env) {
  HELVE_ASSIGN(TrajectoryFile file, read_trajectory_file(path, env));
  if (!file.damaged.empty()) return file.damaged.front().error;
  std::vector<TrajectoryEvent> events;
  events.reserve(file.lines.size());
  for (TrajectoryLine& line : file.lines) events.push_back(std::move(line.event));
  return events;
}

}  // namespace helve::agent
