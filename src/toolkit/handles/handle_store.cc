#include "toolkit/handles/handle_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "toolkit/handles/describe_content.h"
#include "toolkit/handles/gone_keys.h"
#include "toolkit/handles/handle_file.h"
#include "toolkit/handles/handle_folder.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kProblemsMax = 100;
// Numbers are claimed in the manifest by so many at once where handles may be in memory alone.
constexpr std::uint64_t kNumbersClaimed = 64;
// A use is worth writing down once it is so much of the time to live later than what is written.
constexpr int kUseShare = 100;

struct Entry {
  HandleRecord record;
  std::uint64_t serial = 0;
  WallTime used_at;
  WallTime used_written;  // as the disk has it
  RowTablePtr rows;
  std::shared_ptr<const GraphSource> graph;
  std::shared_ptr<const std::string> text;
  std::size_t memory_bytes = 0;  // 0: the content is on disk alone
  bool is_on_disk = false;
  std::uint64_t disk_bytes = 0;

  bool is_loaded() const { return rows != nullptr || graph != nullptr || text != nullptr; }
  void unload() {
    rows = nullptr;
    graph = nullptr;
    text = nullptr;
    memory_bytes = 0;
  }
};

// Length first: no two origins give the same text.
std::string same_key_of(const HandleOrigin& origin) {
  return fmt::format("{}:{}{}:{}{}", origin.call_hash.size(), origin.call_hash,
                     origin.source.size(), origin.source, origin.snapshot);
}

std::size_t memory_of(const Entry& entry) {
  constexpr std::size_t kStatementBytes = 64;  // what a graph takes, roughly
  if (entry.rows != nullptr) return entry.rows->memory_bytes();
  if (entry.text != nullptr) return sizeof(std::string) + entry.text->size();
  if (entry.graph != nullptr) return 4'096 + entry.record.ref.rows * kStatementBytes;
  return 0;
}

class SessionHandles final : public HandleStore {
 public:
  SessionHandles(HandleStoreOptions options, Env& env) : options_(std::move(options)), env_(env) {}
  ~SessionHandles() override;
  SessionHandles(const SessionHandles&) = delete;
  SessionHandles& operator=(const SessionHandles&) = delete;

  Result<void> load(GraphFactory* graphs, const OpContext& context);

  Result<Ref> put(RowTablePtr rows, HandleOrigin origin, const OpContext& context) override;
  Result<Ref> put(std::shared_ptr<const GraphSource> graph, HandleType type, HandleOrigin origin,
                  const OpContext& context) override;
  Result<Ref> put(std::string text, HandleType type, HandleOrigin origin,
                  const OpContext& context) override;
  Result<Handle> get(std::string_view key, const OpContext& context) override;
  std::optional<Ref> find_same(const HandleOrigin& origin) override;
  bool is_live(std::string_view key) const override;
  std::vector<Ref> list(std::size_t most) const override;
  std::size_t count() const override;
  Result<void> remove(std::string_view key) override;
  std::vector<std::string> problems() const override;
  std::size_t memory_bytes() const override;
  std::uint64_t disk_bytes() const override;

 private:
  using Entries = std::list<Entry>;  // the most recently used first
  using Place = Entries::iterator;

  Result<Ref> add(Entry entry, const OpContext& context);
  std::string make_key(HandleType type);
  void claim_number(const std::string& type, std::uint64_t number);
  void reserve_number(const std::string& type);
  void insert(Entry entry);
  void touch(Place place);
  void add_problem(std::string problem);

  Result<void> load_content(Entry& entry, const OpContext& context);
  Result<void> write(Place place, const OpContext& context);
  Result<void> make_disk_room(std::uint64_t bytes, const Entry* kept);
  Result<void> shrink_memory(const Entry* kept, const OpContext& context);
  // Whether there was one to go.
  bool unload_one(const Entry* kept, const OpContext& context, Result<void>& outcome);

  void purge_expired();
  bool is_expired(const Entry& entry) const;
  std::optional<WallTime> expiry_of(const Entry& entry) const;
  Ref ref_of(const Entry& entry) const;
  void forget(Place place, std::string_view why, bool is_on_disk_left = false);
  Error not_found(std::string_view key) const;
  bool write_manifest(bool is_last = false);

