// The layout of a snapshot on disk, shared by who writes and who reads it: a header, a table of
// sections, the sections. All numbers are little-endian; everything between sections is zero.
//
// Three kinds of sections are used in place: they start with a checksum for each chunk, which is
// what is checked at its first use, and with checksums of those (chunk_sums.h). The table has a
// checksum of the latter, and one of the whole of a plain section, which are checked when the file
// is opened.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sources/store/dictionary.h"
#include "sources/store/front_coded.h"
#include "sources/store/packed_column.h"
#include "sources/store/permutation.h"

namespace helve::store {

inline constexpr std::string_view kSnapshotFileName = "helve-index";
inline constexpr std::string_view kNamesFileName = "helve-names";  // text_index_file.h
inline constexpr std::string_view kLogPrefix = "helve-log-";       // live/change_log.h
inline constexpr std::string_view kLockFileName = "helve-lock";    // of who writes

// What tells a kind of file from others.
struct FileFormat {
  std::array<char, 8> magic;
  std::uint32_t version;
};

struct SnapshotHeader {
  static constexpr std::array<char, 8> kMagic = {'H', 'E', 'L', 'V', 'E', 'I', 'D', 'X'};
  static constexpr std::uint32_t kByteOrder = 0x0A0B0C0D;

  std::array<char, 8> magic = kMagic;
  std::uint32_t byte_order = kByteOrder;
  std::uint32_t format = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t sections = 0;
  std::uint64_t table_checksum = 0;
  std::array<std::uint64_t, 2> unused{};
  std::uint64_t checksum = 0;  // of all before it
};
static_assert(sizeof(SnapshotHeader) == 64);

enum class SectionKind : std::uint64_t {
  Plain = 1,    // bytes
  Codes = 2,    // PackedColumn<std::uint32_t>: checksums, headers, data
  Numbers = 3,  // PackedColumn<std::uint64_t>: the same
  Strings = 4,  // FrontCoded: checksums, bytes; its blocks are a section of their own
};

struct SectionEntry {
  std::array<char, 24> name{};  // filled up with zeroes
  SectionKind kind = SectionKind::Plain;
  std::uint64_t offset = 0;  // a multiple of kSectionAlignment, right behind the one before it
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  // values or strings; of a plain section, bytes
  std::uint64_t checksum = 0;

  std::string_view name_view() const {
    const std::string_view whole(name.data(), name.size());
    return whole.substr(0, whole.find('\0'));
  }
};
static_assert(sizeof(SectionEntry) == 64);

inline constexpr std::uint64_t kSectionAlignment = 64;
inline constexpr std::uint64_t kSectionsMax = 1'024;

constexpr std::uint64_t align_section(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

// Chunks of a section, each of which has a checksum at its front.
std::uint64_t chunks_of(SectionKind kind, std::uint64_t count);

// A fast 64-bit checksum (XXH3). `seed` chains parts.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

// Of a chunk of a column: its headers and the one behind them, and its data. REQUIRES: the places
// in its headers do not fall and lie within the data.
template <typename Value>
std::uint64_t chunk_checksum(const PackedColumn<Value>& column, std::uint64_t chunk);
// Of a chunk of strings. REQUIRES: the same of its blocks.
std::uint64_t chunk_checksum(const FrontCoded& strings, std::uint64_t chunk);
// Where it lies in the bytes of the strings.
std::string_view chunk_text(const FrontCoded& strings, std::uint64_t chunk);

template <typename T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

// Names of sections, of at most 24 characters.
std::string column_section(Order order, std::size_t depth);   // "spo.object"
std::string directory_section(Part part);                     // "subject.rows"
std::string strings_section(Tag tag, std::string_view what);  // "iri.text"
inline constexpr std::string_view kInlinedSection = "inlined";
inline constexpr std::string_view kNumbersSection = "numbers";
inline constexpr std::string_view kQualifiersSection = "qualifiers";
inline constexpr std::string_view kNamesSection = "names";  // of predicates and graphs
inline constexpr std::string_view kPrefixesSection = "prefixes";
inline constexpr std::string_view kOriginSection = "origin";
inline constexpr std::string_view kStatisticsSection = "statistics";
inline constexpr std::string_view kSetsSection = "characteristic_sets";

// An order that has the directory of this leading part.
constexpr Order directory_order(Part part) {
  switch (part) {
    case Part::Subject:
      return Order::Spo;
    case Part::Predicate:
      return Order::Pso;
    case Part::Object:
      return Order::Osp;
    case Part::Graph:
      break;
  }
  return Order::Gspo;
}

}  // namespace helve::store
