// What tools see of a store that changes.
#include "sources/store/live/live_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/live_testing.h"
#include "sources/store/live/vicinity.h"
#include "sources/store/text_index_file.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

constexpr const char* kStatements =
    "<http://a/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/Cat> .\n"
    "<http://a/tom> <http://www.w3.org/2000/01/rdf-schema#label> \"Tom the tabby\" .\n"
    "<http://a/kit> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/Cat> .\n"
    "<http://a/kit> <http://a/age> \"3\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://a/kit> <http://www.w3.org/2000/01/rdf-schema#label> \"Kit\" .\n";

class LiveGraphTest : public ::testing::Test {
 protected:
  LiveGraphTest() {
    LiveOptions options;
    options.compacts_itself = false;
    store_ = *LiveStore::in_memory(live_testing::load(kStatements), options);
    SourceInfo info;
    info.name = "zoo";
    graph_ = make_live_graph(
        [this](const OpContext&) {
          return NewestState{store_->snapshot(), staleness_};
        },
        info);
  }

  void update(const std::string& text) {
    const auto parsed = sparql::parse_update("PREFIX a: <http://a/> " + text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto done = store_->update(parsed->update, {}, OpContext());
    ASSERT_TRUE(done) << done.error().to_string();
  }

  std::vector<std::string> find(const std::string& text) const {
    FindRequest request;
    request.text = text;
    const auto hits = graph_->find(request, OpContext());
    EXPECT_TRUE(hits) << hits.error().to_string();
    std::vector<std::string> iris;
    for (const NameHit& hit : *hits) iris.push_back(hit.iri);
    return iris;
  }

  std::shared_ptr<LiveStore> store_;
  std::optional<Staleness> staleness_;
  std::shared_ptr<const GraphSource> graph_;
};

TEST_F(LiveGraphTest, FingerprintsChangeAndComeBack) {
  const std::string first = graph_->fingerprint();
  update("INSERT DATA { a:rex a a:Dog }");
  const std::string second = graph_->fingerprint();
  EXPECT_NE(first, second);
  update("DELETE DATA { a:rex a a:Dog }");
  EXPECT_EQ(graph_->fingerprint(), first);
}

TEST_F(LiveGraphTest, MomentsStay) {
  const auto moment = graph_->at_this_moment(OpContext()).graph;
  ASSERT_NE(moment, nullptr);
  const std::string before = moment->fingerprint();
  update("INSERT DATA { a:rex a a:Dog }");
  EXPECT_EQ(moment->fingerprint(), before);
  EXPECT_EQ((*moment->schema(OpContext()))->triples, 5U);
  EXPECT_EQ((*graph_->schema(OpContext()))->triples, 6U);
  EXPECT_FALSE(*moment->has_term(rdf::TermView::iri("http://a/rex"), OpContext()));
  EXPECT_TRUE(*graph_->has_term(rdf::TermView::iri("http://a/rex"), OpContext()));
}

TEST_F(LiveGraphTest, TheSchemaHasWhatIsNew) {
  update(
      "INSERT DATA { a:rex a a:Dog ; a:age 5 ; a:bites a:tom . a:Dog "
      "<http://www.w3.org/2000/01/rdf-schema#label> 'hound' }");
  const auto schema = *graph_->schema(OpContext());
  const ClassInfo* const dog = schema->find_class("http://a/Dog");
  ASSERT_NE(dog, nullptr);
  EXPECT_EQ(dog->instances, 1U);
  EXPECT_EQ(dog->label, "hound");
  EXPECT_EQ(schema->find_class("http://a/Cat")->instances, 2U);
  const PropertyInfo* const bites = schema->find_property("http://a/bites");
  ASSERT_NE(bites, nullptr);
  EXPECT_EQ(bites->triples, 1U);
  EXPECT_EQ(bites->kind, PropertyKind::Object);
  EXPECT_EQ(bites->domains, std::vector<std::string>{"http://a/Dog"});
  EXPECT_EQ(bites->ranges, std::vector<std::string>{"http://a/Cat"});
  EXPECT_EQ(schema->find_property("http://a/age")->triples, 2U);
  update("DELETE WHERE { a:rex ?p ?o }");
  const auto after = *graph_->schema(OpContext());
  EXPECT_EQ(after->find_class("http://a/Dog"), nullptr);
  EXPECT_EQ(after->find_property("http://a/bites"), nullptr);
}

TEST_F(LiveGraphTest, NamesFollowChanges) {
  EXPECT_EQ(find("tabby"), std::vector<std::string>{"http://a/tom"});
  update(
      "DELETE WHERE { a:tom <http://www.w3.org/2000/01/rdf-schema#label> ?l } ;"
      "INSERT DATA { a:tom <http://www.w3.org/2000/01/rdf-schema#label> 'Tom the tiger' ."
      " a:rex <http://www.w3.org/2000/01/rdf-schema#label> 'Rex the brave' }");
  EXPECT_TRUE(find("tabby").empty() || find("tabby").front() != "http://a/tom");
  EXPECT_EQ(find("tiger").front(), "http://a/tom");
  EXPECT_EQ(find("brave").front(), "http://a/rex");
  EXPECT_EQ(find("kit").front(), "http://a/kit");
}

TEST_F(LiveGraphTest, ThingsWithNewNamesStayWhatTheyAre) {
  update(
      "INSERT DATA { a:Tiger <http://www.w3.org/2000/01/rdf-schema#subClassOf> a:Feline ."
      " a:older <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> a:near }");
  ASSERT_TRUE(store_->compact(OpContext()));
  update(
      "INSERT DATA { a:Feline <http://www.w3.org/2000/01/rdf-schema#label> 'stripy one' ."
      " a:near <http://www.w3.org/2000/01/rdf-schema#label> 'stripy two' ."
      " a:age <http://www.w3.org/2000/01/rdf-schema#label> 'stripy three' }");
  std::map<std::string, NameKind> kinds;
  FindRequest request;
  request.text = "stripy";
  const auto hits = graph_->find(request, OpContext());
  ASSERT_TRUE(hits) << hits.error().to_string();
  for (const NameHit& hit : *hits) kinds[hit.iri] = hit.kind;
  const std::map<std::string, NameKind> expected = {{"http://a/Feline", NameKind::Class},
                                                    {"http://a/near", NameKind::Property},
                                                    {"http://a/age", NameKind::Property}};
  EXPECT_EQ(kinds, expected);
}

// So many that each is looked at less closely, then more than are looked at.
TEST_F(LiveGraphTest, NamesAreAllThereOrRefused) {
  const auto add = [&](std::size_t first, std::size_t last) {
    const auto done = store_->write(
        [&](Transaction& to) -> Result<void> {
          HELVE_ASSIGN(const Id likes, to.intern(rdf::TermView::iri("http://a/likes")));
          HELVE_ASSIGN(const Id tom, to.intern(rdf::TermView::iri("http://a/tom")));
          for (std::size_t i = first; i < last; ++i) {
            const std::string name = "http://a/mouse" + std::to_string(i);
            HELVE_ASSIGN(const Id mouse, to.intern(rdf::TermView::iri(name)));
            HELVE_TRY(to.add({mouse, likes, tom, Id()}));
          }
          return {};
        },
        OpContext());
    ASSERT_TRUE(done) << done.error().to_string();
  };
  add(0, 60'000);
  update("INSERT DATA { a:zebra <http://www.w3.org/2000/01/rdf-schema#label> 'Zora' }");
  EXPECT_EQ(find("zora"), std::vector<std::string>{"http://a/zebra"});
  add(60'000, kTouchedMax);
  FindRequest request;
  request.text = "zora";
  const auto refused = graph_->find(request, OpContext());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  EXPECT_NE(refused.error().hint.find("index compact"), std::string::npos);
  EXPECT_TRUE(graph_->schema(OpContext())) << "which is counted";
  ASSERT_TRUE(store_->compact(OpContext()));
  EXPECT_EQ(find("zora"), std::vector<std::string>{"http://a/zebra"});
}

// What names a thing may stand behind much else that is said of it.
TEST_F(LiveGraphTest, NamesOfThingsWithManyStatementsAreFound) {
  const auto done = store_->write(
      [&](Transaction& to) -> Result<void> {
        HELVE_ASSIGN(const Id likes, to.intern(rdf::TermView::iri("http://a/likes")));
        HELVE_ASSIGN(const Id owl, to.intern(rdf::TermView::iri("http://a/owl")));
        HELVE_ASSIGN(const Id label,
                     to.intern(rdf::TermView::iri("http://www.w3.org/2000/01/rdf-schema#label")));
        HELVE_ASSIGN(const Id name, to.intern(rdf::TermView::literal("Ottilie")));
        HELVE_TRY(to.add({owl, label, name, Id()}));
        for (int i = 0; i < 1'000; ++i) {
          const std::string mouse = "http://a/mouse" + std::to_string(i);
          HELVE_ASSIGN(const Id id, to.intern(rdf::TermView::iri(mouse)));
          HELVE_TRY(to.add({owl, likes, id, Id()}));
        }
        return {};
      },
      OpContext());
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(find("ottilie"), std::vector<std::string>{"http://a/owl"});
}

// Hits of the base that were renamed must not stand in the way of those that were not.
TEST(LiveNamesTest, HitsThatChangesFallOnHideNoOthers) {
  std::string text;
  const auto thing = [](int i) { return "<http://a/t" + std::to_string(i) + ">"; };
  const std::string label = " <http://www.w3.org/2000/01/rdf-schema#label> ";
  for (int i = 0; i < 3'000; ++i) text += thing(i) + label + "\"sample\" .\n";
  LiveOptions options;
  options.compacts_itself = false;
  const auto store = LiveStore::in_memory(live_testing::load(text), options);
  ASSERT_TRUE(store);
  const auto graph = make_live_graph(
      [&](const OpContext&) {
        return NewestState{(*store)->snapshot(), {}};
      },
      {});
  const auto rename = [&](int first, int last) {
    std::string gone;
    std::string come;
    for (int i = first; i < last; ++i) {
      gone += thing(i) + label + "\"sample\" .\n";
      come += thing(i) + label + "\"other\" .\n";
    }
    const auto update =
        sparql::parse_update("DELETE DATA {" + gone + "}; INSERT DATA {" + come + "}");
    ASSERT_TRUE(update);
    ASSERT_TRUE((*store)->update(update->update, {}, OpContext()));
  };
  FindRequest request;
  request.text = "sample";
  request.hits_max = 5;
  rename(0, 500);
  auto found = graph->find(request, OpContext());
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(found->size(), 5U);
  // Where they cannot be told from so many others, nothing is told.
  rename(500, 2'990);
  found = graph->find(request, OpContext());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::Unavailable);
}

TEST_F(LiveGraphTest, TellsThatItIsStale) {
  const auto fresh = graph_->at_this_moment(OpContext());
  EXPECT_FALSE(fresh.staleness || graph_->staleness());
  staleness_ = Staleness{{ErrorCode::Unavailable, "the disk is away"}, {}, {}};
  EXPECT_FALSE(graph_->staleness()) << "before it was asked";
  const auto stale = graph_->at_this_moment(OpContext());
  EXPECT_EQ(stale.graph, fresh.graph) << "with what was made of it";
  ASSERT_TRUE(stale.staleness && graph_->staleness());
  EXPECT_EQ(stale.staleness->reason.message, "the disk is away");
  staleness_.reset();
  EXPECT_FALSE(graph_->at_this_moment(OpContext()).staleness || graph_->staleness());
}

// Who still has the state from before a compaction leaves the names of the new one alone.
TEST(LiveNamesTest, NamesOfANewerIndexAreNotReplaced) {
  FakeEnv env;
  ASSERT_TRUE(write_snapshot(*live_testing::load(kStatements), {}, "/s", OpContext(), env));
  const auto old = open_live_snapshot("/s", OpContext(), env);
  ASSERT_TRUE(old);
  {
    const auto store = LiveStore::open("/s", {}, OpContext(), env);
    ASSERT_TRUE(store);
    const auto update = sparql::parse_update("INSERT DATA { <http://a/novelty> <http://a/p> 1 }");
    ASSERT_TRUE((*store)->update(update->update, {}, OpContext()));
    ASSERT_TRUE((*store)->compact(OpContext()));
  }
  const auto state = open_live_snapshot("/s", OpContext(), env);
  ASSERT_TRUE(state);
  const auto find = [&env](const std::shared_ptr<const LiveSnapshot>& at, std::string text) {
    const auto graph = make_live_graph(
        [at](const OpContext&) {
          return NewestState{at, {}};
        },
        {}, {"/s", &env});
    return graph->find({std::move(text), NameKind::Any, 5, false}, OpContext())->size();
  };
  EXPECT_EQ(find(*state, "novelty"), 1U);
  EXPECT_TRUE(open_text_index(*(*state)->base(), "/s", OpContext(), env));
  EXPECT_EQ(find(*old, "novelty"), 0U);
  EXPECT_EQ(find(*old, "tabby"), 1U);
  EXPECT_TRUE(open_text_index(*(*state)->base(), "/s", OpContext(), env)) << "they are still there";
}

}  // namespace
}  // namespace helve::store
