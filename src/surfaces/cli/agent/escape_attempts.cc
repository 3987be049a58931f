#include "surfaces/cli/agent/escape_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace helve::cli {

namespace {

// Code that ends without an error where it is not refused.
struct Attempt {
  std::string_view what;
  std::string_view code;
};

constexpr std::array<Attempt, 14> kAttempts = {{
    {"read /etc/passwd", R"(open("/etc/passwd").read(1))"},
    {"list the root folder", R"(import os
os.listdir("/"))"},
    {"list the processes", R"(import os
os.listdir("/proc"))"},
    {"read the memory of its host", R"(import os
open(f"/proc/{os.getppid()}/mem", "rb").close())"},
    {"write outside of its folder", R"(import os
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/"):
    path = os.path.join(folder, "helve-sandbox-check")
    try:
        open(path, "w").close()
    except OSError as error:
        refused = error
    else:
        os.remove(path)
        break
else:
    raise refused)"},
    {"use the network", R"(import socket
socket.socket(socket.AF_INET, socket.SOCK_STREAM).close())"},
    {"make a local socket", R"(import socket
socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close())"},
    {"start a process", R"(import os
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0))"},
    // There is no such program: where nothing refuses it, it is not found, and nothing is lost.
    {"run a program", R"(import os
os.execv("/nonexistent/helve-sandbox-check", ["check"]))"},
    {"signal its host", R"(import os
os.kill(os.getppid(), 0))"},
    {"raise its limits", R"(import resource
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))"},
    {"change the limits of its host", R"(import os, resource
resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)))"},
    {"take more memory than it may", R"(bytearray(memory_bytes_max * 2)[-1])"},
    {"become root", R"(import os
os.setresuid(0, 0, 0))"},
}};

// What a refusal looks like in Python. Anything else, as a name that is not there, is none.
bool is_refusal(const sandbox::BlockError& error) {
  constexpr std::array<std::string_view, 5> kTypes = {"PermissionError", "OSError", "MemoryError",
                                                      "BlockingIOError", "ValueError"};
  return std::find(kTypes.begin(), kTypes.end(), error.type) != kTypes.end();
}

AttemptOutcome attempt_outcome(const Attempt& attempt, const sandbox::BlockResult& result) {
  AttemptOutcome outcome{std::string(attempt.what), false, "it went through"};
  if (result.end == sandbox::BlockEnd::Lost) {
    outcome.is_refused = true;
    outcome.detail = result.lost ? result.lost->message : "its process was ended";
  } else if (result.error) {
    outcome.is_refused = result.end == sandbox::BlockEnd::Raised && is_refusal(*result.error);
    outcome.detail = result.error->type;
    if (!result.error->message.empty()) outcome.detail += ": " + result.error->message;
  }
  return outcome;
}

}  // namespace

Result<std::vector<AttemptOutcome>> try_to_escape(std::unique_ptr<sandbox::Sandbox> session,
                                                  const sandbox::SandboxOptions& options,
                                                  const OpContext& context) {
  const std::vector<sandbox::Variable> variables = {
      {"memory_bytes_max", fmt::format("{}", options.limits.memory_bytes_max), {}}};
  std::vector<AttemptOutcome> outcomes;
  for (const Attempt& attempt : kAttempts) {
    if (!session->is_alive()) {
      HELVE_ASSIGN(session, sandbox::Sandbox::start(options, context));
    }
    HELVE_ASSIGN(const auto result, session->execute(attempt.code, variables, context));
    outcomes.push_back(attempt_outcome(attempt, result));
    HELVE_TRY(context.check());
  }
  return outcomes;
}

}  // namespace helve::cli
