// Policy: what calls may do. It holds around every call, whatever the tool.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/export.h"

namespace helve::api {

// Whether a change is made only after somebody said yes to it.
enum class Confirmation : std::uint8_t {
  None,    // it is made at once
  Any,     // by a second call with the token of the first
  Person,  // by a person; where none can be asked it is refused
};

// What a record of a call holds.
enum class AuditMode : std::uint8_t { Off, Fingerprint, Full };

// A plain value.
struct HELVE_API Policy {
  bool read_only = true;
  // Of policies that are not read_only: tables may be made, changed and dropped too.
  bool allow_ddl = false;
  Confirmation require_confirmation = Confirmation::Any;
  std::uint64_t max_affected_rows = 1'000;  // of one statement, and of one transaction
  std::uint64_t snapshot_rows = 100;        // kept of before and after a change, at most
  // nullopt: recorded in full where there is an audit file. Where it is set and not Off, or the
  // call writes, a call that cannot be recorded is refused.
  std::optional<AuditMode> audit;
  std::uint64_t max_rows = 10'000;            // shown by one reply
  std::uint64_t rows_stored_max = 1'000'000;  // of one handle
  std::size_t bytes_stored_max = std::size_t{256} << 20;
  std::size_t max_chars = 20'000;  // ceiling of one reply, in each form
  std::chrono::nanoseconds timeout_max = std::chrono::seconds(300);
  std::size_t memory_bytes_max = std::size_t{4} << 30;  // of one call
  // nullopt: all that the source has. An empty list allows nothing.
  std::optional<std::vector<std::string>> allowed_graphs;
  std::vector<std::string> denied_graphs;  // wins over allowed_graphs, as all that is denied
  // Of SERVICE; nothing is allowed unless it is here.
  std::vector<std::string> allowed_endpoints;
  std::vector<std::string> denied_endpoints;
  std::optional<std::set<std::string>> allowed_tools;
  // Folders that g_load and ont_load may read from; nullopt: any file the process may read.
  std::optional<std::vector<std::string>> allowed_paths;
  // Names of sources; nullopt: all.
  std::optional<std::vector<std::string>> allowed_sources;
  // Of SQL databases, without case: "customer" or "sales.customer"; columns have their table before
  // them. SQLite holds this itself; other databases are refused where the rights of the connection
  // do not.
  std::optional<std::vector<std::string>> allowed_tables;
  std::vector<std::string> denied_tables;
  std::vector<std::string> denied_columns;
  // Of a table that has one here, nothing but these columns; nullopt: all of each table.
  std::optional<std::vector<std::string>> allowed_columns;

  // {"max_rows": 100, "timeout": 30, ...}: the names above, with timeout in seconds; what is not
  // there has its default. Strict: an unknown key, a wrong type or a value out of range is
  // InvalidInput.
  static Result<Policy> from_json(std::string_view json);
};

}  // namespace helve::api
