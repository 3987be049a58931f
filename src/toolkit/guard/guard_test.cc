#include "toolkit/guard/guard.h"

#include <gmock/gmock.h>

#include "sources/sparql/algebra/random_algebra_testing.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/guard/guard_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

GuardVerdict judged(std::string_view text, const GuardRequest& request = {}) {
  return judge(test::parsed(text), test::protein_database(), request);
}

const Finding* finding_of(const GuardVerdict& verdict, FindingKind kind) {
  for (const Finding& finding : verdict.findings) {
    if (finding.kind == kind) return &finding;
  }
  return nullptr;
}

std::string rewritten(std::string_view text) {
  const GuardVerdict verdict = judged(text);
  EXPECT_TRUE(verdict.is_refused()) << text;
  if (!verdict.is_refused() || !verdict.findings.front().rewritten) return {};
  return sparql::to_sparql(*verdict.findings.front().rewritten);
}

TEST(Guard, SaysWhyWhereAndWhatInstead) {
  const std::string_view text = "SELECT DISTINCT ?p WHERE { ?s a up:Protein ; ?p ?o }";
  const GuardVerdict verdict = judged(text);
  ASSERT_TRUE(verdict.is_refused());
  const Finding& finding = verdict.findings.front();
  EXPECT_EQ(finding.kind, FindingKind::PropertyDiscovery);
  EXPECT_THAT(finding.reason, HasSubstr("440,000,000 instances"));
  EXPECT_THAT(finding.reason, HasSubstr("the deadline is 30 s"));
  EXPECT_EQ(finding.pattern, "?s ?p ?o");
  EXPECT_EQ(text.substr(finding.span.begin, finding.span.end - finding.span.begin), "?p ?o");
  EXPECT_THAT(finding.suggestion, HasSubstr("sparql_schema"));
  EXPECT_GT(finding.estimated_seconds, 300);
  EXPECT_EQ(finding.estimated_rows / 2e6, finding.estimated_seconds);
}

TEST(Guard, RefusalsComeFirstAndCanBeTurnedIntoWarnings) {
  const std::string_view text =
      "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isIRI(?o)) } GROUP BY ?p";
  const GuardVerdict verdict = judged(text);
  ASSERT_TRUE(verdict.is_refused());
  EXPECT_GT(verdict.findings.size(), 1U);
  GuardRequest request;
  request.is_validating = false;
  const GuardVerdict lenient = judged(text, request);
  EXPECT_FALSE(lenient.is_refused());
  ASSERT_FALSE(lenient.findings.empty());
  EXPECT_EQ(lenient.findings.front().kind, FindingKind::AllPredicates);
  EXPECT_TRUE(lenient.findings.front().rewritten);
}

TEST(Guard, RefusesByTheDeadline) {
  // Some 30 minutes there: too long for half a minute, not for an hour.
  const std::string_view text = "SELECT DISTINCT ?p WHERE { ?s a up:Protein ; ?p ?o }";
  GuardRequest request;
  request.deadline = std::chrono::hours(1);
  EXPECT_TRUE(judged(text).is_refused());
  const GuardVerdict patient = judged(text, request);
  EXPECT_FALSE(patient.is_refused());
  EXPECT_NE(finding_of(patient, FindingKind::PropertyDiscovery), nullptr);  // warned
}

TEST(Guard, CountsTheRowsThatWillBeFetchedAsALimit) {
  const std::string_view text = "SELECT * { ?s ?p ?o }";
  EXPECT_TRUE(judged(text).is_refused());
  GuardRequest request;
  request.rows_max = 1'000'000;
  const GuardVerdict verdict = judged(text, request);
  EXPECT_FALSE(verdict.is_refused());
  EXPECT_NE(finding_of(verdict, FindingKind::UnboundPredicate), nullptr);
}

