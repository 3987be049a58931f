#include "agent/sandbox/guest_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "agent/sandbox/file_rules.h"
#include "agent/sandbox/syscall_filter.h"
#include "base/env.h"
#include "base/errno_error.h"

namespace helve::sandbox {

namespace {

constexpr int kPipeBytes = 1 << 20;
constexpr int kSocketBytes = 1 << 20;
constexpr std::uint64_t kDescriptorsMax = 128;  // below kProgramFd
constexpr int kEndingMs = 200;
constexpr rlim_t kStackMax = 8 * kMiB;
// Users of no account: Debian keeps these for nobody.
constexpr std::int64_t kFirstUser = 65'000;
constexpr std::uint64_t kUsers = 500;
constexpr std::uint64_t kHostsOfOneUser = 8;

// What root needs to run a process as somebody else, to end it and to remove its files. Containers
// may leave some of them out.
std::string missing_capabilities() {
  constexpr std::array<std::pair<unsigned, std::string_view>, 6> kNeeded = {
      {{CAP_CHOWN, "CAP_CHOWN"},
       {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
       {CAP_FOWNER, "CAP_FOWNER"},
       {CAP_KILL, "CAP_KILL"},
       {CAP_SETGID, "CAP_SETGID"},
       {CAP_SETUID, "CAP_SETUID"}}};
  __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &head, sets.data()) != 0) return "capabilities";
  std::string missing;
  for (const auto& [number, name] : kNeeded) {
    if ((sets[0].effective >> number & 1) != 0) continue;  // all of them are among the first 32
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  }
  return missing;
}

// Root's guests run as somebody else, two in a row never as the same, and two hosts hardly ever.
std::int64_t next_user() {
  static std::atomic<std::uint64_t> next{real_env().random().next_u64()};
  return kFirstUser + static_cast<std::int64_t>(next.fetch_add(1) % kUsers);
}

struct UserChoice {
  std::int64_t user = -1;  // -1: as the host
  LayerState state = {Layer::User, false, ""};
  WorkFolder folder;
};

Result<UserChoice> choose_user() {
  std::string failure = missing_capabilities();
  if (::geteuid() == 0 && failure.empty()) {
    const std::int64_t user = next_user();
    auto folder = WorkFolder::make(static_cast<int>(user));
    if (folder) {
      return UserChoice{
          user, {Layer::User, true, fmt::format("user {}", user)}, *std::move(folder)};
    }
    // In a namespace that has not all users, for one.
    failure = folder.error().full_message();
  } else {
    failure = "root without " + failure;
  }
  HELVE_ASSIGN(WorkFolder folder, WorkFolder::make(-1));
  const bool is_other = ::geteuid() != 0;
  if (is_other) failure = fmt::format("user {}, as the host", ::geteuid());
  return UserChoice{-1, {Layer::User, is_other, std::move(failure)}, std::move(folder)};
}

// Above all descriptors that the guest will have, so that placing one never closes another.
Result<UniqueFd> moved_up(UniqueFd fd) {
  if (fd.is_open()) {
    UniqueFd higher(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kProgramFd + 2));
    if (higher.is_open()) return higher;
  }
  Error failure = error_from_errno(errno, "open", "a descriptor for the sandbox");
  failure.hint = "a process needs to be allowed some 200 open files (ulimit -n)";
  return failure;
}

struct Ends {
  UniqueFd host;
  UniqueFd guest;
};

Result<Ends> make_channel() {
  std::array<int, 2> pair{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return error_from_errno(errno, "make", "a pair of sockets");
  }
  Ends ends{UniqueFd(pair[0]), UniqueFd(pair[1])};
  for (const int fd : pair) {
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof kSocketBytes);
  }
  HELVE_ASSIGN(ends.guest, moved_up(std::move(ends.guest)));
  return ends;
}

Result<Ends> make_output() {
  std::array<int, 2> pair{-1, -1};
  if (::pipe2(pair.data(), O_CLOEXEC) != 0) return error_from_errno(errno, "make", "a pipe");
  Ends ends{UniqueFd(pair[0]), UniqueFd(pair[1])};
  ::fcntl(ends.guest.get(), F_SETPIPE_SZ, kPipeBytes);  // where the system allows it
  HELVE_ASSIGN(ends.guest, moved_up(std::move(ends.guest)));
  return ends;
}

