// Nothing is believed before its checksum is right, but what says how to read the rest: magic,
// byte order, version.
#include "sources/store/snapshot_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "base/prefetch.h"
#include "sources/store/chunk_sums.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_guards.h"

namespace helve::store {

namespace {

constexpr std::uint32_t kForeignByteOrder = 0x0D0C0B0A;
constexpr std::uint64_t kCountMax = std::uint64_t{1} << 48;

class TableReader {
 public:
  TableReader(SnapshotTable& table, const FileFormat& format) : table_(table), expected_(format) {}

  Result<void> run() {
    HELVE_TRY(read_header());
    HELVE_TRY(read_entries());
    fetch_what_is_checked();
    HELVE_TRY(check_layout());
    for (const SectionEntry& entry : table_.sections) HELVE_TRY(check_section(entry));
    return {};
  }

 private:
  Result<void> read_header() {
    const std::string_view bytes = table_.bytes;
    const auto& magic = expected_.magic;
    if (bytes.substr(0, magic.size()) != std::string_view(magic.data(), magic.size())) {
      return Error{ErrorCode::InvalidInput, fmt::format("{} is no index of Helve", table_.name),
                   "make one with 'helve load FILE... -o FOLDER'"};
    }
    if (bytes.size() < sizeof(SnapshotHeader)) return cut_short(sizeof(SnapshotHeader));
    std::memcpy(&header_, bytes.data(), sizeof(header_));
    HELVE_TRY(check_version());
    if (checksum(bytes.substr(0, offsetof(SnapshotHeader, checksum))) != header_.checksum) {
      return table_.damaged("the header has a wrong checksum");
    }
    if (bytes.size() < header_.file_bytes) return cut_short(header_.file_bytes);
    if (bytes.size() > header_.file_bytes) {
      return table_.damaged(fmt::format("it has {} bytes, {} more than it should", bytes.size(),
                                        bytes.size() - header_.file_bytes));
    }
    return {};
  }

