#include "surfaces/serve/graph_store_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compression.h"
#include "surfaces/serve/entity_tag.h"
#include "surfaces/serve/graph_writer_testing.h"
#include "surfaces/serve/multipart.h"

namespace helve::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kOrigin = "http://localhost:1";

// The graph, "default", "new", or the status.
std::string named(std::string_view method, std::string_view path, std::string_view query,
                  bool is_writable = true) {
  const auto read = read_graph_call({method, path, query, kOrigin, is_writable});
  if (const auto* refusal = std::get_if<Refusal>(&read)) return std::to_string(refusal->status);
  const auto& call = std::get<GraphCall>(read);
  if (call.is_new) return "new";
  return call.graph.empty() ? "default" : call.graph;
}

TEST(GraphStoreProtocol, GraphsAreNamedByAddressOrParameter) {
  EXPECT_EQ(named("GET", "/graphs", "default"), "default");
  EXPECT_EQ(named("PUT", "/graphs", "default="), "default");
  EXPECT_EQ(named("GET", "/graphs", "graph=http%3A%2F%2Fe%2Fa"), "http://e/a");
  EXPECT_EQ(named("GET", "/graphs", "graph=http://e/%2531"), "http://e/%31") << "decoded once";
  EXPECT_EQ(named("GET", "/graphs/a/b.ttl", ""), "http://localhost:1/graphs/a/b.ttl");
  EXPECT_EQ(named("GET", "/graphs/%31", ""), "http://localhost:1/graphs/%31") << "as it is written";
  EXPECT_EQ(named("POST", "/graphs", ""), "new");
  EXPECT_EQ(named("POST", "/graphs/", ""), "new");
  for (const char* query :
       {"", "graph=relative", "graph=", "graph=http://e/%3E", "graph=http://e/a&graph=http://e/b",
        "default&graph=http://e/a", "graph=%7", "default&timeout=x"}) {
    EXPECT_EQ(named("GET", "/graphs", query), "400") << query;
  }
  EXPECT_EQ(named("GET", "/graphs/a", "default"), "400");
  EXPECT_EQ(named("GET", "/graphs/a{b}", ""), "400");
}

TEST(GraphStoreProtocol, AReadOnlyStoreReads) {
  EXPECT_EQ(named("GET", "/graphs", "default", false), "default");
  EXPECT_EQ(named("HEAD", "/graphs", "default", false), "default");
  for (const char* method : {"PUT", "POST", "DELETE", "PATCH"}) {
    const auto read = read_graph_call({method, "/graphs", "default", kOrigin, false});
    EXPECT_EQ(std::get<Refusal>(read).status, 405);
    EXPECT_EQ(std::get<Refusal>(read).headers.front().second, "GET, HEAD, OPTIONS");
  }
  EXPECT_EQ(named("PATCH", "/graphs", "default"), "405");
}

TEST(GraphStoreProtocol, EntityTagsTellTheStateAndTheForm) {
  const std::string tag = entity_tag("abc", rdf::Format::Turtle, true);
  EXPECT_EQ(tag, "\"abc.turtle.gz\"");
  EXPECT_TRUE(has_tag("\"x\", W/\"abc.turtle.gz\"", tag));
  EXPECT_FALSE(has_tag("\"abc.turtle\"", tag));
  EXPECT_TRUE(has_state("\"x.turtle\", \"abc.ntriples\"", "abc"));
  EXPECT_FALSE(has_state("W/\"abc.turtle\"", "abc")) << "the comparison is strong";
  EXPECT_FALSE(has_state("\"abcd\"", "abc"));
}

TEST(Multipart, PartsHaveNamesTypesAndTexts) {
  const auto parts = read_form_parts(
      "--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.ttl\"\r\n"
      "content-type: text/turtle\r\n\r\n<a> <b> <c> .\r\n--b\r\n"
      "Content-Disposition: form-data; name=y\r\n\r\n\r\n--b--\r\n",
      "b");
  ASSERT_TRUE(parts.has_value()) << parts.error().to_string();
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[0].name, "x.ttl");
  EXPECT_EQ((*parts)[0].content_type, "text/turtle");
  EXPECT_EQ((*parts)[0].text, "<a> <b> <c> .");
  EXPECT_EQ((*parts)[1].name, "y");
  EXPECT_EQ((*parts)[1].text, "");
  for (const char* body :
       {"", "--b", "--b\r\n", "--b\r\nx: y\r\n\r\n", "--c--", "--b\r\n\r\nx--b--"}) {
    EXPECT_FALSE(read_form_parts(body, "b").has_value()) << body;
  }
  EXPECT_FALSE(read_form_parts("--\r\n\r\n\r\n----", "").has_value());
}

