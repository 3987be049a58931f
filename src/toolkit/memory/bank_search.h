// Candidates for a question from a bank's file: items with its rarest terms first, as many as may
// be looked at.
#pragma once

#include "base/sqlite_store.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

Result<Candidates> find_candidates(sqlite::Store& store, const CandidateRequest& request);

}  // namespace helve::memory
