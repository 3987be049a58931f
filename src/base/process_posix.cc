// Worker processes by posix_spawn: pipes never block for longer than a slice, and nothing of the
// parent (descriptors, environment, signal settings) leaks into the child.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/errno_error.h"
#include "base/fd.h"
#include "base/real_env.h"

namespace helve {

namespace {

constexpr int kProcessSliceMs = 20;
constexpr std::size_t kReadBytes = 64 * kKiB;
// Of a child's output: it need not wait for its reader at every 64 KiB.
constexpr int kOutputPipeBytes = 512 * 1024;

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

// Both ends above the standard descriptors, so that the child's dup2 calls cannot overwrite one
// another when the parent runs with some of those closed.
Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno(errno, "make", "pipe");
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  for (UniqueFd* end : {&pipe.read_end, &pipe.write_end}) {
    if (end->get() > STDERR_FILENO) continue;
    UniqueFd higher(::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!higher.is_open()) return error_from_errno(errno, "make", "pipe");
    *end = std::move(higher);
  }
  return pipe;
}

void make_nonblocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// One of the child's outputs: what it gave and nobody asked for yet.
struct OutputPipe {
  UniqueFd fd;
  std::string pending;
  std::size_t bytes_total = 0;
};

class PosixProcess final : public WorkerProcess {
 public:
  PosixProcess(pid_t pid, std::string program, UniqueFd in, UniqueFd out, UniqueFd err)
      : pid_(pid), program_(std::move(program)), stdin_(std::move(in)) {
    outputs_[0].fd = std::move(out);
    outputs_[1].fd = std::move(err);
    make_nonblocking(stdin_);
    for (const OutputPipe& output : outputs_) make_nonblocking(output.fd);
  }
  PosixProcess(const PosixProcess&) = delete;
  PosixProcess& operator=(const PosixProcess&) = delete;

  // The leader stays unreaped until here: while it is a zombie its id cannot be given to another
  // process, so killing the group can hit no stranger.
  ~PosixProcess() override {
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  // Outputs are taken in meanwhile, or a child that answers before it has read all would block.
  Result<void> write_stdin(std::string_view bytes, const OpContext& context) override {
    if (!stdin_.is_open()) {
      return Error{ErrorCode::InvalidInput, fmt::format("the input of '{}' is closed", program_)};
    }
    while (!bytes.empty()) {
      HELVE_TRY(context.check());
      const auto [count, error] = write_fd(stdin_.get(), bytes);
      if (error == 0) {
        bytes.remove_prefix(count);
      } else if (error == EAGAIN) {
        HELVE_TRY(pump(kProcessSliceMs, stdin_.get(), context));
      } else {
        stdin_.reset();
        return error_from_errno(error, "write to the process", program_);
      }
    }
    return {};
  }

  void close_stdin() override { stdin_.reset(); }

  Result<bool> read_output(std::string& out, std::string& err, const OpContext& context) override {
    for (;;) {
      if (!outputs_[0].pending.empty() || !outputs_[1].pending.empty()) {
        hand_over(outputs_[0].pending, out);
        hand_over(outputs_[1].pending, err);
        return true;
      }
      if (!outputs_[0].fd.is_open() && !outputs_[1].fd.is_open()) return false;
      HELVE_TRY(context.check());
      HELVE_TRY(pump(kProcessSliceMs, -1, context));
    }
  }

  Result<ExitStatus> wait(const OpContext& context) override {
    int slice_ms = 1;
    while (!status_) {
      HELVE_TRY(look_for_end());
      if (status_) break;
      auto outcome = context.check();
      if (outcome) outcome = pump(slice_ms, -1, context);
      if (!outcome) {
        kill();
        return std::move(outcome).error();
      }
      slice_ms = std::min(2 * slice_ms, kProcessSliceMs);
    }
    return *status_;
  }

  void kill() override { ::kill(-pid_, SIGKILL); }

 private:
  // Copies nothing where there is nothing to append to.
  static void hand_over(std::string& pending, std::string& into) {
    if (into.empty()) {
      into.swap(pending);
    } else {
      into += pending;
    }
    pending.clear();
  }

  // Waits one slice at most, takes in what the outputs have. `also_writable`: a descriptor whose
  // room for writing ends the wait, or -1.
  Result<void> pump(int slice_ms, int also_writable, const OpContext& context) {
    std::array<pollfd, 3> waiting{};
    waiting[0] = {outputs_[0].fd.get(), POLLIN, 0};  // poll() passes over -1
    waiting[1] = {outputs_[1].fd.get(), POLLIN, 0};
    waiting[2] = {also_writable, POLLOUT, 0};
    if (::poll(waiting.data(), waiting.size(), slice_ms) <= 0) return {};
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (waiting[i].revents != 0) HELVE_TRY(take_in(outputs_[i], context.limits));
    }
    return {};
  }

