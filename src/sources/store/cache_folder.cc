// Nothing here waits for the disk: what a crash leaves half-written is found damaged and made anew.
#include "sources/store/cache_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/json.h"

namespace helve::store {

namespace {

using CachePath = CacheFolder::Path;

constexpr std::size_t kTextBytesMax = kMiB;  // of a file that is not a snapshot's
constexpr std::size_t kEntriesMax = 10'000;
constexpr std::size_t kKeyDigits = 64;
constexpr std::string_view kTagName = "CACHEDIR.TAG";
// https://bford.info/cachedir/
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Snapshots of RDF files that helve has read, to open them faster the next time.\n"
    "# 'helve cache clear' removes them.\n";

bool is_key(std::string_view text) {
  return text.size() == kKeyDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The key that a file or folder of the cache belongs to; empty for what is none.
std::string key_of(const CachePath& name) {
  const std::string text = name.string();
  const std::string key = text.substr(0, kKeyDigits);
  const std::string_view rest = std::string_view(text).substr(key.size());
  const bool is_ours = rest == ".json" || rest == ".used" || rest.starts_with("-") ||
                       (rest.starts_with(".") && rest.ends_with(".tmp"));
  return is_key(key) && is_ours ? key : std::string();
}

// Folders of snapshots hold files alone; the bound is for what was put there by others.
void remove_tree(Files& files, const CachePath& path, int depth_max) {
  // First as a file: a symbolic link goes, not what it leads to.
  if (files.remove(path) || depth_max == 0) return;
  const auto names = files.list(path);
  if (!names) return;
  for (const CachePath& name : *names) remove_tree(files, path / name, depth_max - 1);
  (void)files.remove(path);
}

std::int64_t nanoseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

WallTime wall_time(std::int64_t since_epoch) {
  return WallTime(
      std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(since_epoch)));
}

std::uint64_t number(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  return value != nullptr ? value->to_uint64().value_or(0) : 0;
}

std::string string(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
}

std::optional<FileIdentity> identity_from(const JsonValue& object) {
  const JsonValue* const modified = object.find("modified");
  const JsonValue* const changed = object.find("changed");
  if (modified == nullptr || changed == nullptr) return std::nullopt;
  const auto modified_ns = modified->to_int64();
  const auto changed_ns = changed->to_int64();
  if (!modified_ns || !changed_ns) return std::nullopt;
  FileIdentity identity;
  identity.is_regular = true;
  identity.device = number(object, "device");
  identity.inode = number(object, "inode");
  identity.size = number(object, "size");
  identity.owner = number(object, "owner");
  identity.modified = wall_time(*modified_ns);
  identity.changed = wall_time(*changed_ns);
  return identity;
}

void write_identity(JsonWriter& json, const FileIdentity& identity) {
  json.begin_object();
  json.member("device", identity.device);
  json.member("inode", identity.inode);
  json.member("size", identity.size);
  json.member("owner", identity.owner);
  json.member("modified", nanoseconds(identity.modified));
  json.member("changed", nanoseconds(identity.changed));
  json.end_object();
}

}  // namespace

Result<void> CacheFolder::prepare() {
  HELVE_TRY(env_.files().make_directories(snapshots()));
  HELVE_TRY(env_.files().make_directories(files()));
  if (env_.files().status(path_ / kTagName)) return {};
  return replace(path_ / kTagName, kTag);
}

Result<void> CacheFolder::check() {
  for (const CachePath& path : {path_, snapshots(), files()}) {
    const auto status = env_.files().status(path);
    if (!status && status.error().code == ErrorCode::NotFound) continue;
    if (!status) return status.error();
    if (status->kind != FileKind::Directory) {
      return Error{ErrorCode::InvalidInput, fmt::format("{} is not a folder", path.string()),
                   "HELVE_CACHE_DIR names the folder of the cache"};
    }
    HELVE_TRY(env_.files().list(path));
  }
  return {};
}

std::optional<std::string> CacheFolder::read_text(const CachePath& path) {
  const auto status = env_.files().status(path);
  if (!status || status->kind != FileKind::Regular || status->size > kTextBytesMax) return {};
  const auto source = env_.files().open_read(path);
  if (!source) return {};
  std::string text(status->size + 1, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto count = (*source)->read({text.data() + filled, text.size() - filled});
    if (!count) return {};
    if (*count == 0) break;
    filled += *count;
  }
  text.resize(filled);
  return text;
}

Result<void> CacheFolder::replace(const CachePath& path, std::string_view content) {
  const CachePath draft = path.string() + "." + env_.random().hex(8) + ".tmp";
  const auto write = [&]() -> Result<void> {
    HELVE_ASSIGN(const auto file, env_.files().open_write(draft, WriteMode::CreateNew));
    HELVE_TRY(file->write(content));
    HELVE_TRY(file->close());
    return env_.files().rename(draft, path);
  };
  auto written = write();
  if (!written) (void)env_.files().remove(draft);
  return written;
}

std::optional<CacheEntry> CacheFolder::read_entry(std::string_view key) {
  const auto text = read_text(snapshots() / fmt::format("{}.json", key));
  if (!text) return std::nullopt;
  const auto json = parse_json(*text);
  if (!json) return std::nullopt;
  CacheEntry entry;
  entry.folder = string(*json, "folder");
  // The name must be one that the cache gives, not a way out of its folder.
  if (key_of(entry.folder) != key || entry.folder.find('/') != std::string::npos) return {};
  entry.bytes = number(*json, "bytes");
  entry.statements_read = number(*json, "statements_read");
  const JsonValue* const documents = json->find("documents");
  if (documents != nullptr && documents->if_array() != nullptr) {
    for (const JsonValue& name : *documents->if_array()) {
      if (name.if_string() != nullptr) entry.documents.push_back(*name.if_string());
    }
  }
  return entry;
}

std::optional<KnownFiles> CacheFolder::read_known(std::string_view files_key) {
  const auto text = read_text(files() / fmt::format("{}.json", files_key));
  if (!text) return std::nullopt;
  const auto json = parse_json(*text);
  if (!json) return std::nullopt;
  KnownFiles known;
  known.key = string(*json, "key");
  const JsonValue* const settled = json->find("is_settled");
  known.is_settled = settled != nullptr && settled->if_bool() != nullptr && *settled->if_bool();
  const JsonValue* const identities = json->find("files");
  if (!is_key(known.key) || identities == nullptr || identities->if_array() == nullptr) return {};
  for (const JsonValue& value : *identities->if_array()) {
    const auto identity = identity_from(value);
    if (!identity) return std::nullopt;
    known.identities.push_back(*identity);
  }
  return known;
}

std::string CacheFolder::new_snapshot_name(std::string_view key) {
  return fmt::format("{}-{}", key, env_.random().hex(8));
}

Result<void> CacheFolder::write_entry(std::string_view key, const CacheEntry& entry) {
  std::string text;
  JsonWriter json(text, JsonStyle::Indented);
  json.begin_object();
  json.member("folder", entry.folder);
  json.member("bytes", entry.bytes);
  json.member("statements_read", entry.statements_read);
  json.key("documents");
  json.begin_array();
  for (const std::string& name : entry.documents) json.value(name);
  json.end_array();
  json.end_object();
  HELVE_TRY(replace(snapshots() / fmt::format("{}.json", key), text));
  mark_used(key);
  return {};
}

Result<void> CacheFolder::write_known(std::string_view files_key, const KnownFiles& known) {
  std::string text;
  JsonWriter json(text, JsonStyle::Indented);
  json.begin_object();
  json.member("key", known.key);
  json.member("is_settled", known.is_settled);
  json.key("files");
  json.begin_array();
  for (const FileIdentity& identity : known.identities) write_identity(json, identity);
  json.end_array();
  json.end_object();
  return replace(files() / fmt::format("{}.json", files_key), text);
}

void CacheFolder::mark_used(std::string_view key) {
  const auto file =
      env_.files().open_write(snapshots() / fmt::format("{}.used", key), WriteMode::Truncate);
  if (!file) return;
  (void)(*file)->write("\n");
  (void)(*file)->close();
}

void CacheFolder::remove_entry(std::string_view key) {
  const auto entry = read_entry(key);
  (void)env_.files().remove(snapshots() / fmt::format("{}.json", key));
  (void)env_.files().remove(snapshots() / fmt::format("{}.used", key));
  if (entry) remove_snapshot(snapshot_path(*entry));
}

void CacheFolder::remove_snapshot(const CachePath& snapshot) {
  constexpr int kDepthMax = 2;
  remove_tree(env_.files(), snapshot, kDepthMax);
}

std::uint64_t CacheFolder::measure(const CachePath& snapshot) {
  std::uint64_t bytes = 0;
  const auto names = env_.files().list(snapshot);
  if (!names) return 0;
  for (const CachePath& name : *names) {
    if (const auto status = env_.files().status(snapshot / name)) bytes += status->size;
  }
  return bytes;
}

std::vector<CacheListing> CacheFolder::list() {
  std::vector<CacheListing> entries;
  const auto names = env_.files().list(snapshots());
  if (!names) return entries;
  for (const CachePath& name : *names) {
    const std::string key = key_of(name);
    if (key.empty() || name.extension() != ".json") continue;
    auto entry = read_entry(key);
    if (!entry) continue;
    const auto used = env_.files().status(snapshots() / (key + ".used"));
    entries.push_back({key, *std::move(entry), used ? used->modified : WallTime()});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const CacheListing& a, const CacheListing& b) { return a.used < b.used; });
  return entries;
}

