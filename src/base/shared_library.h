// Libraries that are loaded while the program runs: those that most runs never need. They stay.
#pragma once

#include <string>

#include "base/result.h"

namespace helve {

class SharedLibrary {
 public:
  // By the name that the system's loader knows: "libpq.so.5". Unavailable, with its reason.
  static Result<SharedLibrary> load(const char* name);

  // The same with a hint on how to get it. Unavailable too where `find_all`, which takes the
  // functions that are needed, does not find them.
  template <typename FindAll>
  static Result<void> load_all(const char* name, const std::string& hint, FindAll find_all) {
    auto library = load(name);
    if (!library) {
      library.error().hint = hint;
      return library.error();
    }
    if (find_all(*library)) return {};
    return Error{ErrorCode::Unavailable, std::string(name) + " is not the library that is needed",
                 hint};
  }

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
