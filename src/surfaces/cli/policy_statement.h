// What a policy says of a statement of SQL, without running it: by the guards that calls pass, and
// by the database where there is one. policy_verdict.h has the rest of a call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/table_source.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/tool.h"

namespace helve::cli {

struct JudgedStatement {
  std::string sql;
  std::vector<SqlValue> parameters;
};

struct StatementJudgement {
  std::optional<Error> refusal;
  std::string rule;               // the key of the policy that refuses; empty: it is by none
  std::vector<std::string> open;  // what only the database can tell
};

// `tables` is the database, opened for writing where the tool writes and the policy lets it; null:
// none is known, and refused is what all dialects refuse. Nothing is executed.
StatementJudgement judge_statement(const JudgedStatement& statement, const toolkit::Tool& tool,
                                   const toolkit::Policy& policy,
                                   const std::shared_ptr<const TableSource>& tables,
                                   const OpContext& context);

}  // namespace helve::cli
