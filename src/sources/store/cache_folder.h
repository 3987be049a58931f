// The files of the cache of snapshots: entries by content, what is known of files by their paths,
// which entries to remove. snapshot_cache.h decides what goes in and what is trusted.
//
//   CACHEDIR.TAG           tells backup tools to leave it out
//   snapshots/KEY.json     an entry: the folder of its snapshot and what info shows
//   snapshots/KEY.used     its time is that of the last use
//   snapshots/KEY-RANDOM/  a snapshot
//   files/KEY.json         the content of files when they were last seen
//
// A snapshot is written under a name of its own and its entry then appears at once, so that several
// processes never disturb each other: who loses a race leaves a folder that nothing names, which is
// removed later. A process that has a snapshot open keeps it when it is removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/file_identity.h"

namespace helve::store {

struct CacheEntry {
  std::string folder;  // its name in snapshots/
  std::uint64_t bytes = 0;
  std::uint64_t statements_read = 0;
  std::vector<std::string> documents;
};

struct KnownFiles {
  std::vector<FileIdentity> identities;
  std::string key;
  // False: the files may have changed since without it being visible.
  bool is_settled = false;
};

struct CacheListing {
  std::string key;
  CacheEntry entry;
  WallTime used;
};

struct CacheCleared {
  std::size_t snapshots = 0;
  std::uint64_t bytes = 0;
};

// Keys are lower-case hexadecimal digits. Thread-safe as far as Env is.
class CacheFolder {
 public:
  using Path = std::filesystem::path;

  CacheFolder(Env& env, Path path) : env_(env), path_(std::move(path)) {}

  const Path& path() const { return path_; }
  // REQUIRES: the folder itself is there.
  Result<void> prepare();

  // Whether it can be looked into; one that is not there yet can. InvalidInput: there is something
  // else than folders in their place.
  Result<void> check();

  // nullopt also for what is damaged.
  std::optional<CacheEntry> read_entry(std::string_view key);
  std::optional<KnownFiles> read_known(std::string_view files_key);
  Path snapshots() const { return path_ / "snapshots"; }
  Path files() const { return path_ / "files"; }
  Path snapshot_path(const CacheEntry& entry) const { return snapshots() / entry.folder; }
  // A name that nobody uses.
  std::string new_snapshot_name(std::string_view key);

  Result<void> write_entry(std::string_view key, const CacheEntry& entry);
  Result<void> write_known(std::string_view files_key, const KnownFiles& known);
  // Now is when the entry was last used.
  void mark_used(std::string_view key);

  void remove_entry(std::string_view key);
  // Bytes of the files in a snapshot's folder.
  std::uint64_t measure(const Path& snapshot);
  void remove_snapshot(const Path& snapshot);

  // The least recently used first.
  std::vector<CacheListing> list();
  // Removes entries, the least recently used first, until there are at most `bytes_max`; then what
  // no entry names and is older than an hour: the leavings of processes that were stopped.
  void prune(std::uint64_t bytes_max);
  // Removes everything that the cache made, and nothing else. An error where some of it stays.
  Result<CacheCleared> clear();

 private:
  void remove_leavings(Duration age_min);
  std::optional<std::string> read_text(const Path& path);
  Result<void> replace(const Path& path, std::string_view content);

  Env& env_;
  Path path_;
};

}  // namespace helve::store
