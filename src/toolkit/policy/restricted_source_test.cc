#include "toolkit/policy/restricted_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "tests/support/graph/graph_of.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kData = R"(
@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:loose :p :loose2 .
:a { :s1 a :Open ; :p "one" ; rdfs:label "shared label" . }
:b { :s2 a :Open ; :q "two" ; rdfs:label "second" . :s1 :q "from b" . }
:c { :s3 a :Hidden ; :secret "three" ; rdfs:label "hidden label" . :s1 rdfs:label "code name" . }
)";

class Texts final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    std::string& text = rows.emplace_back();
    for (const auto& cell : cells) text += cell ? std::string(cell->value) : "-";
    return {};
  }
  std::vector<std::string> rows;
};

class Statements final : public rdf::StatementSink {
 public:
  Result<void> statement(const rdf::StatementView& statement) override {
    subjects.emplace_back(statement.subject.value);
    return {};
  }
  std::vector<std::string> subjects;
};

sparql::Query parsed(std::string_view text) {
  sparql::ParseOptions options;
  options.known_prefixes = {{"", "http://x/"}};
  auto query = sparql::parse_query(text, options);
  EXPECT_TRUE(query) << query.error().to_string();
  return query->query;
}

class RestrictedSource : public ::testing::Test {
 protected:
  void allow(std::vector<std::string> graphs) {
    Policy policy;
    policy.allowed_graphs = std::move(graphs);
    view_ = restrict_source(graph_, std::make_shared<const Policy>(policy));
  }
  void deny(std::vector<std::string> graphs,
            std::optional<std::vector<std::string>> allowed = std::nullopt) {
    Policy policy;
    policy.denied_graphs = std::move(graphs);
    policy.allowed_graphs = std::move(allowed);
    view_ = restrict_source(graph_, std::make_shared<const Policy>(policy));
  }
  std::vector<std::string> rows(std::string_view text) const {
    Texts sink;
    const GraphRun run = view_->run(parsed(text), 1'000, sink, {});
    EXPECT_FALSE(run.error) << run.error->to_string();
    return sink.rows;
  }
  Error refusal(std::string_view text) const {
    Texts sink;
    const GraphRun run = view_->run(parsed(text), 1'000, sink, {});
    EXPECT_TRUE(run.error) << text;
    EXPECT_TRUE(sink.rows.empty());
    return run.error ? *run.error : Error{ErrorCode::Internal, ""};
  }

  std::shared_ptr<const GraphSource> graph_ = testing::graph_of(kData);
  std::shared_ptr<const GraphSource> view_ =
      restrict_source(graph_, std::make_shared<const Policy>());
};

TEST_F(RestrictedSource, HandsEverythingThroughWithoutAList) {
  EXPECT_EQ(rows("SELECT ?s { ?s ?p ?o }").size(), 12U);
  EXPECT_EQ(*view_->schema({}), *graph_->schema({}));  // the very same
  EXPECT_TRUE(*view_->has_term(rdf::TermView::iri("http://x/secret"), {}));
  EXPECT_EQ(rows("SELECT ?o FROM :c { :s3 :secret ?o }").size(), 1U);
}

TEST_F(RestrictedSource, SeesTheAllowedGraphsAlone) {
  allow({"http://x/a", "http://x/b", "http://x/absent"});
  EXPECT_THAT(rows("SELECT ?s { ?s a ?c }"), UnorderedElementsAre("http://x/s1", "http://x/s2"));
  EXPECT_THAT(rows("SELECT ?o { :s1 :q ?o }"), ElementsAre("from b"));
  EXPECT_TRUE(rows("SELECT ?o { ?s :secret ?o }").empty());
  EXPECT_TRUE(rows("SELECT ?o { :loose ?p ?o }").empty());
  EXPECT_THAT(rows("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g"),
              ElementsAre("http://x/a", "http://x/b"));
  EXPECT_TRUE(rows("SELECT ?s { VALUES ?g { :c } GRAPH ?g { ?s ?p ?o } }").empty());
  EXPECT_TRUE(rows("SELECT ?s { ?s a :Open FILTER EXISTS { ?x :secret ?y } }").empty());
  EXPECT_TRUE(rows("SELECT ?n { { SELECT ?n { ?x :secret ?n } } }").empty());
}

TEST_F(RestrictedSource, KeepsTheGraphsThatAQueryNames) {
  allow({"http://x/a", "http://x/b"});
  EXPECT_THAT(rows("SELECT ?s FROM :b { ?s a :Open }"), ElementsAre("http://x/s2"));
  EXPECT_THAT(rows("SELECT ?s { GRAPH :a { ?s a :Open } }"), ElementsAre("http://x/s1"));
  EXPECT_THAT(rows("SELECT ?g FROM NAMED :a { GRAPH ?g { ?s a :Open } }"),
              ElementsAre("http://x/a"));
}

TEST_F(RestrictedSource, DeniesOtherGraphsByName) {
  allow({"http://x/a"});
  for (const char* text : {
           "SELECT * FROM :c { ?s ?p ?o }",
           "SELECT * FROM :a FROM NAMED :c { ?s ?p ?o }",
           "SELECT * { GRAPH :c { ?s ?p ?o } }",
           "SELECT * { ?s ?p ?o OPTIONAL { GRAPH :c { ?s ?q ?r } } }",
           "SELECT * { ?s ?p ?o FILTER NOT EXISTS { GRAPH :c { ?s ?q ?r } } }",
           "SELECT * { { SELECT ?s { GRAPH :c { ?s ?q ?r } } } }",
           "SELECT (EXISTS { GRAPH :c { ?x ?y ?z } } AS ?e) {}",
           "SELECT * { ?s ?p ?o } ORDER BY (EXISTS { GRAPH :c { ?s ?q ?r } })",
           "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (EXISTS { GRAPH :c { ?x ?q ?r } })",
           "SELECT * { ?s ?p ?o MINUS { GRAPH :c { ?s ?q ?r } } }",
           "ASK { { ?s ?p ?o } UNION { GRAPH :c { ?s ?q ?r } } }",
           "SELECT * FROM :absent { ?s ?p ?o }",
       }) {
    const Error error = refusal(text);
    EXPECT_EQ(error.code, ErrorCode::Denied) << text;
    EXPECT_THAT(error.hint, HasSubstr("<http://x/a>")) << text;
    EXPECT_THAT(error.hint, Not(HasSubstr("http://x/b"))) << text;
  }
}

TEST_F(RestrictedSource, AnEmptyListDeniesEverything) {
  allow({});
  EXPECT_EQ(refusal("SELECT * { ?s ?p ?o }").code, ErrorCode::Denied);
  EXPECT_EQ(view_->has_term(rdf::TermView::iri("http://x/s1"), {}).error().code, ErrorCode::Denied);
  EXPECT_EQ(view_->schema({}).error().code, ErrorCode::Denied);
  EXPECT_EQ(view_->find({"label", NameKind::Any, 5, true}, {}).error().code, ErrorCode::Denied);
  EXPECT_EQ(view_->explain(parsed("SELECT * { ?s ?p ?o }"), {}).error().code, ErrorCode::Denied);
  EXPECT_EQ(
      view_->count_upto(parsed("SELECT * { ?s ?p ?o }").body().where, {}, 10, {}).error().code,
      ErrorCode::Denied);
}

TEST_F(RestrictedSource, GraphsThatAreNotThereOpenNothing) {
  allow({"http://x/absent"});
  EXPECT_EQ(refusal("SELECT * { ?s ?p ?o }").code, ErrorCode::Denied);
}

TEST_F(RestrictedSource, ConstructsAndDescribesWithinTheGraphs) {
  allow({"http://x/a"});
  Statements made;
  const auto run = view_->run(parsed("CONSTRUCT WHERE { ?s a ?c }"), 100,
                              static_cast<rdf::StatementSink&>(made), {});
  EXPECT_FALSE(run.error);
  EXPECT_THAT(made.subjects, ElementsAre("http://x/s1"));
  Statements described;
  EXPECT_FALSE(
      view_->run(parsed("DESCRIBE :s3"), 100, static_cast<rdf::StatementSink&>(described), {})
          .error);
  EXPECT_TRUE(described.subjects.empty());
}

TEST_F(RestrictedSource, CountsAndExplainsWithinTheGraphs) {
  allow({"http://x/a"});
  const auto all = parsed("SELECT * { ?s ?p ?o }");
  EXPECT_EQ(view_->count_upto(all.body().where, {}, 100, {})->n, 3U);
  EXPECT_EQ(view_->count_upto(all.body().where, {{"http://x/c", false, {}}}, 100, {}).error().code,
            ErrorCode::Denied);
  EXPECT_EQ(view_->explain(parsed("SELECT * { GRAPH :c { ?s ?p ?o } }"), {}).error().code,
            ErrorCode::Denied);
  EXPECT_TRUE(view_->explain(all, {}));
}

TEST_F(RestrictedSource, TellsOfTermsOfTheGraphsAlone) {
  allow({"http://x/a", "http://x/b"});
  const auto has = [this](const rdf::TermView& term) { return *view_->has_term(term, {}); };
  EXPECT_TRUE(has(rdf::TermView::iri("http://x/s1")));
  EXPECT_TRUE(has(rdf::TermView::iri("http://x/q")));
  EXPECT_TRUE(has(rdf::TermView::iri("http://x/Open")));
  EXPECT_TRUE(has(rdf::TermView::literal("one")));
  EXPECT_FALSE(has(rdf::TermView::iri("http://x/s3")));
  EXPECT_FALSE(has(rdf::TermView::iri("http://x/secret")));
  EXPECT_FALSE(has(rdf::TermView::iri("http://x/loose")));
  EXPECT_FALSE(has(rdf::TermView::iri("http://x/c")));
  EXPECT_FALSE(has(rdf::TermView::literal("three")));
}

TEST_F(RestrictedSource, MakesTheSchemaOfTheGraphsAlone) {
  allow({"http://x/a", "http://x/b"});
  const auto schema = view_->schema({});
  ASSERT_TRUE(schema) << schema.error().to_string();
  EXPECT_EQ((*schema)->triples, 7U);
  ASSERT_EQ((*schema)->classes.size(), 1U);
  EXPECT_EQ((*schema)->classes[0].instances, 2U);
  EXPECT_EQ((*schema)->find_property("http://x/secret"), nullptr);
  EXPECT_EQ((*schema)->find_property("http://x/q")->triples, 2U);
  ASSERT_EQ((*schema)->graphs.size(), 2U);
  for (const auto& [iri, statements] : (*schema)->graphs) EXPECT_NE(iri, "http://x/c");
  EXPECT_EQ(*view_->schema({}), *schema);  // kept
}

// A graph with an index of names, as far as the view needs one.
class NamedGraph final : public GraphSource {
 public:
  explicit NamedGraph(std::shared_ptr<const GraphSource> graph) : graph_(std::move(graph)) {}
  const SourceInfo& info() const override { return graph_->info(); }
  std::string fingerprint() const override { return graph_->fingerprint(); }
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    return graph_->run(query, rows_max, sink, context);
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    return graph_->run(query, statements_max, sink, context);
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    return graph_->count_upto(pattern, dataset, cap, context);
  }
  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    return graph_->explain(query, context);
  }
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    return graph_->has_term(term, context);
  }
  Result<std::vector<NameHit>> find(const FindRequest& /*request*/,
                                    const OpContext& /*context*/) const override {
    return std::vector<NameHit>{{"http://x/s3", "hidden label", "", NameKind::Instance, 3, 9},
                                {"http://x/s1", "code name", "", NameKind::Instance, 5, 8},
                                {"http://x/s1", "shared label", "", NameKind::Instance, 5, 7},
                                {"http://x/Open", "", "", NameKind::Class, 2, 6}};
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    return graph_->schema(context);
  }
  PrefixList prefixes() const override { return graph_->prefixes(); }
  std::optional<EndpointTraits> traits() const override {
    EndpointTraits traits;
    traits.engine = "some engine";
    return traits;
  }
  std::optional<ShapeRecord> experience(const sparql::Query& /*query*/) const override {
    return ShapeRecord{"join", 4, 0, 0, 0, std::nullopt};
  }

 private:
  std::shared_ptr<const GraphSource> graph_;
};

