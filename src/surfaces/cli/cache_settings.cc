#include "surfaces/cli/cache_settings.h"

#include <filesystem>
#include <string>
#include <string_view>

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

}  // namespace

Result<std::optional<store::CacheOptions>> find_cache_options(const Environment& environment) {
  const std::string_view choice = text_of(environment, "HELVE_CACHE");
  for (const std::string_view off : {"0", "off", "no", "false"}) {
    if (choice == off) return std::optional<store::CacheOptions>();
  }
  store::CacheOptions options;
  options.folder = find_folder(environment);
  if (options.folder.empty()) return std::optional<store::CacheOptions>();
  if (const auto size = text_of(environment, "HELVE_CACHE_SIZE"); !size.empty()) {
    auto bytes = parse_size(size);
    if (!bytes) {
      bytes.error().message = "HELVE_CACHE_SIZE: " + bytes.error().message;
      return std::move(bytes).error();
    }
    options.bytes_max = *bytes;
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
