// What the programs of this folder do when something is not as it must be: they say what, and end.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace helve {

[[noreturn]] inline void fail(const std::string& why) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", why);
  std::_Exit(1);
}

template <typename T>
T good(Result<T> result, std::string_view what) {
  if (!result) fail(fmt::format("{}: {}", what, result.error().to_string()));
  return std::move(*result);
}

}  // namespace helve