  const HandleStoreOptions options_;
  Env& env_;
  mutable std::mutex mutex_;
  std::unique_ptr<HandleFolder> folder_;  // null: memory only
  Entries entries_;
  std::unordered_map<std::string, Place> by_key_;
  std::unordered_map<std::string, std::string> same_;  // of complete ones: their keys
  std::map<std::string, std::uint64_t> next_;          // numbers, by dtype
  std::map<std::string, std::uint64_t> claimed_;  // numbers below are claimed on disk, or reserved
  std::optional<std::uint64_t> reserved_;         // of all dtypes, the first
  GoneKeys gone_;
  std::vector<std::string> problems_;
  std::size_t memory_bytes_ = 0;
  std::uint64_t disk_bytes_ = 0;
  bool is_manifest_old_ = false;
};

Result<void> SessionHandles::load(GraphFactory* graphs, const OpContext& context) {
  if (options_.folder.empty()) return {};
  HELVE_ASSIGN(folder_, HandleFolder::open(options_.folder, env_, graphs, context));
  HandleManifest manifest;
  std::vector<std::string> problems;
  HELVE_ASSIGN(auto found, folder_->scan(manifest, problems));
  for (std::string& problem : problems) add_problem(std::move(problem));
  next_ = claimed_ = manifest.next;
  for (auto& [key, why] : manifest.gone) gone_.add(std::move(key), why);
  std::vector<Entry> entries;
  for (HandleFolder::Found& one : found) {
    Entry entry;
    const Ref& ref = one.record.ref;
    const auto used = manifest.used.find(ref.key);
    entry.used_at =
        used != manifest.used.end() ? std::max(used->second, ref.created_at) : ref.created_at;
    entry.used_written = entry.used_at;
    entry.serial = one.serial;
    entry.is_on_disk = true;
    entry.disk_bytes = one.bytes;
    if (const auto number = number_of_key(ref.key, ref.dtype)) {
      std::uint64_t& next = next_[std::string(name_of(ref.dtype))];
      next = std::max(next, *number + 1);
    }
    entry.record = std::move(one.record);
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used_at, a.serial) < std::pair(b.used_at, b.serial);
  });
  for (Entry& entry : entries) insert(std::move(entry));
  purge_expired();
  while (entries_.size() > options_.handles_max) forget(std::prev(entries_.end()), kEvicted);
  return make_disk_room(0, nullptr);
}

// What is in memory alone is kept for the next time, as far as the disk takes it.
SessionHandles::~SessionHandles() {
  if (folder_ == nullptr) return;
  purge_expired();
  for (auto place = entries_.begin(); place != entries_.end(); ++place) {
    if (place->is_on_disk) continue;
    if (!write(place, {})) break;
  }
  for (const Entry& entry : entries_) {
    const Duration later = entry.used_at - entry.used_written;
    if (later > options_.time_to_live / kUseShare) is_manifest_old_ = true;
  }
  for (const auto& [type, number] : next_) {
    if (claimed_[type] > number) is_manifest_old_ = true;
  }
  if (is_manifest_old_) write_manifest(true);
}

Result<Ref> SessionHandles::put(RowTablePtr rows, HandleOrigin origin, const OpContext& context) {
  Entry entry;
  entry.record.content = HandleContent::Rows;
  entry.record.ref = describe_rows(*rows);
  entry.record.origin = std::move(origin);
  entry.rows = std::move(rows);
  return add(std::move(entry), context);
}

Result<Ref> SessionHandles::put(std::shared_ptr<const GraphSource> graph, HandleType type,
                                HandleOrigin origin, const OpContext& context) {
  Entry entry;
  entry.record.content = HandleContent::Graph;
  HELVE_ASSIGN(entry.record.ref, describe_graph(*graph, context));
  entry.record.ref.dtype = type;
  entry.record.origin = std::move(origin);
  entry.graph = std::move(graph);
  return add(std::move(entry), context);
}

Result<Ref> SessionHandles::put(std::string text, HandleType type, HandleOrigin origin,
                                const OpContext& context) {
  Entry entry;
  entry.record.content = HandleContent::Text;
  entry.record.ref = describe_text(text);
  entry.record.ref.dtype = type;
  entry.record.origin = std::move(origin);
  entry.text = std::make_shared<const std::string>(std::move(text));
  return add(std::move(entry), context);
}

