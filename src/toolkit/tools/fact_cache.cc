#include "toolkit/tools/fact_cache.h"

namespace helve::toolkit {

std::shared_ptr<const void> FactCache::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = facts_.find(key);
  return found != facts_.end() ? found->second : nullptr;
}

void FactCache::keep(const std::string& key, std::shared_ptr<const void> fact) {
  const std::lock_guard lock(mutex_);
  if (!facts_.emplace(key, std::move(fact)).second) return;
  order_.push_back(key);
  if (order_.size() <= facts_max_) return;
  facts_.erase(order_.front());
  order_.pop_front();
}

}  // namespace helve::toolkit
