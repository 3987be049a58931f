#include "sources/store/live/quad_trees.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "sources/store/live/delta.h"

namespace helve::store {

namespace {

constexpr std::size_t kWorthSharing = 4'096;  // changes, from which on several cores work

std::size_t order_place(Order order) { return static_cast<std::size_t>(order); }

std::vector<TreeChange> in_order(std::span<const TreeChange> changes, Order order) {
  std::vector<TreeChange> out;
  out.reserve(changes.size());
  for (const TreeChange& change : changes) {
    out.push_back({key_of(quad_of(change.key, Order::Spo), order), change.presence});
  }
  std::sort(out.begin(), out.end(),
            [](const TreeChange& a, const TreeChange& b) { return a.key < b.key; });
  return out;
}

QuadTree reordered(const QuadTree& spo, Order order) {
  std::vector<TreeChange> all;
  const EntryCounts counts = spo.counts();
  all.reserve(counts.added + counts.removed);
  for (auto at = spo.begin(); at.entry() != nullptr; at.next()) {
    all.push_back({at.entry()->key, at.entry()->presence});
  }
  return QuadTree().apply(in_order(all, order));
}

}  // namespace

struct QuadTrees::Version {
  struct Slot {
    std::once_flag once;
    std::atomic<bool> is_made = false;
    QuadTree tree;  // not changed once it is made
  };
  std::array<Slot, kOrders> slots;
  // Which orders were asked for, of any version.
  std::shared_ptr<std::array<std::atomic<bool>, kOrders>> wanted;

  const Slot& operator[](Order order) const { return slots[order_place(order)]; }

  const QuadTree& get(Order order) {
    Slot& slot = slots[order_place(order)];
    if (slot.is_made.load(std::memory_order_acquire)) return slot.tree;
    const QuadTree& spo = (*this)[Order::Spo].tree;
    if (spo.counts().is_zero()) return spo;  // the same in every order
    (*wanted)[order_place(order)].store(true, std::memory_order_relaxed);
    std::call_once(slot.once, [&] { put(order, reordered(spo, order)); });
    return slot.tree;
  }

  void put(Order order, QuadTree tree) {
    Slot& slot = slots[order_place(order)];
    slot.tree = std::move(tree);
    slot.is_made.store(true, std::memory_order_release);
  }
};

QuadTrees::QuadTrees() : version_(std::make_shared<Version>()) {
  version_->wanted = std::make_shared<std::array<std::atomic<bool>, kOrders>>();
  version_->put(Order::Spo, {});
}

QuadTrees::QuadTrees(std::shared_ptr<Version> version) : version_(std::move(version)) {}

const QuadTree& QuadTrees::operator[](Order order) const { return version_->get(order); }

bool QuadTrees::is_made(Order order) const {
  return (*version_)[order].is_made.load(std::memory_order_acquire);
}

Result<QuadTrees> QuadTrees::apply(std::span<const TreeChange> changes,
                                   const OpContext& context) const {
  auto next = std::make_shared<Version>();
  next->wanted = version_->wanted;
  next->put(Order::Spo, (*version_)[Order::Spo].tree.apply(changes));
  const auto make = [&](std::size_t i) -> Result<void> {
    const auto order = static_cast<Order>(i);
    if (order == Order::Spo) return {};
    HELVE_TRY(context.check());
    if (!is_made(order) && !(*next->wanted)[i].load(std::memory_order_relaxed)) return {};
    // Made here where it is not there yet: that is not lost if the next version comes to nothing.
    next->put(order, version_->get(order).apply(in_order(changes, order)));
    return {};
  };
  if (changes.size() >= kWorthSharing) {
    HELVE_TRY(parallel_for(kOrders, context, make));
  } else {
    for (std::size_t i = 0; i < kOrders; ++i) HELVE_TRY(make(i));
  }
  return QuadTrees(std::move(next));
}

}  // namespace helve::store
