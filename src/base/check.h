// CHECK: always-on assertions for our own bugs, never for input.
#pragma once

namespace helve {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace helve

#define HELVE_CHECK(condition)                         \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::helve::check_failed(#condition, __FILE__, __LINE__))
