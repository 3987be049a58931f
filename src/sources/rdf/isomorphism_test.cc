#include "sources/rdf/isomorphism.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

using Edge = std::pair<int, int>;
using Edges = std::vector<Edge>;

constexpr std::string_view kLink = "http://example.org/link";

void add(QuadSet& set, const TermView& s, std::string_view p, const TermView& o,
         const TermView& g = {}) {
  ASSERT_TRUE(set.statement({s, TermView::iri(p), o, g}));
}

bool isomorphic(const QuadSet& a, const QuadSet& b) {
  const auto there = are_isomorphic(a, b);
  const auto back = are_isomorphic(b, a);
  EXPECT_TRUE(there && back) << (there ? back : there).error().to_string();
  EXPECT_EQ(*there, *back);
  return *there;
}

// A graph of blank nodes, its edges shuffled and its nodes relabelled by the seed. Seed 0 leaves
// it.
QuadSet blank_graph(Edges edges, unsigned seed = 0, bool both_ways = false) {
  int nodes = 0;
  for (const auto& [from, to] : edges) nodes = std::max({nodes, from + 1, to + 1});
  std::vector<int> labels(static_cast<std::size_t>(nodes));
  std::iota(labels.begin(), labels.end(), 0);
  std::mt19937 random(seed);
  if (seed != 0) {
    std::shuffle(labels.begin(), labels.end(), random);
    std::shuffle(edges.begin(), edges.end(), random);
  }
  QuadSet set;
  for (const auto& [from, to] : edges) {
    const std::string a = fmt::format("n{}", labels[static_cast<std::size_t>(from)]);
    const std::string b = fmt::format("n{}", labels[static_cast<std::size_t>(to)]);
    add(set, TermView::blank(a), kLink, TermView::blank(b));
    if (both_ways) add(set, TermView::blank(b), kLink, TermView::blank(a));
  }
  return set;
}

QuadSet undirected(const Edges& edges, unsigned seed = 0) { return blank_graph(edges, seed, true); }

Edges cycle(int length, int first = 0) {
  Edges edges;
  for (int i = 0; i < length; ++i) edges.emplace_back(first + i, first + (i + 1) % length);
  return edges;
}

Edges joined(Edges a, const Edges& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Isomorphism, EmptySetsAreIsomorphic) {
  EXPECT_TRUE(isomorphic(QuadSet(), QuadSet()));
  QuadSet one;
  add(one, TermView::iri("s"), "p", TermView::iri("o"));
  EXPECT_FALSE(isomorphic(QuadSet(), one));
}

TEST(Isomorphism, ComparesGroundStatementsAsSets) {
  QuadSet a;
  QuadSet b;
  for (const auto* object : {"1", "2", "1"}) {
    add(a, TermView::iri("s"), "p", TermView::literal(object));
  }
  for (const auto* object : {"2", "2", "1"}) {
    add(b, TermView::iri("s"), "p", TermView::literal(object));
  }
  EXPECT_TRUE(isomorphic(a, b));
  add(b, TermView::iri("s"), "p", TermView::literal("3"));
  EXPECT_FALSE(isomorphic(a, b));
}

TEST(Isomorphism, TellsLiteralsByDatatypeAndLanguage) {
  const std::vector<TermView> objects = {
      TermView::literal("1"), TermView::literal("1", kXsdInteger),
      TermView::lang_literal("1", "en"), TermView::lang_literal("1", "de"), TermView::iri("1")};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (std::size_t j = 0; j < objects.size(); ++j) {
      QuadSet a;
      QuadSet b;
      add(a, TermView::blank("x"), "p", objects[i]);
      add(b, TermView::blank("y"), "p", objects[j]);
      EXPECT_EQ(isomorphic(a, b), i == j);
    }
  }
}

TEST(Isomorphism, ABlankNodeIsNotATermWithItsName) {
  QuadSet a;
  QuadSet b;
  add(a, TermView::iri("s"), "p", TermView::blank("x"));
  add(b, TermView::iri("s"), "p", TermView::iri("x"));
  EXPECT_FALSE(isomorphic(a, b));
}

