// Jobs of an experiment, several at once.
#pragma once

#include <functional>

#include "base/executor.h"
#include "base/op_context.h"

namespace helve::agent {

// In this order; `parallel` 0: as many at once as there are cores. The first error ends it, once
// those that run are back.
inline Result<void> run_jobs(std::size_t count, std::size_t parallel, const OpContext& context,
                             const std::function<Result<void>(std::size_t)>& job) {
  const std::size_t at_once = parallel == 0 ? usable_cores() : parallel;
  if (at_once == 1) {
    for (std::size_t i = 0; i < count; ++i) HELVE_TRY(job(i));
    return {};
  }
  // The caller takes part.
  Executor executor(at_once - 1);
  return executor.parallel_for(count, context, job);
}

}  // namespace helve::agent
