// SectionReader: the sections of a mapped file as columns behind guards, which check them when they
// are used. snapshot_table.h has checked the file's table.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sources/store/byte_stream.h"
#include "sources/store/snapshot_guards.h"
#include "sources/store/snapshot_table.h"

namespace helve::store {

// What the columns of an open file share.
struct OpenFile {
  std::shared_ptr<const void> bytes;
  Damage damage;
  std::vector<std::unique_ptr<ChunkGuard>> guards;
};

// A column for readers, and one for guards: those belong to the owner and must not own it.
template <typename Guarded>
struct Views {
  Guarded owned;
  Guarded bare;
};

// Not thread-safe; what it hands out is.
class SectionReader {
 public:
  explicit SectionReader(SnapshotTable table)
      : table_(std::move(table)), file_(std::make_shared<OpenFile>()) {
    file_->bytes = table_.owner;
  }

  const SnapshotTable& table() const { return table_; }
  std::shared_ptr<const Damage> damage() const { return {file_, &file_->damage}; }
  Error senseless(std::string_view section) const {
    return table_.damaged(fmt::format("section '{}' makes no sense", section));
  }

  Result<ByteReader> plain(std::string_view name) const;
  Result<std::uint64_t> count_of(std::string_view name, SectionKind kind) const;
  // A column of `size` values.
  template <typename Value>
  Result<Views<PackedColumn<Value>>> column(std::string_view name, std::uint64_t size,
                                            ValueBounds<Value> bounds);
  // Any number of strings.
  Result<FrontCoded> strings(std::string_view text_name, std::string_view blocks_name);

 private:
  SectionPlace place(const SectionEntry& entry) const {
    return {table_.name, std::string(entry.name_view()), entry.offset, &file_->damage};
  }
  template <typename Guard, typename... Arguments>
  const ChunkGuard* add_guard(Arguments&&... arguments) {
    file_->guards.push_back(std::make_unique<Guard>(std::forward<Arguments>(arguments)...));
    return file_->guards.back().get();
  }

  SnapshotTable table_;
  std::shared_ptr<OpenFile> file_;
};

}  // namespace helve::store