Result<Ref> SessionHandles::add(Entry entry, const OpContext& context) {
  Ref& ref = entry.record.ref;
  ref.source = entry.record.origin.source;
  ref.query_hash = hash_of_query(entry.record.origin.query);
  ref.complete = entry.record.origin.incomplete.empty();
  entry.memory_bytes = memory_of(entry);

  const std::lock_guard lock(mutex_);
  purge_expired();
  if (folder_ == nullptr && entry.memory_bytes > options_.memory_bytes_max) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("the result takes {}, all handles of a session may take {}",
                    format_bytes(entry.memory_bytes), format_bytes(options_.memory_bytes_max)),
        "ask for less, or give the session a folder"};
  }
  while (!entries_.empty() && entries_.size() >= options_.handles_max) {
    forget(std::prev(entries_.end()), kEvicted);
  }
  ref.created_at = std::chrono::time_point_cast<std::chrono::microseconds>(env_.clock().wall());
  entry.used_at = entry.used_written = ref.created_at;
  ref.key = make_key(ref.dtype);
  if (folder_ != nullptr) entry.serial = folder_->next_serial();
  const std::string key = ref.key;
  insert(std::move(entry));
  const Place place = entries_.begin();
  auto stored =
      options_.keeps_all_on_disk && folder_ != nullptr ? write(place, context) : Result<void>();
  if (stored) stored = shrink_memory(&*place, context);
  if (!stored) {
    forget(place, {});  // no one has seen the key
    return std::move(stored).error();
  }
  return ref_of(*place);
}

std::string SessionHandles::make_key(HandleType type) {
  const std::string name(name_of(type));
  if (options_.has_secret_keys) return name + "_" + env_.random().hex(16);
  if (folder_ == nullptr && options_.reserve_numbers) reserve_number(name);
  const std::uint64_t number = next_[name]++;
  if (folder_ != nullptr && !options_.keeps_all_on_disk) claim_number(name, number);
  return fmt::format("{}_{}", name, number);
}

// The first numbers that are reserved are for all types; a type that has used them up gets its own.
void SessionHandles::reserve_number(const std::string& type) {
  if (!reserved_) reserved_ = options_.reserve_numbers();
  std::uint64_t& end = claimed_[type];
  std::uint64_t& next = next_[type];
  if (next < end) return;
  next = end == 0 ? *reserved_ : options_.reserve_numbers();
  end = next + HandleStoreOptions::kNumbersReserved;
}

// A key in memory alone must not come again after a crash.
void SessionHandles::claim_number(const std::string& type, std::uint64_t number) {
  std::uint64_t& claimed = claimed_[type];
  if (number < claimed) return;
  const std::uint64_t before = std::exchange(claimed, number + kNumbersClaimed);
  if (!write_manifest()) claimed = before;
}

void SessionHandles::insert(Entry entry) {
  memory_bytes_ += entry.memory_bytes;
  disk_bytes_ += entry.disk_bytes;
  entries_.push_front(std::move(entry));
  const HandleRecord& record = entries_.front().record;
  by_key_[record.ref.key] = entries_.begin();
  if (record.ref.complete && !record.origin.call_hash.empty()) {
    same_[same_key_of(record.origin)] = record.ref.key;
  }
}

void SessionHandles::touch(Place place) {
  place->used_at = std::max(place->used_at, env_.clock().wall());
  entries_.splice(entries_.begin(), entries_, place);
}

void SessionHandles::add_problem(std::string problem) {
  if (problems_.size() < kProblemsMax) problems_.push_back(std::move(problem));
}

Result<Handle> SessionHandles::get(std::string_view key, const OpContext& context) {
  const std::lock_guard lock(mutex_);
  purge_expired();
  const auto found = by_key_.find(std::string(key));
  if (found == by_key_.end()) return not_found(key);
  const Place place = found->second;
  if (!place->is_loaded()) {
    if (auto loaded = load_content(*place, context); !loaded) {
      if (loaded.error().code != ErrorCode::InvalidInput) return std::move(loaded).error();
      add_problem(folder_->set_aside(place->serial, loaded.error().full_message()));
      const std::string gone = place->record.ref.key;
      forget(place, kDamaged, true);
      return not_found(gone);
    }
    place->memory_bytes = memory_of(*place);
    memory_bytes_ += place->memory_bytes;
  }
  touch(place);
  Handle handle{ref_of(*place), place->record.origin, place->rows, place->graph, place->text};
  // Who asked has it, whether the rest can be put away or not.
  if (auto shrunk = shrink_memory(&*place, context); !shrunk) {
    add_problem(shrunk.error().to_string());
  }
  return handle;
}

