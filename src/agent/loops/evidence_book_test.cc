// What an answer is bound to: what it names, if that has run, and nothing in secret.
#include "agent/loops/evidence_book.h"

#include "agent/loops/json_object.h"
#include "agent/loops/loop_testing.h"
#include "agent/loops/query_match.h"
#include "base/digest.h"

namespace helve::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kGiants = "SELECT ?p { ?p a sol:GasGiant }";
constexpr const char* kAsk = "ASK { ?p a sol:GasGiant }";

class EvidenceTest : public LoopTest {
 protected:
  EvidenceTest() { request_.limits.iterations_max = 3; }

  static ModelStep submits_with(std::string_view member, std::string_view value) {
    JsonValue arguments = object_of({{"answer", JsonValue("x")}});
    arguments.if_object()->push_back({std::string(member), JsonValue(value)});
    return submits(to_json(arguments));
  }
  static ModelStep counts(std::string_view text) {
    return calls({{"sparql_count", to_json(object_of({{"query", JsonValue(text)}}))}});
  }
};

TEST_F(EvidenceTest, AnAnswerMaySayThatItRestsOnNothing) {
  const RunResult none =
      react({calls({query(kMoons)}), submits(R"({"answer": "not there", "handles": []})")});
  EXPECT_TRUE(none.has_converged());
  EXPECT_EQ(none.bound, Binding::None);
  EXPECT_EQ(none.query, "");
}

TEST_F(EvidenceTest, WithoutAClaimItIsAssumedOrNone) {
  const RunResult assumed =
      react({calls({query(kGiants)}), calls({query(kMoons)}), submits(R"({"answer": "x"})")});
  EXPECT_TRUE(assumed.has_converged());
  EXPECT_EQ(assumed.bound, Binding::Assumed);
  EXPECT_EQ(assumed.query, kMoons);
  EXPECT_EQ(text_of(trajectory_->of(EventKind::RunEnd)[0], "bound"), "assumed");
  const RunResult none = react({submits(R"({"answer": "x"})")});
  EXPECT_TRUE(none.has_converged());
  EXPECT_EQ(none.bound, Binding::None);
  EXPECT_EQ(none.query, "");
  EXPECT_TRUE(none.evidence.empty());
}

TEST_F(EvidenceTest, AnswersOfAskAndCountsAreEvidence) {
  const RunResult asked =
      react({calls({query(kMoons)}), calls({query(kAsk)}), submits_with("query", kAsk)});
  ASSERT_TRUE(asked.has_converged()) << heard(2);
  EXPECT_EQ(asked.bound, Binding::Query);
  EXPECT_EQ(asked.query, kAsk);
  ASSERT_EQ(asked.evidence.size(), 1U);
  EXPECT_EQ(asked.evidence[0].handle, "");
  EXPECT_EQ(asked.evidence[0].query_hash, digest_hex(DigestKind::Sha256, kAsk));
  EXPECT_EQ(asked.evidence[0].source, "sample");
  const JsonValue end = trajectory_->of(EventKind::RunEnd)[0];
  EXPECT_EQ(to_json(*end.find("handles")), "[]");
  EXPECT_EQ(text_of(end, "query_hash"), digest_hex(DigestKind::Sha256, kAsk));

  const RunResult counted =
      react({calls({query(kMoons)}), counts(kGiants), submits(R"({"answer": "x"})")});
  EXPECT_EQ(counted.bound, Binding::Assumed);
  EXPECT_EQ(counted.query, kGiants);
  const RunResult inside = react(
      {calls({{"call_tool", R"({"name": "sparql_count", "arguments": {"q": "sol:GasGiant"}})"}}),
       submits(R"({"answer": "x"})")});
  EXPECT_EQ(inside.query, "sol:GasGiant");
  // A plan has run nothing.
  JsonValue plan = object_of({{"query", JsonValue(kAsk)}, {"explain", JsonValue(true)}});
  EXPECT_TRUE(react({calls({{"sparql_query", to_json(plan)}}), submits(R"({"answer": "x"})")})
                  .evidence.empty());
}

TEST_F(EvidenceTest, QueryThatFailedOrWasOnlyCountedElsewhereIsRefused) {
  const char* const broken = "SELECT ?x { ?x a sol:Moon";
  EXPECT_FALSE(
      react({calls({query(kMoons)}), calls({query(broken)}), submits_with("query", broken)})
          .has_converged());
  EXPECT_FALSE(
      react({calls({query(kMoons)}), counts(kGiants), submits_with("query", "SELECT ?invented {}")})
          .has_converged());
}

TEST_F(EvidenceTest, HandleAndQueryBelongTogether) {
  const JsonValue wrong = object_of({{"answer", JsonValue("x")},
                                     {"handles", array_of({"results_0"})},
                                     {"query", JsonValue(kMoons)}});
  const JsonValue right = object_of({{"answer", JsonValue("x")},
                                     {"handles", array_of({"results_0", "results_1"})},
                                     {"query", JsonValue(kGiants)}});
  request_.limits.parallel_calls_max = 1;
  const RunResult result = react(
      {calls({query(kGiants), query(kMoons)}), submits(to_json(wrong)), submits(to_json(right))});
  ASSERT_TRUE(result.has_converged());
  EXPECT_THAT(heard(2),
              AllOf(HasSubstr("results_0 did not come of that query"), HasSubstr(kGiants)));
  EXPECT_EQ(result.bound, Binding::Named);
  EXPECT_EQ(result.query, kGiants);
  EXPECT_EQ(result.evidence.size(), 2U);
}

