// Policy and Caller: what a call may do, and who makes it. Held by the middleware (gate.h) around
// every call, never by a tool.
#pragma once

#include <cstdint>
#include <functional>
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
#include "base/op_context.h"
#include "base/result.h"

namespace helve::toolkit {

// Whether a change must be confirmed before it is made.
enum class Confirmation : std::uint8_t {
  None,     // no: it is made at once
  TwoStep,  // by a person if the surface can ask one, or else by a second call with a token
  Person,   // by a person; where no person can be asked it is refused
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
  // Functions that a database has of its own. nullopt is for policies that are intersected with
  // another, as that of allowed_endpoints.
  std::optional<Names> allowed_functions = Names();
  // Of SERVICE and service_desc. nullopt, which no file can say, is for policies that are
  // intersected with another: the other's list stays as it is. By itself it allows nothing.
  std::optional<Names> allowed_endpoints = Names();
  Names denied_endpoints;
  // Folders that tools may read files from. nullopt, which no file can say, is any file that the
  // process may read: for a person who types the call.
  std::optional<Names> allowed_paths = Names();
  bool read_only = true;  // of sources
  // Tools may write the memory bank, if the operator named it for writing.
  bool memory_writes = true;
  bool allow_ddl = false;  // tables may be created, changed and dropped, if not read_only
  Confirmation require_confirmation = Confirmation::Person;
  std::uint64_t max_affected_rows = 1'000;  // by one statement, and by one transaction
  std::uint64_t max_affected_rows_per_session = 10'000;
  std::uint64_t max_affected_rows_per_hour = 10'000;  // by all sessions of the caller
  std::uint64_t snapshot_rows = 100;                  // stored from before and after a change
  std::uint64_t max_rows = 10'000;                    // shown by one reply
  std::size_t max_chars = 20'000;                     // of one reply, in each form
  std::uint64_t rows_stored_max = 1'000'000;          // in one handle
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
// Every key that has a value. policy_from_json() reads a policy that is within its ranges back,
// with unrestricted_policy() as base.
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

// A change that waits for confirmation: the same call of the same caller with the token applies it,
// once and for a short time.
struct ConfirmationRequest {
  std::string token;
  std::string question;  // for a person: what would change, in a few lines
  WallTime expires;
};

struct PersonAnswer {
  bool is_yes = false;
  std::string unanswered;  // why there is no answer; empty: the answer was no
};

struct Caller {
  std::string identity = "local";
  // Transactions and questions are of one session, and so are handles unless they are shared. The
  // audit has its name: no secret.
  std::string session = "default";
  std::shared_ptr<const Policy> policy = std::make_shared<const Policy>();  // never null
  // Asks a person to confirm a change, and waits for the answer, no longer than the deadline of
  // `op`. Empty: the surface cannot wait, or has no person to ask. Called from the threads of
  // calls, from several at once.
  std::function<PersonAnswer(const ConfirmationRequest& request, const OpContext& op)> ask_person;
  // For surfaces that ask by themselves. A person can be asked; `confirmed` is then the token of
  // the question that was answered with yes, and tokens in arguments are ignored. `declined` is the
  // token of a question without a clear yes in time.
  bool has_person = false;
  std::string confirmed;
  std::string confirmed_by = "person";  // for the audit
  std::string declined;
  std::string unanswered;  // why `declined` has no answer; empty: the answer was no
  // What the call came from, for the audit: names and values, as a trace or the client's name.
  std::vector<std::pair<std::string, std::string>> lineage;
  bool shares_handles = false;  // all sessions of the identity have the same handles
  bool is_stateless = false;    // the call is in no session: nothing can stay open behind it
};

}  // namespace helve::toolkit
