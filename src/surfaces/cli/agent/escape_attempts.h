// What code in a sandbox must not be able to do, tried by code in a sandbox.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/sandbox/sandbox.h"

namespace helve::cli {

struct AttemptOutcome {
  std::string what;
  bool is_refused = false;
  std::string detail;  // how it was refused, or what came instead
};

// Where an attempt costs the session, the next has a new one with the same options. None of them
// leaves anything behind on a machine that refuses nothing.
Result<std::vector<AttemptOutcome>> try_to_escape(std::unique_ptr<sandbox::Sandbox> session,
                                                  const sandbox::SandboxOptions& options,
                                                  const OpContext& context);

}  // namespace helve::cli
