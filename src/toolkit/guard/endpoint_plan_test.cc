#include "toolkit/guard/endpoint_plan.h"

#include <gmock/gmock.h>

#include "tests/support/fake_env.h"
#include "toolkit/guard/endpoint_testing.h"
#include "toolkit/guard/guard_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EndpointPlan : public ::testing::Test {
 protected:
  GraphPlan planned(std::string_view text) {
    const sparql::Query query = test::parsed(text);
    GateRequest request;
    const GateVerdict verdict =
        weigh(query, *endpoint_, profile_of(*endpoint_, endpoint_->known), request);
    return plan_for_endpoint(query, verdict, 1'000'000);
  }

  std::shared_ptr<test::FakeEndpoint> endpoint_ = test::large_endpoint();
};

std::string text_in(const JsonValue& node, const char* key) {
  const JsonValue* value = node.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

double number_in(const JsonValue& node, const char* key) {
  const JsonValue* value = node.find(key);
  return value != nullptr ? value->to_double().value_or(-1) : -1;
}

// Operators, parents first.
void add_operators(const JsonValue& node, std::vector<std::string>& out) {
  out.push_back(text_in(node, "operator"));
  const JsonValue* inputs = node.find("inputs");
  if (inputs == nullptr) return;
  for (const JsonValue& input : *inputs->if_array()) add_operators(input, out);
}

const JsonValue& first_of(const JsonValue& node) {
  return node.find("inputs")->if_array()->front();
}

TEST_F(EndpointPlan, JoinsTheSmallestFirstAndSaysWhereNumbersComeFrom) {
  endpoint_->counts["?s <http://x/id> \"v\" ."] = {20'000, true};
  const GraphPlan plan =
      planned("SELECT * { ?a :name ?n . ?y :part ?a . ?y a :Thing . ?y :id \"v\" . ?n :new ?m }");
  EXPECT_EQ(text_in(plan.tree, "operator"), "select");
  EXPECT_EQ(text_in(plan.tree, "pattern"), "?a ?n ?y ?m");
  const JsonValue& join = first_of(plan.tree);
  EXPECT_EQ(text_in(join, "operator"), "join");
  std::vector<std::string> patterns;
  std::vector<std::string> from;
  std::vector<double> rows;
  for (const JsonValue& input : *join.find("inputs")->if_array()) {
    patterns.push_back(text_in(input, "pattern"));
    from.push_back(text_in(input, "from"));
    rows.push_back(number_in(input, "estimated_rows"));
  }
  // ?n :new ?m is the smallest, but was found to have none: the query has no rows.
  EXPECT_THAT(patterns, ElementsAre("?n :new ?m", "?a :name ?n", "?y :part ?a", "?y :id \"v\"",
                                    "?y a :Thing"));
  EXPECT_THAT(from, ElementsAre("probe", "profile", "profile", "probe", "profile"));
  EXPECT_THAT(rows, ElementsAre(0, 80e6, 60e6, 20'000, 50e6));
  EXPECT_EQ(plan.estimated_rows, 0);
}

TEST_F(EndpointPlan, GuessesAreCalledGuesses) {
  endpoint_->known.triples = 1'000'000;  // too small for probes
  const GraphPlan plan = planned("SELECT * { ?a :unheard ?n . :b :name ?n . ?n :id 4 }");
  std::vector<std::string> from;
  for (const JsonValue& input : *first_of(plan.tree).find("inputs")->if_array()) {
    from.push_back(text_in(input, "from"));
  }
  EXPECT_THAT(from, ElementsAre("guess", "guess", "guess"));
  EXPECT_GT(plan.cost_ns, 0);
}

TEST_F(EndpointPlan, ShowsEveryKindOfNode) {
  const GraphPlan plan = planned(
      "SELECT DISTINCT ?x (COUNT(?y) AS ?n) { ?x a :Few . OPTIONAL { ?x :name ?l } "
      "{ ?x :part ?y } UNION { ?y :part+ ?x } MINUS { ?x :code 1 } "
      "{ SELECT ?y (MAX(?z) AS ?m) { ?y :name ?z } GROUP BY ?y LIMIT 5 } "
      "GRAPH :g { ?x :name ?q } SERVICE <http://e/> { ?x :p ?r } VALUES ?x { :a :b } "
      "BIND(STR(?l) AS ?s) FILTER(?m > 3) } GROUP BY ?x HAVING(COUNT(?y) > 1) "
      "ORDER BY DESC(?n) LIMIT 10 OFFSET 2");
  std::vector<std::string> operators;
  add_operators(plan.tree, operators);
  for (const char* one : {"select", "slice", "distinct", "sort", "having", "group", "filter",
                          "bind", "join", "values", "service", "graph", "sub-select", "minus",
                          "union", "path", "optional", "look-up", "scan"}) {
    EXPECT_THAT(operators, ::testing::Contains(one));
  }
  EXPECT_THAT(plan.text, HasSubstr("slice  LIMIT 10 OFFSET 2"));
  EXPECT_THAT(plan.text, HasSubstr("sort  DESC(?n)"));
  EXPECT_THAT(plan.text, HasSubstr("path  ?y :part+ ?x"));
  EXPECT_THAT(plan.text, HasSubstr("graph  :g"));
  EXPECT_EQ(planned("ASK { ?x a :Few }").text,
            "expected rows  from     cost at least  step\n"
            "           12                    6 us  ask\n"
            "           12  profile           6 us    look-up  ?x a :Few\n");
  EXPECT_EQ(planned("SELECT * {}").estimated_rows, 1);
}

TEST_F(EndpointPlan, TheWholeIsTheBoundOfTheGuard) {
  // 50 million instances, each with at least one row of ten properties, two million a second.
  const GraphPlan plan = planned("SELECT (COUNT(*) AS ?n) { ?s a :Thing ; ?p ?o }");
  EXPECT_EQ(plan.estimated_rows, 1);
  EXPECT_DOUBLE_EQ(plan.cost_ns, (50e6 + 500e6) / 2e6 * 1e9);
  endpoint_->told = EndpointTraits{};
  endpoint_->told->rows_per_second = 1e6;
  EXPECT_DOUBLE_EQ(planned("SELECT (COUNT(*) AS ?n) { ?s a :Thing ; ?p ?o }").cost_ns, 550e9);
}

TEST_F(EndpointPlan, LongQueriesStayShallow) {
  std::string text = "SELECT * { ?x0 :p0 ?x1 ";
  for (int i = 1; i < 2'000; ++i) {
    text += ". ?x" + std::to_string(i) + " :p ?x" + std::to_string(i + 1) + " ";
  }
  const GraphPlan plan = planned(text + "}");
  EXPECT_EQ(first_of(plan.tree).find("inputs")->if_array()->size(), 2'000U);
}

}  // namespace
}  // namespace helve::toolkit