TEST(Isomorphism, IgnoresLabelsAndOrder) {
  const Edges edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {3, 5}, {5, 5}};
  for (unsigned seed = 1; seed < 50; ++seed) {
    EXPECT_TRUE(isomorphic(blank_graph(edges), blank_graph(edges, seed)));
  }
}

TEST(Isomorphism, SeesOneFlippedEdge) {
  const Edges edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {3, 5}, {4, 6}};
  Edges flipped = edges;
  std::swap(flipped.back().first, flipped.back().second);
  for (unsigned seed = 1; seed < 20; ++seed) {
    EXPECT_FALSE(isomorphic(blank_graph(edges), blank_graph(flipped, seed)));
  }
}

TEST(Isomorphism, SeesSelfLoops) {
  EXPECT_FALSE(isomorphic(blank_graph({{0, 0}, {1, 1}}), blank_graph({{0, 1}, {1, 0}})));
  EXPECT_TRUE(isomorphic(blank_graph({{0, 0}, {0, 1}}), blank_graph({{1, 0}, {1, 1}})));
}

TEST(Isomorphism, TellsRegularGraphsThatColoursCannot) {
  const Edges hexagon = cycle(6);
  const Edges triangles = joined(cycle(3), cycle(3, 3));
  EXPECT_FALSE(isomorphic(blank_graph(hexagon), blank_graph(triangles)));
  EXPECT_FALSE(isomorphic(undirected(hexagon), undirected(triangles)));
  EXPECT_TRUE(isomorphic(undirected(triangles), undirected(triangles, 5)));

  const Edges k33 = {{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}};
  const Edges prism = joined(joined(cycle(3), cycle(3, 3)), {{0, 3}, {1, 4}, {2, 5}});
  EXPECT_FALSE(isomorphic(undirected(k33), undirected(prism)));
  for (unsigned seed = 1; seed < 20; ++seed) {
    EXPECT_TRUE(isomorphic(undirected(k33), undirected(k33, seed)));
    EXPECT_TRUE(isomorphic(undirected(prism), undirected(prism, seed)));
  }
}

// Rook's 4x4 graph and Shrikhande's: strongly regular with the same parameters.
TEST(Isomorphism, TellsStronglyRegularGraphs) {
  Edges rook;
  Edges shrikhande;
  const std::vector<Edge> steps = {{0, 1}, {1, 0}, {1, 1}};
  for (int i = 0; i < 16; ++i) {
    for (int j = i + 1; j < 16; ++j) {
      if (i / 4 == j / 4 || i % 4 == j % 4) rook.emplace_back(i, j);
    }
    for (const auto& [dx, dy] : steps) {
      shrikhande.emplace_back(i, (i / 4 + dx) % 4 * 4 + (i % 4 + dy) % 4);
    }
  }
  EXPECT_FALSE(isomorphic(undirected(rook), undirected(shrikhande)));
  for (unsigned seed = 1; seed < 10; ++seed) {
    EXPECT_TRUE(isomorphic(undirected(rook), undirected(rook, seed)));
    EXPECT_TRUE(isomorphic(undirected(shrikhande), undirected(shrikhande, seed)));
  }
}

// Backtracking into components that have found their partner would take 20! steps here.
TEST(Isomorphism, MatchesComponentsOneByOne) {
  Edges hexagons;
  Edges mixed;
  for (int i = 0; i < 20; ++i) hexagons = joined(hexagons, cycle(6, 6 * i));
  for (int i = 0; i < 19; ++i) mixed = joined(mixed, cycle(6, 6 * i));
  mixed = joined(mixed, joined(cycle(3, 114), cycle(3, 117)));
  EXPECT_FALSE(isomorphic(undirected(hexagons), undirected(mixed, 3)));
  EXPECT_TRUE(isomorphic(undirected(mixed), undirected(mixed, 4)));
}

TEST(Isomorphism, BlankNodesAlsoNameGraphs) {
  const auto graphs = [](std::string_view in, std::string_view about) {
    QuadSet set;
    add(set, TermView::iri("s"), "p", TermView::iri("o"), TermView::blank(in));
    add(set, TermView::blank(about), "p", TermView::iri("o"));
    add(set, TermView::blank("other"), "p", TermView::iri("o"));
    return set;
  };
  EXPECT_TRUE(isomorphic(graphs("g", "g"), graphs("x", "x")));
  EXPECT_TRUE(isomorphic(graphs("g", "g"), graphs("other", "x")));
  EXPECT_FALSE(isomorphic(graphs("g", "g"), graphs("g", "x")));
}