struct Done {
  int status = 0;
  std::string body;
  std::string location;
  std::string tag;
};

class GraphStore : public ::testing::Test {
 protected:
  Done call(GraphCall call) {
    call.origin = kOrigin;
    GatheredAnswer out;
    const Answered answered = answer_graph(call, served_by(writer_), wishes_, op_, out);
    if (answered.refusal) return {answered.refusal->status, answered.refusal->text, {}, {}};
    return {answered.status, out.body(), out.header("Location"), out.header("ETag")};
  }
  Done write(GraphMethod method, std::string graph, std::string body,
             std::string type = "text/turtle") {
    GraphCall made;
    made.method = method;
    made.graph = std::move(graph);
    made.body = std::move(body);
    made.content_type = std::move(type);
    return call(std::move(made));
  }
  Done read(std::string graph) {
    GraphCall made;
    made.graph = std::move(graph);
    wishes_.accept = "application/n-triples";
    return call(std::move(made));
  }

  std::shared_ptr<FakeGraphWriter> writer_ = std::make_shared<FakeGraphWriter>();
  AnswerWishes wishes_;
  OpContext op_;
};

TEST_F(GraphStore, WritesAndReads) {
  const Done created = write(GraphMethod::Replace, "http://e/g", "<a> <p> 1 .");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.location, "http://localhost:1/graphs?graph=http%3A%2F%2Fe%2Fg");
  EXPECT_EQ(read("http://e/g").body,
            "<http://e/a> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
  EXPECT_EQ(write(GraphMethod::Merge, "http://e/g", "<b> <p> <c> .").status, 204);
  EXPECT_THAT(read("http://e/g").body, HasSubstr("<http://e/b>"));
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", "<d> <p> <e> .").status, 204);
  EXPECT_EQ(read("http://e/g").body, "<http://e/d> <http://e/p> <http://e/e> .\n");
  EXPECT_EQ(write(GraphMethod::Replace, "", "<d> <p> <e> .").status, 204) << "always there";
  EXPECT_EQ(read("").body,
            "<http://localhost:1/d> <http://localhost:1/p> <http://localhost:1/e> .\n");
  EXPECT_EQ(write(GraphMethod::Drop, "http://e/g", "").status, 204);
  EXPECT_EQ(read("http://e/g").status, 404);
  EXPECT_EQ(write(GraphMethod::Drop, "http://e/g", "").status, 404);
}

TEST_F(GraphStore, ANewGraphGetsANameThatIsItsAddress) {
  GraphCall made;
  made.method = GraphMethod::Merge;
  made.is_new = true;
  made.content_type = "text/turtle";
  made.body = "<> <p> <o> .";
  const Done created = call(std::move(made));
  EXPECT_EQ(created.status, 201);
  EXPECT_THAT(created.location, StartsWith("http://localhost:1/graphs/"));
  EXPECT_THAT(read(created.location).body, StartsWith("<" + created.location + ">"));
}

TEST_F(GraphStore, FormsAreWrittenAsOne) {
  const std::string type = "multipart/form-data; boundary=\"x y\"";
  const std::string good =
      "--x y\r\nContent-Disposition: form-data; name=a\r\nContent-Type: text/turtle\r\n\r\n"
      "<a> <p> _:b .\r\n--x y\r\nContent-Disposition: form-data; name=f; filename=b.nt\r\n\r\n"
      "<http://e/b> <http://e/p> _:b .\r\n--x y--\r\n";
  EXPECT_EQ(write(GraphMethod::Merge, "http://e/g", good, type).status, 201);
  const std::string body = read("http://e/g").body;
  EXPECT_THAT(body, HasSubstr("<http://e/a> <http://e/p> _:p1xb"));
  EXPECT_THAT(body, HasSubstr("<http://e/b> <http://e/p> _:p2xb"));
  std::string bad = good;
  bad.replace(bad.find("_:b .\r\n--x y--"), 5, "oops ");
  const Done refused = write(GraphMethod::Merge, "http://e/h", bad, type);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("b.nt:1:"));
  EXPECT_EQ(read("http://e/h").status, 404) << "not even the part before it";
}

