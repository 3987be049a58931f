// Opening and loading the documents named on the command line, with a progress bar.
#pragma once

#include <filesystem>

#include "sources/store/loader.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

Result<std::vector<rdf::Document>> open_inputs(const InputOptions& options,
                                               CommandContext& context);

// `graphs` and `scratch`: see store::LoadOptions.
Result<store::Loaded> load_inputs(std::vector<rdf::Document> documents, const InputOptions& options,
                                  CommandContext& context, std::vector<std::string> graphs = {},
                                  std::filesystem::path scratch = {});

// Tells of statements that a lenient read skipped.
void report_skipped(std::uint64_t skipped, const std::vector<Error>& problems,
                    const CommandContext& context);

}  // namespace helve::cli
