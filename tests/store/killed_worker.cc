#include "tests/store/killed_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/check.h"
#include "tests/store/fail.h"

namespace helve {

using std::chrono::steady_clock;

KilledWorker::KilledWorker(const std::filesystem::path& root, const std::filesystem::path& journal,
                           const std::string& run) {
  std::array<int, 2> ends{};
  HELVE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  lines_ = UniqueFd(ends[0]);
  const UniqueFd out(ends[1]);
  id_ = ::fork();
  HELVE_CHECK(id_ >= 0);
  if (id_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends with a test that fails
  const int told = ::dup(out.get());   // without O_CLOEXEC
  ::execl("/proc/self/exe", "crash_test", "worker", root.c_str(), journal.c_str(), run.c_str(),
          std::to_string(told).c_str(), nullptr);
  std::_Exit(127);
}

void KilledWorker::kill_after(char letter, std::chrono::microseconds later, CrashLedger& ledger) {
  auto end = steady_clock::now() + std::chrono::seconds(letter == 0 ? 0 : 1);
  if (letter == 0) end += later;
  while (steady_clock::now() < end) {
    if (!read(ledger, end)) continue;
    if (letter != 0 && letters_.find(letter) != std::string::npos) {
      end = std::min(end, steady_clock::now() + later);
      letter = 0;
    }
  }
  ::kill(id_, SIGKILL);
  int status = 0;
  ::waitpid(id_, &status, 0);
  while (read(ledger, steady_clock::now() + std::chrono::seconds(1))) {
  }
}

// False where nothing came in time, or nothing will.
bool KilledWorker::read(CrashLedger& ledger, steady_clock::time_point until) {
  letters_.clear();
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
  pollfd waiting{lines_.get(), POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(std::max<long>(left, 0))) <= 0) return false;
  std::array<char, 4096> buffer{};
  const auto [count, error] = read_fd(lines_.get(), buffer);
  if (count == 0) return false;
  rest_.append(buffer.data(), count);
  for (std::size_t at = rest_.find('\n'); at != std::string::npos; at = rest_.find('\n')) {
    const std::string line = rest_.substr(0, at);
    rest_.erase(0, at + 1);
    if (line[0] == 'E') fail("the worker failed: " + line);
    ledger.read_line(line);
    letters_ += line[0];
  }
  return true;
}

}  // namespace helve