TEST(Isomorphism, ThreeBlankPositionsAreOneStatement) {
  const auto quads = [](const std::vector<std::tuple<int, int, int>>& triples) {
    QuadSet set;
    for (const auto& [s, o, g] : triples) {
      add(set, TermView::blank(std::to_string(s)), kLink, TermView::blank(std::to_string(o)),
          TermView::blank(std::to_string(g)));
    }
    return set;
  };
  EXPECT_TRUE(isomorphic(quads({{0, 1, 2}, {1, 0, 3}}), quads({{5, 4, 7}, {4, 5, 6}})));
  EXPECT_FALSE(isomorphic(quads({{0, 1, 2}, {1, 0, 3}}), quads({{0, 1, 2}, {1, 0, 2}})));
  EXPECT_FALSE(isomorphic(quads({{0, 1, 2}, {0, 1, 3}}), quads({{0, 1, 2}, {1, 0, 3}})));
}

TEST(Isomorphism, CountsBlankNodesOfEveryCell) {
  QuadSet a;
  QuadSet b;
  add(a, TermView::blank("x"), "p", TermView::literal("1"));
  add(a, TermView::blank("y"), "p", TermView::literal("1"));
  add(b, TermView::blank("x"), "p", TermView::literal("1"));
  add(b, TermView::blank("x"), "p", TermView::literal("1"));
  EXPECT_FALSE(isomorphic(a, b));
}

// Every statement is a node of some list; equal items, so that only the distance to the end tells.
QuadSet long_list(int length, int odd_one) {
  QuadSet set;
  for (int i = 0; i < length; ++i) {
    const std::string cell = fmt::format("c{}", (i * 7919LL + odd_one) % length);
    const std::string next = fmt::format("c{}", ((i + 1) * 7919LL + odd_one) % length);
    add(set, TermView::blank(cell), kRdfFirst, TermView::literal(i == odd_one ? "odd" : "same"));
    add(set, TermView::blank(cell), kRdfRest,
        i + 1 == length ? TermView::iri(kRdfNil) : TermView::blank(next));
  }
  return set;
}

