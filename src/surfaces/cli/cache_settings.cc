#include "surfaces/cli/cache_settings.h"

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "surfaces/cli/size.h"
#include "surfaces/cli/version.h"
#include "surfaces/opening/user_cache.h"

namespace helve::cli {

namespace {

std::string_view text_of(const Environment& environment, const char* name) {
  const char* const text = environment(name);
  return text != nullptr ? std::string_view(text) : std::string_view();
}

Error off(std::string_view setting) {
  return {ErrorCode::NotFound, "there is no cache",
          fmt::format("{} turns it off: leave it out", setting)};
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
  store::CacheOptions options;
  HELVE_ASSIGN(options.folder, opening::user_cache_folder(environment));
  if (const auto size = text_of(environment, "HELVE_CACHE_SIZE"); !size.empty()) {
    HELVE_ASSIGN(options.bytes_max, read_bytes_max(size));
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
