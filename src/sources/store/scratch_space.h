// ScratchSpace: a folder for what outgrows memory while an index is built. A file in it loses its
// name as soon as it is mapped: the space on disk is free again once nobody reads it, however the
// process ends. scratch_bytes.h is what most builders use.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

namespace helve::store {

class ScratchSpace;

// A file that is written once, from its start to its end, and then mapped. The space must outlive
// it, but not what it maps. Not thread-safe.
class ScratchFile {
 public:
  ScratchFile(ScratchSpace& space, std::filesystem::path path, std::unique_ptr<WritableFile> file);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  Result<void> write(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  // All that was written; call once, last. The bytes start at an address for any type.
  Result<std::shared_ptr<const MappedFile>> finish();

 private:
  ScratchSpace& space_;
  const std::filesystem::path path_;
  std::unique_ptr<WritableFile> file_;
  std::uint64_t size_ = 0;
};

// Thread-safe.
class ScratchSpace {
 public:
  // A new folder within `parent`, which is made if need be and goes with it if it is empty then.
  // Folders that killed processes left there are removed first.
  static Result<std::unique_ptr<ScratchSpace>> create(const std::filesystem::path& parent,
                                                      Env& env = real_env());
  ScratchSpace(const ScratchSpace&) = delete;
  ScratchSpace& operator=(const ScratchSpace&) = delete;
  // Removes the folder with everything in it.
  ~ScratchSpace();

  Result<std::unique_ptr<ScratchFile>> make_file();
  // Of all files, those that are gone too.
  std::uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }

 private:
  friend class ScratchFile;
  ScratchSpace(std::filesystem::path folder, Env& env, bool made_parent);
  // With advice, where the disk is full.
  Error explained(Error error) const;

  const std::filesystem::path folder_;
  Env& env_;
  const bool made_parent_;
  std::unique_ptr<FileLock> lock_;
  std::atomic<std::uint64_t> files_made_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
};

// A name that such a folder has.
bool is_scratch_name(const std::filesystem::path& name);
// Those within `parent` whose processes were stopped.
void remove_dead_scratch(const std::filesystem::path& parent, Env& env);

}  // namespace helve::store