Result<void> SessionHandles::load_content(Entry& entry, const OpContext& context) {
  switch (entry.record.content) {
    case HandleContent::Rows: {
      HELVE_ASSIGN(entry.rows, folder_->read_rows(entry.serial, entry.record));
      break;
    }
    case HandleContent::Text: {
      HELVE_ASSIGN(std::string text, folder_->read_text(entry.serial, entry.record));
      entry.text = std::make_shared<const std::string>(std::move(text));
      break;
    }
    case HandleContent::Graph: {
      HELVE_ASSIGN(entry.graph, folder_->read_graph(entry.serial, entry.record, context));
      break;
    }
  }
  return {};
}

Result<void> SessionHandles::write(Place place, const OpContext& context) {
  Entry& entry = *place;
  if (entry.graph != nullptr) {
    HELVE_ASSIGN(const std::uint64_t bytes,
                 folder_->write_graph(entry.serial, entry.record, *entry.graph, context));
    entry.is_on_disk = true;
    entry.disk_bytes = bytes;
    disk_bytes_ += bytes;
    return make_disk_room(0, &entry);
  }
  const std::string file = encode_handle(
      entry.record, entry.rows != nullptr ? std::string_view(entry.rows->to_bytes()) : *entry.text);
  HELVE_TRY(make_disk_room(file.size(), &entry));
  HELVE_TRY(folder_->write(entry.serial, file));
  entry.is_on_disk = true;
  entry.disk_bytes = file.size();
  disk_bytes_ += file.size();
  return {};
}

Result<void> SessionHandles::make_disk_room(std::uint64_t bytes, const Entry* kept) {
  const std::uint64_t disk_max = options_.disk_bytes_max;
  const std::uint64_t kept_bytes = bytes + (kept != nullptr ? kept->disk_bytes : 0);
  for (auto at = entries_.end();
       kept_bytes <= disk_max && disk_bytes_ + bytes > disk_max && at != entries_.begin();) {
    const Place place = std::prev(at);
    if (!place->is_on_disk || &*place == kept) {
      at = place;
    } else {
      forget(place, kEvicted);
    }
  }
  if (disk_bytes_ + bytes <= disk_max) return {};
  return Error{ErrorCode::LimitExceeded,
               fmt::format("the result takes {} on disk, all handles of a session may take {}",
                           format_bytes(kept_bytes), format_bytes(disk_max)),
               "ask for less, or allow the session more"};
}

bool SessionHandles::unload_one(const Entry* kept, const OpContext& context,
                                Result<void>& outcome) {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [kept](const Entry& entry) {
    return entry.memory_bytes > 0 && &entry != kept;
  });
  if (last == entries_.rend()) return false;
  const Place place = std::prev(last.base());
  if (!place->is_on_disk) {
    const bool may_go =
        folder_ == nullptr || place->graph != nullptr;  // not all graphs can be saved
    if (folder_ != nullptr) outcome = write(place, context);
    if (may_go && (folder_ == nullptr || !outcome)) {
      outcome = {};
      forget(place, kEvicted);
      return true;
    }
    if (!outcome) return false;
  }
  memory_bytes_ -= place->memory_bytes;
  place->unload();
  return true;
}

// The content of mapped files counts little, so it comes to rest.
Result<void> SessionHandles::shrink_memory(const Entry* kept, const OpContext& context) {
  Result<void> outcome;
  while (memory_bytes_ > options_.memory_bytes_max && unload_one(kept, context, outcome)) {
  }
  if (!outcome || memory_bytes_ <= options_.memory_bytes_max || folder_ == nullptr) return outcome;
  (void)unload_one(nullptr, context, outcome);  // only the kept one is left, and is too large
  return outcome;
}

std::optional<Ref> SessionHandles::find_same(const HandleOrigin& origin) {
  if (origin.call_hash.empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  purge_expired();
  const auto same = same_.find(same_key_of(origin));
  if (same == same_.end()) return std::nullopt;
  const Place place = by_key_.at(same->second);
  touch(place);
  return ref_of(*place);
}

bool SessionHandles::is_live(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(std::string(key));
  return found != by_key_.end() && !is_expired(*found->second);
}

std::vector<Ref> SessionHandles::list(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<Ref> refs;
  for (const Entry& entry : entries_) {
    if (refs.size() >= most) break;
    if (!is_expired(entry)) refs.push_back(ref_of(entry));
  }
  return refs;
}

std::size_t SessionHandles::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(), [this](const Entry& entry) { return !is_expired(entry); }));
}

