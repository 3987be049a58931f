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

// Whether a change must be confirmed before it is made.
enum class Confirmation : std::uint8_t {
  None,     // no: it is made at once
  TwoStep,  // by a person if ToolsOptions::confirm is set, or else by a second call with a token
  Person,   // by a person (ToolsOptions::confirm); refused if it is not set
};

// What the audit record of a call contains.
enum class AuditMode : std::uint8_t { Off, Fingerprint, Full };

// A plain value.
struct HELVE_API Policy {
  // Generated from the table of policy keys: see docs/policies.md.
  // Tools that may be called, by name.
  std::optional<std::set<std::string>> allowed_tools;
  // Sources that may be used, by name. The names of other sources are not shown.
  std::optional<std::vector<std::string>> allowed_sources;
  // Named graphs that can be read. Everything else is hidden, the default graph too.
  std::optional<std::vector<std::string>> allowed_graphs;
  // Graphs that are hidden. Without `allowed_graphs` all others can be read, the default graph too.
  std::vector<std::string> denied_graphs;
  // Tables of SQL databases that can be read: `"customer"` or `"sales.customer"`, without case
  // ([sql.md](sql.md)).
  std::optional<std::vector<std::string>> allowed_tables;
  // Tables that are hidden.
  std::vector<std::string> denied_tables;
  // Columns, such as `"customer.name"`. A table with a column here shows only these; other tables
  // show all columns.
  std::optional<std::vector<std::string>> allowed_columns;
  // Columns that are hidden.
  std::vector<std::string> denied_columns;
  // Functions of a SQL database's own that statements may call, besides those that only compute:
  // `"score"` or `"sales.score"`, as the database has them.
  std::vector<std::string> allowed_functions;
  // SPARQL endpoints that SERVICE and `service_desc` may ask. The names of other endpoints in files
  // are still shown.
  std::vector<std::string> allowed_endpoints;
  // Endpoints that are never asked.
  std::vector<std::string> denied_endpoints;
  // Folders from which tools may load files. Those of a policy file are relative to it.
  std::vector<std::string> allowed_paths;
  // No tool may change a source. A database is opened for writing only if the policy of some caller
  // has `false`.
  bool read_only = true;
  // Tools may write the memory bank, if the operator named it for writing (`--bank`). `false`: they
  // only read it.
  bool memory_writes = true;
  // Tables may be created, changed and dropped.
  bool allow_ddl = false;
  // `true` or `"person"`: a person must confirm each change; where no person can be asked it is
  // refused. `"two_step"`: where no person can be asked, a second call with a token confirms, which
  // a model can make itself. `false`: changes are made at once.
  Confirmation require_confirmation = Confirmation::Person;
  // Rows that one statement, and one transaction, may change.
  std::uint64_t max_affected_rows = 1000;
  // Rows that one session may change, in all its transactions.
  std::uint64_t max_affected_rows_per_session = 10000;
  // Rows that all sessions of one caller may change within an hour.
  std::uint64_t max_affected_rows_per_hour = 10000;
  // Rows stored from before and after a change.
  std::uint64_t snapshot_rows = 100;
  // Rows in one reply.
  std::uint64_t max_rows = 10000;
  // Characters in one reply, in each form.
  std::size_t max_chars = 20000;
  // Rows in one stored result.
  std::uint64_t rows_stored_max = 1000000;
  // Bytes of one stored result.
  std::size_t bytes_stored_max = 268435456;
  // Seconds that one call may take.
  std::chrono::nanoseconds timeout_max = std::chrono::seconds(300);
  // Bytes of memory that one call may use.
  std::size_t memory_bytes_max = 4294967296;
  // `true` or `"full"`; `"fingerprint"`: hashes instead of queries; `false` or `"off"`. If it is
  // set and not off, calls that cannot be recorded are refused ([audit.md](audit.md)). Default: in
  // full where there is an audit file.
  std::optional<AuditMode> audit;
  // End of the generated part.

  // {"max_rows": 100, "timeout": 30, ...}: the names above, with timeout in seconds; what is not
  // there has its default. Strict: an unknown key, a wrong type or a value out of range is
  // InvalidInput.
  static Result<Policy> from_json(std::string_view json);
};

}  // namespace helve::api