TEST_F(RestrictedSource, FindsNamesOfTheGraphsAlone) {
  graph_ = std::make_shared<NamedGraph>(graph_);
  allow({"http://x/a"});
  const auto hits = view_->find({"open", NameKind::Any, 5, true}, {});
  ASSERT_TRUE(hits) << hits.error().to_string();
  ASSERT_EQ(hits->size(), 2U);
  EXPECT_EQ((*hits)[0].label, "shared label");
  EXPECT_EQ((*hits)[0].count, 3U);  // not the triples about it elsewhere
  EXPECT_EQ((*hits)[1].iri, "http://x/Open");
  EXPECT_EQ((*hits)[1].count, 1U);
}

TEST_F(RestrictedSource, TellsWhatIsKnownOfTheEndpoint) {
  allow({"http://x/a"});
  EXPECT_FALSE(view_->traits());
  EXPECT_FALSE(view_->experience({}));
  graph_ = std::make_shared<NamedGraph>(graph_);
  allow({"http://x/a"});
  ASSERT_TRUE(view_->traits());
  EXPECT_EQ(view_->traits()->engine, "some engine");
  ASSERT_TRUE(view_->experience({}));
  EXPECT_EQ(view_->experience({})->answered, 4U);
}

TEST_F(RestrictedSource, RefusesEndpointsWhereverTheyStand) {
  for (const char* text : {
           "SELECT * { SERVICE <http://e/sparql> { ?s ?p ?o } }",
           "SELECT * { SERVICE SILENT <http://e/sparql> { ?s ?p ?o } }",
           "SELECT * { ?s :p ?e SERVICE ?e { ?s ?p ?o } }",
           "SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE <http://e/sparql> { ?s ?p ?o } } }",
           "SELECT * { { SELECT * { SERVICE <http://e/sparql> { ?s ?p ?o } } } }",
           "SELECT (EXISTS { SERVICE <http://e/sparql> { ?s ?p ?o } } AS ?x) {}",
           "SELECT * {} ORDER BY (EXISTS { SERVICE <http://e/sparql> { ?s ?p ?o } })",
           "ASK { BIND(EXISTS { SERVICE <http://e/sparql> { ?s ?p ?o } } AS ?x) }",
       }) {
    EXPECT_EQ(refusal(text).code, ErrorCode::Denied) << text;
    EXPECT_EQ(view_->explain(parsed(text), {}).error().code, ErrorCode::Denied) << text;
  }
  const auto counted =
      parsed("SELECT * { ?s ?p ?o OPTIONAL { SERVICE <http://e/sparql> { ?s ?p ?o } } }");
  EXPECT_EQ(view_->count_upto(counted.body().where, {}, 10, {}).error().code, ErrorCode::Denied);
}

