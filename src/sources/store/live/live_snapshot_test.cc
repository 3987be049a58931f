// A base with changes answers like a store that was loaded of the same statements.
#include "sources/store/live/live_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sources/store/dataset.h"
#include "sources/store/live/live_merge.h"
#include "sources/store/live/live_testing.h"

namespace helve::store {
namespace {

using live_testing::Model;
using live_testing::RandomStatements;
using live_testing::text_of;
using Kind = GraphChoice::Kind;
using Rows = std::multiset<std::array<std::string, 4>>;

constexpr std::array<Part, 4> kParts = {Part::Subject, Part::Predicate, Part::Object, Part::Graph};

// In one go, or in parts one after the other.
Rows rows_of(const sparql::Snapshot& data, const QuadPattern& pattern, std::optional<Order> order,
             std::size_t step, std::uint32_t parts = 1) {
  Rows rows;
  const auto scan = data.scan(pattern, order);
  std::vector<Id> last;
  QuadBatch batch;
  std::uint32_t at = 0;  // part
  if (parts > 1) scan->restart_part(pattern, at, parts);
  while (scan->next(batch, step) || ++at < parts) {
    if (batch.rows == 0) scan->restart_part(pattern, at, parts);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      std::array<std::string, 4> texts;
      std::vector<Id> key;
      for (const Part part : order_parts(scan->order())) {
        if (part == Part::Graph && pattern.graph.kind != Kind::Named) continue;
        key.push_back(batch[part][row]);
      }
      for (const Part part : kParts) {
        if (part == Part::Graph && pattern.graph.kind != Kind::Named) continue;
        texts[static_cast<std::size_t>(part)] = text_of(data, batch[part][row]);
      }
      EXPECT_TRUE(last.empty() || last < key) << "rows are not in order";
      last = key;
      rows.insert(texts);
    }
  }
  return rows;
}

Id find_term(const sparql::Snapshot& data, const std::string& text, std::size_t part) {
  if (text.empty()) return {};
  live_testing::Statement one = {"<http://a/x>", "<http://a/x>", "<http://a/x>", ""};
  one[part] = text;
  live_testing::TermParser parser;
  return data.find(parser.parse(one)[part].view()).value_or(Id(Tag::Local, 1));
}

// The same pattern for another snapshot, whose ids are others.
QuadPattern pattern_for(const sparql::Snapshot& data, const live_testing::Statement& texts,
                        Kind kind) {
  return {find_term(data, texts[0], 0),
          find_term(data, texts[1], 1),
          find_term(data, texts[2], 2),
          {kind, kind == Kind::One ? find_term(data, texts[3], 3) : Id()}};
}

bool is_whole(const QuadPattern& pattern) {
  for (const Id id : {pattern.subject, pattern.predicate, pattern.object, pattern.graph.graph}) {
    if (id.tag() == Tag::Local) return false;
  }
  return true;
}

void expect_same_statistics(const LiveSnapshot& live,
                            const std::shared_ptr<const Snapshot>& loaded) {
  const Statistics a = live.statistics();
  const Statistics& b = loaded->statistics();
  const auto loaded_data = as_dataset(loaded);
  EXPECT_EQ(a.statements, b.statements);
  EXPECT_EQ(a.triples, b.triples);
  EXPECT_EQ(a.distinct_subjects, b.distinct_subjects);
  EXPECT_EQ(a.distinct_objects, b.distinct_objects);
  std::map<std::string, std::array<std::uint64_t, 3>> predicates[2];
  for (const auto& row : a.predicates) {
    predicates[0][text_of(live, row.predicate)] = {row.triples, row.distinct_subjects,
                                                   row.distinct_objects};
  }
  for (const auto& row : b.predicates) {
    predicates[1][text_of(*loaded_data, row.predicate)] = {row.triples, row.distinct_subjects,
                                                           row.distinct_objects};
  }
  EXPECT_EQ(predicates[0], predicates[1]);
  std::map<std::string, std::uint64_t> classes[2];
  for (const auto& row : a.classes) classes[0][text_of(live, row.type)] = row.instances;
  for (const auto& row : b.classes) classes[1][text_of(*loaded_data, row.type)] = row.instances;
  EXPECT_EQ(classes[0], classes[1]);
  std::map<std::string, std::uint64_t> graphs[2];
  for (const auto& row : a.graphs) graphs[0][text_of(live, row.graph)] = row.statements;
  for (const auto& row : b.graphs) graphs[1][text_of(*loaded_data, row.graph)] = row.statements;
  EXPECT_EQ(graphs[0], graphs[1]);
}

struct Lookups {
  std::multiset<std::string> all;
  std::set<std::uint32_t> first;
};

Lookups look_up(const sparql::Snapshot& data, const std::vector<live_testing::Statement>& keys,
                Kind kind) {
  Lookups out;
  std::vector<Id> subjects;
  subjects.reserve(keys.size());
  for (const auto& key : keys) subjects.push_back(find_term(data, key[0], 0));
  sparql::LookupKeys batch;
  batch.parts[0].ids = subjects.data();
  batch.rows = subjects.size();
  batch.graph.kind = kind;
  const auto all = data.lookup(sparql::LookupKind::All, sparql::kTripleParts);
  all->start(batch);
  sparql::Matches matches;
  for (bool has_more = true; has_more;) has_more = all->next(matches, 7);
  for (std::size_t i = 0; i < matches.rows.size(); ++i) {
    out.all.insert(std::to_string(matches.rows[i]) + " " + text_of(data, matches.columns[0][i]) +
                   text_of(data, matches.columns[1][i]) + text_of(data, matches.columns[2][i]));
  }
  EXPECT_TRUE(std::is_sorted(matches.rows.begin(), matches.rows.end()));
  const auto first = data.lookup(sparql::LookupKind::First, 0);
  first->start(batch);
  matches.clear();
  for (bool has_more = true; has_more;) has_more = first->next(matches, 5);
  for (const auto row : matches.rows) EXPECT_TRUE(out.first.insert(row).second);
  return out;
}

using Groups = std::map<std::string, std::uint64_t>;

// How many triples each value has; nullopt where the index does not tell.
std::optional<Groups> groups_of(const sparql::Snapshot& data, const QuadPattern& pattern, Part by) {
  const auto groups = data.groups(pattern, by);
  if (groups == nullptr) return std::nullopt;
  Groups out;
  sparql::GroupBatch batch;
  Id last;
  while (groups->next(batch, 3)) {
    for (std::size_t i = 0; i < batch.values.size(); ++i) {
      EXPECT_TRUE(out.empty() || last < batch.values[i]) << "values are not in order";
      last = batch.values[i];
      out.emplace(text_of(data, last), batch.counts[i]);
    }
  }
  return out;
}

Groups counted(const Rows& rows, Part by) {
  Groups out;
  for (const auto& row : rows) ++out[row[static_cast<std::size_t>(by)]];
  return out;
}

// Rows of the pattern, and some if there are any.
void expect_sampled(const sparql::Snapshot& data, const QuadPattern& pattern, const Rows& rows) {
  QuadBatch batch;
  data.sample(pattern, 1'000, batch);
  EXPECT_EQ(batch.rows == 0, rows.empty());
  for (std::size_t row = 0; row < batch.rows; ++row) {
    std::array<std::string, 4> texts;
    for (const Part part : kParts) {
      if (part == Part::Graph && pattern.graph.kind != Kind::Named) continue;
      texts[static_cast<std::size_t>(part)] = text_of(data, batch[part][row]);
    }
    EXPECT_TRUE(rows.contains(texts));
  }
}

// What is both: an object of the keys' subjects, and a subject of the second pattern.
std::multiset<std::string> intersect(const sparql::Snapshot& data,
                                     const std::vector<live_testing::Statement>& keys,
                                     const live_testing::Statement& second, Kind kind) {
  std::vector<Id> subjects;
  subjects.reserve(keys.size());
  for (const auto& key : keys) subjects.push_back(find_term(data, key[0], 0));
  std::array<sparql::LookupKeys, 2> patterns;
  for (sparql::LookupKeys& pattern : patterns) {
    pattern.rows = subjects.size();
    pattern.graph.kind = kind;
  }
  patterns[0].parts[0].ids = subjects.data();
  patterns[0].parts[1].constant = find_term(data, second[3], 1);
  patterns[1].parts[1].constant = find_term(data, second[1], 1);
  patterns[1].parts[2].constant = find_term(data, second[2], 2);
  const auto common = data.intersect(std::array{Part::Object, Part::Subject});
  common->start(patterns);
  std::vector<std::uint32_t> rows;
  std::vector<Id> values;
  for (bool has_more = true; has_more;) has_more = common->next(rows, values, 2);
  std::multiset<std::string> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.insert(std::to_string(rows[i]) + " " + text_of(data, values[i]));
    EXPECT_TRUE(i == 0 || rows[i - 1] < rows[i] ||
                (rows[i - 1] == rows[i] && values[i - 1] < values[i]));
  }
  return out;
}

void expect_same(const LiveSnapshot& live, const Model& model, RandomStatements& random) {
  const auto loaded = live_testing::load(live_testing::to_nquads(model));
  const auto data = as_dataset(loaded);
  ASSERT_EQ(live_testing::contents_of(live), model);
  expect_same_statistics(live, loaded);
  for (int i = 0; i < 60; ++i) {
    live_testing::Statement texts = random.next(12);
    if (texts[3].empty()) texts[3] = "<http://a/g1>";
    for (std::size_t part = 0; part < 3; ++part) {
      if (random.below(2) == 0) texts[part].clear();
    }
    const auto order =
        random.below(3) == 0 ? std::optional<Order>() : static_cast<Order>(random.below(kOrders));
    for (const Kind kind : {Kind::Default, Kind::Union, Kind::Named, Kind::One}) {
      const QuadPattern here = pattern_for(live, texts, kind);
      const QuadPattern there = pattern_for(*data, texts, kind);
      const Rows wanted = is_whole(there) ? rows_of(*data, there, order, 11) : Rows();
      if (!is_whole(here)) {
        EXPECT_TRUE(wanted.empty());
        continue;
      }
      EXPECT_EQ(rows_of(live, here, order, 1 + random.below(40)), wanted);
      const auto parts = static_cast<std::uint32_t>(2 + random.below(30));
      EXPECT_EQ(rows_of(live, here, order, 1 + random.below(40), parts), wanted) << parts;
      const Count count = live.count(here);
      EXPECT_GE(count.n, wanted.size());
      if (count.is_exact) {
        EXPECT_EQ(count.n, wanted.size());
      }
      for (const Part by : {Part::Subject, Part::Predicate, Part::Object}) {
        if (!texts[static_cast<std::size_t>(by)].empty()) continue;
        const auto groups = groups_of(live, here, by);
        if (groups) {
          EXPECT_EQ(*groups, counted(wanted, by));
        }
      }
      expect_sampled(live, here, wanted);
    }
  }
  std::vector<live_testing::Statement> keys;
  keys.reserve(40);
  for (int i = 0; i < 40; ++i) keys.push_back(random.next(12));
  for (const Kind kind : {Kind::Default, Kind::Union}) {
    std::vector<live_testing::Statement> known;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(known), [&](const auto& key) {
      return find_term(*data, key[0], 0).tag() != Tag::Local &&
             find_term(live, key[0], 0).tag() != Tag::Local;
    });
    const Lookups a = look_up(live, known, kind);
    const Lookups b = look_up(*data, known, kind);
    EXPECT_EQ(a.all, b.all);
    EXPECT_EQ(a.first, b.first);
    for (int i = 0; i < 20; ++i) {
      live_testing::Statement second = random.next(12);
      second[3] = random.next(12)[1];  // the predicate of the first pattern
      const auto is_known = [&](std::size_t text, std::size_t part) {
        return find_term(*data, second[text], part).tag() != Tag::Local &&
               find_term(live, second[text], part).tag() != Tag::Local;
      };
      if (!is_known(1, 1) || !is_known(2, 2) || !is_known(3, 1)) continue;
      EXPECT_EQ(intersect(live, known, second, kind), intersect(*data, known, second, kind));
    }
  }
}

class LiveSnapshotTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(LiveSnapshotTest, AnswersLikeALoadOfTheSameStatements) {
  const unsigned seed = GetParam();
  RandomStatements random(seed, seed % 3 != 0);
  RandomStatements plain(seed, seed % 2 == 0);
  Model model;
  for (std::size_t i = 0; i < std::size_t{seed % 5} * 60; ++i) model.insert(plain.next(10));
  LiveOptions options;
  options.compacts_itself = false;
  auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)), options);
  ASSERT_TRUE(store);
  for (int round = 0; round < 4; ++round) {
    const std::uint64_t before = (*store)->snapshot()->version();
    live_testing::edit(**store, model, random, 1 + random.below(round == 3 ? 600 : 40), 12);
    const auto live = (*store)->snapshot();
    EXPECT_LE(live->version(), before + 1);
    expect_same(*live, model, random);
    if (HasFatalFailure()) return;
    // Merged, it is what a load gives, byte for byte.
    const auto merged = merge_changes(*live, {}, OpContext());
    ASSERT_TRUE(merged) << merged.error().to_string();
    const auto loaded = live_testing::load(live_testing::to_nquads(model));
    EXPECT_EQ(*compute_content_checksum(**merged, OpContext()),
              *compute_content_checksum(*loaded, OpContext()));
    if (round == 2) {
      const auto compacted = (*store)->compact(OpContext());
      ASSERT_TRUE(compacted) << compacted.error().to_string();
      EXPECT_FALSE((*store)->snapshot()->has_changes());
      expect_same(*(*store)->snapshot(), model, random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LiveSnapshotTest, ::testing::Range(1U, 25U));

TEST(LiveSnapshotTest, GroupsAreCountedWithoutLookingAtEveryTriple) {
  Model model;
  for (int n = 0; n < 60; ++n) {
    model.insert({"<http://a/s" + std::to_string(n) + ">", "<http://a/is>",
                  "<http://a/T" + std::to_string(n % 3) + ">", ""});
  }
  auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)));
  ASSERT_TRUE(store);
  const std::array<live_testing::Statement, 2> added = {
      {{"<http://a/new>", "<http://a/is>", "<http://a/T1>", ""},
       {"<http://a/new>", "<http://a/is>", "<http://a/New>", ""}}};
  const auto done = (*store)->write(
      [&](Transaction& to) -> Result<void> {
        for (const auto& one : added) {
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, one));
          HELVE_TRY(to.add(quad));
        }
        for (const auto& one : model) {
          if (one[2] != "<http://a/T2>") continue;
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, one));
          HELVE_TRY(to.remove(quad));
        }
        return {};
      },
      OpContext());
  ASSERT_TRUE(done);
  const auto live = (*store)->snapshot();
  for (const Kind kind : {Kind::Default, Kind::Union}) {
    const auto groups =
        groups_of(*live, {{}, find_term(*live, "<http://a/is>", 1), {}, {kind, {}}}, Part::Object);
    ASSERT_TRUE(groups);
    EXPECT_EQ(*groups,
              (Groups{{"<http://a/New>", 1}, {"<http://a/T0>", 20}, {"<http://a/T1>", 21}}));
  }
}

