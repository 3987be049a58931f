// Policy and Caller: what a call may do, and who makes it. Held by the middleware (gate.h) around
// every call, never by a tool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
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

// What a call may do. Each member has a row in the table of policy_keys.cc, in the same order.
struct Policy {
  using Names = std::vector<std::string>;

  std::optional<std::set<std::string>> allowed_tools;  // nullopt: all
  // Names of sources; nullopt: all. The names of other sources are never shown.
  std::optional<Names> allowed_sources;
  std::optional<Names> allowed_graphs;  // nullopt: all graphs of the source
  Names denied_graphs;                  // wins over allowed_graphs, as every denied list does
  // Of SQL databases: TableRules says how names are written. nullopt: all.
  std::optional<Names> allowed_tables;
  Names denied_tables;
  std::optional<Names> allowed_columns;
  Names denied_columns;
  // Of SERVICE and service_desc. nullopt, which no file can say, is for policies that are
  // intersected with another: the other's list stays as it is. By itself it allows nothing.
  std::optional<Names> allowed_endpoints = Names();
  Names denied_endpoints;
  // Folders that tools may read files from; nullopt: any file the process may read.
  std::optional<Names> allowed_paths;
  bool read_only = true;
  bool allow_ddl = false;  // tables may be created, changed and dropped, if not read_only
  Confirmation require_confirmation = Confirmation::Any;
  std::uint64_t max_affected_rows = 1'000;    // by one statement, and by one transaction
  std::uint64_t snapshot_rows = 100;          // stored from before and after a change
  std::uint64_t max_rows = 10'000;            // shown by one reply
  std::size_t max_chars = 20'000;             // of one reply, in each form
  std::uint64_t rows_stored_max = 1'000'000;  // in one handle
  std::size_t bytes_stored_max = std::size_t{256} << 20;
  Duration timeout_max = std::chrono::seconds(300);
  std::size_t memory_bytes_max = std::size_t{4} << 30;  // of one call
  // nullopt: recorded in full where there is an audit file. If set and not Off, or if the call
  // writes, a call that cannot be recorded is refused.
  std::optional<AuditMode> audit;
};

// A member of Policy. Whatever depends on which members exist goes through these.
struct PolicyKey {
  std::string_view name;         // in policy files, in Python and, but for timeout, in C++
  std::string (*type)();         // the values a file may have, as in "must be TYPE"
  std::string_view description;  // for documents
  Result<void> (*parse)(const JsonMember& member, Policy& into);
  // `into` then allows what both allow.
  void (*intersect)(const Policy& other, Policy& into);
  void (*lift)(Policy& into);                  // removes the restriction
  bool (*restricts)(const Policy& policy);     // whether lift() would change the policy
  JsonValue (*to_json)(const Policy& policy);  // null for nullopt
  // Whether it hides data from reads. Results stored under other rules are not shown.
  bool hides_data;
  // A sentence without its subject and period, as "reads all graphs"; empty: nothing to say.
  std::string (*describe)(const Policy& policy);
};
std::span<const PolicyKey> policy_keys();

// Strict: an unknown key, a wrong type or a value out of range is an error, never a default. Keys
// that are not there are those of `base`.
Result<Policy> policy_from_json(const JsonValue& json, Policy base = {});
// Every key that has a value. policy_from_json() reads it back, with unrestricted_policy() as base.
JsonValue policy_to_json(const Policy& policy);

// Restricts nothing when intersected with another policy: the base of policies that restrict
// others, such as those of sources.
Policy unrestricted_policy();

// Allows what both allow: the smaller limit, the common part of lists, the inner of two folders.
Policy intersect(const Policy& a, const Policy& b);

// The rules that hide data from reads, as text. Policies with equal keys show the same data. Empty
// if nothing is hidden and no endpoint may be asked.
std::string visibility_key(const Policy& policy);

// Whether graphs are hidden: their data must not be read from their files instead.
bool hides_graphs(const Policy& policy);

bool allows_source(const Policy& policy, std::string_view name);
// Allowed and not denied.
std::vector<std::string> endpoints_of(const Policy& policy);

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
