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

constexpr const char* kReplayedFolder = "/data/store";

class LogReplayTest : public ::testing::Test {
 protected:
  void make_store(const Model& model) {
    const auto base = live_testing::load(live_testing::to_nquads(model));
    ASSERT_TRUE(write_snapshot(*base, {{"t.nq"}, "test", {}}, kReplayedFolder, OpContext(), env_));
  }

  std::shared_ptr<const Snapshot> base() {
    return *open_snapshot(kReplayedFolder, OpContext(), env_);
  }

  // A log of one transaction that removes statements <s> <p> <o>, and <s> <p> <s> where they are
  // two, and says so, but for what `forge` does.
  void write_log(const std::function<void(LoggedTransaction&, DeltaTerms&)>& forge,
                 bool removes_two = false) {
    const auto snapshot = base();
    const auto id = [&](std::string_view name) {
      return *snapshot->dictionary().find(rdf::TermView::iri(name));
    };
    LoggedTransaction logged;
    predicate_ = id("http://a/p");
    other_ = id("http://a/q");
    logged.edits.push_back({{id("http://a/s"), predicate_, id("http://a/o"), Id()}, false});
    logged.statistics.objects = -1;
    logged.statistics.predicates[predicate_] = {-1, 0, -1};
    if (removes_two) {
      logged.edits.push_back({{id("http://a/s"), predicate_, id("http://a/s"), Id()}, false});
      logged.statistics.predicates[predicate_] = {-2, -1, -2};
    }
    DeltaTerms terms(snapshot->dictionary());
    forge(logged, terms);
    const std::uint64_t checksum = *snapshot->content_checksum();
    EXPECT_TRUE(LogWriter::create(log_path(kReplayedFolder, checksum), checksum, 0, env_,
                                  encode_transaction(logged, terms)));
  }

  Result<std::shared_ptr<const LiveSnapshot>> read() {
    return open_live_snapshot(kReplayedFolder, OpContext(), env_);
  }

  Id predicate_;  // of the log that was written
  Id other_;
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
    const auto store = *LiveStore::open(kReplayedFolder, options, OpContext(), env_);
    for (int i = 0; i < 20; ++i) {
      const auto done = store->write(
          [&](Transaction& to) -> Result<void> {
            for (int k = 0; k < 10; ++k) {
              const live_testing::Statement one = random.next(60);
              HELVE_ASSIGN(const Quad quad, live_testing::intern(to, one));
              HELVE_TRY(k % 3 == 0 ? to.remove(quad) : to.add(quad));
              if (k % 3 == 0) {
                model.erase(one);
              } else {
                model.insert(one);
              }
            }
            return {};
          },
          OpContext());
      ASSERT_TRUE(done) << done.error().to_string();
    }
  }
  const auto read = open_live_snapshot(kReplayedFolder, OpContext(), env_);
  ASSERT_TRUE(read) << read.error().to_string();
  // To count distinct objects, the orders that begin with them are asked.
  EXPECT_FALSE((*read)->delta().trees.is_made(Order::Osp));
  EXPECT_FALSE((*read)->delta().trees.is_made(Order::Pos));
  const auto counted = verify_counts(**read, OpContext());
  EXPECT_TRUE(counted) << counted.error().to_string();
  EXPECT_EQ(live_testing::contents_of(**read), model);
  const Statistics statistics = (*read)->statistics();
  const auto loaded = live_testing::load(live_testing::to_nquads(model));
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
  for (const bool removes_two : {false, true}) {
    make_store(model_);
    write_log([](LoggedTransaction&, DeltaTerms&) {}, removes_two);
    const auto state = read();
    ASSERT_TRUE(state) << state.error().to_string();
    EXPECT_EQ((*state)->statistics().statements, removes_two ? 1U : 2U);
    EXPECT_FALSE((*state)->has_repeated_triples());
    EXPECT_TRUE(verify_counts(**state, OpContext()));
  }
}

TEST_F(LogReplayTest, WhatCannotBeIsRefused) {
  make_store(model_);
  using Forge = std::function<void(StatisticsChange&)>;
  const std::vector<Forge> forgeries = {
      // More than there are edits, or in the other direction.
      [](StatisticsChange& change) { change.subjects = -2; },
      [](StatisticsChange& change) { change.objects = INT64_MIN; },
      [](StatisticsChange& change) { change.objects = 1; },
      [this](StatisticsChange& change) { change.predicates[predicate_].triples = 5; },
      [this](StatisticsChange& change) { change.predicates[predicate_].subjects = 1; },
      // Of what no edit touches.
      [this](StatisticsChange& change) {
        change.predicates[other_] = {-1, 0, 0};
      },
      [this](StatisticsChange& change) { change.classes[other_] = -1; },
      [](StatisticsChange& change) {
        change.predicates[Id(Tag::Iri, 1'000)] = {1, 1, 1};
      },
      [](StatisticsChange& change) {
        change.predicates[Id()] = {1, 1, 1};
      },
      [](StatisticsChange& change) { change.classes[Id()] = 1; },
      // Not one statement less, but one repetition less than none.
      [](StatisticsChange& change) { change.predicates.clear(); },
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    write_log([&](LoggedTransaction& logged, DeltaTerms&) { forgeries[i](logged.statistics); });
    const auto state = read();
    ASSERT_FALSE(state) << "forgery " << i;
    EXPECT_EQ(state.error().code, ErrorCode::Unavailable) << i;
  }
}

TEST_F(LogReplayTest, NothingBecomesLessThanNothing) {
  make_store(model_);
  const std::vector<std::function<void(StatisticsChange&)>> forgeries = {
      [](StatisticsChange& change) { change.subjects = -2; },  // there is one
      [this](StatisticsChange& change) { change.predicates[predicate_].subjects = -2; },
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    write_log([&](LoggedTransaction& logged, DeltaTerms&) { forgeries[i](logged.statistics); },
              true);
    const auto state = read();
    ASSERT_FALSE(state) << "forgery " << i;
    EXPECT_EQ(state.error().code, ErrorCode::Unavailable) << i;
  }
}

// What could be and is not: it is found by who counts, and nothing that is written rests on it.
TEST_F(LogReplayTest, AForgedCountDoesNotOutliveCompaction) {
  make_store(model_);
  write_log([this](LoggedTransaction& logged, DeltaTerms& terms) {
    const Id added = terms.add({{}, Tag::Iri, "http://a/unheard-of", {}});
    logged.new_terms.push_back(added);
    logged.edits = {{{predicate_, added, predicate_, Id()}, true}};
    logged.statistics = {};  // so that it seems to repeat a triple
  });
  const auto state = read();
  ASSERT_TRUE(state) << state.error().to_string();
  const auto counted = verify_counts(**state, OpContext());
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().code, ErrorCode::Unavailable);
  LiveOptions options;
  options.compacts_itself = false;
  const auto store = LiveStore::open(kReplayedFolder, options, OpContext(), env_);
  ASSERT_TRUE(store) << store.error().to_string();
  const auto compacted = (*store)->compact(OpContext());
  ASSERT_TRUE(compacted) << compacted.error().to_string();
  const auto snapshot = (*store)->snapshot();
  EXPECT_EQ(snapshot->statements(), 4U);
  EXPECT_EQ(snapshot->statistics().triples, 4U);
  EXPECT_EQ(snapshot->statistics().predicates.size(), 3U);
  EXPECT_FALSE(snapshot->has_repeated_triples());
  EXPECT_TRUE(verify_counts(*snapshot, OpContext()));
}

}  // namespace
}  // namespace helve::store
