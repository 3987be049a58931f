// A log tells what its transactions change in the statistics: it is believed where it can be true.
#include "sources/store/live/log_replay.h"

#include <gtest/gtest.h>

#include <functional>

#include "sources/store/live/live_testing.h"
#include "sources/store/snapshot_folder.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using live_testing::Model;
using live_testing::RandomStatements;

constexpr const char* kFolder = "/data/store";

class LogReplayTest : public ::testing::Test {
 protected:
  void make_store(const Model& model) {
    const auto base = live_testing::load(live_testing::to_nquads(model));
    ASSERT_TRUE(write_snapshot(*base, {{"t.nq"}, "test", {}}, kFolder, OpContext(), env_));
  }

  std::shared_ptr<const Snapshot> base() { return *open_snapshot(kFolder, OpContext(), env_); }

  // What readers make of a log whose only transaction removes a statement and says so, but for what
  // `forge` does.
  Result<std::shared_ptr<const LiveSnapshot>> read_forged(
      const std::function<void(StatisticsChange&, Id predicate)>& forge) {
    const auto snapshot = base();
    const auto id = [&](std::string_view name) {
      return *snapshot->dictionary().find(rdf::TermView::iri(name));
    };
    LoggedTransaction logged;
    const Id predicate = id("http://a/p");
    logged.edits.push_back({{id("http://a/s"), predicate, id("http://a/o"), Id()}, false});
    StatisticsChange& change = logged.statistics;
    change.statements = change.triples = change.objects = -1;
    change.predicates[predicate] = {-1, 0, -1};
    change.graphs[Id()] = -1;
    forge(change, predicate);
    const DeltaTerms terms(snapshot->dictionary());
    const std::uint64_t checksum = *snapshot->content_checksum();
    EXPECT_TRUE(LogWriter::create(log_path(kFolder, checksum), checksum, 0, env_,
                                  encode_transaction(logged, terms)));
    return open_live_snapshot(kFolder, OpContext(), env_);
  }

  FakeEnv env_;
  const Model model_ = {{"<http://a/s>", "<http://a/p>", "<http://a/o>", ""},
                        {"<http://a/s>", "<http://a/p>", "<http://a/s>", ""},
                        {"<http://a/s>", "<http://a/q>", "<http://a/s>", "<http://a/g>"}};
};

TEST_F(LogReplayTest, NothingIsCountedAgain) {
  Model model;
  RandomStatements random(3, true);
  for (int i = 0; i < 300; ++i) model.insert(random.next(40));
  make_store(model);
  {
    LiveOptions options;
    options.compacts_itself = false;
    const auto store = *LiveStore::open(kFolder, options, OpContext(), env_);
    for (int i = 0; i < 20; ++i) {
      const auto done = store->write(
          [&](Transaction& to) -> Result<void> {
            for (int k = 0; k < 10; ++k) {
              HELVE_ASSIGN(const Quad quad, live_testing::intern(to, random.next(60)));
              HELVE_TRY(k % 3 == 0 ? to.remove(quad) : to.add(quad));
            }
            return {};
          },
          OpContext());
      ASSERT_TRUE(done) << done.error().to_string();
    }
  }
  const auto read = open_live_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(read) << read.error().to_string();
  // To count distinct objects, trees that begin with the object are asked.
  EXPECT_FALSE((*read)->delta().trees.is_made(Order::Osp));
  EXPECT_FALSE((*read)->delta().trees.is_made(Order::Ops));
  const auto loaded =
      live_testing::load(live_testing::to_nquads(live_testing::contents_of(**read)));
  const Statistics statistics = (*read)->statistics();
  const Statistics& wanted = loaded->statistics();
  EXPECT_EQ(statistics.statements, wanted.statements);
  EXPECT_EQ(statistics.triples, wanted.triples);
  EXPECT_EQ(statistics.distinct_subjects, wanted.distinct_subjects);
  EXPECT_EQ(statistics.distinct_objects, wanted.distinct_objects);
  EXPECT_EQ(statistics.predicates.size(), wanted.predicates.size());
  EXPECT_EQ(statistics.classes.size(), wanted.classes.size());
  EXPECT_EQ(statistics.graphs.size(), wanted.graphs.size());
}

TEST_F(LogReplayTest, TheTruthIsBelieved) {
  make_store(model_);
  const auto read = read_forged([](StatisticsChange&, Id) {});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ((*read)->statistics().statements, 2U);
}

TEST_F(LogReplayTest, WhatCannotBeIsRefused) {
  make_store(model_);
  using Forge = std::function<void(StatisticsChange&, Id)>;
  const std::vector<Forge> forgeries = {
      // More than there are edits.
      [](StatisticsChange& change, Id) { change.statements = -2; },
      [](StatisticsChange& change, Id) { change.repeated = INT64_MIN; },
      [](StatisticsChange& change, Id predicate) { change.predicates[predicate].triples = 5; },
      // Less than nothing.
      [](StatisticsChange& change, Id) { change.classes[change.predicates.begin()->first] = -1; },
      [&](StatisticsChange& change, Id) { change.graphs[Id(Tag::Iri, 2)] = -1; },
      // Terms that are not there, or cannot stand there.
      [](StatisticsChange& change, Id) {
        change.predicates[Id(Tag::Iri, 1'000)] = {1, 1, 1};
      },
      [](StatisticsChange& change, Id) {
        change.predicates[Id()] = {1, 1, 1};
      },
      [](StatisticsChange& change, Id) { change.classes[Id()] = 1; },
      [](StatisticsChange& change, Id) { change.classes[Id(Tag::Blank, 0)] = 1; },
      [](StatisticsChange& change, Id) { change.graphs[Id(Tag::Iri, 1'000)] = 1; },
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    const auto read = read_forged(forgeries[i]);
    ASSERT_FALSE(read) << "forgery " << i;
    EXPECT_EQ(read.error().code, ErrorCode::Unavailable) << i;
  }
}

}  // namespace
}  // namespace helve::store