// A long list that one change falls on is asked for the values of the short one, not walked over.
TEST(LiveSnapshotTest, LongListsAreNotWalkedWhereShortOnesSkip) {
  constexpr int kThings = 100'000;
  Model model;
  const auto thing = [](int n) { return "<http://a/thing" + std::to_string(n) + ">"; };
  for (int n = 0; n < kThings; ++n) model.insert({thing(n), "<http://a/is>", "<http://a/T>", ""});
  model.insert({thing(kThings - 1), "<http://a/mail>", "\"m\"", ""});
  LiveOptions options;
  options.compacts_itself = false;
  auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)), options);
  ASSERT_TRUE(store);
  const auto done = (*store)->write(
      [&](Transaction& to) -> Result<void> {
        for (const live_testing::Statement& one :
             {live_testing::Statement{thing(kThings), "<http://a/is>", "<http://a/T>", ""},
              live_testing::Statement{thing(kThings), "<http://a/mail>", "\"m\"", ""}}) {
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, one));
          HELVE_TRY(to.add(quad));
        }
        return {};
      },
      OpContext());
  ASSERT_TRUE(done);
  const auto live = (*store)->snapshot();
  std::array<sparql::LookupKeys, 2> patterns;
  for (sparql::LookupKeys& pattern : patterns) pattern.rows = 1;
  patterns[0].parts[1].constant = find_term(*live, "<http://a/is>", 1);
  patterns[0].parts[2].constant = find_term(*live, "<http://a/T>", 2);
  patterns[1].parts[1].constant = find_term(*live, "<http://a/mail>", 1);
  patterns[1].parts[2].constant = find_term(*live, "\"m\"", 2);
  const auto common = live->intersect(std::array{Part::Subject, Part::Subject});
  common->start(patterns);
  std::vector<std::uint32_t> rows;
  std::vector<Id> values;
  int calls = 1;  // each passes over kSkippedMax values at the most
  while (common->next(rows, values, 100)) ++calls;
  EXPECT_LE(calls, 2);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(text_of(*live, values[0]), thing(kThings - 1));
  EXPECT_EQ(text_of(*live, values[1]), thing(kThings));
}

TEST(LiveSnapshotTest, ReadersKeepTheirState) {
  Model model;
  RandomStatements random(7, true);
  for (int i = 0; i < 100; ++i) model.insert(random.next(10));
  auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)));
  ASSERT_TRUE(store);
  const auto before = (*store)->snapshot();
  const Model model_before = model;
  const std::string fingerprint = before->fingerprint();
  live_testing::edit(**store, model, random, 50, 12);
  ASSERT_TRUE((*store)->compact(OpContext()));
  live_testing::edit(**store, model, random, 50, 12);
  EXPECT_EQ(live_testing::contents_of(*before), model_before);
  EXPECT_EQ(before->fingerprint(), fingerprint);
  EXPECT_NE((*store)->snapshot()->fingerprint(), fingerprint);
  EXPECT_EQ(live_testing::contents_of(*(*store)->snapshot()), model);
}

}  // namespace
}  // namespace helve::store
