// From the records of a log to the state that they lead to: for who opens a store (live_store.h),
// who reads one and who reads on (store_reading.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/change_log.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// A base without changes, from which all records of its log can be replayed.
std::shared_ptr<const LiveSnapshot> unchanged_state(const std::shared_ptr<const Snapshot>& base,
                                                    std::uint64_t version);

// The state that the first `count` records lead to from `before`, at which the log was read from,
// and whose terms become those of both. All transactions are applied as one: what a state costs is
// paid once, not for each of them. `logged` takes the terms of the records. After an error nothing
// has changed.
// REQUIRES: `before` has a tail, and nobody else replays onto it.
Result<std::shared_ptr<const LiveSnapshot>> replay(
    const LiveSnapshot& before, const LogContent& log, std::size_t count, const OpContext& context,
    std::unordered_set<Id, IdHash>* logged = nullptr);

// Counts again what records tell of their changes, which is believed where it can be true.
// Unavailable where it is not.
Result<void> verify_counts(const LiveSnapshot& state, const OpContext& context);

}  // namespace helve::store
