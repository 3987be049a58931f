// What policy and audit take of a call: helve_audit_cost FOLDER [SECONDS]. Prints tables for
// docs/benchmarks.md. The audit file is written in FOLDER and removed.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "toolkit/audit/audit.h"
#include "toolkit/policy/gate.h"
#include "toolkit/policy/policy.h"

namespace {

using namespace helve;
using namespace helve::toolkit;
using Clock = std::chrono::steady_clock;
using Micros = std::chrono::duration<double, std::micro>;

constexpr std::size_t kRounds = 200'000;

AuditRecord sample_record() {
  AuditRecord record;
  record.at = real_clock().wall();
  record.identity = "anna";
  record.session = "default";
  record.tool = "sql_query";
  record.source = "shop";
  record.query_hash = std::string(32, 'a');
  record.query =
      "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer = c.id "
      "WHERE o.placed >= '2026-01-01' GROUP BY c.name ORDER BY 2 DESC LIMIT 20";
  record.verdict = "ok";
  record.rows = 20;
  record.reply_chars = 1'400;
  record.ms = 12.5;
  return record;
}

// A caller and a source with policies that restrict everything they can.
Policy strict_policy(std::size_t salt) {
  Policy policy;
  policy.allowed_tools.emplace();
  policy.allowed_tables.emplace();
  policy.allowed_sources.emplace();
  for (std::size_t i = 0; i < 40; ++i) {
    policy.allowed_tools->insert(fmt::format("tool_{}", i));
    policy.allowed_tables->push_back(fmt::format("shop.table_{}", i));
    policy.denied_columns.push_back(fmt::format("shop.table_{}.secret_{}", i, salt));
  }
  policy.allowed_sources->push_back("shop");
  return policy;
}

// What the middleware asks of the policies around one call.
template <typename Work>
double micros_each(const Work& work) {
  const auto started = Clock::now();
  for (std::size_t i = 0; i < kRounds; ++i) work(i);
  return Micros(Clock::now() - started).count() / static_cast<double>(kRounds);
}

void show_policy() {
  const Policy caller = strict_policy(0);
  const Policy source = strict_policy(1);
  std::size_t sum = 0;
  const auto ask = [&sum](const Policy& policy, std::size_t i) {
    sum += check_call(policy, {"tool_17"}) ? 1 : 0;
    sum += allows_source(policy, "shop") ? 1 : 0;
    sum += check_call(policy, {"tool_17"}) ? 1 : 0;
    sum += clamp_chars(policy, i) + clamp_rows(policy, i) + clamp_memory(policy, i);
    sum += static_cast<std::size_t>(clamp_timeout(policy, std::chrono::seconds(30)).count());
  };
  const double alone = micros_each([&](std::size_t i) { ask(caller, i); });
  const double met = micros_each([&](std::size_t i) {
    if (i % 100 == 0) ask(intersect(caller, source), i);
  });
  fmt::print("| policy of a call | µs |\n|---|---:|\n| asked | {:.2f} |\n", alone);
  fmt::print("| met with that of a source: once for a caller, then kept | {:.2f} |\n\n", met * 100);
  if (sum == 1) fmt::print("\n");  // so that it is not left out
}

struct Speed {
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
};

Speed write_records(AuditSink& audit, std::size_t threads, std::chrono::duration<double> duration) {
  std::vector<std::vector<double>> times(threads);
  std::vector<std::thread> running;
  const auto started = Clock::now();
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      const AuditRecord record = sample_record();
      while (Clock::now() - started < duration) {
        const auto begun = Clock::now();
        if (!audit.check() || !audit.write(record)) std::_Exit(1);
        times[i].push_back(Micros(Clock::now() - begun).count());
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  std::vector<double> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  const auto at = [&all](double share) {
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  return {static_cast<double>(all.size()) / seconds, at(0.5), at(0.99)};
}

int show_audit(const std::filesystem::path& folder, double seconds) {
  fmt::print("| threads | key | records/s | p50 ms | p99 ms |\n|---:|---|---:|---:|---:|\n");
  for (const bool is_keyed : {false, true}) {
    for (const std::size_t threads : {1U, 8U, 64U, 256U}) {
      const auto path = folder / "audit-cost.jsonl";
      AuditOptions options;
      if (is_keyed) options.key = "0123456789abcdef0123456789abcdef";
      {
        const auto audit = open_audit_file(path, real_env(), options);
        if (!audit) {
          fmt::print(stderr, "{}\n", audit.error().to_string());
          return 1;
        }
        const Speed speed = write_records(**audit, threads, std::chrono::duration<double>(seconds));
        fmt::print("| {} | {} | {:.0f} | {:.2f} | {:.2f} |\n", threads, is_keyed ? "yes" : "no",
                   speed.per_second, speed.p50_us / 1'000, speed.p99_us / 1'000);
      }
      std::filesystem::remove(path);
      std::filesystem::remove(path.native() + ".head");
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  show_policy();
  return show_audit(argv[1], argc > 2 ? std::atof(argv[2]) : 3.0);
}
