// launch(): starts a program with all layers on. Between its creation and its first instruction the
// new process makes system calls and nothing else: it shares its memory with the host until then.
// Neighbour: guest_process.h owns what this starts.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/sandbox/syscall_filter.h"
#include "base/fd.h"

namespace helve::sandbox {

// The steps of the new process, in their order.
enum class LaunchStep : std::uint8_t {
  Signals,
  Session,
  Descriptors,
  Folder,
  Limits,
  User,
  Parent,
  NoNewPrivs,
  Landlock,
  Close,
  SyscallFilter,
  Exec,
};
inline constexpr std::size_t kLaunchSteps = 12;

struct LaunchPlan {
  int program = -1;  // open for reading
  int null = -1;     // /dev/null
  int output = -1;   // the end that the guest writes to
  int channel = -1;  // its end of the protocol
  int ruleset = -1;  // of Landlock; -1: there is none
  const char* folder = nullptr;
  std::int64_t user = -1;  // and group; -1: as the host
  std::vector<std::pair<int, rlimit>> limits;
  const SyscallFilter* filter = nullptr;  // null: there is none
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  bool goes_on = false;   // where a layer cannot be applied
  bool is_trial = false;  // takes all steps but the last, and ends
};

struct Launched {
  pid_t pid = -1;
  UniqueFd process;                          // a pidfd
  std::array<int, kLaunchSteps> failures{};  // errno of each step, 0 where it was done
  LaunchStep reached = LaunchStep::Signals;  // the last that was taken
  int clone_error = 0;                       // no process could be made
};

// Every process is started on one thread of the host that never ends, for the kernel kills it with
// the thread that started it. pid is -1 where it did not come to running the program.
Launched launch(const LaunchPlan& plan);

}  // namespace helve::sandbox
