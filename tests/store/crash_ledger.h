// What a store must have after a crash, from the lines that a worker wrote: everything that it said
// was done, nothing that it never began, and nothing by half.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sources/store/live/live_testing.h"

namespace helve {

inline constexpr std::uint64_t kCrashThreads = 3;

// A transaction adds `statements` statements about its own subject and their number, removes those
// of the transaction that it replaces, and sets two counters of its thread to `number`.
struct CrashTransaction {
  std::string id;
  std::uint64_t thread = 0;
  std::uint64_t number = 0;
  std::uint64_t statements = 0;
  std::string replaces;  // id; empty: none

  store::live_testing::Model added() const;
};
// The counters of a thread at a value.
store::live_testing::Model counters_at(std::uint64_t thread, std::uint64_t value);
// Everything that load number `number` puts into its folder.
store::live_testing::Model load_number(std::uint64_t number);

class CrashLedger {
 public:
  // A store with just this, and all counters at zero.
  explicit CrashLedger(store::live_testing::Model first) : first_(std::move(first)) {}

  // "B id thread number statements replaces", "A id", "L number", "l number"; others are counted.
  void read_line(const std::string& line);
  // What is wrong with a store of this content; empty: nothing.
  std::string check(const store::live_testing::Model& found) const;
  // The same for the folder of the loads, nullopt where there is no index.
  std::string check_loaded(const std::optional<store::live_testing::Model>& found) const;
  // Goes on from what was found: after a power loss it is all there will be; otherwise what was
  // not acknowledged may still go.
  void settle(const store::live_testing::Model& found,
              const std::optional<store::live_testing::Model>& loaded, bool is_durable);

  std::map<char, std::uint64_t> lines;  // by their first letter

 private:
  enum class Status : std::uint8_t { Begun, Sure, Gone };
  struct Entry {
    CrashTransaction transaction;
    Status status = Status::Begun;
  };
  void make_sure(Entry& entry);
  static bool has(const store::live_testing::Model& found, const CrashTransaction& transaction);

  store::live_testing::Model first_;
  std::map<std::string, Entry> entries_;
  std::map<std::uint64_t, std::uint64_t> counters_;  // by thread, of what is sure
  std::uint64_t load_begun_ = 0;
  std::uint64_t load_sure_ = 0;
};

}  // namespace helve
