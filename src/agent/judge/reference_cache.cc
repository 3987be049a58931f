#include "agent/judge/reference_cache.h"

#include <algorithm>

namespace helve::agent {

Result<JudgedResult> ReferenceCache::get(const std::string& key, const Run& run) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    auto& place = entries_[key];
    if (place == nullptr) place = std::make_shared<Entry>();
    entry = place;
    entry->last = ++uses_;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->result) return *entry->result;
  auto result = run();
  if (result) entry->result = *result;
  settle(key, entry, result ? result->rows->memory_bytes() : 0);
  return result;
}

// Called with the entry's own lock held.
void ReferenceCache::settle(const std::string& key, const std::shared_ptr<Entry>& entry,
                            std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto place = entries_.find(key);
  if (place == entries_.end() || place->second != entry) return;  // it went while it was run
  if (!entry->result || bytes > kBytesMax) {
    entries_.erase(place);
    return;
  }
  entry->bytes = bytes;
  bytes_ += bytes;
  while (entries_.size() > kEntriesMax || bytes_ > kBytesMax) {
    const auto oldest = std::min_element(
        entries_.begin(), entries_.end(),
        [](const auto& a, const auto& b) { return a.second->last < b.second->last; });
    bytes_ -= oldest->second->bytes;
    entries_.erase(oldest);
  }
}

}  // namespace helve::agent
