// helve cache: what files are cached as snapshots, and how to be rid of them.
#include <fmt/core.h>

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "sources/store/snapshot_cache.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/table.h"

namespace helve::cli {

namespace {

Error cache_is_off() {
  return {ErrorCode::NotFound, "there is no cache",
          "HELVE_CACHE turns it off; HELVE_CACHE_DIR or HOME says where it is"};
}

std::string documents_of(const store::CacheEntry& entry) {
  if (entry.documents.empty()) return "";
  const std::size_t others = entry.documents.size() - 1;
  return entry.documents.front() + (others > 0 ? fmt::format(" and {} more", others) : "");
}

std::string render_text(const store::CacheOptions& options,
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

std::string render_json(const store::CacheOptions& options,
                        const std::vector<store::CacheListing>& entries, std::uint64_t bytes) {
  std::string out;
  JsonWriter json(out, JsonStyle::Indented);
  json.begin_object();
  json.member("folder", options.folder.string());
  json.member("bytes", bytes);
  json.member("bytes_max", options.bytes_max);
  json.key("snapshots");
  json.begin_array();
  for (const auto& [key, entry, used] : entries) {
    json.begin_object();
    json.member("key", key);
    json.key("documents");
    json.begin_array();
    for (const std::string& name : entry.documents) json.value(name);
    json.end_array();
    json.member("statements_read", entry.statements_read);
    json.member("bytes", entry.bytes);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace

Result<void> run_cache_info(const CacheCommandOptions& options, CommandContext& context) {
  if (!context.cache) return cache_is_off();
  store::CacheFolder folder(context.env, context.cache->folder);
  std::vector<store::CacheListing> entries = folder.list();
  std::reverse(entries.begin(), entries.end());  // the last used first
  std::uint64_t bytes = 0;
  for (const auto& listing : entries) bytes += listing.entry.bytes;
  HELVE_TRY(context.out.write(
      options.is_json ? render_json(*context.cache, entries, bytes)
                      : render_text(*context.cache, entries, bytes, context.out_terminal)));
  return context.out.flush();
}

Result<void> run_cache_clear(CommandContext& context) {
  if (!context.cache) return cache_is_off();
  store::CacheFolder folder(context.env, context.cache->folder);
  const std::size_t entries = folder.list().size();
  const std::uint64_t bytes = folder.clear();
  context.note(fmt::format("{} removed, {}", count_of(entries, "snapshot"), format_bytes(bytes)));
  return {};
}

}  // namespace helve::cli
