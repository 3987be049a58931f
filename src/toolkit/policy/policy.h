// Policy and Caller: what a call may do, and who makes it. Held by the middleware (gate.h) around
// every call, never by a tool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::toolkit {

// Whether a change is made only after somebody said yes to it.
enum class Confirmation : std::uint8_t {
  None,    // it is made at once
  Any,     // by a person where the surface can ask one, otherwise by a second call with a token
  Person,  // by a person; where none can be asked it is refused
};
std::string_view name_of(Confirmation confirmation);  // "none"

// What a record of a call holds.
enum class AuditMode : std::uint8_t {
  Off,          // there is none
  Fingerprint,  // not the text of the query, but its hash
  Full,
};
std::string_view name_of(AuditMode mode);  // "off"

struct Policy {
  bool read_only = true;
  // Of policies that are not read_only: tables may be made, changed and dropped too.
  bool allow_ddl = false;
  Confirmation require_confirmation = Confirmation::Any;
  std::uint64_t max_affected_rows = 1'000;  // of one statement, and of one transaction
  std::uint64_t snapshot_rows = 100;        // before and after a change, at most
  // nullopt: recorded in full where there is an audit file. Where it is set and not Off, or the
  // call writes, a call that cannot be recorded is refused.
  std::optional<AuditMode> audit;
  std::uint64_t max_rows = 10'000;            // shown by one reply
  std::uint64_t rows_stored_max = 1'000'000;  // of one handle
  std::size_t bytes_stored_max = std::size_t{256} << 20;
  std::size_t max_chars = 20'000;  // ceiling of one reply, in each form
  Duration timeout_max = std::chrono::seconds(300);
  std::size_t memory_bytes_max = std::size_t{4} << 30;  // of one call
  // nullopt: all that the source has. An empty list allows nothing.
  std::optional<std::vector<std::string>> allowed_graphs;
  std::vector<std::string> denied_graphs;  // wins over allowed_graphs, as all that is denied
  // Of SQL databases: TableRules says how names are written. nullopt: all tables.
  std::optional<std::vector<std::string>> allowed_tables;
  std::vector<std::string> denied_tables;
  std::vector<std::string> denied_columns;
  std::optional<std::vector<std::string>> allowed_columns;  // nullopt: all
  // Of SERVICE and service_desc; nothing is allowed unless it is here.
  std::vector<std::string> allowed_endpoints;
  std::vector<std::string> denied_endpoints;
  // Only of a policy that is to be met with another: its list takes nothing from the other's. By
  // itself it allows nothing.
  bool leaves_endpoints = false;
  std::optional<std::set<std::string>> allowed_tools;
  // Folders that tools may read files from; nullopt: any file the process may read.
  std::optional<std::vector<std::string>> allowed_paths;
  // Names of sources; nullopt: all that there are. Of others not even the names are told.
  std::optional<std::vector<std::string>> allowed_sources;
};

// Strict: an unknown key, a wrong type or a value out of range is an error, never a default. Keys
// that are not there are those of `base`.
Result<Policy> policy_from_json(const JsonValue& json, Policy base = {});

// What policy_from_json holds names of graphs and columns to, for policies that were not read by
// it: one that names nothing would deny nothing.
Result<void> check_names(const Policy& policy);

// What restricts nothing when it is met with another policy: the base of policies that are there to
// restrict others, as those of sources.
Policy unrestricted_policy();

// What both allow: the lesser of limits, the common part of lists. For folders that is the deeper
// one where one lies in the other.
Policy stricter(const Policy& a, const Policy& b);

// All that decides what may be read under a policy, as a text: two policies that show the same have
// the same. Empty where nothing is hidden and no endpoint may be asked.
std::string sight_of(const Policy& policy);

// Whether graphs are hidden: what has them must not be read from their files instead.
bool hides_graphs(const Policy& policy);

// Whether the policy lets a source be seen.
bool allows_source(const Policy& policy, std::string_view name);

struct Caller {
  std::string identity = "local";
  // Transactions and questions are of one session, and so are handles unless they are shared. The
  // audit has its name: no secret.
  std::string session = "default";
  std::shared_ptr<const Policy> policy = std::make_shared<const Policy>();  // never null
  // The surface asks a person where a change needs a word: `confirmed` is then the token of the
  // question that a person said yes to, and tokens in arguments count for nothing.
  // `declined` is that of one that nobody said yes to, in time and clearly.
  bool has_person = false;
  std::string confirmed;
  std::string declined;
  std::string unanswered;  // of `declined`: why nobody said anything; empty: somebody said no
  // What the call came from, for the audit: names and values, as a trace or the client's name.
  std::vector<std::pair<std::string, std::string>> lineage;
  bool shares_handles = false;  // all sessions of the identity have the same handles
  bool is_stateless = false;    // the call is in no session: nothing can stay open behind it
};

// A change that waits for a word. The call is made again with the token; it holds for the same call
// of the same caller, once, and for a short time.
struct ConfirmationRequest {
  std::string token;
  std::string question;  // for a person: what would be changed, in a few lines
  WallTime expires;
};

}  // namespace helve::toolkit
