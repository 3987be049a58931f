// A policy in sentences, for people: what it allows, and which of its keys contradict each other or
// have no effect. `helve policy check` prints them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// What a caller may do, a sentence for each key.
std::vector<std::string> describe_policy(const Policy& policy);

// The same of a policy that restricts others (of a source): only what it takes away.
std::vector<std::string> describe_restrictions(const Policy& policy);

// `written` are the keys in the file: defaults are never wrong. `is_writing` says by name whether a
// tool writes.
std::vector<std::string> lint_policy(const Policy& policy, const std::set<std::string>& written,
                                     const std::function<bool(const std::string&)>& is_writing);

}  // namespace helve::toolkit
