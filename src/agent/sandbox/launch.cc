#include "agent/sandbox/launch.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>

// clone() by its other name: ThreadSanitizer takes the first for a fork, which it is not.
extern "C" int clone_process(int (*function)(void*), void* stack, int flags, void* argument,
                             ...) __asm__("__clone");

namespace helve::sandbox {

namespace {

constexpr int kChannelFd = 3;
constexpr int kRulesetFd = kProgramFd + 1;
constexpr std::size_t kStackBytes = 64UL * 1024;

// What the new process is given: made beforehand, for it may not allocate.
struct Child {
  const LaunchPlan* plan = nullptr;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  pid_t parent = -1;
  Launched* launched = nullptr;
  bool has_given_up = false;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

#define HELVE_IN_CHILD __attribute__((no_sanitize("address", "undefined", "thread")))

template <typename T>
HELVE_IN_CHILD long as_register(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    return 0;
  } else {
    return static_cast<long>(value);
  }
}

// 0 or errno. The wrappers of the C library are not for a process that shares the host's memory:
// those of setuid, for one, speak to all its threads. Arguments fill their registers, for the
// filter compares all bits.
template <typename... Arguments>
HELVE_IN_CHILD int call(long number, Arguments... arguments) {
  return ::syscall(number, as_register(arguments)...) < 0 ? errno : 0;
}

// Handlers end with exec, but what the host ignores would stay ignored.
HELVE_IN_CHILD int reset_signals() {
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  } action = {nullptr, 0, nullptr, 0};
  for (int number = 1; number <= 64; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    ::syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof(std::uint64_t));
  }
  const std::uint64_t none = 0;
  return call(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
}

// The host's own are all higher than those that are set here, but for the ruleset and the program,
// which are moved out of the way.
HELVE_IN_CHILD int place_descriptors(const LaunchPlan& plan) {
  int error = call(SYS_dup3, plan.program, kProgramFd, O_CLOEXEC);
  if (error == 0 && plan.ruleset >= 0) error = call(SYS_dup3, plan.ruleset, kRulesetFd, O_CLOEXEC);
  if (error == 0) error = call(SYS_dup3, plan.null, STDIN_FILENO, 0);
  if (error == 0) error = call(SYS_dup3, plan.output, STDOUT_FILENO, 0);
  if (error == 0) error = call(SYS_dup3, plan.output, STDERR_FILENO, 0);
  return error == 0 ? call(SYS_dup3, plan.channel, kChannelFd, 0) : error;
}

HELVE_IN_CHILD int close_others() {
  const int error = call(SYS_close_range, kChannelFd + 1, kProgramFd - 1, 0);
  return error == 0 ? call(SYS_close_range, kProgramFd + 1, ~0U, 0) : error;
}

HELVE_IN_CHILD int set_limits(const LaunchPlan& plan) {
  for (const auto& [resource, limit] : plan.limits) {
    if (const int error = call(SYS_prlimit64, 0, resource, &limit, nullptr); error != 0)
      return error;
  }
  return 0;
}

HELVE_IN_CHILD int change_user(const LaunchPlan& plan) {
  if (plan.user < 0) return 0;
  int error = call(SYS_setgroups, 0, nullptr);
  if (error == 0) error = call(SYS_setresgid, plan.user, plan.user, plan.user);
  return error == 0 ? call(SYS_setresuid, plan.user, plan.user, plan.user) : error;
}

HELVE_IN_CHILD int die_with_parent(pid_t parent) {
  if (const int error = call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); error != 0)
    return error;
  // It may have gone before that.
  return ::syscall(SYS_getppid) == parent ? 0 : ESRCH;
}

HELVE_IN_CHILD int restrict_files(const LaunchPlan& plan) {
  return plan.ruleset < 0 ? ENOSYS : call(SYS_landlock_restrict_self, kRulesetFd, 0);
}

