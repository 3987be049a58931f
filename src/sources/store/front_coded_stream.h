// FrontCodedStream: codes sorted strings that come one after the other, without keeping them in
// memory.
#pragma once

#include <string_view>
#include <utility>

#include "base/result.h"
#include "sources/store/front_coded.h"
#include "sources/store/packed_column_stream.h"
#include "sources/store/scratch_bytes.h"

namespace helve::store {

// The result is the one that FrontCodedBuilder makes of the same strings. Not thread-safe.
class FrontCodedStream {
 public:
  explicit FrontCodedStream(const BuildPlace& place) : bytes_(place), blocks_(place) {}

  // REQUIRES: not less than the one before.
  Result<void> add(std::string_view text) {
    if (coder_.is_at_block()) HELVE_TRY(blocks_.add(bytes_.size()));
    coder_.add(text, bytes_.buffer());
    return bytes_.settle();
  }
  std::uint64_t size() const { return coder_.size(); }
  // Call once, last.
  Result<FrontCoded> finish() {
    HELVE_ASSIGN(auto bytes, bytes_.finish<char>());
    HELVE_ASSIGN(auto blocks, blocks_.finish());
    return FrontCoded(std::move(bytes), std::move(blocks), coder_.size());
  }

 private:
  FrontCoder coder_;
  ScratchBytes bytes_;
  PackedColumnStream<std::uint64_t> blocks_;
};

}  // namespace helve::store
