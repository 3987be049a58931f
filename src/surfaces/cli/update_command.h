// helve update and helve index compact: changes to an index folder.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "surfaces/cli/command.h"
#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct UpdateCommandOptions {
  std::string folder;
  std::string text;                // or:
  std::string file;                // -f; "-" is standard input
  std::vector<std::string> loads;  // places that LOAD may read from
  std::string base_iri;
  bool is_union = false;
  bool is_strict = false;
  bool creates = false;
  bool is_json = false;
};

Result<void> run_update_command(const UpdateCommandOptions& options, CommandContext& context);
Result<void> run_index_compact(const IndexOptions& options, CommandContext& context);

// Everything must outlive the parsing.
void add_update_command(CLI::App& app, UpdateCommandOptions& options, Command& chosen);

}  // namespace helve::cli
