#include "base/http_curl_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace helve {

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  return into != nullptr;
}

bool find_all(void* library, CurlLibrary& into) {
  return find(library, "curl_global_init", into.global_init) &&
         find(library, "curl_easy_init", into.easy_init) &&
         find(library, "curl_easy_cleanup", into.easy_cleanup) &&
         find(library, "curl_easy_reset", into.easy_reset) &&
         find(library, "curl_easy_pause", into.easy_pause) &&
         find(library, "curl_easy_setopt", into.easy_setopt) &&
         find(library, "curl_easy_getinfo", into.easy_getinfo) &&
         find(library, "curl_easy_strerror", into.easy_strerror) &&
         find(library, "curl_multi_init", into.multi_init) &&
         find(library, "curl_multi_cleanup", into.multi_cleanup) &&
         find(library, "curl_multi_add_handle", into.multi_add_handle) &&
         find(library, "curl_multi_remove_handle", into.multi_remove_handle) &&
         find(library, "curl_multi_perform", into.multi_perform) &&
         find(library, "curl_multi_poll", into.multi_poll) &&
         find(library, "curl_multi_info_read", into.multi_info_read) &&
         find(library, "curl_multi_strerror", into.multi_strerror) &&
         find(library, "curl_slist_append", into.slist_append) &&
         find(library, "curl_slist_free_all", into.slist_free_all);
}

Result<CurlLibrary> load() {
  std::string reason;
  // The name that it has had since 2006, and that of the other build of Debian.
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CurlLibrary found;
    if (library != nullptr && find_all(library, found) &&
        found.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
      return found;
    }
    const char* const failure = ::dlerror();
    if (reason.empty()) reason = failure != nullptr ? failure : "it could not be initialised";
  }
  return Error{ErrorCode::Unavailable, fmt::format("libcurl cannot be loaded: {}", reason),
               "install it: the package libcurl4"};
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> library = load();
  if (!library) return library.error();
  return &*library;
}

}  // namespace helve