  Result<void> check_version() {
    if (header_.byte_order == kForeignByteOrder) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} was made on a machine with another byte order", table_.name),
                   "make it again here with 'helve load'"};
    }
    if (header_.byte_order != SnapshotHeader::kByteOrder) {
      return table_.damaged("the header has no mark of the byte order");
    }
    table_.format = header_.format;
    if (header_.format == expected_.version) return {};
    const bool is_newer = header_.format > expected_.version;
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("{} has format version {}, which is {} than version {} that this program reads",
                    table_.name, header_.format, is_newer ? "newer" : "older", expected_.version),
        is_newer ? "use a newer Helve, or make the index again with 'helve load'"
                 : "make the index again with 'helve load'"};
  }

  Error cut_short(std::uint64_t expected) const {
    return table_.damaged(
        fmt::format("it is cut short: {} bytes of at least {}", table_.bytes.size(), expected));
  }

  Result<void> read_entries() {
    const std::uint64_t bytes = header_.sections * sizeof(SectionEntry);
    if (header_.sections > kSectionsMax || bytes > table_.bytes.size() - sizeof(SnapshotHeader)) {
      return table_.damaged("the table of sections is too long");
    }
    const std::string_view entries = table_.bytes.substr(sizeof(SnapshotHeader), bytes);
    if (checksum(entries) != header_.table_checksum) {
      return table_.damaged("the table of sections has a wrong checksum");
    }
    table_.sections.resize(header_.sections);
    if (bytes > 0) std::memcpy(table_.sections.data(), entries.data(), bytes);
    return {};
  }

  // The beginnings of sections lie far apart in a large file. Touched one by one, each is waited
  // for.
  void fetch_what_is_checked() const {
    std::string_view last;
    for (const SectionEntry& entry : table_.sections) {
      if (entry.offset > table_.bytes.size()) return;
      const std::uint64_t before = std::min<std::uint64_t>(entry.offset, kSectionAlignment);
      const std::string_view wanted =
          table_.bytes.substr(entry.offset - before, before + bytes_checked(entry));
      constexpr std::ptrdiff_t kNear = 64 * kKiB;  // what the system reads at once in any case
      const bool is_near = !last.empty() && wanted.data() - last.data() < kNear;
      if (is_near && wanted.data() + wanted.size() < last.data() + kNear) continue;
      prefetch(wanted);
      last = wanted;
    }
  }

  static std::uint64_t bytes_checked(const SectionEntry& entry) {
    if (entry.kind == SectionKind::Plain) return entry.bytes;
    return entry.count > kCountMax ? 0 : ChunkSums::page_bytes(chunks_of(entry.kind, entry.count));
  }

  Result<void> check_layout() {
    std::uint64_t end = sizeof(SnapshotHeader) + header_.sections * sizeof(SectionEntry);
    for (const SectionEntry& entry : table_.sections) {
      HELVE_TRY(check_zeroes(end, entry.offset));
      if (entry.bytes > table_.bytes.size() - entry.offset) {
        return table_.damaged(
            fmt::format("section '{}' does not end within the file", entry.name_view()));
      }
      end = entry.offset + entry.bytes;
    }
    return check_zeroes(end, table_.bytes.size());
  }

  // Up to where the next section must start.
  Result<void> check_zeroes(std::uint64_t from, std::uint64_t to) const {
    if (to != align_section(from) || to > table_.bytes.size()) {
      return table_.damaged(fmt::format("a section at byte {} instead of {}", to, from));
    }
    const std::string_view gap = table_.bytes.substr(from, to - from);
    if (gap.find_first_not_of('\0') == std::string_view::npos) return {};
    return table_.damaged(fmt::format("something stands between sections at byte {}", from));
  }

  Result<void> check_section(const SectionEntry& entry) const {
    const bool is_known = entry.kind >= SectionKind::Plain && entry.kind <= SectionKind::Strings;
    if (!is_known || entry.count > kCountMax) {
      return table_.damaged(fmt::format("section '{}' has no known kind", entry.name_view()));
    }
    const std::uint64_t checked = bytes_checked(entry);
    if (checked > entry.bytes) {
      return table_.damaged(fmt::format("section '{}' is too short", entry.name_view()));
    }
    if (checksum(table_.bytes_of_section(entry).substr(0, checked)) != entry.checksum) {
      return table_.damaged(fmt::format("section '{}' at byte {} has a wrong checksum",
                                        entry.name_view(), entry.offset));
    }
    return {};
  }

  SnapshotTable& table_;
  FileFormat expected_;
  SnapshotHeader header_;
};

// Columns are read in place: a file that is not mapped but read may need to be moved.
void align(SnapshotTable& table) {
  if (reinterpret_cast<std::uintptr_t>(table.bytes.data()) % alignof(std::uint64_t) == 0) return;
  const std::size_t words = table.bytes.size() / sizeof(std::uint64_t) + 1;
  const std::shared_ptr<std::uint64_t[]> copy(new std::uint64_t[words]);
  std::memcpy(copy.get(), table.bytes.data(), table.bytes.size());
  table.bytes = {reinterpret_cast<const char*>(copy.get()), table.bytes.size()};
  table.owner = copy;
}

}  // namespace

Error SnapshotTable::damaged(const std::string& what) const { return damaged_snapshot(name, what); }

Result<SectionEntry> SnapshotTable::find(std::string_view section, SectionKind kind) const {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const auto& entry) {
    return entry.kind == kind && entry.name_view() == section;
  });
  if (found == sections.end()) {
    return damaged(fmt::format("section '{}' is missing", section));
  }
  return *found;
}

Result<SnapshotTable> open_table(const std::filesystem::path& path, const FileFormat& format,
                                 Env& env) {
  HELVE_ASSIGN(const auto file, env.files().map(path));
  SnapshotTable table;
  table.name = path.string();
  table.bytes = file->text();
  table.owner = file;
  align(table);
  HELVE_TRY(TableReader(table, format).run());
  return table;
}

Result<SnapshotTable> open_snapshot_table(const std::filesystem::path& folder, Env& env) {
  return open_table(folder / kSnapshotFileName, {SnapshotHeader::kMagic, kSnapshotFormat}, env);
}

}  // namespace helve::store
