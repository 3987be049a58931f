// WriteSession: whose open transactions and questions are whose.
#pragma once

#include <compare>
#include <string>

namespace helve::toolkit {

struct WriteSession {
  std::string identity;
  std::string session;

  friend auto operator<=>(const WriteSession&, const WriteSession&) = default;
};

}  // namespace helve::toolkit
