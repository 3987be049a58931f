// The folder of a snapshot: whether one is there, whether one may be put there. snapshot_file.h
// reads and writes what is in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/env.h"
#include "base/result.h"

namespace helve::store {

// What becomes of a snapshot that is there already.
enum class IfPresent : std::uint8_t { Replace, Refuse };

// True when the folder looks like an index folder: what commands ask before they try to open one.
bool is_snapshot_folder(const std::filesystem::path& folder, Env& env = real_env());

// Why it is none: NotFound, Denied where that cannot be seen, InvalidInput.
Result<void> check_snapshot_folder(const std::filesystem::path& folder, Env& env = real_env());

// Whether a snapshot may be written there: the folder is new, empty, or has a snapshot that may be
// replaced, of any version and damaged or not. Errors: InvalidInput, Denied.
Result<void> check_snapshot_target(const std::filesystem::path& folder, IfPresent if_present,
                                   Env& env = real_env());

// For who changes or replaces what is in the folder, one at a time. Unavailable where another has
// it.
Result<std::unique_ptr<FileLock>> lock_for_writing(const std::filesystem::path& folder, Env& env);
// A log of changes to the snapshot with this content.
std::filesystem::path log_path(const std::filesystem::path& folder, std::uint64_t base_checksum);
// Of a log of changes, or of one that was not finished.
bool is_log_name(const std::filesystem::path& name);
// Those of changes to a base that is gone; `kept` may be empty. Tells whether there were any.
bool remove_logs_but(const std::filesystem::path& kept, const std::filesystem::path& folder,
                     Env& env);

Error snapshot_is_there(const std::filesystem::path& folder);

// A name for what write_snapshot() has not finished. Its writer holds a lock on it.
std::filesystem::path new_snapshot_draft(const std::filesystem::path& folder, Env& env);
// Those whose writers were stopped.
void remove_dead_drafts(const std::filesystem::path& folder, Env& env);

}  // namespace helve::store
