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
#include "tests/store/crash_updates.h"
#include "tests/store/state_trail.h"

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
// Everything that load number `number` puts into its folder, and whether it is sorted on disk.
store::live_testing::Model load_number(std::uint64_t number);
bool is_external_load(std::uint64_t number);
// What the index that is changed and replaced in turn is replaced by: one of a few, which come
// again and again, as the same documents do.
inline constexpr std::uint64_t kReplacements = 3;
store::live_testing::Model replacement(std::uint64_t which);

class CrashLedger {
 public:
  // What is in the folders.
  struct Found {
    store::live_testing::Model store;     // without the graphs of SPARQL updates
    store::live_testing::Model updated;   // those: updated_graphs()
    store::live_testing::Model replaced;  // the index that is changed and replaced in turn
    std::optional<store::live_testing::Model> loaded;  // nullopt where there is no index
  };

  // A store with just this and all counters at zero, and the first of the replacements.
  explicit CrashLedger(store::live_testing::Model first) : first_(std::move(first)) {}

  // Of the store "B id thread number statements replaces", "A id", "U update", "u"; of the folder
  // of loads "L number", "l number"; of the index that is replaced "T id thread number statements
  // replaces", "t", "R which", "r". Others are counted.
  void read_line(const std::string& line);
  // What is wrong; empty: nothing.
  std::string check(const Found& found) const;
  // Goes on from what was found: after a power loss it is all there will be; otherwise what was
  // not acknowledged may still go.
  void settle(const Found& found, bool is_durable);

  std::map<char, std::uint64_t> lines;  // by their first letter
  // Steps of SPARQL updates that were begun, less those that were acknowledged.
  std::map<GraphStep::Verb, std::uint64_t> steps_cut;

 private:
  enum class Status : std::uint8_t { Begun, Sure, Gone };
  struct Entry {
    CrashTransaction transaction;
    Status status = Status::Begun;
  };
  void make_sure(Entry& entry);
  void read_update(const std::string& line);
  void read_change_of_replaced(const CrashTransaction& one);
  std::string check_store(const store::live_testing::Model& found) const;
  std::string check_loaded(const std::optional<store::live_testing::Model>& found) const;
  void settle_store(const store::live_testing::Model& found, bool is_durable);
  void settle_loaded(const std::optional<store::live_testing::Model>& found, bool is_durable);
  static bool has(const store::live_testing::Model& found, const CrashTransaction& transaction);

  store::live_testing::Model first_;
  std::map<std::string, Entry> entries_;
  std::map<std::uint64_t, std::uint64_t> counters_;  // by thread, of what is sure
  std::uint64_t load_begun_ = 0;
  std::uint64_t load_sure_ = 0;
  CrashUpdate update_;  // the last that was begun
  StateTrail updated_{{}};
  StateTrail replaced_{replacement(0)};
};

}  // namespace helve
