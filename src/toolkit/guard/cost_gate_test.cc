#include "toolkit/guard/cost_gate.h"

#include <gmock/gmock.h>

#include "tests/support/fake_env.h"
#include "toolkit/guard/endpoint_testing.h"
#include "toolkit/guard/guard_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::uint64_t kCap = 1'000'000;

class CostGate : public ::testing::Test {
 protected:
  CostGate() {
    request_.clock = &clock_;
    request_.op.deadline = Deadline(clock_, std::chrono::seconds(30));
    request_.guard.rows_max = 1'000'000;
  }

  GateVerdict weighed(std::string_view text) {
    const sparql::Query query = test::parsed(text);
    return weigh(query, *endpoint_, profile_of(*endpoint_, endpoint_->known), request_);
  }

  FakeClock clock_;
  std::shared_ptr<test::FakeEndpoint> endpoint_ = test::large_endpoint();
  GateRequest request_;
};

const Finding* gate_finding(const GateVerdict& verdict, FindingKind kind) {
  for (const Finding& finding : verdict.guard.findings) {
    if (finding.kind == kind) return &finding;
  }
  return nullptr;
}

TEST_F(CostGate, AsksNothingWhereWhatIsKnownSuffices) {
  for (const char* text : {
           "SELECT * { :a :unknown ?x . ?x :other ?y }",                      // anchored
           "SELECT * { :a ?p ?o }",                                           // likewise
           "SELECT * { VALUES ?x { :a :b } ?x :unknown ?y . ?y :other ?z }",  // likewise
           "SELECT * { ?x :unknown ?y . ?y :other ?z } VALUES ?x { :a }",     // likewise
           "SELECT * { BIND(:a AS ?x) ?x :unknown ?y . ?y :other \"v\" }",    // likewise
           "SELECT * { ?x a :Few ; :unknown ?y }",                            // 12 to start with
           "SELECT * { ?x :code ?c ; :unknown \"v\" }",                       // 3,000
           "SELECT * { ?x a :Thing ; :name ?n }",                             // large, but known
           "SELECT * { ?x :unknown \"v\" }",                        // no dearer than a probe
           "SELECT (COUNT(*) AS ?n) { ?x :unknown ?y }",            // likewise
           "SELECT * { ?x a :Thing OPTIONAL { ?x :unknown ?y } }",  // not required
           "SELECT * { ?x a :Thing { ?x :unknown 1 } UNION { ?x :other 2 } }",
           "SELECT * { ?x a :Thing MINUS { ?x :unknown 1 } }",
           "SELECT * { ?x a :Thing FILTER NOT EXISTS { ?x :unknown 1 } }",
           "SELECT * { ?x a :Thing { SELECT ?x { ?x :unknown 1 } LIMIT 5 } }",
           "SELECT * { ?x a :Thing SERVICE <http://e/> { ?x :unknown 1 } }",
           "SELECT * { ?x a :Thing ; <http://jena.apache.org/text#query> \"v\" }",  // computed
           "SELECT * { ?x :name ?n . ?n <bif:contains> \"v\" }",
           "SELECT * { ?x a :Thing ; <http://jena.apache.org/text#query> (:name \"v\") }",
           "SELECT DISTINCT ?p { ?s ?p ?o }",  // refused as it is
       }) {
    const GateVerdict verdict = weighed(text);
    EXPECT_EQ(verdict.asked, 0U) << text;
    EXPECT_THAT(endpoint_->counted, IsEmpty()) << text;
    EXPECT_FALSE(verdict.unmatched) << text;
  }
}

TEST_F(CostGate, AsksNothingOfASmallGraphOrAQuickShape) {
  constexpr const char* kText = "SELECT * { ?x a :Thing ; :unknown \"v\" }";
  endpoint_->seen = ShapeRecord{"by value, join", 3, 0, 0.4, 7.4, std::nullopt};
  EXPECT_EQ(weighed(kText).asked, 0U);
  endpoint_->seen->slowest_seconds = 7.6;  // a quarter of 30 s is 7.5 s
  EXPECT_EQ(weighed(kText).asked, 1U);
  endpoint_->seen->slowest_seconds = 1;
  endpoint_->seen->answered = 2;
  EXPECT_EQ(weighed(kText).asked, 1U);
  endpoint_->seen->answered = 50;
  endpoint_->seen->too_heavy = 1;
  EXPECT_EQ(weighed(kText).asked, 1U);
  endpoint_->seen.reset();
  endpoint_->known.triples = 20'000'000;
  EXPECT_EQ(weighed(kText).asked, 0U);
  endpoint_->known.triples = 20'000'001;
  EXPECT_EQ(weighed(kText).asked, 1U);
  endpoint_->known.triples = 0;  // not known
  EXPECT_EQ(weighed(kText).asked, 1U);
  request_.may_probe = false;
  EXPECT_EQ(weighed(kText).asked, 0U);
}

