// Programs of this folder are their own workers (surfaces/worker): workbench.cc starts them so.
#pragma once

#include <optional>

namespace helve::proofs {

inline constexpr const char* kSqlWorkerRole = "sql-worker";

// The exit status, where the program was started as a worker.
std::optional<int> serve_as_sql_worker(int argc, char** argv);

}  // namespace helve::proofs
