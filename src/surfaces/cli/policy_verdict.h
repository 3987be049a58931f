// What a policy file says of one call, without making it. policy_command.h prints it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/op_context.h"
#include "sources/table_source.h"
#include "surfaces/opening/policies.h"
#include "toolkit/tools/registry.h"

namespace helve::cli {

// A key of the policy file and where it stands.
struct PolicyRule {
  std::string key;
  std::string place;  // "policy.toml:4, [caller.ann]"; or that it is a default
};

struct PolicyVerdict {
  bool is_allowed = true;
  std::string reason;               // why it is denied
  std::string hint;                 // may be empty
  std::optional<PolicyRule> rule;   // behind the refusal
  std::vector<std::string> limits;  // "limit 5000 is lowered to 100 (max_rows: ...)"
  std::vector<std::string> open;    // what remains to be decided by the source
};

struct TestedCall {
  const toolkit::Tool* tool = nullptr;
  JsonValue arguments;
  std::string caller = "local";
  bool is_caller_given = false;  // somebody wrote the name
  // The sources that there would be, by name; none: what the policy alone can say.
  std::vector<std::string> sources;
  std::shared_ptr<const TableSource> tables;  // the database that is asked, where it is known
};

// The name of the source that the call is asked of; empty: none, or not known.
std::string source_of(const TestedCall& call);

// Errors: arguments that the tool does not take, a caller that is not named in the file.
Result<PolicyVerdict> judge_call(const opening::Policies& policies, const TestedCall& call,
                                 const OpContext& context);

}  // namespace helve::cli
