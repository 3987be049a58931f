// What this process holds of the machine: memory, descriptors, files that are mapped.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#if HELVE_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

namespace helve {

struct ProcessUse {
  std::uint64_t resident = 0;
  std::uint64_t allocated = 0;  // and not freed. What is resident depends on where that lies, too
  std::uint64_t descriptors = 0;
  std::uint64_t mappings = 0;  // of files below a folder, also of those that have no name any more

  static ProcessUse now(const std::filesystem::path& folder) {
    ProcessUse use;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> use.resident;
    use.resident *= static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    use.allocated = allocated_now();
    using Entries = std::filesystem::directory_iterator;
    for ([[maybe_unused]] const auto& entry : Entries("/proc/self/fd")) ++use.descriptors;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(folder.string()) != std::string::npos) ++use.mappings;
    }
    return use;
  }

 private:
  static std::uint64_t allocated_now() {
#if HELVE_SANITIZED
    return __sanitizer_get_current_allocated_bytes();
#else
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
  }
};

}  // namespace helve
