#include "surfaces/cli/store_arguments.h"

#include <fmt/core.h>

#include "surfaces/cli/update_command.h"

namespace helve::cli {

namespace {

void add_load(CLI::App& app, LoadCommandOptions& options, std::string& from, Command& chosen) {
  CLI::App* const command =
      app.add_subcommand("load", "Make an index folder of RDF files, to be opened at once");
  command->footer(
      "\nThe folder takes the place of the files in query, info and convert.\n"
      "Files are read side by side as one dataset; '-' is standard input.\n"
      "What does not fit into --memory is sorted on disk, so that the data may be far larger.\n\n"
      "  helve load data.nt.gz more.ttl -o data.helve\n"
      "  helve query data.helve 'SELECT * { ?s ?p ?o } LIMIT 10'");
  command->add_option("FILE", options.input.paths, "Files to read; '-' for standard input");
  command->add_option("-o,--output", options.output, "Folder to make")->required();
  command->add_flag("--force", options.is_forced, "Replace an index that is there");
  command
      ->add_option("--named-graph", options.named_graphs,
                   "IRI=FILE: a file for the graph with this IRI; can be given several times")
      ->allow_extra_args(false);
  command->add_flag("--json", options.is_json, "Print the report as JSON");
  add_input_options(*command, options.input, from);
  choose(*command, chosen, run_load, options);
}

void add_index_export(CLI::App& index, IndexExportOptions& options, Command& chosen) {
  CLI::App* const command =
      index.add_subcommand("export", "Write all of its statements as a file of RDF");
  command->footer(
      "\nStatements are written as they lie in the index, in constant memory.\n\n"
      "  helve index export data.helve -o data.nq.gz\n"
      "  helve index export data.helve --to ntriples | wc -l");
  command->add_option("DIR", options.folder, "Index folder")->required();
  command->add_option("-o,--output", options.output, "File to write; '-' for standard output")
      ->capture_default_str();
  command->add_option(
      "--to", options.to,
      fmt::format("Format: {}; default: by the name, else N-Triples or N-Quads", kFormats));
  choose(*command, chosen, run_index_export, options);
}

void add_index(CLI::App& app, IndexOptions& options, IndexExportOptions& exported,
               Command& chosen) {
  CLI::App* const index = app.add_subcommand(
      "index", "Look at an index folder, check or export it, or merge its changes");
  index->require_subcommand(1);
  CLI::App* const info = index->add_subcommand("info", "Show what it holds and how large it is");
  info->add_option("DIR", options.folder, "Index folder")->required();
  info->add_flag("--json", options.is_json, "Print JSON");
  choose(*info, chosen, run_index_info, options);
  CLI::App* const verify =
      index->add_subcommand("verify", "Read all of it, and check that it is whole");
  verify->add_option("DIR", options.folder, "Index folder")->required();
  choose(*verify, chosen, run_index_verify, options);
  CLI::App* const compact = index->add_subcommand(
      "compact", "Merge the changes of updates into it, while others read it");
  compact->add_option("DIR", options.folder, "Index folder")->required();
  choose(*compact, chosen, run_index_compact, options);
  add_index_export(*index, exported, chosen);
}

void add_cache(CLI::App& app, CacheCommandOptions& options, Command& chosen) {
  CLI::App* const cache =
      app.add_subcommand("cache", "Show or clear the snapshots of files that were read");
  cache->footer(
      "\nquery and info keep snapshots of larger files, so that the next call starts at once.\n"
      "HELVE_CACHE=off turns that off, HELVE_CACHE_DIR says where, HELVE_CACHE_SIZE how much "
      "(2G).");
  cache->require_subcommand(1);
  CLI::App* const info = cache->add_subcommand("info", "Show what is cached");
  info->add_flag("--json", options.is_json, "Print JSON");
  choose(*info, chosen, run_cache_info, options);
  cache->add_subcommand("clear", "Remove all of it")->callback([&chosen] {
    chosen = run_cache_clear;
  });
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& input, std::string& from) {
  command.add_option("--from", from,
                     fmt::format("Format of the input: {}; default: by its content", kFormats));
  command.add_option("--base", input.base_iri,
                     "Base IRI for relative IRIs; default: the file's own");
  command.add_flag("--lenient", input.is_lenient,
                   "Skip bad statements, count them and show the first ten");
}

void add_cache_switch(CLI::App& command, InputOptions& input) {
  command.add_flag(
      "--no-cache", [&input](std::int64_t /*count*/) { input.uses_cache = false; },
      "Read the files themselves, and keep no snapshot of them");
}

void add_data_options(CLI::App& command, QueryOptions& query, std::string& from) {
  command.add_flag("--union", query.is_union,
                   "Let the default graph be all graphs of the data as one");
  command
      .add_option("--default-graph", query.default_graphs,
                  "Another file for the default graph; can be given several times")
      ->allow_extra_args(false);
  command
      .add_option("--named-graph", query.named_graphs,
                  "IRI=FILE: a file for the graph with this IRI; can be given several times")
      ->allow_extra_args(false);
  command.add_flag("--strict", query.is_strict, "Every prefix must be declared in the query");
  command.add_option("--from", from,
                     fmt::format("Format of the files: {}; default: by their content", kFormats));
  command.add_flag("--lenient", query.input.is_lenient,
                   "Skip bad statements, count them and show the first ten");
  add_cache_switch(command, query.input);
}

void add_store_commands(CLI::App& app, StoreArguments& arguments, std::string& from,
                        Command& chosen) {
  add_load(app, arguments.load, from, chosen);
  add_index(app, arguments.index, arguments.index_export, chosen);
  add_cache(app, arguments.cache, chosen);
}

}  // namespace helve::cli
