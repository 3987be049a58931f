// Writes records to an audit file until it is killed, and tells on standard output of each one that
// was acknowledged. audit_writer FILE NAME THREADS [KEY]; kill_test.py starts and kills it.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "toolkit/audit/audit.h"

namespace {

using helve::toolkit::AuditKind;
using helve::toolkit::AuditRecord;
using helve::toolkit::AuditSink;

// One write, so that lines of several threads do not mix.
bool tell(const std::string& line) {
  return ::write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

// Every third record is an intent, and the one after it is its outcome.
void write_records(AuditSink& audit, const std::string& name) {
  for (std::size_t n = 0;; ++n) {
    AuditRecord record;
    record.at = helve::real_clock().wall();
    record.identity = name;
    record.tool = "tool";
    record.query = fmt::format("{}-{}", name, n);
    record.kind = n % 3 == 0 ? AuditKind::Intent : AuditKind::Call;
    if (n % 3 != 2) record.call_id = fmt::format("{}-{}", name, n / 3);
    if (auto ready = audit.check(); !ready) return;
    if (const auto written = audit.write(record); !written) {
      fmt::print(stderr, "{}\n", written.error().to_string());
      std::_Exit(1);
    }
    if (!tell(record.query + "\n")) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  helve::toolkit::AuditOptions options;
  if (argc > 4) options.key = argv[4];
  const auto audit = helve::toolkit::open_audit_file(argv[1], helve::real_env(), options);
  if (!audit) {
    fmt::print(stderr, "{}\n", audit.error().to_string());
    return 1;
  }
  std::vector<std::thread> threads;
  const int count = std::atoi(argv[3]);
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(
        [&audit, name = fmt::format("{}-{}", argv[2], i)] { write_records(**audit, name); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
