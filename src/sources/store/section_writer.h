// SectionWriter: gathers the sections of a file as views of what is in memory, lays them out and
// writes them in one go (snapshot_layout.h). section_reader.h reads them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

// What is added must outlive it. Not thread-safe.
class SectionWriter {
 public:
  void add_plain(std::string_view name, std::string bytes);
  template <typename Value>
  void add_column(std::string_view name, const PackedColumn<Value>& column);
  void add_strings(std::string_view text_name, std::string_view blocks_name,
                   const FrontCoded& strings);

  // Of all sections but one: what they hold, wherever they lie.
  std::uint64_t content_checksum(std::string_view but) const;

  Result<void> write(WritableFile& file, const FileFormat& format, const OpContext& context) const;
  // The same into a new file, which is on disk when it returns.
  Result<void> write_durably(Files& files, const std::filesystem::path& path,
                             const FileFormat& format, const OpContext& context) const;

 private:
  struct Section {
    SectionEntry entry;
    std::vector<std::string_view> parts;
  };

  Section& add(std::string_view name, SectionKind kind, std::uint64_t count);
  static void add_part(Section& section, std::string_view part);
  template <typename Chunked>
  void add_checksums(Section& section, const Chunked& chunked);

  std::deque<std::string> texts_;
  std::deque<std::vector<std::uint64_t>> sums_;
  std::deque<Section> sections_;
};

// The same of sections that were read.
std::uint64_t content_checksum(const std::vector<SectionEntry>& sections, std::string_view but);

}  // namespace helve::store
