#include "sources/store/live/quad_tree.h"

#include <algorithm>
#include <utility>

namespace helve::store {

namespace {

constexpr std::size_t kEntriesMax = 64;   // of a leaf
constexpr std::size_t kChildrenMax = 64;  // of an inner node

}  // namespace

// A leaf has entries, an inner node children; neither is ever empty.
struct QuadTree::Node {
  struct Child {
    QuadKey first;  // nothing less is in it or in those behind it
    NodePtr node;
  };
  EntryCounts counts;
  std::vector<QuadEntry> entries;
  std::vector<Child> children;

  bool is_leaf() const { return children.empty(); }
  const QuadKey& first() const { return is_leaf() ? entries.front().key : children.front().first; }
};

namespace {

using Node = QuadTree::Node;
using NodePtr = QuadTree::NodePtr;

NodePtr make_leaf(std::vector<QuadEntry> entries) {
  auto leaf = std::make_shared<Node>();
  for (const QuadEntry& entry : entries) {
    ++(entry.presence == Presence::Added ? leaf->counts.added : leaf->counts.removed);
  }
  leaf->entries = std::move(entries);
  return leaf;
}

NodePtr make_inner(std::span<const NodePtr> nodes) {
  auto inner = std::make_shared<Node>();
  inner->children.reserve(nodes.size());
  for (const NodePtr& node : nodes) {
    inner->counts += node->counts;
    inner->children.push_back({node->first(), node});
  }
  return inner;
}

// Cuts into stretches of nearly the same length, none longer than `most`.
template <typename Item, typename Make>
void cut(std::span<const Item> items, std::size_t most, const Make& make,
         std::vector<NodePtr>& out) {
  const std::size_t pieces = (items.size() + most - 1) / most;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t first = items.size() * i / pieces;
    const std::size_t last = items.size() * (i + 1) / pieces;
    out.push_back(make(items.subspan(first, last - first)));
  }
}

void put_leaves(const std::vector<QuadEntry>& entries, std::vector<NodePtr>& out) {
  cut(
      std::span<const QuadEntry>(entries), kEntriesMax,
      [](std::span<const QuadEntry> stretch) {
        return make_leaf({stretch.begin(), stretch.end()});
      },
      out);
}

void put_inner(std::span<const NodePtr> nodes, std::vector<NodePtr>& out) {
  cut(
      nodes, kChildrenMax, [](std::span<const NodePtr> stretch) { return make_inner(stretch); },
      out);
}

std::vector<QuadEntry> merge(std::span<const QuadEntry> entries,
                             std::span<const TreeChange> changes) {
  std::vector<QuadEntry> merged;
  merged.reserve(entries.size() + changes.size());
  std::size_t at = 0;
  for (const TreeChange& change : changes) {
    while (at < entries.size() && entries[at].key < change.key) merged.push_back(entries[at++]);
    if (at < entries.size() && entries[at].key == change.key) ++at;
    if (change.presence) merged.push_back({change.key, *change.presence});
  }
  merged.insert(merged.end(), entries.begin() + static_cast<std::ptrdiff_t>(at), entries.end());
  return merged;
}

// Leaves that lost much are put together with the one before them.
void add_node(NodePtr node, std::vector<NodePtr>& nodes) {
  if (node->is_leaf() && !nodes.empty() && nodes.back()->is_leaf() &&
      nodes.back()->entries.size() + node->entries.size() <= kEntriesMax / 2) {
    std::vector<QuadEntry> both = nodes.back()->entries;
    both.insert(both.end(), node->entries.begin(), node->entries.end());
    nodes.back() = make_leaf(std::move(both));
    return;
  }
  nodes.push_back(std::move(node));
}

// What takes the place of a node: any number of nodes of the same height.
void apply_to(const NodePtr& node, std::span<const TreeChange> changes, std::vector<NodePtr>& out) {
  if (changes.empty()) return out.push_back(node);
  if (node->is_leaf()) return put_leaves(merge(node->entries, changes), out);
  std::vector<NodePtr> children;
  std::vector<NodePtr> made;
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    // What is less than everything belongs into the first child.
    const auto is_here = [&](const TreeChange& change) {
      return i + 1 == node->children.size() || change.key < node->children[i + 1].first;
    };
    const auto end = std::partition_point(changes.begin(), changes.end(), is_here);
    const auto size = static_cast<std::size_t>(end - changes.begin());
    made.clear();
    apply_to(node->children[i].node, changes.first(size), made);
    changes = changes.subspan(size);
    for (NodePtr& one : made) add_node(std::move(one), children);
  }
  put_inner(children, out);
}

}  // namespace

