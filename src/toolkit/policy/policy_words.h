// A policy in words, for people: what it lets be done, and what in it contradicts itself or has no
// effect. `helve policy check` prints them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// Sentences, most important first: what is read, what is changed and how that is confirmed, limits,
// audit.
std::vector<std::string> words_of(const Policy& policy);

// The same of a policy that restricts others (of a source): only what it takes away.
std::vector<std::string> restrictions_of(const Policy& policy);

// `written` are the keys that somebody wrote: defaults are never wrong. `is_writing` tells which
// tools write, by name.
std::vector<std::string> warnings_about(const Policy& policy, const std::set<std::string>& written,
                                        const std::function<bool(const std::string&)>& is_writing);

}  // namespace helve::toolkit
