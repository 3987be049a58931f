// FactCache: what tools found out about a graph and will need again, keyed by the graph's
// fingerprint. Bounded; the oldest go first.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"

namespace helve::toolkit {

// Thread-safe. The same fact may be made twice at the same time; both are right.
class FactCache {
 public:
  explicit FactCache(std::size_t facts_max = 4'096) : facts_max_(facts_max) {}

  // The fact of this key, or the one that `make` gives, which is then kept. One key is always asked
  // for with one type.
  template <typename Fact, typename Make>
  Result<std::shared_ptr<const Fact>> get(const std::string& key, Make make) {
    if (auto known = find(key)) return std::static_pointer_cast<const Fact>(std::move(known));
    Result<Fact> made = make();
    if (!made) return std::move(made).error();
    auto fact = std::make_shared<const Fact>(*std::move(made));
    keep(key, fact);
    return fact;
  }

 private:
  std::shared_ptr<const void> find(const std::string& key) const;
  void keep(const std::string& key, std::shared_ptr<const void> fact);

  std::size_t facts_max_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const void>, std::less<>> facts_;
  std::deque<std::string> order_;
};

}  // namespace helve::toolkit
