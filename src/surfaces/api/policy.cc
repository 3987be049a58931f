#include "helve/policy.h"

#include <fmt/format.h>

#include "base/json.h"
#include "surfaces/api/state.h"

namespace helve::api {

namespace {

helve::Error out_of_range(const char* name, std::uint64_t min, std::uint64_t max) {
  return {helve::ErrorCode::InvalidInput,
          fmt::format("policy: {} must be from {} to {}", name, min, max),
          "leave it at its default, or choose a number within"};
}

}  // namespace

Result<Policy> Policy::from_json(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return to_public(parsed.error());
  auto read = toolkit::policy_from_json(*parsed);
  if (!read) return to_public(read.error());
  Policy policy;
  policy.read_only = read->read_only;
  policy.max_rows = read->max_rows;
  policy.rows_stored_max = read->rows_stored_max;
  policy.bytes_stored_max = read->bytes_stored_max;
  policy.max_chars = read->max_chars;
  policy.timeout_max = read->timeout_max;
  policy.memory_bytes_max = read->memory_bytes_max;
  policy.allowed_graphs = std::move(read->allowed_graphs);
  policy.allowed_endpoints = std::move(read->allowed_endpoints);
  policy.allowed_tools = std::move(read->allowed_tools);
  policy.allowed_paths = std::move(read->allowed_paths);
  policy.allowed_sources = std::move(read->allowed_sources);
  policy.allowed_tables = std::move(read->allowed_tables);
  policy.denied_tables = std::move(read->denied_tables);
  policy.denied_columns = std::move(read->denied_columns);
  return policy;
}

helve::Result<toolkit::Policy> checked_policy(const Policy& policy) {
  struct Range {
    const char* name;
    std::uint64_t value, min, max;
  };
  const Range ranges[] = {
      {"max_rows", policy.max_rows, 1, 1'000'000},
      {"rows_stored_max", policy.rows_stored_max, 1, 1'000'000'000},
      {"bytes_stored_max", policy.bytes_stored_max, 1'024, std::uint64_t{1} << 40},
      {"max_chars", policy.max_chars, toolkit::kCharsMin, 1'000'000},
      {"memory_bytes_max", policy.memory_bytes_max, 1 << 20, std::uint64_t{1} << 44},
  };
  for (const Range& range : ranges) {
    if (range.value < range.min || range.value > range.max) {
      return out_of_range(range.name, range.min, range.max);
    }
  }
  if (policy.timeout_max.count() <= 0 || policy.timeout_max > std::chrono::hours(24)) {
    return helve::Error{helve::ErrorCode::InvalidInput,
                        "policy: timeout_max must be above 0 and at most a day",
                        "leave it at its default of 300 seconds"};
  }
  toolkit::Policy checked;
  checked.read_only = policy.read_only;
  checked.max_rows = policy.max_rows;
  checked.rows_stored_max = policy.rows_stored_max;
  checked.bytes_stored_max = policy.bytes_stored_max;
  checked.max_chars = policy.max_chars;
  checked.timeout_max = policy.timeout_max;
  checked.memory_bytes_max = policy.memory_bytes_max;
  checked.allowed_graphs = policy.allowed_graphs;
  checked.allowed_endpoints = policy.allowed_endpoints;
  checked.allowed_tools = policy.allowed_tools;
  checked.allowed_paths = policy.allowed_paths;
  checked.allowed_sources = policy.allowed_sources;
  checked.allowed_tables = policy.allowed_tables;
  checked.denied_tables = policy.denied_tables;
  checked.denied_columns = policy.denied_columns;
  return checked;
}

}  // namespace helve::api
