// ExternalBuild: from batches that loading threads put aside to a Snapshot that lies in scratch
// files. The same result as SnapshotAssembly, which works in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/load_batch.h"
#include "sources/store/loading_sink.h"
#include "sources/store/row_merge.h"
#include "sources/store/snapshot_stream.h"
#include "sources/store/stage_work.h"
#include "sources/store/term_merge.h"

namespace helve::store {

// Scratch files go into a folder of their own within `folder`, made when the first batch comes. The
// steps come in this order, each once; only add_batch() is thread-safe.
class ExternalBuild {
 public:
  ExternalBuild(std::filesystem::path folder, Env& env, const OpContext& context)
      : folder_(std::move(folder)), env_(env), context_(context) {}

  // How much a loading thread may hold, so that all of them can put it aside within the budget.
  std::size_t batch_bytes() const;
  Result<void> add_batch(LoadingSink& sink);
  bool has_batches() const { return !batches_.empty(); }

  Result<void> number_terms(StageWork& work);
  Result<void> sort(StageWork& work);
  // `prefixes` ascend.
  Result<std::shared_ptr<const Snapshot>> count(
      std::vector<std::pair<std::string, std::string>> prefixes);

 private:
  // Each batch has two mappings, of which a process cannot have any number.
  static constexpr std::size_t kBatchesMax = 16'384;

  Result<BuildPlace> place();
  std::size_t threads() const;
  Result<void> derive_all(bool has_named_graphs, StageWork& work);

  const std::filesystem::path folder_;
  Env& env_;
  const OpContext& context_;
  std::mutex mutex_;
  std::unique_ptr<ScratchSpace> scratch_;
  std::vector<LoadBatch> batches_;
  std::optional<SnapshotStream> stream_;
  std::optional<TermMerge> terms_;
};

}  // namespace helve::store
