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

// The words of both are in the same order.
static_assert(static_cast<int>(Confirmation::Person) ==
              static_cast<int>(toolkit::Confirmation::Person));
static_assert(static_cast<int>(AuditMode::Full) == static_cast<int>(toolkit::AuditMode::Full));

// All that has the same type in both.
template <typename From, typename To>
void copy_rules(const From& from, To& to) {
  to.read_only = from.read_only;
  to.allow_ddl = from.allow_ddl;
  to.max_affected_rows = from.max_affected_rows;
  to.snapshot_rows = from.snapshot_rows;
  to.max_rows = from.max_rows;
  to.rows_stored_max = from.rows_stored_max;
  to.bytes_stored_max = from.bytes_stored_max;
  to.max_chars = from.max_chars;
  to.timeout_max = from.timeout_max;
  to.memory_bytes_max = from.memory_bytes_max;
  to.allowed_graphs = from.allowed_graphs;
  to.denied_graphs = from.denied_graphs;
  to.allowed_endpoints = from.allowed_endpoints;
  to.denied_endpoints = from.denied_endpoints;
  to.allowed_tools = from.allowed_tools;
  to.allowed_paths = from.allowed_paths;
  to.allowed_sources = from.allowed_sources;
  to.allowed_tables = from.allowed_tables;
  to.denied_tables = from.denied_tables;
  to.allowed_columns = from.allowed_columns;
  to.denied_columns = from.denied_columns;
}

}  // namespace

Result<Policy> Policy::from_json(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return to_public(parsed.error());
  auto read = toolkit::policy_from_json(*parsed);
  if (!read) return to_public(read.error());
  Policy policy;
  copy_rules(*read, policy);
  policy.require_confirmation = static_cast<Confirmation>(read->require_confirmation);
  if (read->audit) policy.audit = static_cast<AuditMode>(*read->audit);
  return policy;
}

helve::Result<toolkit::Policy> checked_policy(const Policy& policy) {
  struct Range {
    const char* name;
    std::uint64_t value, min, max;
  };
  const Range ranges[] = {
      {"max_rows", policy.max_rows, 1, 1'000'000},
      {"max_affected_rows", policy.max_affected_rows, 0, 1'000'000'000},
      {"snapshot_rows", policy.snapshot_rows, 0, 10'000},
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
  copy_rules(policy, checked);
  checked.require_confirmation = static_cast<toolkit::Confirmation>(policy.require_confirmation);
  if (policy.audit) checked.audit = static_cast<toolkit::AuditMode>(*policy.audit);
  HELVE_TRY(toolkit::check_names(checked));
  return checked;
}

}  // namespace helve::api
