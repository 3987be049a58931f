#include "sources/store/characteristic_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "sources/store/characteristic_set_collector.h"

namespace helve::store {
namespace {

// Predicates are the codes below kPredicates; subjects and objects come behind them.
constexpr Code kPredicates = 12;
constexpr Code kCodes = 100'000;

// Predicate and object of each subject's triples, graphs put aside.
using Subjects = std::map<Code, std::set<std::pair<Code, Code>>>;

Subjects by_subject(const std::vector<CodedQuad>& quads) {
  Subjects subjects;
  for (const CodedQuad& quad : quads) subjects[quad.subject].insert({quad.predicate, quad.object});
  return subjects;
}

CharacteristicSets compute(const std::vector<CodedQuad>& quads, Executor* executor = nullptr) {
  OpContext context;
  context.executor = executor;
  const auto indexes = build_indexes({quads}, kCodes, context);
  EXPECT_TRUE(indexes.has_value());
  const Subjects subjects = by_subject(quads);
  std::map<Code, PredicateTotal> totals;
  for (const auto& [subject, triples] : subjects) {
    Code last = kCodes;
    for (const auto& [predicate, object] : triples) {
      PredicateTotal& total = totals[predicate];
      total.predicate = predicate;
      ++total.triples;
      total.subjects += std::exchange(last, predicate) != predicate ? 1 : 0;
    }
  }
  std::vector<PredicateTotal> flat;
  flat.reserve(totals.size());
  for (const auto& [code, total] : totals) flat.push_back(total);
  auto sets = compute_characteristic_sets(*indexes, flat, subjects.size(), context);
  EXPECT_TRUE(sets.has_value());
  return *std::move(sets);
}

sparql::StarCounts brute_force(const Subjects& subjects, const std::vector<Code>& wanted) {
  sparql::StarCounts counts;
  for (const auto& [subject, triples] : subjects) {
    double rows = 1;
    for (const Code predicate : wanted) {
      rows *= static_cast<double>(
          std::count_if(triples.begin(), triples.end(),
                        [&](const auto& triple) { return triple.first == predicate; }));
    }
    counts.subjects += rows > 0 ? 1 : 0;
    counts.rows += rows;
  }
  return counts;
}

std::vector<CodedQuad> random_coded_quads(unsigned seed, std::size_t count, bool has_graphs) {
  std::mt19937 random(seed);
  std::vector<CodedQuad> quads;
  for (std::size_t i = 0; i < count; ++i) {
    const auto subject = static_cast<Code>(kPredicates + random() % 300);
    // Predicates go together: a subject of one kind has another third of them.
    const auto predicate =
        static_cast<Code>((subject % 3 * 4U + static_cast<Code>(random() % 5)) % kPredicates);
    quads.push_back(
        {subject, predicate, static_cast<Code>(kPredicates + random() % 20),
         has_graphs ? static_cast<Code>(random() % 2 == 0 ? kCodes : random() % 3) : kCodes});
  }
  return quads;
}

std::vector<Code> random_star(std::mt19937& random) {
  std::set<Code> wanted;
  const std::size_t size = 1 + random() % 5;
  while (wanted.size() < size) wanted.insert(static_cast<Code>(random() % kPredicates));
  std::vector<Code> star(wanted.begin(), wanted.end());
  std::shuffle(star.begin(), star.end(), random);
  return star;
}

TEST(CharacteristicSets, SubjectsAreThoseOfBruteForce) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto quads = random_coded_quads(seed, std::size_t{200} * seed, seed % 2 == 0);
    const Subjects subjects = by_subject(quads);
    const CharacteristicSets sets = compute(quads);
    std::mt19937 random(seed);
    for (int i = 0; i < 100; ++i) {
      const auto star = random_star(random);
      const auto expected = brute_force(subjects, star);
      const auto counts = sets.star_counts(star);
      EXPECT_EQ(counts.subjects, expected.subjects);
      EXPECT_GE(counts.rows, counts.subjects);
      if (star.size() == 1) {
        EXPECT_EQ(counts.rows, expected.rows);
      }
    }
    EXPECT_EQ(sets.other_subjects, 0U);
    EXPECT_TRUE(sets.other_triples.empty());
    EXPECT_EQ(sets.star_counts({}).subjects, static_cast<double>(subjects.size()));
  }
}

