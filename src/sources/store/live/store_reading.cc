#include "sources/store/live/store_reading.h"

#include <fmt/format.h>

#include <utility>

#include "sources/store/live/change_log.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/log_replay.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using Path = std::filesystem::path;
using SharedSnapshot = std::shared_ptr<const LiveSnapshot>;

// How many records readers see. Those behind the last acknowledgement are of a writer at work,
// which may yet fail; or a writer was stopped and left them, and they are as good as they are to
// the next.
std::size_t records_for_readers(const Path& folder, const LogContent& log, Env& env) {
  if (log.acknowledged_records == log.records.size()) return log.records.size();
  const auto lock = env.files().lock(folder / kLockFileName);
  const bool has_writer = !lock && lock.error().reason == ErrorReason::Locked;
  return has_writer ? log.acknowledged_records : log.records.size();
}

}  // namespace

Result<SharedSnapshot> open_live_snapshot(const Path& folder, const OpContext& context, Env& env) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    HELVE_ASSIGN(auto base, open_snapshot(folder, context, env));
    const std::uint64_t checksum = *base->content_checksum();
    auto read = read_log(log_path(folder, checksum), checksum, env);
    if (!read && read.error().code != ErrorCode::NotFound) return read.error();
    // Where the store was compacted in between, the log is of a base that is gone.
    HELVE_ASSIGN(const auto again, open_snapshot(folder, context, env));
    if (*again->content_checksum() != checksum) {
      if (attempt < kAttempts) continue;
      return Error{ErrorCode::Unavailable,
                   fmt::format("{} is replaced again and again", folder.string()),
                   "try again when whoever writes it has ended"};
    }
    const LogContent log = read ? std::move(*read) : LogContent();
    return replay(*unchanged_state(base, log.first_version), log,
                  records_for_readers(folder, log, env), context);
  }
}

Result<std::optional<ReadOn>> read_on(const Path& folder, const SharedSnapshot& state,
                                      const OpContext& context, Env& env) {
  const auto& tail = state->delta().tail;
  const auto checksum = state->base()->content_checksum();
  if (!tail || !checksum) return std::optional<ReadOn>();
  auto log =
      read_log_from(log_path(folder, *checksum), *checksum, tail->place, state->version(), env);
  if (!log && log.error().code == ErrorCode::NotFound) {
    if (tail->place.bytes == 0) return std::optional(ReadOn{state, true});
    return std::optional<ReadOn>();
  }
  if (!log) return log.error();
  if (!*log) return std::optional<ReadOn>();
  const LogContent& more = **log;
  const std::size_t count = records_for_readers(folder, more, env);
  ReadOn out{state, count == more.records.size()};
  if (count > 0) {
    HELVE_ASSIGN(out.state, replay(*state, more, count, context));
  }
  return std::optional(std::move(out));
}

Result<LogSize> measure_log(const Path& folder, const Snapshot& base, Env& env) {
  const std::uint64_t checksum = base.content_checksum().value_or(0);
  const auto log = read_log(log_path(folder, checksum), checksum, env);
  if (!log && log.error().code == ErrorCode::NotFound) return LogSize();
  if (!log) return log.error();
  const std::uint64_t bytes = log->file->text().size();
  return LogSize{bytes, bytes - log->good_bytes};
}

}  // namespace helve::store
