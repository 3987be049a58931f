#include "sources/store/live/follow_folder.h"

#include <mutex>
#include <utility>

#include "base/log.h"
#include "base/wait_mutex.h"
#include "sources/store/live/change_log.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/store_reading.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using SharedSnapshot = std::shared_ptr<const LiveSnapshot>;

// What tells whether a file changed, without reading it; nothing where it is not there.
using FileMark = std::optional<std::pair<std::uint64_t, WallTime>>;

struct FolderMark {
  FileMark base;
  FileMark log;

  friend bool operator==(const FolderMark&, const FolderMark&) = default;
};

// The call gave up, not the folder.
bool is_of_caller(const Error& error) {
  return error.code == ErrorCode::Cancelled || error.code == ErrorCode::LimitExceeded;
}

class Follower {
 public:
  Follower(std::filesystem::path folder, SharedSnapshot first, Env& env)
      : folder_(std::move(folder)),
        env_(env),
        newest_{std::move(first), std::nullopt},
        read_at_(env.clock().wall()) {}

  NewestState newest(const OpContext& context) {
    if (auto found = just_failed()) return *std::move(found);
    OpContext within = context;
    if (!context.deadline.is_never()) {
      within.deadline = Deadline(env_.clock(), context.deadline.remaining() / 2);
    }
    const auto turn = lock_within(turn_, within);
    if (!turn) return served_despite(turn.error());
    if (auto found = just_failed()) return *std::move(found);
    const WallTime begun = env_.clock().wall();
    auto state = look(within);
    if (!state && is_of_caller(state.error())) return served_despite(state.error());
    const std::lock_guard lock(mutex_);
    if (state) {
      newest_ = {*std::move(state), std::nullopt};
      read_at_ = begun;
    } else {
      note_failure(std::move(state).error(), begun);
    }
    return newest_;
  }

 private:
  static constexpr Duration kPause = std::chrono::seconds(1);  // after a failure

  std::optional<NewestState> just_failed() const {
    const std::lock_guard lock(mutex_);
    if (!newest_.staleness || env_.clock().now() - failed_ >= kPause) return std::nullopt;
    return newest_;
  }

  NewestState served_despite(const Error& why) const {
    const std::lock_guard lock(mutex_);
    if (newest_.staleness) return newest_;
    return {newest_.snapshot, Staleness{why, read_at_, env_.clock().wall()}};
  }

  // REQUIRES: mutex_.
  void note_failure(Error why, WallTime at) {
    failed_ = env_.clock().now();
    if (newest_.staleness) {
      newest_.staleness->reason = std::move(why);
      return;
    }
    log_info("the changes of an index were not read", {{"reason", why.to_string()}});
    newest_.staleness = Staleness{std::move(why), read_at_, at};
  }

  // What follows REQUIRES turn_.
  Result<SharedSnapshot> look(const OpContext& context) {
    const SharedSnapshot& now = newest_.snapshot;  // written by who has the turn
    HELVE_ASSIGN(const FolderMark mark, read_mark(*now));
    if (mark == mark_) return now;
    HELVE_TRY(context.check());
    HELVE_ASSIGN(const bool is_same_base, has_base_of(*now, mark, context));
    if (is_same_base) {
      auto more = read_on(folder_, now, context, env_);
      if (!more && is_of_caller(more.error())) return more.error();
      if (more && *more) {
        // While a writer is at work, whatever becomes of that: it is looked at again.
        mark_ = (**more).is_all ? mark : FolderMark{mark.base, std::nullopt};
        return (**more).state;
      }
    }
    HELVE_ASSIGN(auto opened, open_live_snapshot(folder_, lasting(context), env_));
    mark_ = {mark.base, std::nullopt};
    return opened;
  }

  Result<FileMark> read_file_mark(const std::filesystem::path& path) const {
    const auto status = env_.files().status(path);
    if (status) return FileMark(std::pair(status->size, status->modified));
    if (status.error().code == ErrorCode::NotFound) return FileMark();
    return status.error();
  }

  Result<FolderMark> read_mark(const LiveSnapshot& now) const {
    FolderMark mark;
    HELVE_ASSIGN(const FileStatus base, env_.files().status(folder_ / kSnapshotFileName));
    mark.base = std::pair(base.size, base.modified);
    const std::uint64_t checksum = now.base()->content_checksum().value_or(0);
    HELVE_ASSIGN(mark.log, read_file_mark(log_path(folder_, checksum)));
    return mark;
  }

  Result<bool> has_base_of(const LiveSnapshot& now, const FolderMark& mark,
                           const OpContext& context) const {
    if (mark.base == mark_.base) return true;
    HELVE_ASSIGN(const auto base, open_snapshot(folder_, lasting(context), env_));
    return base->content_checksum() == now.base()->content_checksum();
  }

  // For what outlives the call.
  static OpContext lasting(OpContext context) {
    context.memory = &process_memory();
    return context;
  }

  const std::filesystem::path folder_;
  Env& env_;
  WaitMutex turn_;   // of who reads; taken before the other
  FolderMark mark_;  // of what was read; of who has the turn
  mutable std::mutex mutex_;
  NewestState newest_;  // changed by who has both
  WallTime read_at_;    // when that was the newest
  MonotonicTime failed_{};
};

}  // namespace

Result<StateSource> follow_folder(const std::filesystem::path& folder,
                                  std::shared_ptr<const LiveSnapshot> first, Env& env) {
  const auto follower = std::make_shared<Follower>(folder, std::move(first), env);
  return StateSource([follower](const OpContext& context) { return follower->newest(context); });
}

}  // namespace helve::store
