// QuadTree: which quads a store has more, or less, than its base, sorted in one order. A version is
// never changed: apply() makes the next one, which shares all nodes that no change falls into.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sources/rdf/id.h"

namespace helve::store {

using rdf::Id;

// The parts of a quad in the order of its tree.
struct QuadKey {
  std::array<Id, 4> parts;

  auto operator<=>(const QuadKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class Presence : std::uint8_t { Added, Removed };

struct QuadEntry {
  QuadKey key;
  Presence presence = Presence::Added;
};

// nullopt: the quad is as in the base again.
struct TreeChange {
  QuadKey key;
  std::optional<Presence> presence;
};

// Keys from `first` on and before `last`.
struct KeyRange {
  QuadKey first;
  QuadKey last;

  // Those that begin with these parts.
  static KeyRange of_prefix(std::span<const Id> prefix);
};

struct EntryCounts {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;

  bool is_zero() const { return added == 0 && removed == 0; }
  EntryCounts& operator+=(const EntryCounts& other) {
    added += other.added;
    removed += other.removed;
    return *this;
  }
  friend EntryCounts operator-(const EntryCounts& a, const EntryCounts& b) {
    return {a.added - b.added, a.removed - b.removed};
  }
};

// Immutable; thread-safe. Copies share everything.
class QuadTree {
 public:
  struct Node;
  using NodePtr = std::shared_ptr<const Node>;

  EntryCounts counts() const;
  // Of a range, without walking through it.
  EntryCounts counts(const KeyRange& range) const;
  std::optional<Presence> find(const QuadKey& key) const;
  // True as soon as one entry is met.
  bool has_any(const KeyRange& range) const;

  // REQUIRES: ascending, each key once.
  QuadTree apply(std::span<const TreeChange> changes) const;

  // Walks over entries in order. The tree must outlive it.
  class Cursor {
   public:
    Cursor() = default;
    // Null at the end.
    const QuadEntry* entry() const;
    void next();

   private:
    friend class QuadTree;
    struct Step {
      const Node* node = nullptr;
      std::size_t at = 0;
    };
    void descend();

    std::vector<Step> path_;
  };
  // At the first entry that is not less.
  Cursor seek(const QuadKey& key) const;
  Cursor begin() const { return seek({}); }

 private:
  EntryCounts counts_before(const QuadKey& key) const;

  NodePtr root_;
};

}  // namespace helve::store
