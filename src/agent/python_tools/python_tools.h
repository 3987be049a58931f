// The tools of a toolkit as Python functions of a sandbox, and the rows behind its handles. Every
// call goes through Toolkit::call: policy, audit and leakage meter hold as for any other surface.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "agent/sandbox/function.h"
#include "toolkit/tools/toolkit.h"

namespace helve::python_tools {

// Rows that one call of rows() gives at most; a policy may allow less.
inline constexpr std::uint64_t kRowsMax = 10'000;

// Toolkit::call for one caller, with what a surface puts around it. Must not throw.
using CallTool = std::function<toolkit::CallOutcome(
    std::string_view tool, const JsonValue& arguments, const OpContext& context)>;

// The toolkit must outlive what calls it.
CallTool call_as(toolkit::Toolkit& toolkit, toolkit::Caller caller);

// One for every tool that the policy allows. They answer values, not texts: rows are objects by the
// names of their columns. A reply with a handle is a handle with the reply's keys as its facts.
std::vector<sandbox::Function> functions_of(const toolkit::Registry& registry,
                                            const toolkit::Policy& policy, const CallTool& call);

// Rows as functions_of() gives them. LimitExceeded where more are asked for at once than kRowsMax
// or a policy allows.
sandbox::RowsReader rows_reader(const toolkit::Policy& policy, CallTool call);

}  // namespace helve::python_tools
