// A snapshot on disk: an index folder that is written once, mapped into memory and opened at once,
// whatever its size. Blocks are checked against their checksums when they are first used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/snapshot.h"
#include "sources/store/snapshot_folder.h"

namespace helve::store {

// The version that is written, and the only one that is read.
inline constexpr std::uint32_t kSnapshotFormat = 2;

// What stands beside the data, for people and for finding out whether an index is still that of its
// documents.
struct SnapshotOrigin {
  std::vector<std::string> documents;  // as they were named
  std::string created_by;              // "helve 0.1.0"
  std::string key;                     // of the content it was made from; empty: unknown
};

struct SnapshotSection {
  std::string name;
  std::uint64_t bytes = 0;
};

struct SnapshotInfo {
  std::uint32_t format = 0;
  SnapshotOrigin origin;
  std::uint64_t bytes = 0;
  std::vector<SnapshotSection> sections;
};

// Writes into `folder`, which is made if need be; takes the place of an older snapshot only when
// everything is on disk. Of several writers that refuse to replace one, exactly one succeeds.
// Errors: those of check_snapshot_target(). `held`: the lock_for_writing() of a caller who has it.
Result<void> write_snapshot(const Snapshot& snapshot, const SnapshotOrigin& origin,
                            const std::filesystem::path& folder, const OpContext& context,
                            Env& env = real_env(), IfPresent if_present = IfPresent::Replace,
                            const FileLock* held = nullptr);

// A snapshot that is on disk beside the one it shall replace.
struct SnapshotDraft {
  std::filesystem::path path;
  std::unique_ptr<FileLock> lock;  // null where the file system has none
  std::uint64_t content_checksum = 0;
};
Result<SnapshotDraft> write_snapshot_draft(const Snapshot& snapshot, const SnapshotOrigin& origin,
                                           const std::filesystem::path& folder,
                                           const OpContext& context, Env& env = real_env());
// Gives it its name; the folder is not synchronised yet. Where that fails the draft is removed.
Result<void> publish_snapshot(const SnapshotDraft& draft, const std::filesystem::path& folder,
                              IfPresent if_present, Env& env = real_env());

// Maps it; reads the header and the small parts alone. Errors name the file: NotFound; InvalidInput
// for what is no snapshot, has another format version (older and newer are told apart) or another
// byte order; Unavailable where it is cut short or damaged. Damage in the rest is found at its
// first use: Snapshot::failure().
Result<std::shared_ptr<const Snapshot>> open_snapshot(const std::filesystem::path& folder,
                                                      const OpContext& context,
                                                      Env& env = real_env());

Result<SnapshotInfo> read_snapshot_info(const std::filesystem::path& folder,
                                        const OpContext& context, Env& env = real_env());

// A checksum of all that a snapshot holds, equal for equal data in any process and whether it lies
// in a file or in memory. Of one in a file, the table has it; otherwise everything is read.
Result<std::uint64_t> compute_content_checksum(const Snapshot& snapshot, const OpContext& context);

// Reads everything: checksums, and that what they protect makes sense (codes in range, orders
// sorted, all orders the same statements). The error names the first damage.
Result<void> verify_snapshot(const std::filesystem::path& folder, const OpContext& context,
                             Env& env = real_env());

}  // namespace helve::store
