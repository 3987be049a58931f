#include "toolkit/learning/forget.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "toolkit/learning/utility.h"

namespace helve::learning {

namespace {

using memory::Item;

constexpr std::size_t kTogether = 1'000;  // items of one change

enum class Tier : std::uint8_t { Superseded, Quarantined, Active };

struct Entry {
  Tier tier = Tier::Active;
  double utility = 0;
  WallTime created_at{};
  std::string id;
  memory::ItemSource polarity = memory::ItemSource::Human;

  auto key() const { return std::tie(tier, utility, created_at, id); }
};

Tier tier_of(const Item& item) {
  if (!item.superseded_by.empty()) return Tier::Superseded;
  return item.quarantined ? Tier::Quarantined : Tier::Active;
}

}  // namespace

Result<EvictionPlan> plan_eviction(memory::MemoryRepository& bank, const ForgetOptions& options,
                                   WallTime now, const OpContext& context) {
  EvictionPlan plan;
  if (!options.is_enabled) return plan;
  std::vector<Entry> entries;
  std::array<std::uint64_t, memory::kItemSources> active{};
  memory::ItemFilter filter = memory::whole_bank();
  filter.with_retracted = false;
  HELVE_TRY(bank.visit(
      filter,
      [&](const Item& item) -> Result<void> {
        entries.push_back(
            {tier_of(item), utility_of(item, now), item.created_at, item.id, item.src});
        if (item.is_active()) ++active[static_cast<std::size_t>(item.src)];
        return context.check();
      },
      context));
  plan.items = entries.size();
  std::sort(entries.begin(), entries.end(),
            [](const Entry& left, const Entry& right) { return left.key() < right.key(); });
  std::uint64_t left = entries.size();
  for (const Entry& entry : entries) {
    if (left <= options.items_max) break;
    if (entry.tier == Tier::Active) {
      std::uint64_t& of_polarity = active[static_cast<std::size_t>(entry.polarity)];
      if (of_polarity <= options.floor) continue;
      --of_polarity;
    }
    plan.ids.push_back(entry.id);
    --left;
  }
  plan.is_bound_met = left <= options.items_max;
  return plan;
}

Result<std::vector<std::uint64_t>> apply(memory::MemoryRepository& bank, const EvictionPlan& plan,
                                         const OpContext& context) {
  std::vector<std::uint64_t> changes;
  for (std::size_t at = 0; at < plan.ids.size(); at += kTogether) {
    const auto begin = plan.ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kTogether, plan.ids.size() - at));
    HELVE_ASSIGN(const memory::ChangeReport changed,
                 bank.evict(std::vector<std::string>(begin, begin + count), context));
    changes.push_back(changed.change);
  }
  return changes;
}

}  // namespace helve::learning
