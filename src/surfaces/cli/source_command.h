// helve source: what a connection to a database could do, and how to make one that can only read.
#pragma once

#include <string>

#include "surfaces/cli/command.h"

namespace helve::cli {

struct SourceOptions {
  std::string source;       // a URI, NAME=URI, or a name of the configuration
  std::string config_file;  // empty: none
  std::string policy_file;  // whose rules for tables hold too; empty: none
  std::string caller;       // whose policy it is checked for; empty: those of all callers
  bool is_json = false;
};

// Whether it can be reached, what it could do beyond reading, and whether its rights back the rules
// for tables that the policy has; Denied where it could do more, so that scripts see it. Where the
// policy lets it be changed, what changes need is not too much.
Result<void> run_source_check(const SourceOptions& options, CommandContext& context);
// The script that its owner runs, for these rules where there are any.
Result<void> run_source_setup(const SourceOptions& options, CommandContext& context);

}  // namespace helve::cli
