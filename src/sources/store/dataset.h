// StoreDataset: a store as the evaluator wants it.
#pragma once

#include <memory>

#include "sources/sparql/engine/dataset.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Shares the snapshot. Thread-safe, as the snapshot is.
std::shared_ptr<const sparql::Snapshot> as_dataset(std::shared_ptr<const Snapshot> snapshot);

}  // namespace helve::store
