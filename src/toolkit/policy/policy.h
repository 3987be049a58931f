// Policy and Caller: what a call may do, and who makes it. Held by the middleware (gate.h) around
// every call, never by a tool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
  // Of SQL databases: TableRules says how names are written. nullopt: all tables.
  std::optional<std::vector<std::string>> allowed_tables;
  std::vector<std::string> denied_tables;
  std::vector<std::string> denied_columns;
  // Of SERVICE; nothing is allowed unless it is here.
  std::vector<std::string> allowed_endpoints;
  // Only of a policy that is to be met with another: its list takes nothing from the other's. By
  // itself it allows nothing.
  bool leaves_endpoints = false;
  std::optional<std::set<std::string>> allowed_tools;
  // Folders that g_load and ont_load may read from; nullopt: any file the process may read.
  std::optional<std::vector<std::string>> allowed_paths;
  // Names of sources; nullopt: all that there are. Of others not even the names are told.
  std::optional<std::vector<std::string>> allowed_sources;
};

// Strict: an unknown key, a wrong type or a value out of range is an error, never a default. Keys
// that are not there are those of `base`.
Result<Policy> policy_from_json(const JsonValue& json, Policy base = {});

// What restricts nothing when it is met with another policy: the base of policies that are there to
// restrict others, as those of sources.
Policy unrestricted_policy();

// What both allow: the lesser of limits, the common part of lists. For folders that is the deeper
// one where one lies in the other.
Policy stricter(const Policy& a, const Policy& b);

// Whether the policy lets a source be seen.
bool allows_source(const Policy& policy, std::string_view name);

struct Caller {
  std::string identity = "local";
  std::string session = "default";
  std::shared_ptr<const Policy> policy = std::make_shared<const Policy>();  // never null
};

}  // namespace helve::toolkit