TEST_F(RestrictedSource, LetsAllowedEndpointsPass) {
  Policy policy;
  policy.allowed_endpoints = {"http://e/sparql"};
  policy.allowed_graphs = {"http://x/a"};
  view_ = restrict_source(graph_, std::make_shared<const Policy>(policy));
  // The engine of this graph asks no endpoint at all; the policy does not refuse, and graphs of
  // the endpoint are its own matter.
  const Error error = refusal("SELECT * { SERVICE <http://e/sparql> { GRAPH :c { ?s ?p ?o } } }");
  EXPECT_THAT(error.message, Not(HasSubstr("policy")));
  EXPECT_THAT(refusal("SELECT * { SERVICE <http://other/> { ?s ?p ?o } }").message,
              HasSubstr("policy"));
  EXPECT_THAT(refusal("SELECT * { SERVICE <http://e/sparql> {} GRAPH :c { ?s ?p ?o } }").message,
              HasSubstr("policy"));
}

TEST_F(RestrictedSource, SeesAllButTheDeniedGraphs) {
  deny({"http://x/c", "http://x/absent"});
  EXPECT_EQ(rows("SELECT ?s { ?s ?p ?o }").size(), 8U);
  EXPECT_THAT(rows("SELECT ?o { :loose ?p ?o }"), ElementsAre("http://x/loose2"));
  EXPECT_TRUE(rows("SELECT ?o { ?s :secret ?o }").empty());
  EXPECT_TRUE(rows("SELECT ?s { ?s a :Hidden }").empty());
  EXPECT_THAT(rows("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g"),
              ElementsAre("http://x/a", "http://x/b"));
  EXPECT_TRUE(rows("SELECT ?s { VALUES ?g { :c } GRAPH ?g { ?s ?p ?o } }").empty());
  EXPECT_THAT(rows("SELECT ?o FROM :b { :s1 ?p ?o }"), ElementsAre("from b"));
  EXPECT_TRUE(rows("SELECT ?s { GRAPH :nowhere { ?s ?p ?o } }").empty());
  EXPECT_THAT(rows("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), ElementsAre("8"));
}

TEST_F(RestrictedSource, RefusesDeniedGraphsByName) {
  deny({"http://x/c"});
  for (const char* text : {
           "SELECT * FROM :c { ?s ?p ?o }",
           "SELECT * FROM :a FROM NAMED :c { ?s ?p ?o }",
           "SELECT * { GRAPH :c { ?s ?p ?o } }",
           "SELECT * { ?s ?p ?o FILTER NOT EXISTS { GRAPH :c { ?s ?q ?r } } }",
           "SELECT * { { SELECT ?s { GRAPH :c { ?s ?q ?r } } } }",
           "SELECT * FROM :nowhere { ?s ?p ?o }",
       }) {
    const Error error = refusal(text);
    EXPECT_EQ(error.code, ErrorCode::Denied) << text;
    EXPECT_THAT(error.hint, HasSubstr("<http://x/a>, <http://x/b>")) << text;
    EXPECT_THAT(error.hint, Not(HasSubstr("http://x/c"))) << text;
    EXPECT_EQ(view_->explain(parsed(text), {}).error().code, ErrorCode::Denied) << text;
  }
}

TEST_F(RestrictedSource, DenyingWinsOverAllowing) {
  deny({"http://x/b"}, {{"http://x/a", "http://x/b"}});
  EXPECT_THAT(rows("SELECT ?s { ?s a ?c }"), ElementsAre("http://x/s1"));
  EXPECT_EQ(refusal("SELECT * { GRAPH :b { ?s ?p ?o } }").code, ErrorCode::Denied);
  deny({"http://x/a"}, {{"http://x/a"}});
  EXPECT_EQ(refusal("SELECT * { ?s ?p ?o }").code, ErrorCode::Denied);
}

TEST_F(RestrictedSource, TellsNothingOfDeniedGraphs) {
  graph_ = std::make_shared<NamedGraph>(graph_);
  deny({"http://x/c"});
  const auto has = [this](const rdf::TermView& term) { return *view_->has_term(term, {}); };
  EXPECT_TRUE(has(rdf::TermView::iri("http://x/loose")));
  EXPECT_TRUE(has(rdf::TermView::iri("http://x/s1")));
  EXPECT_FALSE(has(rdf::TermView::iri("http://x/s3")));
  EXPECT_FALSE(has(rdf::TermView::iri("http://x/c")));
  EXPECT_FALSE(has(rdf::TermView::literal("three")));
  const auto schema = view_->schema({});
  ASSERT_TRUE(schema) << schema.error().to_string();
  EXPECT_EQ((*schema)->triples, 8U);
  EXPECT_EQ((*schema)->find_class("http://x/Hidden"), nullptr);
  EXPECT_EQ((*schema)->find_property("http://x/secret"), nullptr);
  EXPECT_EQ((*schema)->graphs.size(), 2U);
  const auto hits = view_->find({"label", NameKind::Any, 5, true}, {});
  ASSERT_TRUE(hits) << hits.error().to_string();
  for (const NameHit& hit : *hits) {
    EXPECT_NE(hit.iri, "http://x/s3");
    EXPECT_NE(hit.label, "code name");
  }
  // What is planned for a name that is hidden is what is planned for one that is nowhere.
  const auto plan = [this](std::string_view text) { return *view_->explain(parsed(text), {}); };
  EXPECT_EQ(plan("SELECT * { ?s :secret ?o ; :p ?q }").estimated_rows,
            plan("SELECT * { ?s :nowhere ?o ; :p ?q }").estimated_rows);
  EXPECT_EQ(plan("SELECT * { ?s a :Hidden }").estimated_rows,
            plan("SELECT * { ?s a :Nowhere }").estimated_rows);
}

TEST_F(RestrictedSource, WithoutADeniedGraphInItIsTheSourceItself) {
  deny({"http://x/absent"});
  EXPECT_EQ(*view_->schema({}), *graph_->schema({}));
  EXPECT_EQ(rows("SELECT ?s { ?s ?p ?o }").size(), 12U);
  EXPECT_EQ(refusal("SELECT * { GRAPH :absent { ?s ?p ?o } }").code, ErrorCode::Denied);
}

TEST_F(RestrictedSource, RefusesDeniedEndpointsThoughTheyAreAllowed) {
  Policy policy;
  policy.allowed_endpoints = {"http://e/sparql", "http://f/sparql"};
  policy.denied_endpoints = {"http://e/sparql"};
  view_ = restrict_source(graph_, std::make_shared<const Policy>(policy));
  const Error error = refusal("SELECT * { SERVICE <http://e/sparql> { ?s ?p ?o } }");
  EXPECT_THAT(error.message, HasSubstr("the policy does not allow this endpoint"));
  EXPECT_THAT(error.hint, HasSubstr("allowed endpoints: <http://f/sparql>"));
  EXPECT_THAT(refusal("SELECT * { SERVICE <http://f/sparql> { ?s ?p ?o } }").message,
              Not(HasSubstr("policy")));
}

TEST_F(RestrictedSource, FingerprintsDifferByRestriction) {
  const std::string open = view_->fingerprint();
  allow({"http://x/a"});
  const std::string first = view_->fingerprint();
  allow({"http://x/b"});
  const std::string second = view_->fingerprint();
  allow({"http://x/a", "http://x/b"});
  const std::string both = view_->fingerprint();
  allow({"http://x/b", "http://x/a"});
  EXPECT_EQ(view_->fingerprint(), both);
  deny({"http://x/a"});
  const std::string denied = view_->fingerprint();
  EXPECT_EQ((std::set<std::string>{open, first, second, both, denied}.size()), 5U);
}

}  // namespace
}  // namespace helve::toolkit
