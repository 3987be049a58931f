// helve cache: what files are cached as snapshots, and how to be rid of them.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sources/store/snapshot_cache.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/table.h"
#include "surfaces/opening/sample_tables.h"
#include "toolkit/context/brief_cache.h"

namespace helve::cli {

namespace {

std::string documents_of(const store::CacheEntry& entry) {
  if (entry.documents.empty()) return "";
  const std::size_t others = entry.documents.size() - 1;
  return entry.documents.front() + (others > 0 ? fmt::format(" and {} more", others) : "");
}

std::string cache_to_text(const store::CacheOptions& options,
                          const std::vector<store::CacheListing>& entries, std::uint64_t bytes,
                          const Terminal& terminal) {
  std::string out =
      terminal.styled(Style::Accent, escape_for_terminal(options.folder.string())) +
      terminal.styled(Style::Dim, fmt::format("  {} of at most {}", format_bytes(bytes),
                                              format_bytes(options.bytes_max))) +
      "\n";
  Table table{fmt::format("Snapshots ({})", entries.size()), {"statements", "bytes"}, {}, 0};
  for (const auto& [key, entry, used] : entries) {
    table.rows.push_back(
        {documents_of(entry), format_count(entry.statements_read), format_count(entry.bytes)});
  }
  const std::string text = render(table, terminal);
  return text.empty() ? out : out + "\n" + text;
}

std::string cache_to_json(const store::CacheOptions& options,
                          const std::vector<store::CacheListing>& entries, std::uint64_t bytes) {
  return json_object([&](JsonWriter& json) {
    json.member("folder", options.folder.string());
    json.member("bytes", bytes);
    json.member("bytes_max", options.bytes_max);
    write_objects(json, "snapshots", entries, [&](const store::CacheListing& listing) {
      json.member("key", listing.key);
      write_texts(json, "documents", listing.entry.documents);
      json.member("statements_read", listing.entry.statements_read);
      json.member("bytes", listing.entry.bytes);
    });
  });
}

}  // namespace

Result<void> run_cache_info(const CacheCommandOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const store::CacheOptions cache, context.cache);
  store::CacheFolder folder(context.env, cache.folder);
  HELVE_TRY(folder.check());
  std::vector<store::CacheListing> entries = folder.list();
  std::reverse(entries.begin(), entries.end());  // the last used first
  std::uint64_t bytes = 0;
  for (const auto& listing : entries) bytes += listing.entry.bytes;
  return context.show(options.is_json ? cache_to_json(cache, entries, bytes)
                                      : cache_to_text(cache, entries, bytes, context.out_terminal));
}

Result<void> run_cache_clear(CommandContext& context) {
  HELVE_ASSIGN(const store::CacheOptions cache, context.cache);
  store::CacheFolder folder(context.env, cache.folder);
  HELVE_TRY(folder.check());
  HELVE_ASSIGN(const store::CacheCleared cleared, folder.clear());
  context::BriefCache(cache.folder / context::kBriefFolder, context.env).clear();
  opening::clear_samples(cache.folder, context.env);
  context.note(fmt::format("{} removed, {}", count_of(cleared.snapshots, "snapshot"),
                           format_bytes(cleared.bytes)));
  return {};
}

}  // namespace helve::cli
