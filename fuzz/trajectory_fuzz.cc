// Trajectories that others wrote: reading, showing, comparing, exporting and replaying them. What
// is read is read the same when it is written again.
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/trajectory/diff.h"
#include "agent/trajectory/event_line.h"
#include "agent/trajectory/replay.h"
#include "agent/trajectory/rlm_log.h"
#include "agent/trajectory/show.h"
#include "agent/trajectory/stats.h"
#include "base/check.h"

namespace {

using namespace helve;
using namespace helve::agent;

void look_at(const RecordedRun& run) {
  for (const bool is_full : {false, true}) {
    const auto text = show_run(run, {{}, is_full});
    HELVE_CHECK(text.has_value());
    HELVE_CHECK(text->find('\x1b') == std::string::npos);
  }
  static_cast<void>(stats_text(run));
  static_cast<void>(to_json(stats_json(run)));
  HELVE_CHECK(diff_runs(run, run).is_same());
  HELVE_CHECK(compare_events(run.events, run.events).is_identical);
  StringSink log;
  HELVE_CHECK(write_rlm_log(run, log).has_value());
  HELVE_CHECK(show_json(run, {}).has_value());
  HELVE_CHECK(list_text({run}).find('\x1b') == std::string::npos);
  static_cast<void>(recorded_words(run.events));
  const auto model = recorded_model(run.events);
  while (model->complete({}, {}).has_value()) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto file = parse_trajectory(text, "fuzz");
  if (!file) return 0;
  std::string again;
  for (const TrajectoryLine& line : file->lines) {
    const std::string run = std::to_string(line.run);
    again += encode_event(line.event.kind, line.event.body, EventStamp{run, line.time}, 64 * kMiB);
  }
  const auto second = parse_trajectory(again, "again");
  HELVE_CHECK(second.has_value());
  HELVE_CHECK(second->lines.size() == file->lines.size());
  HELVE_CHECK(second->cut_lines.empty() && second->damaged.empty());
  for (const RecordedRun& run : runs_of(*std::move(file))) look_at(run);
  return 0;
}
