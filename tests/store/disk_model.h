// A disk that can lose its power: what a program did to a folder, operation by operation, and what
// of it would be found after the current went. Only what was synced is sure; of the rest any part
// may be there. power_loss_files.h writes down what a program does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve {

// One line of the journal. Paths are relative to the root of the disk.
struct DiskOperation {
  enum class Kind : std::uint32_t {
    Open,   // of `first`, which is made where it is not there; the handle stands for it from now on
    Write,  // of `first`, to the end of the handle's file
    Sync,   // of the handle's file: operations before number `until` alone
    Rename,         // `first` to `second`
    Link,           // `second` is another name of `first`
    Remove,         // `first`
    MakeDirectory,  // `first`, whose parent is there
    SyncDirectory,  // of `first`: operations before number `until` alone
  };
  Kind kind = Kind::Open;
  std::uint32_t handle = 0;
  std::uint64_t until = 0;
  std::string_view first;
  std::string_view second;
};

std::string encode(const DiskOperation& operation);

// A file's bytes are durable once the file was synced, a name once its folder was.
class DiskModel {
 public:
  using Path = std::filesystem::path;

  explicit DiskModel(Path root) : root_(std::move(root)) {}

  // Takes the folder as it is; all of it is durable.
  void adopt();
  // What a program did that was stopped; handles end with it. A journal may be cut short.
  void replay(const Path& journal);
  // Drops what was not synced, but for a random part: some of the writes, whole or torn at the
  // borders of sectors, and some of the names.
  void lose_power(std::mt19937_64& random);
  // Makes the folder what a program would find.
  void write_out() const;

 private:
  struct PendingWrite {
    std::uint64_t number = 0;
    std::uint64_t offset = 0;
    std::string bytes;
  };
  struct Node {
    bool is_folder = false;
    std::string durable;
    std::vector<PendingWrite> pending;
    std::uint64_t size() const {
      return pending.empty() ? durable.size() : pending.back().offset + pending.back().bytes.size();
    }
    std::string content() const;
  };
  using NodePointer = std::shared_ptr<Node>;
  // An entry without a node is one that goes.
  struct PendingNames {
    std::uint64_t number = 0;
    std::vector<std::pair<Path, NodePointer>> entries;
  };
  using Names = std::map<Path, NodePointer>;

  void apply(const DiskOperation& operation, std::uint64_t number);
  void change(std::uint64_t number, std::vector<std::pair<Path, NodePointer>> entries);
  void sync(Node& node, std::uint64_t until);
  void sync_folder(const Path& folder, std::uint64_t until);
  static void put(Names& names, const std::vector<std::pair<Path, NodePointer>>& entries);
  std::string filler(std::mt19937_64& random, std::size_t bytes) const;
  void lose_data(Node& node, std::mt19937_64& random) const;

  Path root_;
  Names durable_;
  Names seen_;  // by programs that go on
  std::vector<PendingNames> pending_;
  std::map<std::uint32_t, NodePointer> handles_;
  std::uint64_t operations_ = 0;
};

}  // namespace helve