HELVE_IN_CHILD int restrict_calls(const LaunchPlan& plan) {
  if (plan.filter == nullptr) return ENOSYS;
  const sock_fprog program = {static_cast<unsigned short>(plan.filter->program.size()),
                              const_cast<sock_filter*>(plan.filter->program.data())};
  return call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

HELVE_IN_CHILD int run_program(const Child& child) {
  const char* const path = child.plan->filter != nullptr ? child.plan->filter->empty_path : "";
  return call(SYS_execveat, kProgramFd, path, child.arguments.data(), child.environment.data(),
              AT_EMPTY_PATH);
}

HELVE_IN_CHILD int take_step(LaunchStep step, const Child& child) {
  const LaunchPlan& plan = *child.plan;
  switch (step) {
    case LaunchStep::Signals:
      return reset_signals();
    case LaunchStep::Session:
      ::syscall(SYS_umask, S_IRWXG | S_IRWXO);
      return call(SYS_setsid);
    case LaunchStep::Descriptors:
      return place_descriptors(plan);
    case LaunchStep::Folder:
      return call(SYS_chdir, plan.folder);
    case LaunchStep::Limits:
      return set_limits(plan);
    case LaunchStep::User:
      return change_user(plan);
    case LaunchStep::Parent:
      return die_with_parent(child.parent);
    case LaunchStep::NoNewPrivs:
      call(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
      return call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    case LaunchStep::Landlock:
      return restrict_files(plan);
    case LaunchStep::Close:
      return close_others();
    case LaunchStep::SyscallFilter:
      return restrict_calls(plan);
    case LaunchStep::Exec:
      return run_program(child);
  }
  return EINVAL;
}

// Steps without which it cannot run, or must not even where layers may be missing.
HELVE_IN_CHILD bool is_needed(LaunchStep step) {
  return step == LaunchStep::Descriptors || step == LaunchStep::Folder ||
         step == LaunchStep::Close || step == LaunchStep::Exec;
}

HELVE_IN_CHILD int run_child(void* argument) {
  Child& child = *static_cast<Child*>(argument);
  for (std::size_t i = 0; i < kLaunchSteps; ++i) {
    const auto step = static_cast<LaunchStep>(i);
    if (step == LaunchStep::Exec && child.plan->is_trial) break;
    child.launched->reached = step;
    const int error = take_step(step, child);
    child.launched->failures[i] = error;
    if (error != 0 && (is_needed(step) || !child.plan->goes_on)) break;
  }
  child.has_given_up = true;  // no program took its place
  ::syscall(SYS_exit_group, 127);
  return 127;
}

// Signals are held up meanwhile: their handlers would run in the child, on the host's memory.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

class Stack {
 public:
  Stack()
      : bytes_(::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
    if (is_there()) ::munmap(bytes_, kStackBytes);
  }
  bool is_there() const { return bytes_ != MAP_FAILED; }
  void* top() const { return static_cast<char*>(bytes_) + kStackBytes; }

 private:
  void* const bytes_;
};

void reap(int process) {
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(process), &info, WEXITED) != 0 && errno == EINTR) {
  }
}

Launched launch_here(const LaunchPlan& plan) {
  Launched launched;
  Child child;
  child.plan = &plan;
  child.arguments = pointers_to(plan.arguments);
  child.environment = pointers_to(plan.environment);
  child.parent = ::getpid();
  child.launched = &launched;
  const Stack stack;
  if (!stack.is_there()) {
    launched.clone_error = ENOMEM;
    return launched;
  }
  // Changing the user marks the memory as not to be looked at, and it is the host's too.
  const int dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  int process = -1;
  pid_t pid = -1;
  {
    const SignalsHeld held;
    // Suspended until the child has another program or is gone: neither copies memory.
    pid = ::clone_process(run_child, stack.top(), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                          &child, &process);
    if (pid < 0) launched.clone_error = errno;
  }
  if (dumpable == 1) static_cast<void>(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
  if (pid < 0) return launched;
  UniqueFd owned(process);
  if (child.has_given_up) {
    reap(owned.get());
    return launched;
  }
  launched.pid = pid;
  launched.process = std::move(owned);
  return launched;
}

// The thread that starts all guests.
class Nursery {
 public:
  // Throws what std::thread throws.
  Nursery() : process_(::getpid()) {
    std::thread([this] { work(); }).detach();
  }

  pid_t process() const { return process_; }

  Launched run(const LaunchPlan& plan) {
    Request request{&plan, {}, false};
    std::unique_lock lock(mutex_);
    requests_.push_back(&request);
    changed_.notify_all();
    changed_.wait(lock, [&] { return request.is_done; });
    return std::move(request.launched);
  }

 private:
  struct Request {
    const LaunchPlan* plan;
    Launched launched;
    bool is_done;
  };

  [[noreturn]] void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !requests_.empty(); });
      Request* const request = requests_.front();
      requests_.pop_front();
      lock.unlock();
      Launched launched = launch_here(*request->plan);
      lock.lock();
      request->launched = std::move(launched);
      request->is_done = true;
      changed_.notify_all();
    }
  }

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> requests_;
};

// Lives as long as the process. A process that was forked has no such thread and makes one.
Nursery& nursery() {
  static std::mutex mutex;
  static Nursery* current = nullptr;
  const std::lock_guard lock(mutex);
  if (current == nullptr || current->process() != ::getpid()) current = new Nursery();
  return *current;
}

}  // namespace

Launched launch(const LaunchPlan& plan) {
  try {
    return nursery().run(plan);
  } catch (const std::system_error& failure) {  // no thread can be made
    Launched launched;
    launched.clone_error = failure.code().value();
    return launched;
  }
}

}  // namespace helve::sandbox
