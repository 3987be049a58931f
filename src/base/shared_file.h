// SharedFile: a file that several processes write, in turns and at any place. Beside Files of
// env.h, which knows streams and whole files; the fake is tests/support/fake_shared_files.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"

namespace helve {

// Not thread-safe. Errors are those of Files.
class SharedFile {
 public:
  virtual ~SharedFile() = default;
  // False when another process (or another SharedFile of this one) holds it. Given back by unlock()
  // or with the file.
  virtual Result<bool> try_lock() = 0;
  virtual void unlock() = 0;
  // Whether the path still leads to this file: it may have been renamed, removed or replaced.
  virtual Result<bool> is_at_path() = 0;
  virtual Result<std::uint64_t> size() = 0;
  // Fewer bytes than asked for only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) = 0;
  // After an error a part may be written.
  virtual Result<void> write_at(std::uint64_t offset, std::string_view bytes) = 0;
  virtual Result<void> cut(std::uint64_t size) = 0;  // drops what is behind
  virtual Result<void> sync() = 0;                   // durable when it returns
};

enum class SharedFileMode : std::uint8_t {
  Read,   // NotFound where there is none
  Write,  // made where there is none, for its owner alone; its name is durable then
};

// Thread-safe.
class SharedFiles {
 public:
  virtual ~SharedFiles() = default;
  // Denied for what is no regular file: a folder, a pipe, a device.
  virtual Result<std::unique_ptr<SharedFile>> open(const std::filesystem::path& path,
                                                   SharedFileMode mode) = 0;
};

// Those of the machine; lives for the whole process.
SharedFiles& real_shared_files();

}  // namespace helve
