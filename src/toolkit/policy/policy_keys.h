// The words of policy_from_json (policy.h).
#pragma once

#include <span>
#include <string_view>

namespace helve::toolkit {

// All that it takes; every other key is an error.
std::span<const std::string_view> policy_keys();

}  // namespace helve::toolkit
