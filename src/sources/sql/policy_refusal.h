// What a caller is told whose policy the rights of the connection do not back. Names and scripts
// are not for him: TableSource::policy_rights() has them for the person who keeps the database.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/result.h"

namespace helve::sql {

inline Error policy_refusal(std::string_view source) {
  return {ErrorCode::Denied,
          "the user of the database may read more than the policy allows: nothing is asked",
          fmt::format("tell whoever keeps the database to run 'helve source check {}' with the "
                      "policy: it prints what is too much, and the script that mends it",
                      source)};
}

}  // namespace helve::sql
