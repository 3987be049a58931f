// The arguments of load, index and cache, and those that all commands share that read graphs.
// Beside cli.cc, the only one that knows CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "surfaces/cli/command.h"

namespace helve::cli {

inline constexpr const char* kFormats = "turtle, trig, ntriples, nquads, rdfxml";

using Command = std::function<Result<void>(CommandContext&)>;

// `chosen` becomes the call of `run` when the arguments name the command.
template <typename Options>
void choose(CLI::App& command, Command& chosen,
            Result<void> (*run)(const Options&, CommandContext&), const Options& options) {
  command.callback([&chosen, run, &options] {
    chosen = [run, &options](CommandContext& context) { return run(options, context); };
  });
}

struct StoreArguments {
  LoadCommandOptions load;
  IndexOptions index;
  IndexExportOptions index_export;
  CacheCommandOptions cache;
};

// --from (into `from`), --base and --lenient.
void add_input_options(CLI::App& command, InputOptions& input, std::string& from);
// --no-cache.
void add_cache_switch(CLI::App& command, InputOptions& input);
// Where the data of queries come from, and how strictly all is read. `from` is the word behind
// --from.
void add_data_options(CLI::App& command, QueryOptions& query, std::string& from);

// Everything must outlive the parsing; `chosen` becomes the command that was called.
void add_store_commands(CLI::App& app, StoreArguments& arguments, std::string& from,
                        Command& chosen);

}  // namespace helve::cli