TEST_F(CostGate, AsksTheMostSelectiveFirstAndStopsAtASmallStart) {
  endpoint_->counts["?s <http://x/id> \"v\" ."] = {7, true};
  const GateVerdict verdict = weighed("SELECT * { ?x :unknown ?y . ?x a :Other . ?x :id \"v\" }");
  EXPECT_THAT(endpoint_->counted, ElementsAre("?s <http://x/id> \"v\" ."));
  EXPECT_EQ(verdict.asked, 1U);
  EXPECT_FALSE(verdict.unmatched);
  ASSERT_THAT(verdict.profile.found, SizeIs(1));
  EXPECT_EQ(verdict.profile.found.begin()->second.pattern, "?x :id \"v\"");
  EXPECT_EQ(verdict.profile.found.begin()->second.n, 7U);
  EXPECT_THAT(endpoint_->caps, ElementsAre(kCap));
}

TEST_F(CostGate, AsksThreeAtMostEachOnceAndBriefly) {
  for (const char* name : {"a", "b", "c", "d"}) {
    endpoint_->counts[std::string("?s <http://x/") + name + "> \"v\" ."] = {kCap, false};
  }
  const GateVerdict verdict =
      weighed("SELECT * { ?x :a \"v\" ; :b \"v\" ; :c \"v\" ; :d \"v\" . ?y :a \"v\" ; :part ?x }");
  EXPECT_EQ(verdict.asked, 3U);
  EXPECT_THAT(endpoint_->counted, ElementsAre("?s <http://x/a> \"v\" .", "?s <http://x/b> \"v\" .",
                                              "?s <http://x/c> \"v\" ."));
  for (const Duration time : endpoint_->times) EXPECT_EQ(time, std::chrono::seconds(2));
}

TEST_F(CostGate, AFifthOfTheTimeIsForProbes) {
  for (const char* name : {"a", "b", "c"}) {
    endpoint_->counts[std::string("?s <http://x/") + name + "> \"v\" ."] = {kCap, false};
  }
  constexpr const char* kText = "SELECT * { ?x :a \"v\" ; :b \"v\" ; :c \"v\" }";
  request_.op.deadline = Deadline(clock_, std::chrono::seconds(5));
  endpoint_->clock = &clock_;
  endpoint_->count_takes = std::chrono::milliseconds(700);
  EXPECT_EQ(weighed(kText).asked, 2U);
  EXPECT_THAT(endpoint_->times,
              ElementsAre(std::chrono::seconds(1), std::chrono::milliseconds(300)));
  request_.op.deadline = Deadline(clock_, std::chrono::milliseconds(200));
  EXPECT_EQ(weighed(kText).asked, 0U);
}

TEST_F(CostGate, APatternWithoutMatchesIsTheAnswer) {
  for (const char* text : {
           "SELECT * { ?x a :Thing ; :name \"nobody\" }",
           "SELECT DISTINCT ?x { ?x a :Thing ; :name \"nobody\" } ORDER BY ?x LIMIT 5",
           "ASK { ?x a :Thing ; :name \"nobody\" }",
           "SELECT ?x (COUNT(*) AS ?n) { ?x a :Thing ; :name \"nobody\" } GROUP BY ?x",
           "SELECT * { ?x a :Thing OPTIONAL { ?x :part ?y } MINUS { ?x :part 1 } ?x :name "
           "\"nobody\" FILTER(?y > 3) BIND(1 AS ?z) }",
           "SELECT * { ?x a :Thing { SELECT ?x { ?x :name \"nobody\" } } }",
           "SELECT * { ?x a :Unheard ; :name ?n }",
           "SELECT * { ?x :naem ?y ; :name ?n }",  // a vocabulary of the data
           "SELECT * { ?x :name/:naem ?y }",
           "SELECT * { ?x a :Thing ; rdfs:lable ?l }",
       }) {
    endpoint_->counted.clear();
    const GateVerdict verdict = weighed(text);
    EXPECT_EQ(verdict.asked, 1U) << text;
    EXPECT_TRUE(verdict.unmatched) << text;
    EXPECT_FALSE(verdict.guard.is_refused()) << text;
  }
  EXPECT_EQ(weighed("SELECT * { ?x :name/:naem ?y }").unmatched->text, "?s :naem ?o");
}

