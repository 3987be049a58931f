#include "surfaces/serve/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compression.h"
#include "surfaces/serve/served_graph_testing.h"

namespace helve::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Asked {
  int status = 200;
  std::string body;  // or what the client is told
  std::string type;
  std::string note;
  std::string late;
};

class AnswerTest : public ::testing::Test {
 protected:
  Asked ask(std::string_view text, std::string_view accept = {},
            std::vector<sparql::DatasetGraph> dataset = {}) {
    wishes_.accept = accept;
    GatheredAnswer out;
    const Answered answered = answer_query(
        {std::string(text), std::move(dataset), {}, "http://e/sparql"}, graph_, wishes_, op_, out);
    if (answered.refusal) return {answered.refusal->status, answered.refusal->text, {}, {}, {}};
    return {200, out.body(), out.header("Content-Type"), out.header("Helve-Note"),
            GatheredAnswer::find(answered.late, "Helve-Truncated")};
  }

  ServedGraph graph_ = served();
  AnswerWishes wishes_;
  OpContext op_;
};

TEST_F(AnswerTest, EveryFormOfQueryIsAnsweredInItsFormats) {
  const char* const select = "SELECT ?n { zoo:leo zoo:name ?n }";
  EXPECT_EQ(ask(select, "text/csv").body, "n\r\nLeo\r\n");
  EXPECT_EQ(ask(select, "text/tab-separated-values").body, "?n\n\"Leo\"\n");
  EXPECT_THAT(ask(select).body, HasSubstr(R"("value":"Leo")"));
  EXPECT_THAT(ask(select, "application/sparql-results+xml").body,
              HasSubstr("<literal>Leo</literal>"));
  EXPECT_THAT(ask("ASK {}").body, HasSubstr(R"("boolean":true)"));
  EXPECT_EQ(ask("ASK { zoo:leo a zoo:Dog }", "text/csv").body, "false\r\n");
  const char* const construct = "CONSTRUCT { ?c zoo:is zoo:cat } { ?c a zoo:Cat } ORDER BY ?c";
  EXPECT_EQ(ask(construct, "application/n-triples").body,
            "<http://example.org/zoo#leo> <http://example.org/zoo#is> "
            "<http://example.org/zoo#cat> .\n"
            "<http://example.org/zoo#mia> <http://example.org/zoo#is> "
            "<http://example.org/zoo#cat> .\n");
  EXPECT_EQ(ask(construct).type, "text/turtle; charset=utf-8");
  EXPECT_THAT(ask(construct).body, HasSubstr("zoo:leo zoo:is zoo:cat"));
  EXPECT_THAT(ask(construct, "application/rdf+xml").body, HasSubstr("<rdf:RDF"));
  EXPECT_THAT(ask("DESCRIBE zoo:rex", "application/n-quads").body, HasSubstr("zoo#Dog> ."));
  EXPECT_EQ(ask("CONSTRUCT { <s> <p> 1 } {}", "application/n-triples").body,
            "<http://e/s> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
}

TEST_F(AnswerTest, WhatNobodyCanGiveIsNotAcceptable) {
  EXPECT_EQ(ask("SELECT * {}", "text/turtle").status, 406);
  EXPECT_EQ(ask("ASK {}", "image/png").status, 406);
  const Asked asked = ask("CONSTRUCT {} {}", "text/csv");
  EXPECT_EQ(asked.status, 406);
  EXPECT_THAT(asked.body, HasSubstr("text/turtle, application/n-triples"));
}

TEST_F(AnswerTest, MistakesSayWhereTheyAre) {
  const Asked asked = ask("SELECT ?x\n{ ?x a }");
  EXPECT_EQ(asked.status, 400);
  EXPECT_THAT(asked.body, ::testing::StartsWith("query:2:8: "));
  EXPECT_EQ(ask("").status, 400);
  EXPECT_EQ(ask("SELECT (<http://e/none>(1) AS ?x) {}").status, 400);
  EXPECT_EQ(ask("SELECT * FROM <http://e/none> {}").status, 400);
  EXPECT_EQ(ask("ASK { \xFF }").status, 400);
  graph_.is_strict = true;
  EXPECT_EQ(ask("ASK { zoo:leo a zoo:Dog }").status, 400);
}

TEST_F(AnswerTest, ServicesAndUpdatesAreRefused) {
  for (const char* query : {"SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
                            "ASK { SERVICE SILENT ?x { ?s ?p ?o } }",
                            "ASK { FILTER EXISTS { { SELECT * { SERVICE <http://e/> {} } } } }"}) {
    const Asked asked = ask(query);
    EXPECT_EQ(asked.status, 403) << query;
    EXPECT_THAT(asked.body, HasSubstr("SERVICE is refused"));
  }
  for (const char* update :
       {"CLEAR ALL", "INSERT DATA { zoo:a zoo:b zoo:c }", "LOAD <file:///etc/passwd>"}) {
    const Asked asked = ask(update);
    EXPECT_EQ(asked.status, 403) << update;
    EXPECT_THAT(asked.body, HasSubstr("read-only"));
  }
}

TEST_F(AnswerTest, TheUnnamedGraphCanBeAskedTogetherWithOthers) {
  const std::string unnamed = "urn:x-arq:DefaultGraph";
  const char* const query =
      "SELECT ?n FROM <urn:x-arq:DefaultGraph> FROM zoo:night { ?c zoo:sleeps ?x ; zoo:name ?n }";
  EXPECT_EQ(ask(query, "text/csv").body, "n\r\nLeo\r\n");
  const Asked of_protocol = ask("ASK { zoo:rex a zoo:Dog }", "text/csv", {{unnamed, false, {}}});
  EXPECT_EQ(of_protocol.body, "true\r\n");
  EXPECT_THAT(of_protocol.note, Not(HasSubstr("is empty")));
  // It has no name to be found by.
  EXPECT_EQ(ask("ASK FROM NAMED <urn:x-arq:DefaultGraph> {}").status, 400);
}

TEST_F(AnswerTest, GraphsOfTheProtocolTakeThePlaceOfFrom) {
  const std::string night = "http://example.org/zoo#night";
  const char* const sleepers = "SELECT ?a { ?a zoo:sleeps ?x } ORDER BY ?a";
  EXPECT_EQ(ask(sleepers, "text/csv").body, "a\r\n");
  EXPECT_EQ(ask(sleepers, "text/csv", {{night, false, {}}}).body,
            "a\r\nhttp://example.org/zoo#leo\r\n");
  EXPECT_EQ(
      ask("SELECT ?a FROM zoo:day { ?a zoo:sleeps ?x }", "text/csv", {{night, false, {}}}).body,
      "a\r\nhttp://example.org/zoo#leo\r\n");
  EXPECT_EQ(ask("SELECT ?g { GRAPH ?g {} }", "text/csv", {{night, true, {}}}).body,
            "g\r\nhttp://example.org/zoo#night\r\n");
  EXPECT_EQ(ask("ASK { ?s ?p ?o }", "text/csv", {{night, true, {}}}).body, "false\r\n");
  graph_.is_union = true;
  EXPECT_THAT(ask(sleepers, "text/csv").body, HasSubstr("zoo#rex"));
}

TEST_F(AnswerTest, AGraphThatIsNotThereIsEmptyAndTold) {
  const Asked asked = ask("SELECT * { ?s ?p ?o }", "text/csv", {{"http://e/none", false, {}}});
  EXPECT_EQ(asked.status, 200);
  EXPECT_EQ(asked.body, "s,p,o\r\n");
  EXPECT_EQ(asked.note, "the data has no graph <http://e/none>: it is empty");
  EXPECT_EQ(ask("ASK {}").note, "");
}

TEST_F(AnswerTest, WhatIsCutSaysSo) {
  graph_.rows_max = 2;
  const char* const all = "SELECT ?s { ?s a ?c } ORDER BY ?s";
  EXPECT_EQ(ask(all).late, "rows=2");
  EXPECT_THAT(ask(all).body,
              HasSubstr("\n]},\"truncated\":\"there is more: this server gives at most 2 rows\"}"));
  EXPECT_THAT(ask(all, "application/sparql-results+xml").body,
              HasSubstr("</sparql>\n<!-- there is more"));
  EXPECT_EQ(ask(all, "text/csv").late, "rows=2");
  const char* const graph = "CONSTRUCT WHERE { ?s a ?c }";
  EXPECT_EQ(ask(graph).late, "rows=2");
  EXPECT_THAT(ask(graph).body, HasSubstr("\n# there is more: this server gives at most 2 stat"));
  EXPECT_THAT(ask(graph, "application/rdf+xml").body, HasSubstr("<!-- there is more"));
  const Asked whole = ask("SELECT ?s { ?s a zoo:Cat }");
  EXPECT_EQ(whole.late, "");
  EXPECT_THAT(whole.body, Not(HasSubstr("truncated")));
  EXPECT_EQ(ask("ASK {}").late, "");
}

TEST_F(AnswerTest, GzipHoldsTheSame) {
  const std::string plain = ask("SELECT ?n { ?s zoo:name ?n } ORDER BY ?n", "text/csv").body;
  wishes_.has_gzip = true;
  const std::string packed = ask("SELECT ?n { ?s zoo:name ?n } ORDER BY ?n", "text/csv").body;
  EXPECT_EQ(detect_compression(packed), Compression::Gzip);
  const auto source = open_decompressor(Compression::Gzip, std::make_unique<StringSource>(packed));
  std::string unpacked(1'000, '\0');
  const auto count = source->read(unpacked);
  ASSERT_TRUE(count.has_value());
  unpacked.resize(*count);
  EXPECT_EQ(unpacked, plain);
}

TEST_F(AnswerTest, AHeadChecksAndRunsNothing) {
  wishes_.is_head = true;
  const Asked asked = ask("SELECT * { ?s ?p ?o }");
  EXPECT_EQ(asked.body, "");
  EXPECT_EQ(asked.type, "application/sparql-results+json");
  EXPECT_EQ(ask("SELECT").status, 400);
  EXPECT_EQ(ask("SELECT * {}", "text/turtle").status, 406);
}

TEST_F(AnswerTest, TimeMemoryAndCancellationAreErrorsOfTheirOwn) {
  const char* const heavy =
      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o . "
      "?p ?q ?r . ?s ?t ?u . ?v ?w ?x . ?y ?z ?aa . ?ab ?ac ?ad . ?ae ?af ?ag }";
  op_.deadline = Deadline(real_clock(), std::chrono::milliseconds(20));
  const Asked late = ask(heavy);
  EXPECT_EQ(late.status, 504);
  EXPECT_THAT(late.body, HasSubstr("hint: "));
  op_.deadline = {};
  op_.cancel.cancel();
  EXPECT_EQ(ask(heavy).status, 503);
  op_ = {};
  MemoryBudget memory("query", 1'000, nullptr);
  op_.memory = &memory;
  const Asked large = ask("SELECT * { ?a ?b ?c } ORDER BY ?c");
  EXPECT_EQ(large.status, 500);
  EXPECT_THAT(large.body, HasSubstr("memory"));
}

TEST_F(AnswerTest, DescriptionsNegotiateToo) {
  GatheredAnswer out;
  wishes_.accept = "application/rdf+xml";
  EXPECT_FALSE(answer_service("http://e", graph_, wishes_, op_, out).refusal);
  EXPECT_EQ(out.header("Content-Type"), "application/rdf+xml");
  GatheredAnswer none;
  wishes_.accept = "text/csv";
  EXPECT_EQ(answer_void("http://e", graph_, wishes_, op_, none).refusal->status, 406);
}

}  // namespace
}  // namespace helve::serve
