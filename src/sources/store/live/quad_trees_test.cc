#include "sources/store/live/quad_trees.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "sources/store/live/delta.h"

namespace helve::store {
namespace {

constexpr std::array<Order, kOrders> kAllOrders = {Order::Spo,  Order::Sop,  Order::Pso,
                                                   Order::Pos,  Order::Osp,  Order::Ops,
                                                   Order::Gspo, Order::Gpos, Order::Gosp};

Id iri_id(std::uint64_t number) { return {Tag::Iri, number}; }

Quad quad(std::uint64_t number) {
  return {iri_id(number % 7), iri_id(number % 3), iri_id(number),
          number % 2 == 0 ? Id() : iri_id(number % 5)};
}

using TreeModel = std::map<Quad, Presence>;

QuadTrees applied(const QuadTrees& to, const std::map<Quad, std::optional<Presence>>& changes) {
  std::vector<TreeChange> list;
  list.reserve(changes.size());
  for (const auto& [one, presence] : changes) list.push_back({key_of(one, Order::Spo), presence});
  auto next = to.apply(list, OpContext());
  EXPECT_TRUE(next);
  return *next;
}

QuadTrees with_added(const QuadTrees& to, std::uint64_t number) {
  return applied(to, {{quad(number), Presence::Added}});
}

TreeModel tree_contents(const QuadTree& tree, Order order) {
  TreeModel model;
  const QuadEntry* last = nullptr;
  for (auto at = tree.begin(); at.entry() != nullptr; at.next()) {
    EXPECT_TRUE(last == nullptr || last->key < at.entry()->key);
    last = at.entry();
    model[quad_of(last->key, order)] = last->presence;
  }
  return model;
}

std::set<Order> made_of(const QuadTrees& trees) {
  std::set<Order> made;
  for (const Order order : kAllOrders) {
    if (trees.is_made(order)) made.insert(order);
  }
  return made;
}

TEST(QuadTreesTest, AnOrderIsMadeWhenItIsAskedFor) {
  const QuadTrees trees = with_added(with_added({}, 1), 2);
  EXPECT_EQ(made_of(trees), (std::set{Order::Spo}));
  EXPECT_EQ(trees[Order::Pos].counts().added, 2U);
  EXPECT_EQ(made_of(trees), (std::set{Order::Spo, Order::Pos}));
  // What comes next has it too.
  EXPECT_EQ(made_of(with_added(trees, 3)), (std::set{Order::Spo, Order::Pos}));
}

TEST(QuadTreesTest, WhoeverReadsOlderStatesFindsTheOrderInLaterOnes) {
  const QuadTrees read = with_added({}, 1);
  const QuadTrees written = with_added(read, 2);  // before anybody asked
  EXPECT_EQ(read[Order::Osp].counts().added, 1U);
  EXPECT_EQ(made_of(written), (std::set{Order::Spo}));
  const QuadTrees next = with_added(written, 3);
  EXPECT_EQ(made_of(next), (std::set{Order::Spo, Order::Osp}));
  EXPECT_EQ(next[Order::Osp].counts().added, 3U);
  // That was made where it is not lost.
  EXPECT_EQ(made_of(written), (std::set{Order::Spo, Order::Osp}));
}

TEST(QuadTreesTest, ManyAskAtOnceWhileOthersWrite) {
  constexpr std::uint64_t kStates = 60;
  std::mutex mutex;
  QuadTrees newest = with_added({}, 0);
  std::atomic<bool> is_over = false;
  std::vector<std::thread> readers;
  for (std::size_t reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      for (std::size_t turn = reader; !is_over; ++turn) {
        const QuadTrees trees = [&] {
          const std::lock_guard lock(mutex);
          return newest;
        }();
        const Order order = kAllOrders[turn % kOrders];
        EXPECT_EQ(trees[order].counts().added, trees[Order::Spo].counts().added);
      }
    });
  }
  for (std::uint64_t i = 1; i < kStates; ++i) {
    QuadTrees next = with_added(newest, i);
    const std::lock_guard lock(mutex);
    newest = std::move(next);
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  for (const Order order : kAllOrders) EXPECT_EQ(newest[order].counts().added, kStates);
}

TEST(QuadTreesTest, WithoutChangesNothingIsWanted) {
  const QuadTrees empty;
  for (const Order order : kAllOrders) EXPECT_TRUE(empty[order].counts().is_zero());
  EXPECT_EQ(made_of(with_added(empty, 1)), (std::set{Order::Spo}));
}

TEST(QuadTreesTest, AllOrdersHaveTheSame) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    QuadTrees trees;
    TreeModel model;
    for (int step = 0; step < 12; ++step) {
      std::map<Quad, std::optional<Presence>> changes;
      const std::size_t size = step == 5 ? 6'000 : 1 + random() % 40;
      for (std::size_t i = 0; i < size; ++i) {
        const Quad one = quad(random() % 9'000);
        const bool is_back = model.count(one) > 0 && random() % 2 == 0;
        const Presence presence = random() % 2 == 0 ? Presence::Added : Presence::Removed;
        changes[one] = is_back ? std::nullopt : std::optional(presence);
      }
      for (const auto& [one, presence] : changes) {
        if (presence) {
          model[one] = *presence;
        } else {
          model.erase(one);
        }
      }
      trees = applied(trees, changes);
      // Some orders are asked for early, some late, some in every state.
      const Order order = kAllOrders[random() % kOrders];
      ASSERT_EQ(tree_contents(trees[order], order), model) << "seed " << seed << " step " << step;
    }
    for (const Order order : kAllOrders) {
      ASSERT_EQ(tree_contents(trees[order], order), model) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace helve::store
