#include "sources/store/scratch_streams.h"

#include <algorithm>

#include "sources/store/snapshot_layout.h"

namespace helve::store {

ScratchStreams::ScratchStreams(const BuildPlace& place, std::size_t streams)
    : charge_(*place.memory, "numbering terms"),
      out_(place),
      streams_(streams),
      held_max_(std::clamp<std::size_t>(
          kHeldBytesMax / sizeof(Code) / std::max<std::size_t>(1, streams), 64, 64 * kKiB)) {}

Result<void> ScratchStreams::start() {
  return charge_.resize(streams_.size() * (held_max_ * sizeof(Code) + sizeof(Stream)));
}

Result<void> ScratchStreams::write(Stream& stream) {
  if (stream.held.empty()) return {};
  stream.pieces.push_back({out_.size() / sizeof(Code), stream.held.size()});
  HELVE_TRY(out_.append(bytes_of(stream.held.data(), stream.held.size())));
  stream.held.clear();
  return {};
}

Result<void> ScratchStreams::finish() {
  for (Stream& stream : streams_) {
    HELVE_TRY(write(stream));
    stream.held = {};
  }
  charge_.reset();
  HELVE_ASSIGN(codes_, out_.finish<Code>());
  return {};
}

}  // namespace helve::store
