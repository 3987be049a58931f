#include "sources/store/snapshot_cache.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/executor.h"
#include "base/log.h"

namespace helve::store {

namespace {

// Coarser than the clock of every file system in use (FAT: two seconds).
constexpr auto kTick = std::chrono::seconds(2);
constexpr std::string_view kLayout = "helve snapshot cache 1";

// Each part with its length before it, so that no two lists of parts have the same text.
void append_part(std::string& text, std::string_view part) {
  text += fmt::format("{}:", part.size());
  text += part;
}

std::string request_text(const CacheRequest& request) {
  std::string text;
  append_part(text, kLayout);
  append_part(text, std::to_string(kSnapshotFormat));
  append_part(text, request.reading);
  return text;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

std::string key_of_files(const CacheRequest& request) {
  std::string text = request_text(request);
  for (const CachedFile& file : request.files) {
    append_part(text, file.reading);
    append_part(text, absolute(file.path));
  }
  return digest_hex(DigestKind::Sha256, text);
}

}  // namespace

bool SnapshotCache::identify(const CacheRequest& request, CacheLookup& lookup) {
  const WallTime now = env_.clock().wall();
  std::uint64_t bytes = 0;
  lookup.identities.clear();
  lookup.is_settled = true;
  for (const CachedFile& file : request.files) {
    const auto identity = options_.identify(file.path);
    if (!identity || !identity->is_regular) return false;
    bytes += identity->size;
    const WallTime last = std::max(identity->modified, identity->changed);
    lookup.is_settled = lookup.is_settled && last + kTick < now;
    lookup.identities.push_back(*identity);
  }
  return bytes >= options_.file_bytes_min && bytes <= options_.file_bytes_max;
}

Result<std::string> SnapshotCache::hash(const CacheRequest& request, const OpContext& context) {
  std::vector<std::string> digests(request.files.size());
  HELVE_TRY(parallel_for(digests.size(), context, [&](std::size_t i) -> Result<void> {
    HELVE_ASSIGN(const auto file, env_.files().map(request.files[i].path));
    digests[i] = digest_hex(DigestKind::Sha256, file->text());
    return {};
  }));
  std::string text = request_text(request);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    append_part(text, request.files[i].reading);
    append_part(text, digests[i]);
  }
  return digest_hex(DigestKind::Sha256, text);
}

Result<CacheLookup> SnapshotCache::find(const CacheRequest& request, const OpContext& context) {
  CacheLookup lookup;
  if (!identify(request, lookup)) return CacheLookup{};
  lookup.files_key = key_of_files(request);
  const auto known = folder_.read_known(lookup.files_key);
  const bool is_same = known && known->identities == lookup.identities;
  if (is_same && known->is_settled) {
    lookup.key = known->key;
  } else {
    auto key = hash(request, context);
    if (!key) {
      HELVE_TRY(context.check());
      return CacheLookup{};
    }
    lookup.key = *std::move(key);
  }
  HELVE_TRY(open(lookup, context));
  const bool is_news = !is_same || known->is_settled != lookup.is_settled;
  if (lookup.snapshot != nullptr && is_news) remember_files(lookup);
  return lookup;
}

Result<void> SnapshotCache::open(CacheLookup& lookup, const OpContext& context) {
  const auto entry = folder_.read_entry(lookup.key);
  if (!entry) return {};
  auto snapshot = options_.open(folder_.snapshot_path(*entry), context);
  if (!snapshot) {
    HELVE_TRY(context.check());
    log_info("a cached snapshot cannot be used and is made anew",
             {{"key", lookup.key}, {"reason", snapshot.error().to_string()}});
    folder_.remove_entry(lookup.key);
    return {};
  }
  folder_.mark_used(lookup.key);
  lookup.snapshot = *std::move(snapshot);
  lookup.folder = folder_.snapshot_path(*entry);
  lookup.statements_read = entry->statements_read;
  return {};
}

void SnapshotCache::remember_files(const CacheLookup& lookup) {
  const auto written =
      folder_.write_known(lookup.files_key, {lookup.identities, lookup.key, lookup.is_settled});
  if (!written)
    log_debug("the cache cannot be written", {{"reason", written.error().full_message()}});
}

bool SnapshotCache::is_unchanged(const CacheRequest& request, const CacheLookup& lookup,
                                 const OpContext& context) {
  CacheLookup now;
  if (!identify(request, now) || now.identities != lookup.identities) return false;
  if (lookup.is_settled) return true;
  const auto key = hash(request, context);
  return key && *key == lookup.key;
}

void SnapshotCache::keep(const CacheRequest& request, const CacheLookup& lookup,
                         const Loaded& loaded, const OpContext& context) {
  if (lookup.key.empty() || loaded.report.skipped > 0) return;
  // The files take part in the key as they were before they were read.
  if (!is_unchanged(request, lookup, context)) return;
  // A snapshot holds its terms in much the same form as memory does.
  if (loaded.snapshot->dictionary().memory_bytes() > options_.bytes_max) return;
  const auto stored = store(request, lookup, loaded, context);
  if (!stored) {
    log_info("the cache cannot be written",
             {{"folder", options_.folder.string()}, {"reason", stored.error().full_message()}});
  }
}

Result<void> SnapshotCache::store(const CacheRequest& request, const CacheLookup& lookup,
                                  const Loaded& loaded, const OpContext& context) {
  HELVE_TRY(options_.make_folder(options_.folder));
  // The folder itself may be another's to look into; what is kept of files is not.
  HELVE_TRY(options_.make_folder(folder_.snapshots()));
  HELVE_TRY(options_.make_folder(folder_.files()));
  HELVE_TRY(folder_.prepare());
  CacheEntry entry;
  SnapshotOrigin origin;
  for (const CachedFile& file : request.files) entry.documents.push_back(absolute(file.path));
  entry.folder = folder_.new_snapshot_name(lookup.key);
  entry.statements_read = loaded.report.statements_read;
  origin.documents = entry.documents;
  origin.created_by = options_.program;
  origin.key = lookup.key;
  const auto path = folder_.snapshot_path(entry);
  const auto write = [&]() -> Result<void> {
    HELVE_TRY(options_.write(*loaded.snapshot, origin, path, context));
    entry.bytes = folder_.measure(path);
    return folder_.write_entry(lookup.key, entry);
  };
  auto written = write();
  if (!written) {
    folder_.remove_snapshot(path);
    return written;
  }
  remember_files(lookup);
  folder_.prune(options_.bytes_max);
  return {};
}

}  // namespace helve::store
