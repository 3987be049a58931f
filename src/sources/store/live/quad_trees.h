// QuadTrees: the same changes in every order (quad_tree.h). An order that nobody has asked for is
// not there until someone does: a process that opens a store for one query needs two or three of
// them.
#pragma once

#include <memory>
#include <span>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/quad_tree.h"
#include "sources/store/permutation.h"

namespace helve::store {

// Immutable to who looks at it; thread-safe. Copies share everything.
class QuadTrees {
 public:
  QuadTrees();

  // The first time, it takes as long as sorting all changes does, for who else asks too.
  const QuadTree& operator[](Order order) const;
  // Whether it can be had without being made.
  bool is_made(Order order) const;

  // The next version. It has the orders that this one has, and those that any version before it was
  // asked for: whoever reads while others write does not make them for each state.
  // REQUIRES: keys in the order Spo, ascending, each once.
  Result<QuadTrees> apply(std::span<const TreeChange> changes, const OpContext& context) const;

 private:
  struct Version;
  explicit QuadTrees(std::shared_ptr<Version> version);

  std::shared_ptr<Version> version_;
};

}  // namespace helve::store