TEST(CharacteristicSets, RowsAreExactWhereSubjectsOfOneSetAreAlike) {
  std::vector<CodedQuad> quads;
  for (Code subject = 100; subject < 400; ++subject) {
    for (Code predicate = subject % 3; predicate < kPredicates; predicate += 2) {
      for (Code i = 0; i <= (subject % 3 + predicate) % 4; ++i) {
        quads.push_back({subject, predicate, 50 + i, kCodes});
      }
    }
  }
  const Subjects subjects = by_subject(quads);
  const CharacteristicSets sets = compute(quads);
  EXPECT_EQ(sets.subjects.size(), 3U);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const auto star = random_star(random);
    const auto expected = brute_force(subjects, star);
    const auto counts = sets.star_counts(star);
    EXPECT_EQ(counts.subjects, expected.subjects);
    EXPECT_EQ(counts.rows, expected.rows);
  }
}

TEST(CharacteristicSets, TripleOfSeveralGraphsCountsOnce) {
  const CharacteristicSets sets =
      compute({{10, 0, 20, 1}, {10, 0, 20, 2}, {10, 0, 21, 2}, {10, 1, 20, kCodes}});
  const auto counts = sets.star_counts(std::vector<Code>{0, 1});
  EXPECT_EQ(counts.subjects, 1);
  EXPECT_EQ(counts.rows, 2);
}

TEST(CharacteristicSets, UnknownPredicateHasNoSubjects) {
  const CharacteristicSets sets = compute({{10, 0, 20, kCodes}});
  EXPECT_EQ(sets.star_counts(std::vector<Code>{0, 7}).subjects, 0);
  EXPECT_EQ(sets.star_counts(std::vector<Code>{10}).rows, 0);
  EXPECT_EQ(compute({}).star_counts(std::vector<Code>{0}).subjects, 0);
}

