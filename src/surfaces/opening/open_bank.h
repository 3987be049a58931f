// Opening a memory bank by the place that users write, for all surfaces.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_uri.h"
#include "toolkit/memory/bank.h"

namespace helve::opening {

struct BankInput {
  // A path, sqlite:PATH, or postgresql://user@host/database?password=env:NAME; search_path is the
  // schema that the bank is in.
  std::string place;
  std::filesystem::path folder;     // that paths in it are relative to; empty: where the process is
  bool is_made = true;              // where there is none; otherwise NotFound
  sql::ReadVariable read_variable;  // of the environment, for passwords
};

// Env must outlive it. InvalidInput for addresses of anything else.
Result<std::shared_ptr<memory::MemoryBank>> open_bank(const BankInput& input, Env& env,
                                                      const OpContext& context);

}  // namespace helve::opening