TEST(Guard, RefusesProductsOfWhichAPartIsNoAnswer) {
  GraphProfile profile;
  profile.name = "small";
  profile.triples = 10'000;
  profile.subjects = 1'000;
  profile.objects = 1'000;
  profile.is_local = true;
  profile.rows_per_second = 20e6;
  GuardRequest request;
  request.rows_max = 1'000'000;
  const auto judge_there = [&](std::string_view text, double engine_seconds) {
    request.engine_cost_ns = engine_seconds * 1e9;
    return judge(test::parsed(text), profile, request);
  };
  constexpr const char* kThree = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }";
  const GuardVerdict three = judge_there(kThree, 20'000);
  ASSERT_TRUE(three.is_refused());
  EXPECT_EQ(three.findings.front().kind, FindingKind::CartesianProduct);
  EXPECT_THAT(three.findings.front().reason, HasSubstr("at least 1,0"));
  EXPECT_GT(three.findings.front().estimated_rows, 1e12);
  const Finding* large = finding_of(three, FindingKind::LargeResult);
  ASSERT_NE(large, nullptr);
  EXPECT_THAT(large->reason, HasSubstr("about 1,000,000,000,000 rows"));  // of the whole
  ASSERT_TRUE(three.findings.front().rewritten);
  const std::string lighter = sparql::to_sparql(*three.findings.front().rewritten);
  EXPECT_FALSE(judge_there(lighter, 0.1).is_refused()) << lighter;
  // Two are done in time, a LIMIT asks for a part, a test needs one row.
  EXPECT_FALSE(judge_there("SELECT * { ?a ?b ?c . ?d ?e ?f }", 5).is_refused());
  EXPECT_FALSE(judge_there(std::string(kThree) + " LIMIT 100", 20'000).is_refused());
  EXPECT_FALSE(judge_there("ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", 20'000).is_refused());
  request.is_validating = false;
  EXPECT_FALSE(judge_there(kThree, 20'000).is_refused());
}

TEST(Guard, WarnsOfManyRowsAndLateFilters) {
  const GuardVerdict many = judged("SELECT * { ?p up:organism ?t }");
  EXPECT_FALSE(many.is_refused());
  ASSERT_NE(finding_of(many, FindingKind::LargeResult), nullptr);
  EXPECT_THAT(finding_of(many, FindingKind::LargeResult)->reason, HasSubstr("490,000,000"));
  EXPECT_TRUE(judged("SELECT * { ?p up:organism ?t } LIMIT 100000").findings.empty());

  const GuardVerdict late = judged("SELECT (COUNT(*) AS ?n) { ?p up:length ?l FILTER(?l > 1000) }");
  EXPECT_FALSE(late.is_refused());
  ASSERT_NE(finding_of(late, FindingKind::LateFilter), nullptr);
  EXPECT_EQ(finding_of(late, FindingKind::LateFilter)->pattern, "FILTER (?l > 1000)");
  EXPECT_TRUE(judged("SELECT * { ?p up:length ?l FILTER(?l > 1000) } LIMIT 10").findings.empty());
  EXPECT_TRUE(judged("SELECT * { uniprotkb:P05067 ?p ?o }").findings.empty());
}

TEST(Guard, RewritesToASampleOfInstances) {
  EXPECT_EQ(rewritten("SELECT DISTINCT ?p WHERE { ?s a up:Protein ; ?p ?o }"),
            "PREFIX up: <http://purl.uniprot.org/core/>\n"
            "SELECT DISTINCT ?p WHERE {\n"
            "  {\n"
            "    SELECT ?s WHERE {\n"
            "      ?s a up:Protein .\n"
            "    }\n"
            "    LIMIT 1000\n"
            "  }\n"
            "  ?s ?p ?o .\n"
            "}");
}

TEST(Guard, RewritesToASampleOfTriplesALimitOrAStart) {
  EXPECT_THAT(rewritten("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"),
              HasSubstr("LIMIT 10000"));
  EXPECT_THAT(rewritten("SELECT * { ?s ?p ?o }"), HasSubstr("}\nLIMIT 1000"));
  EXPECT_THAT(rewritten("SELECT * { ?a rdfs:subClassOf* ?b }"),
              HasSubstr("?a rdfs:subClassOf ?next"));
  EXPECT_THAT(rewritten("SELECT * { uniprotkb:P05067 (up:a|!up:a)+ ?b }"),
              HasSubstr("(up:a|!up:a)/(up:a|!up:a)"));
}

TEST(Guard, RewritesASearchToTheExactText) {
  const std::string text =
      rewritten("SELECT ?s { ?s rdfs:label ?l FILTER(CONTAINS(LCASE(?l), \"Insulin\")) } LIMIT 5");
  EXPECT_THAT(text, HasSubstr("VALUES ?l { \"Insulin\" \"Insulin\"@en \"insulin\""));
  EXPECT_THAT(text, HasSubstr("CONTAINS(LCASE(?l), \"Insulin\")"));
  // A name is no text of its own: a sample.
  EXPECT_THAT(rewritten("SELECT ?s { ?s a up:Protein FILTER(CONTAINS(STR(?s), \"P0506\")) }"),
              HasSubstr("LIMIT 1000"));
}

TEST(Guard, PutsTheTextInsideOfGraph) {
  EXPECT_THAT(rewritten("SELECT ?s { GRAPH ?g { ?s ?p ?l } FILTER(CONTAINS(?l, \"insulin\")) }"),
              HasSubstr("GRAPH ?g {\n    VALUES ?l"));
}

TEST(Guard, WeighsTextsThatAreReadForEveryRow) {
  // Short texts are found soon; not so where all that have them are counted.
  EXPECT_FALSE(
      judged("SELECT ?x { ?x up:mnemonic ?n FILTER(CONTAINS(?n, \"ar\")) } LIMIT 10").is_refused());
  EXPECT_THAT(rewritten("SELECT ?n (COUNT(*) AS ?c) { ?x up:mnemonic ?n FILTER(CONTAINS(?n, "
                        "\"ar\")) } GROUP BY ?n ORDER BY DESC(?c) LIMIT 10"),
              HasSubstr("LIMIT 10000"));
  EXPECT_THAT(
      rewritten("SELECT DISTINCT ?w { ?x up:fullName ?t BIND(STRBEFORE(?t, \" \") AS ?w) }"),
      HasSubstr("LIMIT 10000"));
  EXPECT_FALSE(
      judged("SELECT DISTINCT ?w { ?x up:fullName ?t BIND(STRBEFORE(?t, \" \") AS ?w) } LIMIT 10")
          .is_refused());
  EXPECT_FALSE(judged("SELECT DISTINCT ?w { uniprotkb:P05067 rdfs:label ?t BIND(LCASE(?t) AS ?w) }")
                   .is_refused());
}

TEST(Guard, ReadsTheOtherSideOfAComputedEquation) {
  const std::string text = rewritten(
      "SELECT ?x ?y { ?x up:fullName ?t . ?y up:fullName ?u FILTER(STR(?t) = STR(?u)) } LIMIT 10");
  EXPECT_THAT(text, HasSubstr("SELECT ?x ?t WHERE"));
  EXPECT_THAT(text, HasSubstr("SELECT ?y ?u WHERE"));
}

TEST(Guard, DiscoversPropertiesInBothDirections) {
  EXPECT_TRUE(judged("SELECT DISTINCT ?p { ?o a up:Gene . ?s ?p ?o }").is_refused());
  EXPECT_FALSE(judged("SELECT DISTINCT ?p { ?o a up:Disease . ?s ?p ?o }").is_refused());
}

TEST(Guard, TellsTheTimeThatCannotBeSaved) {
  const GraphProfile profile = test::protein_database();
  const auto seconds = [&](std::string_view text) {
    return least_seconds(test::parsed(text), profile, 10);
  };
  EXPECT_GT(seconds("SELECT ?x { ?x up:mnemonic ?n FILTER(CONTAINS(?n, \"insulin\")) }"), 1'000);
  EXPECT_LT(seconds("SELECT ?x { ?x up:mnemonic \"INS_HUMAN\" }"), 0.1);
  EXPECT_LT(seconds("SELECT ?x { ?x up:mnemonic ?n }"), 0.1);
}

TEST(Guard, OffersALighterQueryForOneThatItLetsPass) {
  const GraphProfile profile = test::protein_database();
  const auto query =
      test::parsed("SELECT ?x { ?x skos:prefLabel ?n FILTER(CONTAINS(?n, \"insulin\")) }");
  GuardRequest request;
  request.deadline = std::chrono::seconds(100);
  EXPECT_FALSE(judge(query, profile, request).is_refused());
  const auto lighter = lighter_query(query, profile, request);
  ASSERT_TRUE(lighter);
  EXPECT_THAT(sparql::to_sparql(*lighter), HasSubstr("VALUES ?n"));
  EXPECT_FALSE(lighter_query(test::parsed("SELECT ?x { ?x a up:Disease }"), profile, request));
}

TEST(Guard, GivesBlankNodesANameWhereASampleNeedsOne) {
  const std::string text =
      rewritten("SELECT ?p (COUNT(*) AS ?n) { [] a up:Protein ; ?p [] } GROUP BY ?p");
  EXPECT_THAT(text, HasSubstr("SELECT ?node WHERE"));
  EXPECT_THAT(text, HasSubstr("?node ?p ?node2"));
}

TEST(Guard, KnowsNothingOfWhatTheProfileDoesNot) {
  const GraphProfile profile = profile_of_size("unknown", 10'000'000'000);
  const auto is_refused = [&](std::string_view text) {
    return judge(test::parsed(text), profile, {}).is_refused();
  };
  EXPECT_FALSE(is_refused("SELECT ?s { ?s :p ?o FILTER(CONTAINS(?o, \"insulin\")) }"));
  EXPECT_FALSE(is_refused("SELECT DISTINCT ?p { ?s a :C ; ?p ?o }"));
  EXPECT_TRUE(is_refused("SELECT DISTINCT ?p { ?s ?p ?o }"));
}

TEST(Guard, LeavesOtherEndpointsToThemselves) {
  EXPECT_FALSE(
      judged("SELECT DISTINCT ?p { SERVICE <http://e/sparql> { ?s ?p ?o } }").is_refused());
  EXPECT_FALSE(judged("SELECT (COUNT(*) AS ?n) { SERVICE <http://e/sparql> { ?s a :C } ?s ?p ?o }")
                   .is_refused());
}

class LocalGuard : public ::testing::Test {
 protected:
  LocalGuard() {
    profile_ = test::protein_database();
    profile_.triples = 100'000'000;
    profile_.is_local = true;
    profile_.is_exact = true;
    profile_.rows_per_second = 2e7;
    for (auto& [iri, property] : profile_.properties) property.triples /= 2'000;
    for (auto& [iri, instances] : profile_.class_instances) instances /= 2'000;
  }
  bool is_refused(std::string_view text, std::optional<double> cost_ns = {}) const {
    GuardRequest request;
    request.engine_cost_ns = cost_ns;
    return judge(test::parsed(text), profile_, request).is_refused();
  }
  GraphProfile profile_;
};

TEST_F(LocalGuard, LetsPassWhatTheEngineDoesQuickly) {
  EXPECT_FALSE(is_refused("SELECT * { ?s ?p ?o }"));
  EXPECT_FALSE(is_refused("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"));
  EXPECT_FALSE(is_refused("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"));
  EXPECT_FALSE(is_refused("SELECT DISTINCT ?p { ?s a up:Protein ; ?p ?o }"));
  EXPECT_FALSE(is_refused("SELECT ?s { ?s ?p ?o FILTER(CONTAINS(STR(?o), \"insulin\")) }"));
  EXPECT_FALSE(is_refused("SELECT * { ?a rdfs:subClassOf* ?b }"));
}

TEST_F(LocalGuard, RefusesWhatNoEngineCanDo) {
  const std::string_view product =
      "SELECT (COUNT(*) AS ?n) { ?a rdfs:label ?x . ?b rdfs:seeAlso ?y . ?c up:member ?z }";
  EXPECT_TRUE(is_refused(product));
  EXPECT_TRUE(is_refused(product, 1e18));
  // The engine knows better: it multiplies the counts.
  EXPECT_FALSE(is_refused(product, 1e6));
}

// Whatever the tree, a verdict comes back, and what is refused can be printed and read again.
TEST(Guard, JudgesRandomQueries) {
  const GraphProfile profile = profile_of_size("large", 1'000'000'000'000);
  std::size_t refused = 0;
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    const sparql::Query query = sparql::test::RandomAlgebra(seed).query();
    const GuardVerdict verdict = judge(query, profile, {});
    if (!verdict.is_refused()) continue;
    ++refused;
    const auto& lighter = verdict.findings.front().rewritten;
    if (!lighter) continue;
    const std::string text = sparql::to_sparql(*lighter);
    const auto again = sparql::parse_query(text);
    ASSERT_TRUE(again) << again.error().to_string() << "\n" << text << "\nseed " << seed;
    EXPECT_TRUE(again->query == *lighter) << text << "\nseed " << seed;
    EXPECT_FALSE(judge(again->query, profile, {}).is_refused()) << text << "\nseed " << seed;
  }
  EXPECT_GT(refused, 20U);
}

// Long and deep queries: what would be quadratic or worse would not come back.
TEST(Guard, JudgesHostileQueries) {
  std::string wide = "SELECT * {";
  for (int i = 0; i < 1'900; ++i)
    wide += " ?a" + std::to_string(i) + " ?p" + std::to_string(i) + " ?b .";
  wide += "}";
  std::string deep = "SELECT * {";
  for (int i = 0; i < 90; ++i) deep += " { ?s ?p" + std::to_string(i) + " ?o } UNION { ?s ?p ?o .";
  for (int i = 0; i < 90; ++i) deep += "}";
  deep += "}";
  std::string nested = "SELECT * {";
  for (int i = 0; i < 45; ++i) nested += " { SELECT DISTINCT ?p { ?s ?p ?o ";
  for (int i = 0; i < 45; ++i) nested += "}}";
  nested += "}";
  std::string branches = "SELECT * { ?s ?p ?o ";
  for (int i = 0; i < 900; ++i)
    branches += (i == 0 ? " {" : " UNION {") + std::string(" ?s ?p ?x") + std::to_string(i) +
                " FILTER(?x" + std::to_string(i) + " = ?o) }";
  branches += "}";
  for (const std::string& text : {wide, deep, nested, branches}) {
    const auto query = sparql::parse_query(text);
    ASSERT_TRUE(query) << query.error().to_string();
    EXPECT_TRUE(judge(query->query, test::protein_database(), {}).is_refused())
        << text.substr(0, 60);
  }
}

}  // namespace
}  // namespace helve::toolkit
