// Guards of the sections of a mapped snapshot: a chunk is good when its checksum is right and when
// what it holds, whoever made it, leads no reader out of bounds.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "sources/store/chunk_guard.h"
#include "sources/store/chunk_sums.h"
#include "sources/store/damage.h"
#include "sources/store/front_coded.h"
#include "sources/store/packed_column.h"

namespace helve::store {

// Where a section is, for errors.
struct SectionPlace {
  std::string file;
  std::string section;
  std::uint64_t offset = 0;  // of the section in the file
  Damage* damage = nullptr;  // must outlive the guard

  // Takes note of damage at so many bytes from the section's start.
  void report(std::uint64_t at, const char* what) const;
};

// The error for a damaged snapshot.
Error damaged_snapshot(const std::string& file, const std::string& what);

// What values a column may have.
template <typename Value>
struct ValueBounds {
  Value least = 0;
  Value most = std::numeric_limits<Value>::max();
  bool (*is_valid)(Value) = nullptr;  // of those between, if not all
};

template <typename Value>
class ColumnGuard final : public ChunkGuard {
 public:
  using Packed = PackedColumn<Value>;

  // `column` has no guard of its own; `front` is that of ChunkSums.
  ColumnGuard(Packed column, const std::uint64_t* front, ValueBounds<Value> bounds,
              SectionPlace place)
      : ChunkGuard(Packed::chunks_of(column.size())),
        column_(std::move(column)),
        sums_(front, Packed::chunks_of(column_.size())),
        bounds_(bounds),
        place_(std::move(place)) {}

 protected:
  bool check(std::size_t chunk) const override;

 private:
  bool has_sound_places(std::uint64_t first, std::uint64_t last) const;
  bool has_valid_values(std::uint64_t block) const;
  std::uint64_t header_offset(std::uint64_t block) const;

  Packed column_;
  ChunkSums sums_;
  ValueBounds<Value> bounds_;
  SectionPlace place_;
};

class StringsGuard final : public ChunkGuard {
 public:
  // The bytes of `strings` have no guard, its blocks have one.
  StringsGuard(FrontCoded strings, const std::uint64_t* front, SectionPlace place)
      : ChunkGuard(FrontCoded::chunks_of(strings.size())),
        strings_(std::move(strings)),
        sums_(front, FrontCoded::chunks_of(strings_.size())),
        place_(std::move(place)) {}

 protected:
  bool check(std::size_t chunk) const override;

 private:
  bool has_sound_strings(std::uint64_t chunk) const;

  FrontCoded strings_;
  ChunkSums sums_;
  SectionPlace place_;
};

}  // namespace helve::store