void make_nonblocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

FileRules rules_for(const SandboxOptions& options, const Interpreter& interpreter,
                    const WorkFolder& folder) {
  FileRules rules;
  rules.run = {interpreter.program};
  if (!interpreter.loader.empty()) rules.run.push_back(interpreter.loader);
  rules.read = interpreter.shared;
  rules.read.push_back(interpreter.library);
  rules.read.emplace_back("/usr/share/zoneinfo");
  for (const auto& modules : options.module_folders) rules.read.push_back(modules);
  rules.use = {"/dev/null"};
  rules.work = folder.path();
  return rules;
}

std::vector<std::pair<int, rlimit>> limits_for(const SandboxLimits& limits, bool has_own_user) {
  const auto both = [](std::uint64_t value) { return rlimit{value, value}; };
  const std::uint64_t cpu_seconds = std::max<std::uint64_t>(limits.cpu_seconds_max, 1);
  std::vector<std::pair<int, rlimit>> all = {
      {RLIMIT_CORE, both(0)},
      {RLIMIT_MEMLOCK, both(0)},
      {RLIMIT_MSGQUEUE, both(0)},
      {RLIMIT_AS, both(limits.memory_bytes_max)},
      {RLIMIT_FSIZE, both(limits.file_bytes_max)},
      // The first is told by its signal, the second kills.
      {RLIMIT_CPU, rlimit{cpu_seconds, cpu_seconds + 1}},
      {RLIMIT_NOFILE, both(std::clamp<std::uint64_t>(limits.descriptors_max, 16, kDescriptorsMax))},
      {RLIMIT_STACK, both(std::min<rlim_t>(kStackMax, limits.memory_bytes_max))},
  };
  // Of a user who runs other things too they would be counted along. The number of threads is
  // watched besides.
  if (has_own_user) all.emplace_back(RLIMIT_NPROC, both(kHostsOfOneUser * limits.threads_max));
  return all;
}

// What stands above a limit already cannot be raised to it, and need not be.
void keep_within_own(std::vector<std::pair<int, rlimit>>& limits) {
  for (auto& [resource, limit] : limits) {
    rlimit own{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &own) != 0) continue;
    limit.rlim_max = std::min(limit.rlim_max, own.rlim_max);
    limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  }
}

std::vector<std::string> environment_for(const WorkFolder& folder) {
  return {"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=/usr/bin:/bin", "HOME=" + folder.path().string(),
          "TMPDIR=" + folder.path().string(),
          // Arenas and worker threads take address space, which is what is limited.
          "MALLOC_ARENA_MAX=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"};
}

// Reads the program from the channel, so that a list of processes does not show all of it. It gets
// built-in names of its own: blocks may replace theirs.
std::string first_lines(std::size_t program_bytes) {
  return fmt::format(
      "import posix, builtins\nsource = b''\n"
      "while len(source) < {0}:\n    source += posix.read(3, {0} - len(source))\n"
      "exec(compile(source, '<helve>', 'exec'),\n"
      "     {{'__name__': 'helve', '__builtins__': dict(vars(builtins))}})\n",
      program_bytes);
}

std::string reason_of(int error) {
  return error == ENOSYS ? "the kernel does not offer it"
                         : fmt::format("the kernel refuses it: {}", std::strerror(error));
}

LayerStates states_of(const Launched& launched, const LaunchPlan& plan, const LayerState& user,
                      int landlock) {
  const auto failure = [&](LaunchStep step) {
    return launched.failures[static_cast<std::size_t>(step)];
  };
  const auto state = [&](Layer layer, LaunchStep step, std::string detail) {
    const int error = failure(step);
    return LayerState{layer, error == 0, error == 0 ? std::move(detail) : reason_of(error)};
  };
  LayerStates states = {
      state(Layer::Descriptors, LaunchStep::Close, "4 of its own"),
      {Layer::Environment, true, fmt::format("{} variables", plan.environment.size())},
      user,
      state(Layer::NoNewPrivs, LaunchStep::NoNewPrivs, ""),
      state(Layer::Limits, LaunchStep::Limits, fmt::format("{} limits", plan.limits.size())),
      state(Layer::Landlock, LaunchStep::Landlock, fmt::format("version {}", landlock)),
      state(
          Layer::SyscallFilter, LaunchStep::SyscallFilter,
          fmt::format("{} instructions", plan.filter != nullptr ? plan.filter->program.size() : 0)),
      state(Layer::Watchdog, LaunchStep::Parent, "dies with its host"),
  };
  const auto amend = [&](Layer layer, int error) {
    if (error == 0) return;
    states[static_cast<std::size_t>(layer)] = {layer, false, reason_of(error)};
  };
  amend(Layer::User, failure(LaunchStep::User));
  amend(Layer::Watchdog, failure(LaunchStep::Session));
  if (launched.clone_error == EINVAL) {
    states.back() = {Layer::Watchdog, false, "the kernel has no pidfds; Linux 5.4 has"};
  }
  return states;
}

