#include "surfaces/cli/cache_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/functions.h"
#include "surfaces/cli/size.h"
#include "surfaces/cli/version.h"

namespace helve::cli {

namespace {

std::string_view text_of(const Environment& environment, const char* name) {
  const char* const text = environment(name);
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

Error off(std::string_view setting) {
  return {ErrorCode::NotFound, "there is no cache",
          fmt::format("{} turns it off: leave it out", setting)};
}

// By the words that programs take for such a switch; nothing is on.
Result<bool> read_switch(std::string_view text) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return sparql::same_keyword(text, word); });
  };
  if (text.empty() || is_one_of({"1", "ON", "TRUE", "YES"})) return true;
  if (is_one_of({"0", "OFF", "FALSE", "NO"})) return false;
  return Error{ErrorCode::InvalidInput,
               fmt::format("HELVE_CACHE is '{}', neither on nor off", text),
               "write on or off; 1, true, yes and 0, false, no are the same"};
}

// NotFound where it is 0.
Result<std::uint64_t> read_bytes_max(std::string_view text) {
  auto bytes = parse_size(text, 0);
  if (bytes && *bytes == 0) return off("HELVE_CACHE_SIZE=" + std::string(text));
  if (bytes) bytes = parse_size(text);
  if (!bytes) bytes.error().message = "HELVE_CACHE_SIZE: " + bytes.error().message;
  return bytes;
}

}  // namespace

Result<store::CacheOptions> find_cache_options(const Environment& environment) {
  const std::string_view choice = text_of(environment, "HELVE_CACHE");
  HELVE_ASSIGN(const bool is_on, read_switch(choice));
  if (!is_on) return off("HELVE_CACHE=" + std::string(choice));
  store::CacheOptions options;
  if (const auto size = text_of(environment, "HELVE_CACHE_SIZE"); !size.empty()) {
    HELVE_ASSIGN(options.bytes_max, read_bytes_max(size));
  }
  options.folder = find_folder(environment);
  if (options.folder.empty()) {
    return Error{ErrorCode::NotFound, "there is no folder for the cache",
                 "HELVE_CACHE_DIR names one; by default it is in HOME"};
  }
  options.program = std::string("helve ") + kVersion;
  options.open = [](const auto& folder, const OpContext& context) {
    return store::open_snapshot(folder, context);
  };
  options.write = [](const store::Snapshot& snapshot, const store::SnapshotOrigin& origin,
                     const auto& folder, const OpContext& context) {
    return store::write_snapshot(snapshot, origin, folder, context);
  };
  return options;
}

}  // namespace helve::cli
