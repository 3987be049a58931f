// Opening SQL databases by their URIs, for all surfaces. open_graph.h does it for graphs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "sources/sql/database_uri.h"
#include "sources/table_source.h"

namespace helve::opening {

struct TablesInput {
  std::string name;
  std::string uri;               // sqlite:PATH, postgresql://..., mysql://...
  std::filesystem::path folder;  // that paths in it are relative to; empty: where the process is
  std::vector<std::string> worker_command;  // of SQLite
  sql::ReadVariable read_variable;          // of the environment, for passwords
};

// Connects to nothing yet. InvalidInput for what is no such URI, NotFound for files that are not
// there.
Result<std::shared_ptr<const TableSource>> open_tables(const TablesInput& input, Env& env);

// The address, with paths relative to the folder; what can be told before opening.
Result<sql::DatabaseAddress> read_address(std::string_view uri,
                                          const std::filesystem::path& folder);

}  // namespace helve::opening