Error start_error(const Launched& launched, const LaunchPlan& plan) {
  if (launched.clone_error != 0) {
    return error_from_errno(launched.clone_error, "start", "a process for the sandbox");
  }
  const int error = launched.failures[static_cast<std::size_t>(launched.reached)];
  if (launched.reached == LaunchStep::Exec) {
    Error failure = error_from_errno(error, "run", plan.arguments.front());
    if (plan.user >= 0 && error == EACCES) {
      failure.hint = fmt::format(
          "root's sandboxes run as user {}, who must be able to read the interpreter; name "
          "another with --python",
          plan.user);
    }
    return failure;
  }
  return error_from_errno(error, "set up", "the process of the sandbox");
}

std::string signal_text(int number) {
  switch (number) {
    case SIGKILL:
      return "signal 9 (killed)";
    case SIGSEGV:
      return "signal 11 (segmentation fault)";
    case SIGABRT:
      return "signal 6 (aborted)";
    case SIGXCPU:
      return "signal 24 (all CPU time is used up)";
    case SIGXFSZ:
      return "signal 25 (a file became too large)";
    case SIGSYS:
      return "signal 31 (a forbidden system call)";
    default:
      return fmt::format("signal {}", number);
  }
}

}  // namespace

Result<std::unique_ptr<GuestProcess>> GuestProcess::start(const SandboxOptions& options,
                                                          const Interpreter& interpreter,
                                                          std::string_view program) {
  LaunchPlan plan;
  HELVE_ASSIGN(UserChoice chosen, choose_user());
  const WorkFolder& folder = chosen.folder;
  plan.user = chosen.user;
  if (plan.user >= 0) HELVE_TRY(check_open_to_all(interpreter));
  HELVE_ASSIGN(Ends channel, make_channel());
  HELVE_ASSIGN(Ends output, make_output());
  HELVE_ASSIGN(const UniqueFd null, moved_up(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC))));
  HELVE_ASSIGN(const UniqueFd python,
               moved_up(UniqueFd(::open(interpreter.program.c_str(), O_RDONLY | O_CLOEXEC))));
  const int landlock = landlock_version();
  UniqueFd ruleset;
  if (landlock > 0) {
    HELVE_ASSIGN(ruleset, make_ruleset(rules_for(options, interpreter, folder)));
    HELVE_ASSIGN(ruleset, moved_up(std::move(ruleset)));
  }
  if (const auto& filter = syscall_filter()) plan.filter = &*filter;
  plan.program = python.get();
  plan.null = null.get();
  plan.output = output.guest.get();
  plan.channel = channel.guest.get();
  plan.ruleset = ruleset.get();
  plan.folder = folder.path().c_str();
  plan.limits = limits_for(options.limits, plan.user >= 0);
  keep_within_own(plan.limits);
  plan.arguments = {interpreter.program,        "-I", "-S", "-B", "-u", "-X", "utf8", "-c",
                    first_lines(program.size())};
  plan.environment = environment_for(folder);
  plan.goes_on = options.allows_missing_layers;
  Launched launched;
  const bool can_start = options.allows_missing_layers || chosen.state.holds;
  if (can_start) launched = launch(plan);
  if (launched.pid < 0) {
    // What is missing besides the first.
    plan.goes_on = true;
    plan.is_trial = true;
    const LayerStates states = states_of(launch(plan), plan, chosen.state, landlock);
    if (!options.allows_missing_layers && !all_hold(states)) return missing_layers_error(states);
    return start_error(launched, plan);
  }
  make_nonblocking(channel.host);
  make_nonblocking(output.host);
  LayerStates states = states_of(launched, plan, chosen.state, landlock);
  return std::unique_ptr<GuestProcess>(
      new GuestProcess(std::move(chosen.folder), std::move(launched), plan.user,
                       std::move(channel.host), std::move(output.host), std::move(states)));
}

