// Terms that came and went with the changes of a store: what its dictionary would have more, or
// less, after a load of the same statements.
#pragma once

#include <optional>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// Ascending, each once.
struct ChangedTerms {
  std::vector<Id> come;  // inlined ones too
  std::vector<Id> gone;
};

// Some look-ups for each term of a changed statement. `only`: of one kind of term.
Result<ChangedTerms> find_changed_terms(const LiveSnapshot& snapshot, const OpContext& context,
                                        std::optional<Tag> only = std::nullopt);

}  // namespace helve::store