TEST_F(GraphStore, BodiesMayBePacked) {
  StringSink packed;
  const auto gzip = open_compressor(Compression::Gzip, packed);
  ASSERT_TRUE(gzip->write("<a> <p> <b> .").has_value());
  ASSERT_TRUE(gzip->finish().has_value());
  GraphCall made;
  made.method = GraphMethod::Replace;
  made.graph = "http://e/g";
  made.content_type = "text/turtle";
  made.content_encoding = "gzip";
  made.body = packed.text();
  EXPECT_EQ(call(made).status, 201);
  EXPECT_THAT(read("http://e/g").body, HasSubstr("<http://e/b>"));
  made.body = packed.text().substr(0, packed.text().size() / 2);
  EXPECT_EQ(call(made).status, 400);
  made.content_encoding = "br";
  EXPECT_EQ(call(made).status, 415);
}

// A few kilobytes that become gigabytes.
TEST_F(GraphStore, WhatBecomesTooMuchIsRefused) {
  StringSink packed;
  const auto gzip = open_compressor(Compression::Gzip, packed);
  const std::string spaces(kMiB, ' ');
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(gzip->write(spaces).has_value());
  ASSERT_TRUE(gzip->finish().has_value());
  GraphCall made;
  made.method = GraphMethod::Replace;
  made.content_type = "text/turtle";
  made.content_encoding = "gzip";
  made.body = packed.text();
  EXPECT_EQ(call(made).status, 413);
}

TEST_F(GraphStore, WhatIsNoRdfIsRefused) {
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", "x", "text/html").status, 415);
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", "x", "ttl").status, 415);
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", "x", "").status, 415);
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", "", "text/turtle; charset=latin1").status,
            415);
  const Done wrong = write(GraphMethod::Replace, "http://e/g", "<a> <b>\n oops .");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("body:2:"));
}

TEST_F(GraphStore, ARequestWritesOneGraph) {
  const std::string trig = "<a> <p> <b> . GRAPH <http://e/g> { <a> <p> <c> }";
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", trig, "application/trig").status, 201);
  EXPECT_THAT(read("http://e/g").body, HasSubstr("<http://e/b>"));
  const Done refused = write(GraphMethod::Replace, "http://e/h", trig, "application/trig");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("<http://e/g>"));
  EXPECT_EQ(write(GraphMethod::Replace, "", trig, "application/trig").status, 400);
}

TEST_F(GraphStore, ConditionsAreKept) {
  EXPECT_EQ(write(GraphMethod::Replace, "http://e/g", "<a> <p> <b> .").status, 201);
  const std::string tag = read("http://e/g").tag;
  EXPECT_EQ(tag, "\"state1.ntriples\"");
  GraphCall again;
  again.graph = "http://e/g";
  again.if_none_match = tag;
  EXPECT_EQ(call(again).status, 304);
  GraphCall change;
  change.method = GraphMethod::Merge;
  change.graph = "http://e/g";
  change.content_type = "text/turtle";
  change.body = "<a> <p> <c> .";
  change.if_match = tag;
  EXPECT_EQ(call(change).status, 204);
  EXPECT_EQ(call(change).status, 412) << "there is another state now";
  change.if_match = "*";
  EXPECT_EQ(call(change).status, 204);
  change.graph = "http://e/h";
  const Done missing = call(change);
  EXPECT_EQ(missing.status, 412);
  EXPECT_THAT(missing.body, HasSubstr("there is none of this name"));
  change.if_match.clear();
  change.if_none_match = "*";
  EXPECT_EQ(call(change).status, 201);
  EXPECT_EQ(call(change).status, 412);
}

TEST_F(GraphStore, AGraphIsGivenWholeOrNotAtAll) {
  write(GraphMethod::Replace, "http://e/g", "<a> <p> <b>, <c> .");
  ServedGraph graph = served_by(writer_);
  graph.rows_max = 1;
  GraphCall made;
  made.graph = "http://e/g";
  GatheredAnswer out;
  EXPECT_EQ(answer_graph(made, graph, wishes_, op_, out).refusal->status, 403);
  graph.rows_max = 2;
  EXPECT_FALSE(answer_graph(made, graph, wishes_, op_, out).refusal.has_value());
}

TEST_F(GraphStore, NumbersComeToWhoWantsThem) {
  wishes_.accept = "application/json";
  EXPECT_EQ(write(GraphMethod::Replace, "", "<a> <p> <b>, <c> .").body,
            "{\"added\":2,\"removed\":0,\"version\":1}\n");
}

}  // namespace
}  // namespace helve::serve