TEST_F(CostGate, WithoutCertaintyTheQueryIsAsked) {
  for (const char* text : {
           "SELECT (COUNT(*) AS ?n) { ?x a :Thing ; :name \"nobody\" }",  // a row: 0
           "SELECT (MAX(?x) AS ?n) { ?x a :Thing ; :name \"nobody\" } HAVING(COUNT(*) = 0)",
           "CONSTRUCT { ?x :is :there } { ?x a :Thing ; :name \"nobody\" }",
           "DESCRIBE :a ?x { ?x a :Thing ; :name \"nobody\" }",
           "SELECT * { ?x a :Thing ; <http://engine.example/search> \"v\" }",  // maybe computed
       }) {
    const GateVerdict verdict = weighed(text);
    EXPECT_EQ(verdict.asked, 1U) << text;
    EXPECT_FALSE(verdict.unmatched) << text;
    EXPECT_FALSE(verdict.guard.is_refused()) << text;
  }
}

TEST_F(CostGate, AsksWithinTheGraphsOfTheQuery) {
  weighed("SELECT * { GRAPH :g { ?x a :Thing ; :name \"v\" } }");
  weighed("SELECT * { GRAPH ?any { ?x a :Thing ; :name \"v\" } }");
  weighed("SELECT * FROM :f { ?x a :Thing ; :name \"v\" }");
  EXPECT_THAT(endpoint_->counted,
              ElementsAre("GRAPH <http://x/g> {\n  ?s <http://x/name> \"v\" .\n}",
                          "GRAPH ?g {\n  ?s <http://x/name> \"v\" .\n}",
                          "?s <http://x/name> \"v\" . FROM http://x/f"));
}

TEST_F(CostGate, KeepsWhatItFound) {
  std::map<std::string, FoundSize> kept;
  request_.keep = [&](const std::string& key, const auto& ask) -> Result<FoundSize> {
    if (const auto known = kept.find(key); known != kept.end()) return known->second;
    HELVE_ASSIGN(kept[key], ask());
    return kept[key];
  };
  EXPECT_EQ(weighed("SELECT * { ?x a :Thing ; :name \"v\" }").asked, 1U);
  const GateVerdict again = weighed("SELECT ?y { ?y :name \"v\" ; :part ?z }");
  EXPECT_EQ(again.asked, 0U);
  EXPECT_EQ(again.unmatched->text, "?y :name \"v\"");
  EXPECT_EQ(weighed("SELECT * { ?x a :Thing ; :name \"v\"@en }").asked, 1U);
  EXPECT_EQ(weighed("SELECT * FROM :g { ?x a :Thing ; :name \"v\" }").asked, 1U);
  EXPECT_EQ(weighed("SELECT * { GRAPH :g { ?x a :Thing ; :name \"v\" } }").asked, 1U);
  endpoint_->version = "2";
  EXPECT_EQ(weighed("SELECT * { ?x a :Thing ; :name \"v\" }").asked, 1U);
  EXPECT_THAT(kept, SizeIs(5));
}

