// Policy and Caller: what a call may do, and who makes it. Held by the middleware (gate.h) around
// every call, never by a tool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::toolkit {

struct Policy {
  bool read_only = true;
  std::uint64_t max_rows = 10'000;            // shown by one reply
  std::uint64_t rows_stored_max = 1'000'000;  // of one handle
  std::size_t bytes_stored_max = std::size_t{256} << 20;
  std::size_t max_chars = 20'000;  // ceiling of one reply, in each form
  Duration timeout_max = std::chrono::seconds(300);
  std::size_t memory_bytes_max = std::size_t{4} << 30;  // of one call
  // nullopt: all that the source has. An empty list allows nothing.
  std::optional<std::vector<std::string>> allowed_graphs;
  // Of SERVICE; nothing is allowed unless it is here.
  std::vector<std::string> allowed_endpoints;
  std::optional<std::set<std::string>> allowed_tools;
  // Folders that g_load and ont_load may read from; nullopt: any file the process may read.
  std::optional<std::vector<std::string>> allowed_paths;
};

// Strict: an unknown key, a wrong type or a value out of range is an error, never a default.
Result<Policy> policy_from_json(const JsonValue& json);

struct Caller {
  std::string identity = "local";
  std::string session = "default";
  std::shared_ptr<const Policy> policy = std::make_shared<const Policy>();  // never null
};

}  // namespace helve::toolkit
