// A store that changes, as clients of the endpoint see it.
#include "surfaces/serve/live_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sources/store/live/live_testing.h"

namespace helve::serve {
namespace {

class LiveGraphTest : public ::testing::Test {
 protected:
  LiveGraphTest() {
    store::LiveOptions options;
    options.compacts_itself = false;
    store_ = *store::LiveStore::in_memory(store::live_testing::load(""), options);
    graph_ = make_live_graph(store_);
  }

  void put(const std::string& turtle) {
    auto document = rdf::Document::from_text("t.ttl", turtle, rdf::Format::Turtle);
    const auto done = graph_->write_graph("http://a/g", GraphWriter::Mode::Replace, document,
                                          "http://a/g", OpContext());
    ASSERT_TRUE(done) << done.error().to_string();
  }
  // In N-Triples, which is Turtle.
  std::string get() const {
    std::string text;
    for (const auto& one : store::live_testing::contents_of(*store_->snapshot())) {
      text += one[0] + " " + one[1] + " " + one[2] + " .\n";
    }
    return text;
  }

  std::shared_ptr<store::LiveStore> store_;
  std::shared_ptr<GraphWriter> graph_;
};

TEST_F(LiveGraphTest, FingerprintsAreThoseOfWhatWasRead) {
  put("<x:a> <x:p> 1 .");
  const GraphState before = graph_->state();
  ASSERT_TRUE(store_->compact(OpContext()));
  EXPECT_EQ(graph_->state().version, before.version);
  EXPECT_EQ(graph_->state().fingerprint, before.fingerprint) << "nothing has changed";
  put("<x:a> <x:p> 2 .");
  EXPECT_NE(graph_->state().fingerprint, before.fingerprint);
}

// Versions of a folder that others write may begin anew: what is there decides.
TEST_F(LiveGraphTest, WhatIsFollowedIsToldApartByWhatIsThere) {
  auto other = *store::LiveStore::in_memory(store::live_testing::load("<x:a> <x:p> <x:b> .\n"));
  bool is_replaced = false;
  const auto states = follow_states([&](const OpContext&) {
    return store::NewestState{is_replaced ? other->snapshot() : store_->snapshot()};
  });
  const GraphState before = states(OpContext());
  EXPECT_EQ(states(OpContext()).fingerprint, before.fingerprint);
  is_replaced = true;
  EXPECT_EQ(states(OpContext()).version, before.version);
  EXPECT_NE(states(OpContext()).fingerprint, before.fingerprint);
  EXPECT_EQ(states(OpContext()).data->triples(), 1U);
}

TEST_F(LiveGraphTest, TheSchemaIsThatOfTheState) {
  put("<x:a> a <x:C> . <x:b> a <x:C>, <x:D> .");
  const GraphState state = graph_->state();
  put("<x:a> a <x:C> .");
  const auto schema = state.source->schema(OpContext());
  ASSERT_TRUE(schema) << schema.error().to_string();
  EXPECT_EQ((*schema)->triples, 3U);
  ASSERT_EQ((*schema)->classes.size(), 2U);
  EXPECT_EQ((*schema)->classes[0].instances, 2U);
  EXPECT_EQ((*graph_->state().source->schema(OpContext()))->triples, 1U);
}

TEST_F(LiveGraphTest, LabelsOfBlankNodesDoNotGrow) {
  put("_:one <x:p> _:two . _:two <x:p> [ <x:q> _:one ] .");
  std::size_t bytes = 0;
  for (int i = 0; i < 20; ++i) {
    put(get());
    const std::string text = get();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
    if (i == 0) bytes = text.size();
    EXPECT_LE(text.size(), bytes + 24) << "numbers of transactions become longer\n" << text;
  }
}

}  // namespace
}  // namespace helve::serve