TEST(Isomorphism, LongListsAreQuick) {
  constexpr int kLength = 100'003;
  const QuadSet plain = long_list(kLength, -1);
  OpContext context;
  context.limits.isomorphism_steps_max = 0;
  EXPECT_TRUE(are_isomorphic(plain, long_list(kLength, -1), context).value());
  EXPECT_FALSE(are_isomorphic(plain, long_list(kLength, 50'000), context).value());
  EXPECT_FALSE(
      are_isomorphic(long_list(kLength, 50'001), long_list(kLength, 50'000), context).value());
}

TEST(Isomorphism, LargeSymmetricTreesAreQuick) {
  constexpr int kNodes = (1 << 17) - 1;
  Edges edges;
  for (int i = 1; i < kNodes; ++i) edges.emplace_back((i - 1) / 2, i);
  OpContext context;
  context.limits.isomorphism_steps_max = 0;
  EXPECT_TRUE(are_isomorphic(blank_graph(edges), blank_graph(edges, 1), context).value());
  Edges moved = edges;
  moved.back().first -= 1;
  EXPECT_FALSE(are_isomorphic(blank_graph(edges), blank_graph(moved, 1), context).value());
}

TEST(Isomorphism, ManyEqualComponentsAreQuick) {
  Edges pairs;
  for (int i = 0; i < 100'000; i += 2) pairs = joined(std::move(pairs), {{i, i + 1}, {i + 1, i}});
  OpContext context;
  context.limits.isomorphism_steps_max = 0;
  EXPECT_TRUE(are_isomorphic(blank_graph(pairs), blank_graph(pairs, 1), context).value());
}

TEST(Isomorphism, ManyEqualLeavesOfTwoHubsAreQuick) {
  Edges edges;
  for (int i = 2; i < 100'000; ++i) edges.emplace_back(i % 2, i);
  OpContext context;
  context.limits.isomorphism_steps_max = 0;
  EXPECT_TRUE(are_isomorphic(blank_graph(edges), blank_graph(edges, 1), context).value());
}

// Random cubic graphs are told apart after few choices, whatever their size.
TEST(Isomorphism, RandomRegularGraphs) {
  const auto cubic = [](unsigned seed) {
    std::mt19937 random(seed);
    Edges edges;
    for (int round = 0; round < 3; ++round) {
      std::vector<int> nodes(200);
      std::iota(nodes.begin(), nodes.end(), 0);
      std::shuffle(nodes.begin(), nodes.end(), random);
      for (std::size_t i = 0; i < nodes.size(); i += 2) edges.emplace_back(nodes[i], nodes[i + 1]);
    }
    return edges;
  };
  for (unsigned seed = 1; seed < 6; ++seed) {
    EXPECT_TRUE(isomorphic(undirected(cubic(seed)), undirected(cubic(seed), seed + 100)));
    EXPECT_FALSE(isomorphic(undirected(cubic(seed)), undirected(cubic(seed + 1))));
  }
}

bool isomorphic_by_trying_all(const std::set<Edge>& a, const std::set<Edge>& b, int nodes) {
  std::vector<int> mapping(static_cast<std::size_t>(nodes));
  std::iota(mapping.begin(), mapping.end(), 0);
  do {
    std::set<Edge> mapped;
    for (const auto& [from, to] : a) {
      mapped.emplace(mapping[static_cast<std::size_t>(from)],
                     mapping[static_cast<std::size_t>(to)]);
    }
    if (mapped == b) return true;
  } while (std::next_permutation(mapping.begin(), mapping.end()));
  return false;
}

TEST(Isomorphism, AgreesWithTryingAllMappings) {
  std::mt19937 random(7);
  constexpr int kNodes = 5;
  int isomorphic_pairs = 0;
  for (int round = 0; round < 3'000; ++round) {
    const std::size_t count = 3 + random() % 6;
    std::array<std::set<Edge>, 2> graphs;
    for (auto& graph : graphs) {
      for (int i = 0; i < kNodes; ++i) graph.emplace(i, i);
      while (graph.size() < kNodes + count) {
        graph.emplace(static_cast<int>(random() % kNodes), static_cast<int>(random() % kNodes));
      }
    }
    const bool expected = isomorphic_by_trying_all(graphs[0], graphs[1], kNodes);
    isomorphic_pairs += expected ? 1 : 0;
    EXPECT_EQ(isomorphic(blank_graph({graphs[0].begin(), graphs[0].end()}),
                         blank_graph({graphs[1].begin(), graphs[1].end()})),
              expected);
  }
  EXPECT_GT(isomorphic_pairs, 20);
}

TEST(Isomorphism, StopsAtTheStepLimit) {
  // A grid on a torus against a twisted one: every node looks like every other.
  const auto torus = [](int side, int twist) {
    Edges edges;
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) {
        edges.emplace_back(x * side + y, x * side + (y + 1) % side);
        const int shift = x + 1 == side ? twist : 0;
        edges.emplace_back(x * side + y, (x + 1) % side * side + (y + shift) % side);
      }
    }
    return edges;
  };
  OpContext context;
  context.limits.isomorphism_steps_max = 10;
  const auto result = are_isomorphic(undirected(torus(40, 0)), undirected(torus(40, 3)), context);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::LimitExceeded);
  EXPECT_FALSE(are_isomorphic(undirected(torus(12, 0)), undirected(torus(12, 3))).value());
}

TEST(Isomorphism, HonoursCancellationAndMemory) {
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(are_isomorphic(QuadSet(), QuadSet(), cancelled).error().code, ErrorCode::Cancelled);
  MemoryBudget budget("test", 10'000);
  OpContext small;
  small.memory = &budget;
  const QuadSet graph = blank_graph(cycle(1'000));
  EXPECT_EQ(are_isomorphic(graph, graph, small).error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(budget.bytes_used(), 0U);
}

}  // namespace
}  // namespace helve::rdf