TEST_F(EvidenceTest, HandlesOfBeforeMustBeReadFirst) {
  EXPECT_THAT(react({calls({query(kMoons)}), submits(R"({"answer": "x"})")}).handles,
              ElementsAre("results_0"));
  const char* const named = R"({"answer": "x", "handles": ["results_0"]})";
  request_.limits.iterations_max = 2;
  const RunResult refused = react({submits(named)});
  EXPECT_FALSE(refused.has_converged());
  EXPECT_THAT(heard(1), AllOf(HasSubstr("results_0 is older than this run"),
                              HasSubstr("sparql_slice result=results_0")));
  for (const char* arguments : {R"({"result": "results_0"})", R"({"key": "@results_0"})",
                                R"x({"ref": "Ref('results_0', 'results', 3 items)"})x"}) {
    const RunResult read = react({calls({{"sparql_slice", arguments}}), submits(named)});
    EXPECT_TRUE(read.has_converged()) << arguments << heard(1);
    EXPECT_EQ(read.query, kMoons);
  }
  // Earlier turns of a conversation count.
  request_.earlier_handles = {"results_0"};
  const RunResult later = react({submits(named)});
  EXPECT_TRUE(later.has_converged());
  EXPECT_EQ(later.evidence.at(0).query, kMoons);
  EXPECT_TRUE(later.handles.empty());
  request_.earlier_handles = {"results_0", "results_7"};
  react({submits(R"({"answer": "x", "handles": ["results_7"]})")});
  EXPECT_THAT(heard(1), HasSubstr("there is no result of a query named results_7"));
}

TEST_F(EvidenceTest, BlanksInLiteralsCount) {
  request_.limits.parallel_calls_max = 1;
  const std::string apart = "SELECT ?x { VALUES ?x { 'a b' } }";
  const std::string joined = "SELECT ?x { VALUES ?x { 'ab' } }";
  for (const std::string& claimed : {apart, joined}) {
    reset_toolkit();
    const RunResult result =
        react({calls({query(apart), query(joined)}), submits_with("query", claimed)});
    EXPECT_EQ(result.query, claimed);
  }
  reset_toolkit();
  EXPECT_FALSE(react({calls({query(joined)}), submits_with("query", apart)}).has_converged());
}

TEST_F(EvidenceTest, RefusedAnswerIsWhatThereIs) {
  const RunResult result = react({calls({query(kMoons)}, "I look."),
                                  submits(R"({"answer": "42", "handles": ["results_9"]})")});
  EXPECT_EQ(result.stop, StopReason::StepCap);
  EXPECT_EQ(result.content, "42");
  EXPECT_TRUE(result.is_extracted);
  EXPECT_THAT(result.notes, ElementsAre("this answer was refused: there is no result of a query "
                                        "named results_9"));
  const auto results = trajectory_->of(EventKind::ToolResult);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(text_of(results[1], "name"), "submit");
  EXPECT_EQ(text_of(results[1], "id"), "id0");
  EXPECT_EQ(text_of(results[1], "code"), "not_found");
  EXPECT_EQ(results[1].find("chars")->to_uint64(), text_of(results[1], "preview").size());
  EXPECT_EQ(result.tool_calls, 1U);  // it is no call of a tool
}

TEST_F(EvidenceTest, RowsAreWhatThereIsWhereNothingWasSaid) {
  const RunResult result = react({calls({query(kMoons)})});
  EXPECT_EQ(result.stop, StopReason::StepCap);
  EXPECT_THAT(result.content,
              AllOf(HasSubstr("planet | n\nbody:Saturn | "), Not(HasSubstr("Ref("))));
}

TEST(PlainQuery, KeepsWhatMeansSomething) {
  EXPECT_EQ(plain_query(" SELECT ?a\n\t{ ?a ?b ?c } ; \n"), "SELECT ?a { ?a ?b ?c }");
  EXPECT_EQ(plain_query("{ ?a ?b 'x  y' ;  ?c \"p  q\" }"), "{ ?a ?b 'x  y' ; ?c \"p  q\" }");
  EXPECT_EQ(plain_query("<http://e/it's>  ?b  'x  y'"), "<http://e/it's> ?b 'x  y'");
  EXPECT_EQ(plain_query("?a <  ?b && '  ' > ?c"), "?a < ?b && '  ' > ?c");
  EXPECT_EQ(plain_query("\"\"\"a \"b  c\" d\"\"\"  ?x"), "\"\"\"a \"b  c\" d\"\"\" ?x");
  EXPECT_EQ(plain_query("SELECT 1 -- it's  \n  + 1"), "SELECT 1 -- it's  \n + 1");
  EXPECT_EQ(plain_query("SELECT /* it's */  'a  b'"), "SELECT /* it's */ 'a  b'");
  EXPECT_EQ(plain_query("'a\\'  b'  x;"), "'a\\'  b'  x");
  EXPECT_EQ(plain_query("'open  x"), "'open  x");
  EXPECT_EQ(plain_query(" ;; "), "");
  EXPECT_EQ(plain_query(""), "");
}

}  // namespace
}  // namespace helve::agent
