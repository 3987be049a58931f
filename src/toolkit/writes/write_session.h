// WriteSession: whose open transactions and questions are whose.
#pragma once

#include <compare>
#include <string>

namespace helve::toolkit {

struct WriteSession {
  std::string identity;
  std::string session;

  auto operator<=>(const WriteSession&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace helve::toolkit
