// Libraries that are loaded while the program runs: those that most runs never need. They stay.
#pragma once

#include "base/result.h"

namespace helve {

class SharedLibrary {
 public:
  // By the name that the system's loader knows: "libpq.so.5". Unavailable, with its reason.
  static Result<SharedLibrary> load(const char* name);

  // False where the library has no such function.
  template <typename Function>
  bool find(const char* name, Function& into) const {
    into = reinterpret_cast<Function>(symbol(name));
    return into != nullptr;
  }

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  void* symbol(const char* name) const;

  void* handle_;
};

}  // namespace helve
