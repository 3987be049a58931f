// Makes the text index of a snapshot: one walk over its IRIs and one over its labels, on all cores
// of the context, then a sort of the words.
#pragma once

#include <memory>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/text_index.h"

namespace helve::store {

// Work is charged to context.memory; what stays is charged to the process, since the index may
// outlive the call. LimitExceeded also for more than kNamesMax IRIs.
Result<std::shared_ptr<const TextIndex>> build_text_index(const Snapshot& snapshot,
                                                          const OpContext& context);

}  // namespace helve::store