Result<void> SessionHandles::remove(std::string_view key) {
  const std::lock_guard lock(mutex_);
  purge_expired();
  const auto found = by_key_.find(std::string(key));
  if (found == by_key_.end()) return not_found(key);
  forget(found->second, kRemoved);
  return {};
}

bool SessionHandles::is_expired(const Entry& entry) const {
  const auto expiry = expiry_of(entry);
  return expiry && env_.clock().wall() >= *expiry;
}

std::optional<WallTime> SessionHandles::expiry_of(const Entry& entry) const {
  constexpr Duration kForever = std::chrono::hours(24 * 365 * 100);
  if (options_.time_to_live <= Duration::zero() || options_.time_to_live > kForever) {
    return std::nullopt;
  }
  return entry.used_at + std::chrono::duration_cast<WallTime::duration>(options_.time_to_live);
}

Ref SessionHandles::ref_of(const Entry& entry) const {
  Ref ref = entry.record.ref;
  ref.expires_at = expiry_of(entry);
  return ref;
}

void SessionHandles::purge_expired() {
  while (!entries_.empty() && is_expired(entries_.back())) {
    forget(std::prev(entries_.end()), kExpired);
  }
}

// The number of a handle whose file goes is kept in the manifest before. `why` empty: no one is to
// know of it.
void SessionHandles::forget(Place place, std::string_view why, bool is_on_disk_left) {
  const HandleRecord& record = place->record;
  if (!why.empty()) {
    gone_.add(record.ref.key, why);
    is_manifest_old_ = true;
  }
  if (place->is_on_disk) {
    const auto number = number_of_key(record.ref.key, record.ref.dtype);
    if (number && *number >= claimed_[std::string(name_of(record.ref.dtype))]) write_manifest();
    if (!is_on_disk_left) folder_->remove(place->serial, record.content);
  }
  memory_bytes_ -= place->memory_bytes;
  disk_bytes_ -= place->disk_bytes;
  const auto same = same_.find(same_key_of(record.origin));
  if (same != same_.end() && same->second == record.ref.key) same_.erase(same);
  by_key_.erase(record.ref.key);
  entries_.erase(place);
}

Error SessionHandles::not_found(std::string_view key) const {
  std::vector<std::string_view> live;
  live.reserve(entries_.size());
  for (const Entry& entry : entries_) live.emplace_back(entry.record.ref.key);
  return gone_.explain(key, live, options_.time_to_live);
}

// What cannot be written now is written with the next change, or when the store closes.
bool SessionHandles::write_manifest(bool is_last) {
  HandleManifest manifest;
  manifest.next = next_;
  for (auto& [type, number] : manifest.next) {
    const auto claimed = claimed_.find(type);
    if (!is_last && claimed != claimed_.end()) number = std::max(number, claimed->second);
  }
  for (Entry& entry : entries_) {
    if (entry.used_at == entry.record.ref.created_at) continue;
    manifest.used[entry.record.ref.key] = entry.used_at;
  }
  manifest.gone.assign(gone_.keys().begin(), gone_.keys().end());
  const auto written = folder_->write_manifest(manifest);
  is_manifest_old_ = !written;
  if (!written) {
    add_problem("the manifest could not be written: " + written.error().to_string());
    return false;
  }
  claimed_ = std::move(manifest.next);
  for (Entry& entry : entries_) entry.used_written = entry.used_at;
  return true;
}

std::vector<std::string> SessionHandles::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::size_t SessionHandles::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return memory_bytes_;
}

std::uint64_t SessionHandles::disk_bytes() const {
  const std::lock_guard lock(mutex_);
  return disk_bytes_;
}

}  // namespace

Result<std::unique_ptr<HandleStore>> HandleStore::open(HandleStoreOptions options, Env& env,
                                                       GraphFactory* graphs,
                                                       const OpContext& context) {
  auto store = std::make_unique<SessionHandles>(std::move(options), env);
  HELVE_TRY(store->load(graphs, context));
  return store;
}

}  // namespace helve::toolkit
