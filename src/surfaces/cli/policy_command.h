// helve policy check and test: what a policy file lets whom do, in words, and the verdict on one
// call. Neither changes or executes anything.
#pragma once

#include <string>
#include <vector>

#include "surfaces/cli/command.h"

namespace helve::cli {

struct PolicyCheckOptions {
  std::string file;
  bool is_json = false;
};

struct PolicyTestOptions {
  std::string file;
  std::vector<std::string> words;    // the tool and its arguments
  std::string caller;                // empty: "local"
  std::vector<std::string> sources;  // NAME=URI or URI
  bool is_json = false;
};

// What cannot be read is an error; warnings are none.
Result<void> run_policy_check(const PolicyCheckOptions& options, CommandContext& context);
// Denied where the call would be.
Result<void> run_policy_test(const PolicyTestOptions& options, CommandContext& context);

}  // namespace helve::cli