  Result<void> take_in(OutputPipe& output, const Limits& limits) const {
    std::array<char, kReadBytes> buffer;
    const auto [count, error] = read_fd(output.fd.get(), buffer);
    if (error == EAGAIN) return {};
    if (error != 0) return error_from_errno(error, "read from the process", program_);
    if (count == 0) output.fd.reset();
    if (count > limits.pipe_bytes_max - std::min(output.bytes_total, limits.pipe_bytes_max)) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the process '{}' has written more than {} bytes", program_,
                               limits.pipe_bytes_max),
                   "let it write less or raise pipe_bytes_max"};
    }
    output.bytes_total += count;
    output.pending.append(buffer.data(), count);
    return {};
  }

  Result<void> look_for_end() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) return {};
      return error_from_errno(errno, "learn how it ended of the process", program_);
    }
    if (info.si_pid == 0) return {};
    status_ =
        info.si_code == CLD_EXITED ? ExitStatus{info.si_status, 0} : ExitStatus{0, info.si_status};
    return {};
  }

  const pid_t pid_;
  const std::string program_;
  UniqueFd stdin_;
  std::array<OutputPipe, 2> outputs_;
  std::optional<ExitStatus> status_;
};

// The settings of one posix_spawn call; the C structures need init and destroy.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Own process group, default signals, none blocked, no descriptor but the three.
  void isolate(int in, int out, int err, const std::filesystem::path& folder) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }

  // 0 or errno, that of exec included.
  int run(pid_t& pid, std::vector<std::string>& arguments, std::vector<std::string>& environment) {
    std::vector<char*> argv = pointers(arguments);
    std::vector<char*> envp = pointers(environment);
    return posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), envp.data());
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Result<void> validate_options(const ProcessOptions& options) {
  if (options.arguments.empty() || options.arguments[0].empty()) {
    return Error{ErrorCode::InvalidInput, "no program to start is named"};
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != text.npos; };
  const bool bad_argument =
      std::any_of(options.arguments.begin(), options.arguments.end(), has_nul);
  const bool bad_variable = std::any_of(
      options.environment.begin(), options.environment.end(), [&](const auto& variable) {
        return variable.first.empty() || variable.first.find('=') != std::string::npos ||
               has_nul(variable.first) || has_nul(variable.second);
      });
  if (bad_argument || bad_variable) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("an argument or environment variable for '{}' holds a NUL character or "
                    "has a bad name",
                    options.arguments[0])};
  }
  if (options.working_directory.empty()) return {};
  // Looked at beforehand, for a failed chdir and a missing program give the same errno.
  HELVE_ASSIGN(const FileStatus folder, real_files().status(options.working_directory));
  if (folder.kind != FileKind::Directory) {
    return error_from_errno(ENOTDIR, "work in", options.working_directory.native());
  }
  return {};
}

// exec says EACCES also when the program is nowhere and some folder of PATH may not be searched.
bool is_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return true;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
  for (;;) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const auto candidate = std::filesystem::path(rest.substr(0, colon)) / program;
    if (::access(candidate.c_str(), F_OK) == 0) return true;
    if (colon == rest.size()) return false;
    rest.remove_prefix(colon + 1);
  }
}

Error start_error(int errno_value, const std::string& program) {
  if (errno_value == EACCES && !is_in_path(program)) errno_value = ENOENT;
  Error failure = error_from_errno(errno_value, "start the program", program);
  if (errno_value == ENOENT) failure.hint = "install it or give its whole path";
  return failure;
}

class PosixProcesses final : public Processes {
 public:
  Result<std::unique_ptr<WorkerProcess>> start(const ProcessOptions& options) override {
    HELVE_TRY(validate_options(options));
    HELVE_ASSIGN(Pipe in, make_pipe());
    HELVE_ASSIGN(Pipe out, make_pipe());
    ::fcntl(out.write_end.get(), F_SETPIPE_SZ, kOutputPipeBytes);  // where the system allows it
    HELVE_ASSIGN(Pipe err, make_pipe());
    std::vector<std::string> arguments = options.arguments;
    std::vector<std::string> environment;
    environment.reserve(options.environment.size());
    for (const auto& [name, value] : options.environment) {
      environment.push_back(fmt::format("{}={}", name, value));
    }
    SpawnPlan plan;
    plan.isolate(in.read_end.get(), out.write_end.get(), err.write_end.get(),
                 options.working_directory);
    pid_t pid = -1;
    if (const int error = plan.run(pid, arguments, environment); error != 0) {
      return start_error(error, arguments[0]);
    }
    return std::make_unique<PosixProcess>(pid, arguments[0], std::move(in.write_end),
                                          std::move(out.read_end), std::move(err.read_end));
  }
};

}  // namespace

Processes& real_processes() {
  static PosixProcesses processes;
  return processes;
}

}  // namespace helve
