// The arguments of `helve serve`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/cli/store_arguments.h"

namespace helve::cli {

struct ServeCommandOptions {
  QueryOptions query;  // where the data come from, and how queries are read
  std::string http = "127.0.0.1:8080";
  std::string token;  // env:NAME or file:PATH
  bool is_writable = false;
  std::string write_token;  // the same
  std::string body_max;     // a size; empty: the server's own
  std::vector<std::string> loads;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> cors_origins;
  std::optional<std::uint64_t> rows_max;
  std::size_t queries_max = 32;
};

// `from` is the word behind --from.
void add_serve_command(CLI::App& app, ServeCommandOptions& options, std::string& from,
                       Command& chosen);

// Serves until a signal comes. One line on standard output says where, when it can be asked.
Result<void> run_serve(const ServeCommandOptions& options, CommandContext& context);

}  // namespace helve::cli
