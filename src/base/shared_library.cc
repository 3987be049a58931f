#include "base/shared_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace helve {

Result<SharedLibrary> SharedLibrary::load(const char* name) {
  void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return SharedLibrary(handle);
  const char* const reason = ::dlerror();
  return Error{ErrorCode::Unavailable,
               fmt::format("{} cannot be loaded: {}", name, reason == nullptr ? "" : reason)};
}

void* SharedLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace helve
