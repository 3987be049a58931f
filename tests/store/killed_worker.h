// KilledWorker: the process that is killed, as crash_test.cc sees it. crash_worker.h is what it
// does.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/fd.h"
#include "tests/store/crash_ledger.h"

namespace helve {

class KilledWorker {
 public:
  // Starts it: this program, called with "worker".
  KilledWorker(const std::filesystem::path& root, const std::filesystem::path& journal,
               const std::string& run);

  // Kills it some time after it wrote a line that begins with this letter (0: after its start), or
  // after one second. All that it wrote goes into the ledger.
  void kill_after(char letter, std::chrono::microseconds later, CrashLedger& ledger);

 private:
  bool read(CrashLedger& ledger, std::chrono::steady_clock::time_point until);

  pid_t id_ = -1;
  UniqueFd lines_;
  std::string rest_;
  std::string letters_;  // of the lines that were read last
};

}  // namespace helve
