// How the bytes of a RowTable lie, and a table on such bytes. The builder (row_table_builder.cc)
// fills the same parts in memory; row_table_bytes.cc reads and writes them as one piece.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "toolkit/handles/row_table.h"

namespace helve::toolkit {

// One piece of bytes, little endian: this header; u64 ends of the texts of the terms; u32 term
// numbers, column by column (0: unbound); u32 notes of the terms; u32 ends of the labels; labels
// (names of columns, then qualifiers); texts. No part needs to be aligned.
struct TableHeader {
  std::uint64_t magic = 0;
  std::uint64_t size = 0;      // of the whole
  std::uint64_t checksum = 0;  // of all behind this field
  std::uint64_t rows = 0;
  std::uint64_t characters = 0;
  std::uint64_t label_bytes = 0;
  std::uint64_t text_bytes = 0;
  std::uint32_t columns = 0;
  std::uint32_t terms = 0;
  std::uint32_t qualifiers = 0;
  std::uint32_t zero = 0;
};
static_assert(sizeof(TableHeader) == 72);

// "HLVROWS" and the version.
inline constexpr std::uint64_t kTableMagic = 0x0153574F52564C48;
inline constexpr std::size_t kChecksumEnd = 24;  // bytes of the header that the checksum leaves out
inline constexpr std::uint64_t kTableRowsMax = std::uint64_t{1} << 32;
inline constexpr std::uint32_t kTableColumnsMax = 1 << 16;
inline constexpr std::uint32_t kTableTermsMax = UINT32_MAX - 1;
inline constexpr std::uint32_t kQualifiersMax = (1 << 28) - 1;

// The note of a term: two bits of kind, two of direction, and the number of its qualifier (0:
// none). A qualifier is "@" and a language, or "^" and the IRI of a datatype.
inline constexpr std::uint32_t kKindMask = 3;
inline constexpr std::uint32_t kDirectionShift = 2;
inline constexpr std::uint32_t kQualifierShift = 4;

template <typename T>
T load_at(const char* base, std::uint64_t index) {
  T value;
  std::memcpy(&value, base + index * sizeof(T), sizeof(T));
  return value;
}

// Where everything is. Points into memory that the owner keeps.
struct TableParts {
  std::vector<std::string> columns;
  std::vector<std::string_view> qualifiers;
  std::uint64_t rows = 0;
  std::uint64_t characters = 0;
  std::uint32_t terms = 0;
  std::vector<const char*> cells;  // of each column: u32[rows]
  const char* text_ends = nullptr;
  const char* notes = nullptr;
  std::string_view texts;
  std::size_t memory_bytes = 0;  // what the table holds in memory
};

// The size of the whole as one piece, and the bytes.
std::uint64_t table_size(const TableHeader& header);
std::string table_bytes(const TableParts& parts);
// Puts the right checksum into bytes that begin with a header.
void seal_table(std::string& bytes);

RowTablePtr make_table(TableParts parts, std::shared_ptr<const void> owner);

}  // namespace helve::toolkit
