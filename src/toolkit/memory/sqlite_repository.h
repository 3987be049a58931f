// A MemoryRepository in a SQLite file. bank_file.h has the file, bank_rows.h the rows.
#pragma once

#include <memory>

#include "base/env.h"
#include "base/shared_file.h"
#include "toolkit/memory/bank_file.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

// Env and shared files must outlive it. Changes of several threads that come while one is being
// written are written together: one commit acknowledges them all.
Result<std::unique_ptr<MemoryRepository>> open_sqlite_repository(const BankFileOptions& options,
                                                                 Env& env, SharedFiles& shared,
                                                                 const OpContext& context);

}  // namespace helve::memory
