#include "toolkit/tools/catalogue_age.h"

#include <fmt/format.h>

#include <mutex>

namespace helve::toolkit {

namespace {

constexpr Duration kYoung = std::chrono::seconds(2);
constexpr Duration kQuick = std::chrono::seconds(1);
constexpr Duration kOld = std::chrono::seconds(60);

// When the catalogue of a source was read for this tool, and how long that took.
struct CatalogueReading {
  std::mutex mutex;
  std::optional<MonotonicTime> at;
  Duration took{};
};

// Others have no fingerprint, or a new one each time.
bool tells_changes(const TableSource& source) {
  const std::string stamp = source.fingerprint();
  return !stamp.empty() && stamp == source.fingerprint();
}

}  // namespace

Result<std::shared_ptr<const Catalogue>> current_catalogue(ToolCall& call,
                                                           std::vector<std::string>& warnings) {
  if (tells_changes(*call.tables)) return call.tables->catalogue(call.op);
  const std::string key =
      fmt::format("catalogue {} {}", call.tables->info().name, call.tables->info().uri);
  using Shared = std::shared_ptr<CatalogueReading>;
  HELVE_ASSIGN(const auto kept, call.facts.get<Shared>(key, []() -> Result<Shared> {
    return std::make_shared<CatalogueReading>();
  }));
  CatalogueReading& reading = **kept;
  const MonotonicTime now = call.env.clock().now();
  {
    const std::lock_guard lock(reading.mutex);
    const Duration age = reading.at ? now - *reading.at : kOld;
    const bool is_kept = age < kYoung || (reading.took > kQuick && age < kOld);
    if (is_kept) {
      if (age >= kYoung) {
        warnings.push_back(
            fmt::format("the catalogue is as of {} s ago",
                        std::chrono::duration_cast<std::chrono::seconds>(age).count()));
      }
      return call.tables->catalogue(call.op);
    }
  }
  HELVE_ASSIGN(auto catalogue, call.tables->catalogue(call.op, true));
  const std::lock_guard lock(reading.mutex);
  reading.at = now;
  reading.took = call.env.clock().now() - now;
  return catalogue;
}

}  // namespace helve::toolkit