void CacheFolder::prune(std::uint64_t bytes_max) {
  const std::vector<CacheListing> entries = list();
  std::uint64_t bytes = 0;
  for (const CacheListing& listing : entries) bytes += listing.entry.bytes;
  std::size_t left = entries.size();
  for (const CacheListing& listing : entries) {
    if (bytes <= bytes_max && left <= kEntriesMax) break;
    remove_entry(listing.key);
    bytes -= listing.entry.bytes;
    --left;
  }
  remove_leavings(std::chrono::hours(1));
}

void CacheFolder::remove_leavings(Duration age_min) {
  std::set<std::string> entries;  // keys, and the folders they name
  for (const CacheListing& listing : list()) {
    entries.insert(listing.key);
    entries.insert(listing.entry.folder);
  }
  const WallTime old =
      env_.clock().wall() - std::chrono::duration_cast<WallTime::duration>(age_min);
  const auto is_old = [&](const CachePath& path) {
    const auto status = env_.files().status(path);
    return !status || status->modified <= old;
  };
  for (const CachePath& name : env_.files().list(snapshots()).value_or(std::vector<CachePath>())) {
    const std::string key = key_of(name);
    const bool is_folder = name.string().starts_with(key + "-");
    const bool is_draft = name.extension() == ".tmp";
    if (key.empty() || (!is_draft && entries.contains(is_folder ? name.string() : key))) continue;
    if (is_old(snapshots() / name)) remove_snapshot(snapshots() / name);
  }
  for (const CachePath& name : env_.files().list(files()).value_or(std::vector<CachePath>())) {
    const std::string key = key_of(name);
    if (key.empty() || !is_old(files() / name)) continue;
    const auto known = read_known(key);
    const bool is_draft = name.extension() == ".tmp";
    if (is_draft || !known || !entries.contains(known->key)) {
      (void)env_.files().remove(files() / name);
    }
  }
}

Result<CacheCleared> CacheFolder::clear() {
  CacheCleared cleared;
  for (const CacheListing& listing : list()) {
    ++cleared.snapshots;
    cleared.bytes += listing.entry.bytes;
    remove_entry(listing.key);
  }
  remove_leavings(Duration::zero());
  for (const CacheListing& left : list()) {
    HELVE_TRY(env_.files().remove(snapshots() / fmt::format("{}.json", left.key)));
  }
  return cleared;
}

}  // namespace helve::store
