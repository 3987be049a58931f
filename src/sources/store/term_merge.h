// Merges the terms of batches into the dictionary of a SnapshotStream, and keeps which code each
// term of a batch has got.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/load_batch.h"
#include "sources/store/scratch_streams.h"
#include "sources/store/snapshot_stream.h"

namespace helve::store {

// Not thread-safe but for codes(). What it is given must outlive it.
class TermMerge {
 public:
  TermMerge(const std::vector<LoadBatch>& batches, const BuildPlace& place,
            const OpContext& context);

  // Sections side by side on context.executor. `done` grows by one for each term of a batch. The
  // terms of the batches are not needed afterwards.
  Result<void> run(SnapshotStream& stream, std::atomic<std::uint64_t>& done);

  // By term of a batch. REQUIRES: run() was called.
  std::vector<Code> codes(std::size_t batch) const;

 private:
  static constexpr std::size_t kKinds = Dictionary::kSections + 1;  // and inlined terms

  std::vector<std::string> merge_qualifiers();
  Result<void> merge_section(std::size_t section, SnapshotStream& stream,
                             std::atomic<std::uint64_t>& done);
  Result<void> merge_inlined(SnapshotStream& stream, std::atomic<std::uint64_t>& done);

  const std::vector<LoadBatch>& batches_;
  const OpContext& context_;
  std::vector<std::vector<std::uint32_t>> qualifiers_;  // by batch and qualifier: of all
  // By kind, then by batch: the place of each term within its section.
  std::vector<std::unique_ptr<ScratchStreams>> places_;
  std::array<std::uint64_t, kKinds> starts_{};  // in codes
};

}  // namespace helve::store