TEST(CharacteristicSets, PiecesSideBySideGiveTheSame) {
  std::vector<CodedQuad> quads;
  std::mt19937 random(5);
  constexpr int kQuads = 270'000;
  quads.reserve(kQuads);
  for (int i = 0; i < kQuads; ++i) {
    quads.push_back({static_cast<Code>(100 + random() % 60'000), static_cast<Code>(random() % 6),
                     static_cast<Code>(50 + random() % 4), kCodes});
  }
  Executor executor(3);
  const CharacteristicSets alone = compute(quads);
  const CharacteristicSets together = compute(quads, &executor);
  const auto same = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  EXPECT_TRUE(same(alone.subjects, together.subjects));
  EXPECT_TRUE(same(alone.sets, together.sets));
  EXPECT_TRUE(same(alone.triples, together.triples));
  const auto expected = brute_force(by_subject(quads), {0, 3, 4});
  EXPECT_EQ(together.star_counts(std::vector<Code>{0, 3, 4}).subjects, expected.subjects);
}

// Predicates 0 to 9 as the bits of a number, which many sets have, and two rare ones.
TEST(CharacteristicSets, ManySetsAgreeWithBruteForce) {
  std::vector<CodedQuad> quads;
  const auto add = [&](Code subject, Code predicate, Code times) {
    for (Code i = 0; i < times; ++i) quads.push_back({subject, predicate, 50 + i, kCodes});
  };
  for (Code bits = 1; bits < 1'024; ++bits) {
    for (const Code subject : {1'000 + 2 * bits, 1'001 + 2 * bits}) {
      for (Code predicate = 0; predicate < 10; ++predicate) {
        if ((bits >> predicate & 1) != 0)
          add(subject, predicate, predicate % 2 == 0 ? 1 : bits % 3 + 1);
      }
      if (bits % 50 == 0) add(subject, 10, 2);
      if (bits % 75 == 0) add(subject, 11, 1);
    }
  }
  const Subjects subjects = by_subject(quads);
  const CharacteristicSets sets = compute(quads);
  EXPECT_EQ(sets.subjects.size(), 1'023U);
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto star = random_star(random);
    const auto expected = brute_force(subjects, star);
    const auto counts = sets.star_counts(star);
    EXPECT_EQ(counts.subjects, expected.subjects);
    EXPECT_EQ(counts.rows, expected.rows);
  }
}

// 14 predicates that a subject has or not, as the bits of a number: more sets than are kept.
TEST(CharacteristicSets, BeyondTheMaximumStaysAnEstimate) {
  constexpr Code kBits = 14;
  std::vector<CodedQuad> quads;
  for (Code bits = 1; bits < 1U << kBits; ++bits) {
    for (Code predicate = 0; predicate < kBits; ++predicate) {
      if ((bits >> predicate & 1) != 0) quads.push_back({100 + bits, predicate, 50, kCodes});
    }
  }
  for (Code subject = 50'000; subject < 51'000; ++subject) {
    for (const Code predicate : {1, 2, 3}) quads.push_back({subject, predicate, 50, kCodes});
  }
  const Subjects subjects = by_subject(quads);
  const CharacteristicSets sets = compute(quads);
  EXPECT_EQ(sets.subjects.size(), CharacteristicSets::kSetsMax);
  EXPECT_EQ(sets.subjects[0], 1'001U);  // the most frequent one is kept
  EXPECT_GT(sets.other_subjects, 6'000U);
  for (Code predicate = 0; predicate < kBits; ++predicate) {
    const auto expected = brute_force(subjects, {predicate});
    const auto counts = sets.star_counts(std::vector<Code>{predicate});
    EXPECT_NEAR(counts.subjects, expected.subjects, 0.001);
    EXPECT_NEAR(counts.rows, expected.rows, 0.001);
  }
  for (const std::vector<Code>& star : {std::vector<Code>{0, 5}, {1, 2, 3}, {0, 2, 4, 6, 8}}) {
    const double expected = brute_force(subjects, star).subjects;
    const double estimate = sets.star_counts(star).subjects;
    EXPECT_GT(estimate, expected / 4);
    EXPECT_LT(estimate, expected * 4);
  }
}

TEST(CharacteristicSets, MemoryIsCharged) {
  std::vector<CodedQuad> quads;
  for (Code i = 0; i < 1'000; ++i) quads.push_back({1'000 + i, i, 50, kCodes});
  const auto indexes = build_indexes({quads}, kCodes, OpContext{});
  std::vector<PredicateTotal> totals;
  for (Code i = 0; i < 1'000; ++i) totals.push_back({i, 1, 1});
  MemoryBudget budget("test", 10'000);
  OpContext context;
  context.memory = &budget;
  const auto sets = compute_characteristic_sets(*indexes, totals, 1'000, context);
  ASSERT_FALSE(sets.has_value());
  EXPECT_EQ(sets.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(budget.bytes_used(), 0U);
}

TEST(CharacteristicSetCollector, ForgetsTheRareHalf) {
  CharacteristicSetCollector collector(process_memory(), {.sets_max = 100, .members_max = 10'000});
  const auto add = [&](Code predicate, std::uint32_t subjects) {
    const std::vector<Code> set = {predicate, predicate + 1};
    const std::vector<std::uint32_t> triples = {subjects, subjects};
    std::uint64_t hash = 7;
    for (const Code code : set) hash = CharacteristicSetCollector::hash_step(hash, code);
    ASSERT_TRUE(collector.add(set, triples, hash, subjects));
  };
  for (Code i = 0; i < 10; ++i) add(i, 100);
  for (Code i = 10; i < 5'000; ++i) {
    add(i, 1);
    ASSERT_LE(collector.size(), 100U);
  }
  for (Code i = 0; i < 10; ++i) add(i, 1);
  const auto order = collector.by_frequency();
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(collector.subjects(order[i]), 101U);
    EXPECT_EQ(collector.predicates(order[i])[0], i);
    EXPECT_EQ(collector.triples(order[i])[1], 101U);
  }
}

}  // namespace
}  // namespace helve::store
