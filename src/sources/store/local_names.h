// LocalNames: the text index of a local graph, opened from its folder or made at the first search.
#pragma once

#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/store/local_graph.h"
#include "sources/store/local_lazy.h"
#include "sources/store/text_index.h"

namespace helve::store {

// Thread-safe.
class LocalNames {
 public:
  explicit LocalNames(LocalFolder folder) : folder_(std::move(folder)) {}

  Result<std::vector<NameHit>> find(const Snapshot& snapshot, const FindRequest& request,
                                    const OpContext& context);

 private:
  using Index = std::shared_ptr<const TextIndex>;
  Result<Index> open_or_make(const Snapshot& snapshot, const OpContext& context);
  Result<Index> make(const Snapshot& snapshot, const OpContext& context) const;
  bool is_of_folder(const Snapshot& snapshot, const OpContext& context) const;
  Env& env() const { return folder_.env != nullptr ? *folder_.env : real_env(); }

  LocalFolder folder_;
  Lazy<TextIndex> index_;
};

}  // namespace helve::store