KeyRange KeyRange::of_prefix(std::span<const Id> prefix) {
  KeyRange range;
  std::copy(prefix.begin(), prefix.end(), range.first.parts.begin());
  if (prefix.empty()) {
    range.last.parts.fill(Id::from_bits(UINT64_MAX));
    return range;
  }
  range.last = range.first;
  Id& end = range.last.parts[prefix.size() - 1];
  end = Id::from_bits(end.bits() + 1);
  return range;
}

EntryCounts QuadTree::counts() const { return root_ != nullptr ? root_->counts : EntryCounts(); }

EntryCounts QuadTree::counts_before(const QuadKey& key) const {
  EntryCounts counts;
  const Node* node = root_.get();
  while (node != nullptr && !node->is_leaf()) {
    const Node* next = nullptr;
    for (const Node::Child& child : node->children) {
      if (key < child.first) break;
      if (next != nullptr) counts += next->counts;
      next = child.node.get();
    }
    node = next;
  }
  if (node == nullptr) return counts;
  for (const QuadEntry& entry : node->entries) {
    if (!(entry.key < key)) break;
    ++(entry.presence == Presence::Added ? counts.added : counts.removed);
  }
  return counts;
}

EntryCounts QuadTree::counts(const KeyRange& range) const {
  if (root_ == nullptr) return {};
  return counts_before(range.last) - counts_before(range.first);
}

std::optional<Presence> QuadTree::find(const QuadKey& key) const {
  const Cursor cursor = seek(key);
  const QuadEntry* const entry = cursor.entry();
  if (entry == nullptr || entry->key != key) return std::nullopt;
  return entry->presence;
}

bool QuadTree::has_any(const KeyRange& range) const {
  if (root_ == nullptr) return false;
  const Cursor cursor = seek(range.first);
  const QuadEntry* const entry = cursor.entry();
  return entry != nullptr && entry->key < range.last;
}

QuadTree QuadTree::apply(std::span<const TreeChange> changes) const {
  std::vector<NodePtr> nodes;
  if (root_ == nullptr) {
    put_leaves(merge({}, changes), nodes);
  } else {
    apply_to(root_, changes, nodes);
  }
  while (nodes.size() > 1) {
    std::vector<NodePtr> above;
    put_inner(nodes, above);
    nodes = std::move(above);
  }
  QuadTree tree;
  if (nodes.empty()) return tree;
  tree.root_ = nodes.front();
  while (tree.root_->children.size() == 1) {
    const NodePtr only = tree.root_->children.front().node;
    tree.root_ = only;
  }
  return tree;
}

const QuadEntry* QuadTree::Cursor::entry() const {
  if (path_.empty()) return nullptr;
  return &path_.back().node->entries[path_.back().at];
}

void QuadTree::Cursor::next() {
  if (path_.empty()) return;
  if (++path_.back().at < path_.back().node->entries.size()) return;
  path_.pop_back();
  while (!path_.empty() && ++path_.back().at == path_.back().node->children.size()) {
    path_.pop_back();
  }
  if (!path_.empty()) descend();
}

// To the first entry below the last step.
void QuadTree::Cursor::descend() {
  while (!path_.back().node->is_leaf()) {
    const Step& step = path_.back();
    path_.push_back({step.node->children[step.at].node.get(), 0});
  }
}

QuadTree::Cursor QuadTree::seek(const QuadKey& key) const {
  Cursor cursor;
  if (root_ == nullptr) return cursor;
  const Node* node = root_.get();
  while (!node->is_leaf()) {
    const auto behind = std::upper_bound(
        node->children.begin() + 1, node->children.end(), key,
        [](const QuadKey& wanted, const Node::Child& child) { return wanted < child.first; });
    const auto at = static_cast<std::size_t>(behind - node->children.begin()) - 1;
    cursor.path_.push_back({node, at});
    node = node->children[at].node.get();
  }
  const auto found = std::lower_bound(
      node->entries.begin(), node->entries.end(), key,
      [](const QuadEntry& entry, const QuadKey& wanted) { return entry.key < wanted; });
  const auto at = static_cast<std::size_t>(found - node->entries.begin());
  cursor.path_.push_back({node, at});
  if (at == node->entries.size()) {
    --cursor.path_.back().at;
    cursor.next();
  }
  return cursor;
}

}  // namespace helve::store