TEST_F(CostGate, RefusesByWhatWasCounted) {
  constexpr const char* kText =
      "SELECT (COUNT(*) AS ?n) { ?x :here ?a . ?y :there ?b FILTER(CONTAINS(?a, ?b)) }";
  endpoint_->counts["?s <http://x/here> ?o ."] = {kCap, false};
  endpoint_->counts["?s <http://x/there> ?o ."] = {900'000, true};
  const GateVerdict verdict = weighed(kText);
  ASSERT_TRUE(verdict.guard.is_refused());
  EXPECT_EQ(verdict.asked, 2U);
  const Finding& finding = verdict.guard.findings.front();
  EXPECT_EQ(finding.kind, FindingKind::CartesianProduct);
  EXPECT_THAT(finding.reason, HasSubstr("?x :here ?a has at least 1,000,000 matches"));
  EXPECT_THAT(finding.reason, HasSubstr("?y :there ?b has 900,000 matches"));
  EXPECT_THAT(finding.reason, HasSubstr("the deadline is 30 s"));
  // The same of a graph of which nothing is known.
  endpoint_->known = {};
  const GateVerdict unknown = weighed(kText);
  EXPECT_TRUE(unknown.guard.is_refused());
  EXPECT_EQ(unknown.asked, 2U);
  // What may not be refused is warned of.
  request_.guard.is_validating = false;
  const GateVerdict lenient = weighed(kText);
  EXPECT_FALSE(lenient.guard.is_refused());
  EXPECT_NE(gate_finding(lenient, FindingKind::CartesianProduct), nullptr);
  // Few are no harm.
  endpoint_->counts["?s <http://x/here> ?o ."] = {30, true};
  endpoint_->counts["?s <http://x/there> ?o ."] = {40, true};
  EXPECT_THAT(weighed(kText).guard.findings, IsEmpty());
}

TEST_F(CostGate, AProbeThatTakesTooLongIsAFinding) {
  endpoint_->failures.insert_or_assign("?s <http://x/name> \"v\" .",
                                       Error{ErrorCode::LimitExceeded, "out of time"});
  endpoint_->told = EndpointTraits{};
  endpoint_->told->rows_per_second = 50'000;
  const GateVerdict verdict = weighed("SELECT * { ?x a :Thing ; :name \"v\" }");
  EXPECT_EQ(verdict.asked, 1U);
  ASSERT_THAT(verdict.profile.found, SizeIs(1));
  const FoundSize& found = verdict.profile.found.begin()->second;
  EXPECT_EQ(found.n, 100'000U);  // in 2 s
  EXPECT_FALSE(found.is_exact);
  EXPECT_TRUE(found.has_timed_out);
  EXPECT_FALSE(verdict.unmatched);
  endpoint_->told->rows_per_second = 1e9;
  EXPECT_EQ(weighed("SELECT * { ?x a :Thing ; :name \"v\" }").profile.found.begin()->second.n,
            kCap);
}

TEST_F(CostGate, AProbeThatFailsIsTheLast) {
  for (const ErrorCode code :
       {ErrorCode::Unavailable, ErrorCode::Denied, ErrorCode::InvalidInput, ErrorCode::Cancelled}) {
    endpoint_->counted.clear();
    endpoint_->failures.insert_or_assign("?s <http://x/a> \"v\" .", Error{code, "no"});
    const GateVerdict verdict = weighed("SELECT * { ?x :a \"v\" ; :b \"v\" ; :c \"v\" }");
    EXPECT_EQ(verdict.asked, 1U);
    EXPECT_THAT(endpoint_->counted, SizeIs(1));
    EXPECT_THAT(verdict.guard.findings, IsEmpty());
    EXPECT_THAT(verdict.profile.found, IsEmpty());
  }
}

TEST_F(CostGate, JudgesByWhatTheEndpointTells) {
  // All properties of 50 million things: 500 million rows, some four minutes at two million.
  constexpr const char* kText = "SELECT DISTINCT ?p { ?s a :Thing ; ?p ?o }";
  EXPECT_FALSE(weighed(kText).guard.is_refused());
  endpoint_->told = EndpointTraits{};
  EXPECT_FALSE(weighed(kText).guard.is_refused());
  endpoint_->told->rows_per_second = 100'000;
  const GateVerdict slow = weighed(kText);
  ASSERT_TRUE(slow.guard.is_refused());
  EXPECT_THAT(slow.guard.findings.front().reason, HasSubstr("at 100,000 rows a second there"));
  endpoint_->told->rows_per_second = 0;
  endpoint_->told->query_time_max = std::chrono::seconds(10);
  const GateVerdict strict = weighed(kText);
  ASSERT_TRUE(strict.guard.is_refused());
  EXPECT_THAT(strict.guard.findings.front().reason, HasSubstr("the endpoint gives a query 10 s"));
  endpoint_->told->query_time_max = std::chrono::hours(1);  // ours is shorter
  EXPECT_FALSE(weighed(kText).guard.is_refused());
}

TEST_F(CostGate, WarnsOfShapesThatWereTooHeavy) {
  constexpr const char* kText = "SELECT * { ?x a :Few ; :unknown ?y }";
  endpoint_->seen = ShapeRecord{"by class, join", 0, 3, 0, 0, clock_.wall()};
  const GateVerdict verdict = weighed(kText);
  EXPECT_FALSE(verdict.guard.is_refused());
  const Finding* finding = gate_finding(verdict, FindingKind::TooHeavyBefore);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->reason,
            "3 queries of this shape (by class, join) were too heavy for far and none was "
            "answered, the last on 2025-01-01 00:00 UTC");
  EXPECT_FALSE(finding->is_refusal);
  const auto is_warned = [&] {
    return gate_finding(weighed(kText), FindingKind::TooHeavyBefore) != nullptr;
  };
  clock_.advance(std::chrono::hours(24));
  request_.op.deadline = Deadline(clock_, std::chrono::seconds(30));
  EXPECT_TRUE(is_warned());
  clock_.advance(std::chrono::minutes(1));
  EXPECT_FALSE(is_warned());
  endpoint_->seen->last_too_heavy = clock_.wall();
  EXPECT_TRUE(is_warned());
  endpoint_->seen->answered = 1;
  EXPECT_FALSE(is_warned());
  endpoint_->seen->answered = 0;
  endpoint_->seen->too_heavy = 2;
  EXPECT_FALSE(is_warned());
}

}  // namespace
}  // namespace helve::toolkit
