// Proofs of the keys that bind changes, over all tools that make any: each is made to change a
// database. A tool that changes and of which no change is known here fails them, so that a new one
// cannot escape. law_of_policy_test.cc has the proofs of the other keys.
#pragma once

#include <functional>

#include "toolkit/policy/policy.h"

namespace helve::proofs {

void binds_confirmation();
// `limit`: one of the keys that bound them.
void binds_affected_rows(std::uint64_t toolkit::Policy::*limit);
void binds_snapshot_rows();

// Rules for tables and columns, as `hide` writes them into a policy, go with every statement of a
// change; where `hides_all` no table is left to be changed.
void binds_changes_to_rules(const std::function<void(toolkit::Policy& policy)>& hide,
                            bool hides_all);

// Where nobody wrote a policy, nothing is changed nor begun; and under one that lets everything be
// changed, tools that do not say that they write have nothing to write with.
void only_allowed_tools_change();

// All changes that are known are made where nothing stands against them: what is looked for in vain
// elsewhere can be found.
void all_changes_can_be_made();

}  // namespace helve::proofs
