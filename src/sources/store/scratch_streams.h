// ScratchStreams: many sequences of codes that grow side by side, in one scratch file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/limits.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/store/code_column.h"
#include "sources/store/scratch_bytes.h"

namespace helve::store {

// Not thread-safe, but for_each() is once it is finished.
class ScratchStreams {
 public:
  ScratchStreams(const BuildPlace& place, std::size_t streams);

  // Call first: takes the memory for what is not written yet.
  Result<void> start();
  Result<void> add(std::size_t stream, Code code) {
    std::vector<Code>& held = streams_[stream].held;
    held.push_back(code);
    if (held.size() < held_max_) [[likely]]
      return {};
    return write(streams_[stream]);
  }
  Result<void> finish();

  // visit(codes) for the pieces of a stream, in the order in which they were added. REQUIRES:
  // finish() was called.
  template <typename Visit>
  void for_each(std::size_t stream, Visit&& visit) const {
    for (const Piece& piece : streams_[stream].pieces) {
      visit(std::span<const Code>(codes_.data() + piece.first, piece.size));
    }
  }

 private:
  static constexpr std::size_t kHeldBytesMax = 16 * kMiB;  // of all streams

  struct Piece {
    std::uint64_t first = 0;  // in codes_
    std::uint64_t size = 0;
  };
  struct Stream {
    std::vector<Code> held;
    std::vector<Piece> pieces;
  };

  Result<void> write(Stream& stream);

  MemoryCharge charge_;
  ScratchBytes out_;
  std::vector<Stream> streams_;
  std::size_t held_max_;  // of one stream
  Column<Code> codes_;
};

}  // namespace helve::store