GuestProcess::GuestProcess(WorkFolder folder, Launched launched, std::int64_t user,
                           UniqueFd channel, UniqueFd output, LayerStates layers)
    : folder_(std::move(folder)),
      host_(::getpid()),
      pid_(launched.pid),
      user_(user),
      process_(std::move(launched.process)),
      channel_(std::move(channel)),
      output_(std::move(output)),
      layers_(std::move(layers)) {}

GuestProcess::~GuestProcess() {
  if (::getpid() == host_) static_cast<void>(finish());
}

namespace {

// The thread looks at files as another user while it lives. By the system calls themselves: the C
// library would tell all threads.
class AsUser {
 public:
  explicit AsUser(std::int64_t user) : is_other_(user >= 0) {
    if (!is_other_) return;
    before_group_ = ::syscall(SYS_setfsgid, user);
    before_ = ::syscall(SYS_setfsuid, user);
  }
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
  ~AsUser() {
    if (!is_other_) return;
    ::syscall(SYS_setfsuid, before_);
    ::syscall(SYS_setfsgid, before_group_);
  }

 private:
  const bool is_other_;
  long before_ = 0;
  long before_group_ = 0;
};

bool signal_to(const UniqueFd& process, int number) {
  return process.is_open() &&
         ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) == 0;
}

}  // namespace

void GuestProcess::interrupt() const { static_cast<void>(signal_to(process_, SIGINT)); }
void GuestProcess::pause() const { static_cast<void>(signal_to(process_, SIGSTOP)); }
void GuestProcess::resume() const { static_cast<void>(signal_to(process_, SIGCONT)); }

std::uint64_t GuestProcess::threads() const {
  struct stat status {};
  // The links of the folder: one for each, and two.
  if (::stat(fmt::format("/proc/{}/task", pid_).c_str(), &status) != 0) return 0;
  return status.st_nlink > 2 ? status.st_nlink - 2 : 0;
}

FolderUse GuestProcess::measure(const SandboxLimits& limits) const {
  FolderUse use = folder_.measure(limits.folder_files_max + 1);
  const AsUser as_guest(user_);  // who may look at what the guest has open, whatever root may not
  const auto held = bytes_of_removed(fmt::format("/proc/{}", pid_), limits.file_bytes_max);
  use.bytes += held.value_or(has_ended() ? 0 : limits.folder_bytes_max + 1);
  return use;
}

bool GuestProcess::has_ended() const {
  pollfd ended = {process_.get(), POLLIN, 0};
  return !process_.is_open() || ::poll(&ended, 1, 0) > 0;
}

std::string GuestProcess::finish(bool is_ending) {
  if (!process_.is_open()) return "has ended";
  siginfo_t info{};
  if (is_ending) {
    pollfd ended = {process_.get(), POLLIN, 0};
    ::poll(&ended, 1, kEndingMs);
  }
  // It may have ended by itself: then that is what is told.
  const bool has_ended = ::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info,
                                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
                         info.si_pid != 0;
  int how = WEXITED;
  // Where the filter is missing it may have children.
  if (!all_hold(layers_)) ::kill(-pid_, SIGKILL);
  if (!has_ended && !signal_to(process_, SIGKILL)) {
    // It ends when it sees that nobody talks to it; one that does not cannot be waited for.
    channel_.reset();
    pollfd ended = {process_.get(), POLLIN, 0};
    ::poll(&ended, 1, kEndingMs);
    how |= WNOHANG;
  }
  int outcome = 0;
  do {
    outcome = ::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info, how);
  } while (outcome != 0 && errno == EINTR);
  process_.reset();
  if (outcome != 0) return "has ended";
  if (!has_ended) return "was ended";
  if (info.si_code == CLD_EXITED) return fmt::format("left with status {}", info.si_status);
  return fmt::format("was ended by {}", signal_text(info.si_status));
}

}  // namespace helve::sandbox
