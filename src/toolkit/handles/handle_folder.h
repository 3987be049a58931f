// The folder of a session: one file for each handle, a folder beside it for a graph, and a manifest
// with what belongs to no handle. handle_store.cc decides what lies here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/handles/handle_file.h"

namespace helve::toolkit {

// What the folder knows beside its handles. Written whenever forgetting it would show: numbers are
// never given twice.
struct HandleManifest {
  std::map<std::string, std::uint64_t> next;  // number for the next key, by dtype
  std::map<std::string, WallTime> used;       // where a handle was used after it was made
  std::vector<std::pair<std::string, std::string>> gone;  // keys, and what became of them
};

// Not thread-safe. Holds the lock of the folder while it lives.
class HandleFolder {
 public:
  // Waits for the lock until the deadline of the context, or kLockWait where there is none.
  static constexpr Duration kLockWait = std::chrono::seconds(10);
  static Result<std::unique_ptr<HandleFolder>> open(std::filesystem::path path, Env& env,
                                                    GraphFactory* graphs, const OpContext& context);

  struct Found {
    std::uint64_t serial = 0;
    HandleRecord record;
    std::uint64_t bytes = 0;  // on disk
  };
  // Everything that is there. What is damaged is set aside and told of, what is left over from an
  // interrupted call is removed. Numbers of files go on behind the largest that is there.
  Result<std::vector<Found>> scan(HandleManifest& manifest, std::vector<std::string>& problems);

  std::uint64_t next_serial() { return next_serial_++; }
  // Durable when they return. On failure nothing is left.
  Result<void> write(std::uint64_t serial, std::string_view file);  // of encode_handle()
  // The bytes on disk.
  Result<std::uint64_t> write_graph(std::uint64_t serial, const HandleRecord& record,
                                    const GraphSource& graph, const OpContext& context);
  Result<void> write_manifest(const HandleManifest& manifest);

  // InvalidInput stands for damage: the caller sets the file aside. Other errors may pass.
  Result<RowTablePtr> read_rows(std::uint64_t serial, const HandleRecord& record);
  Result<std::string> read_text(std::uint64_t serial, const HandleRecord& record);
  Result<std::shared_ptr<const GraphSource>> read_graph(std::uint64_t serial,
                                                        const HandleRecord& record,
                                                        const OpContext& context);

  // The file gets the ending ".damaged". Gives the line that tells of it.
  std::string set_aside(std::uint64_t serial, std::string_view why);
  void remove(std::uint64_t serial, HandleContent content);

 private:
  HandleFolder(std::filesystem::path path, Env& env, GraphFactory* graphs,
               std::unique_ptr<FileLock> lock)
      : path_(std::move(path)), env_(env), graphs_(graphs), lock_(std::move(lock)) {}

  std::filesystem::path handle_path(std::uint64_t serial) const;
  std::filesystem::path graph_path(std::uint64_t serial) const;
  Result<HandleFile> read(std::uint64_t serial, const HandleRecord& record,
                          std::shared_ptr<const MappedFile>& file);
  Result<HandleManifest> read_manifest();
  void scan_file(const std::filesystem::path& name, std::vector<Found>& found,
                 std::vector<std::string>& problems);
  void remove_leftover_graphs(const std::vector<std::uint64_t>& graphs,
                              const std::vector<Found>& found);

  const std::filesystem::path path_;
  Env& env_;
  GraphFactory* const graphs_;
  const std::unique_ptr<FileLock> lock_;
  std::uint64_t next_serial_ = 0;
};

}  // namespace helve::toolkit
