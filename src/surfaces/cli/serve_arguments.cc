#include "surfaces/cli/serve_arguments.h"

#include <fmt/core.h>

namespace helve::cli {

namespace {

class ServeFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] SOURCE...\n", name);
  }
};

}  // namespace

void add_serve_command(CLI::App& app, ServeCommandOptions& options, std::string& from,
                       Command& chosen) {
  CLI::App* const command = app.add_subcommand("serve", "Serve graphs to SPARQL clients over HTTP");
  command->formatter(std::make_shared<ServeFormatter>());
  command->footer(
      "\nAnswers queries of the SPARQL 1.1 Protocol at /sparql, which describes itself where it "
      "is\n"
      "asked nothing, and tells what the data is made of at /.well-known/void. A query may take\n"
      "30 s; --timeout changes that. Graphs are read at /graphs, by the Graph Store Protocol. All "
      "is\n"
      "read-only unless --writable says otherwise; no SERVICE. docs/serve.md tells more.\n\n"
      "  helve serve data.ttl\n"
      "  helve serve data.helve --http 127.0.0.1:3030 --timeout 10s --max-rows 100000\n"
      "  helve serve data.helve --http 0.0.0.0:80 --token env:TOKEN --allow-host data.example.org\n"
      "  helve serve data.helve --writable --write-token env:TOKEN");
  command->add_option("SOURCE", options.query.words,
                      "Files to read, an index folder, or sample: for the bundled sample");
  add_data_options(*command, options.query, from);
  command->add_option("--http", options.http, "HOST:PORT to listen on; port 0: any that is free")
      ->capture_default_str();
  command->add_option("--token", options.token,
                      "Bearer token that clients need: env:NAME or file:PATH");
  command->add_flag("--writable", options.is_writable,
                    "Take updates, and graphs by PUT, POST and DELETE, into an index folder");
  command->add_option("--write-token", options.write_token,
                      "Bearer token of those who may write; without it, --token is");
  command->add_option("--max-body", options.body_max,
                      "Size of a body of those who may write; 64M by default");
  command
      ->add_option("--allow-load", options.loads,
                   "Folder or file that LOAD of updates may read; can be given several times")
      ->allow_extra_args(false);
  command
      ->add_option("--allow-host", options.allowed_hosts,
                   "Name under which the server may be asked; can be given several times")
      ->allow_extra_args(false);
  command
      ->add_option("--cors", options.cors_origins,
                   "Origin whose pages may read answers: https://app.example.org; can be given "
                   "several times")
      ->allow_extra_args(false);
  command
      ->add_option("--max-rows", options.rows_max,
                   "Rows or statements of an answer; what is cut says so")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  command->add_option("--max-queries", options.queries_max, "Queries at once; beyond: busy")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}))
      ->capture_default_str();
  choose(*command, chosen, run_serve, options);
}

}  // namespace helve::cli
