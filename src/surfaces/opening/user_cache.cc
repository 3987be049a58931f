#include "surfaces/opening/user_cache.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace helve::opening {

namespace {

std::string_view text_of(const Environment& environment, const char* name) {
  const char* const text = environment ? environment(name) : nullptr;
  return text != nullptr ? std::string_view(text) : std::string_view();
}

// The XDG base directory specification has relative paths ignored.
std::filesystem::path absolute_only(std::string_view text) {
  std::filesystem::path path(text);
  return path.is_absolute() ? path : std::filesystem::path();
}

std::filesystem::path find_folder(const Environment& environment) {
  if (const auto own = text_of(environment, "HELVE_CACHE_DIR"); !own.empty()) return own;
  if (const auto shared = absolute_only(text_of(environment, "XDG_CACHE_HOME")); !shared.empty()) {
    return shared / "helve";
  }
  const auto home = absolute_only(text_of(environment, "HOME"));
  return home.empty() ? home : home / ".cache" / "helve";
}

// By the words that programs take for such a switch; nothing is on.
Result<bool> read_switch(std::string_view text) {
  const std::string word = ascii_lower(text);
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (word.empty() || is_one_of({"1", "on", "true", "yes"})) return true;
  if (is_one_of({"0", "off", "false", "no"})) return false;
  return Error{ErrorCode::InvalidInput,
               fmt::format("HELVE_CACHE is '{}', neither on nor off", text),
               "write on or off; 1, true, yes and 0, false, no are the same"};
}

}  // namespace

Result<std::filesystem::path> user_cache_folder(const Environment& environment) {
  const std::string_view choice = text_of(environment, "HELVE_CACHE");
  HELVE_ASSIGN(const bool is_on, read_switch(choice));
  if (!is_on) {
    return Error{ErrorCode::NotFound, "there is no cache",
                 fmt::format("HELVE_CACHE={} turns it off: leave it out", choice)};
  }
  std::filesystem::path folder = find_folder(environment);
  if (folder.empty()) {
    return Error{ErrorCode::NotFound, "there is no folder for the cache",
                 "HELVE_CACHE_DIR names one; by default it is in HOME"};
  }
  return folder;
}

}  // namespace helve::opening
