// SnapshotCache: snapshots of files that were read before, so that the second call on a file starts
// at once. Keyed by content; that a file is unchanged is told from its identity alone where that
// cannot be wrong, and by reading it otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/file_identity.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/cache_folder.h"
#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"

namespace helve::store {

// A file, and all that changes what is read from it: the same content read in another way is
// another entry.
struct CachedFile {
  std::string path;
  std::string reading;  // format, base IRI, graph, in any words
};

struct CacheRequest {
  std::vector<CachedFile> files;  // in order: blank nodes are named by it
  std::string reading;            // what holds for all: the program's version, leniency
};

struct CacheOptions {
  std::filesystem::path folder;
  std::uint64_t bytes_max = 2 * kGiB;         // of all snapshots
  std::uint64_t file_bytes_min = 256 * kKiB;  // less is read as fast as opened
  std::uint64_t file_bytes_max = 16 * kGiB;   // more takes long to hash
  std::string program;                        // SnapshotOrigin::created_by

  // The machine: open_snapshot, write_snapshot; tests put others here.
  std::function<Result<FileIdentity>(const std::filesystem::path&)> identify = identify_file;
  std::function<Result<void>(const std::filesystem::path&)> make_folder = make_private_folder;
  std::function<Result<std::shared_ptr<const Snapshot>>(const std::filesystem::path&,
                                                        const OpContext&)>
      open;
  std::function<Result<void>(const Snapshot&, const SnapshotOrigin&, const std::filesystem::path&,
                             const OpContext&)>
      write;
};

// What the cache knows of some files.
struct CacheLookup {
  std::shared_ptr<const Snapshot> snapshot;  // null: not there
  std::filesystem::path folder;              // where the snapshot lies
  std::uint64_t statements_read = 0;
  std::string key;  // of the content; empty: these files are not for the cache

  std::string files_key;
  std::vector<FileIdentity> identities;
  bool is_settled = false;
};

// No failure of the cache is one of its user: it is logged, and the files are read. Thread-safe;
// safe against other processes.
//
// A change within one tick of the file system's clock after a look at the file leaves its identity
// as it was. So identity is trusted alone only where the last change was more than two seconds old
// when the file was looked at; until then the content is hashed at each call. What remains are
// changes by a machine (or a network file system) whose clock is behind by more than that, and
// writing to a file by way of a mapping while it is read.
class SnapshotCache {
 public:
  SnapshotCache(Env& env, CacheOptions options)
      : env_(env), options_(std::move(options)), folder_(env, options_.folder) {}

  // Opens the snapshot of these files if it is there; Cancelled or LimitExceeded as the context
  // says.
  Result<CacheLookup> find(const CacheRequest& request, const OpContext& context);

  // Keeps what was loaded after find() had not found it. REQUIRES: nothing was skipped.
  void keep(const CacheRequest& request, const CacheLookup& lookup, const Loaded& loaded,
            const OpContext& context);

  // For an entry that turned out to be damaged while it was used.
  void forget(const CacheLookup& lookup) { folder_.remove_entry(lookup.key); }

  CacheFolder& folder() { return folder_; }
  const CacheOptions& options() const { return options_; }

 private:
  // False: not for the cache.
  bool identify(const CacheRequest& request, CacheLookup& lookup);
  Result<std::string> hash(const CacheRequest& request, const OpContext& context);
  Result<void> open(CacheLookup& lookup, const OpContext& context);
  bool is_unchanged(const CacheRequest& request, const CacheLookup& lookup,
                    const OpContext& context);
  Result<void> store(const CacheRequest& request, const CacheLookup& lookup, const Loaded& loaded,
                     const OpContext& context);
  void remember_files(const CacheLookup& lookup);

  Env& env_;
  CacheOptions options_;
  CacheFolder folder_;
};

}  // namespace helve::store
