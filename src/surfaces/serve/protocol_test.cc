#include "surfaces/serve/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::serve {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kDirect = "application/sparql-query";

ProtocolCall get(std::string_view query) { return read_call({"GET", query, std::nullopt, {}}); }
ProtocolCall post(std::string_view type, std::string_view body, std::string_view query = {}) {
  return read_call({"POST", query, type, body});
}

// The text of the query, or the status.
std::string asked(const ProtocolCall& call) {
  if (const auto* query = std::get_if<QueryCall>(&call)) return query->text;
  if (std::holds_alternative<DescriptionCall>(call)) return "description";
  return std::to_string(std::get<Refusal>(call).status);
}
std::string told(const ProtocolCall& call) { return std::get<Refusal>(call).text; }

std::string graphs(const ProtocolCall& call) {
  std::string out;
  for (const auto& graph : std::get<QueryCall>(call).dataset) {
    out += (graph.is_named ? "named " : "default ") + graph.iri + "\n";
  }
  return out;
}

TEST(Protocol, TheThreeWaysToAsk) {
  EXPECT_EQ(asked(get("query=ASK%20%7B%7D")), "ASK {}");
  EXPECT_EQ(asked(get("query=ASK+%7B%7D")), "ASK {}");
  EXPECT_EQ(asked(read_call({"HEAD", "query=ASK+%7B%7D", std::nullopt, {}})), "ASK {}");
  EXPECT_EQ(asked(post(kForm, "query=ASK+%7B%7D")), "ASK {}");
  EXPECT_EQ(asked(post("Application/X-WWW-Form-URLEncoded; charset=UTF-8", "query=ASK%7B%7D")),
            "ASK{}");
  EXPECT_EQ(asked(post(kDirect, "ASK { ?a+ ?b ?c }")), "ASK { ?a+ ?b ?c }");
  EXPECT_EQ(asked(post("application/sparql-query;charset=\"utf-8\"", "ASK {}")), "ASK {}");
}

TEST(Protocol, GraphsComeFromTheAddressAndTheBody) {
  const auto call = post(kForm, "query=ASK+%7B%7D&default-graph-uri=http://e/b",
                         "named-graph-uri=http%3A%2F%2Fe%2Fa&default-graph-uri=http://e/c");
  EXPECT_EQ(graphs(call), "named http://e/a\ndefault http://e/c\ndefault http://e/b\n");
  EXPECT_EQ(graphs(post(kDirect, "ASK {}", "named-graph-uri=urn:x")), "named urn:x\n");
  EXPECT_EQ(asked(get("query=ASK%7B%7D&default-graph-uri=relative")), "400");
  EXPECT_EQ(asked(get("query=ASK%7B%7D&default-graph-uri=")), "400");
  EXPECT_EQ(asked(get("query=ASK%7B%7D&named-graph-uri=http://e/%3E")), "400");
}

TEST(Protocol, AGetThatAsksNothingGetsTheDescription) {
  EXPECT_EQ(asked(get("")), "description");
  EXPECT_EQ(asked(read_call({"HEAD", "", std::nullopt, {}})), "description");
  EXPECT_EQ(asked(get("&")), "description");
  EXPECT_EQ(asked(get("default-graph-uri=http://e/a")), "400");
  EXPECT_EQ(asked(get("format=json")), "400");
  EXPECT_EQ(asked(post(kForm, "")), "400");
}

TEST(Protocol, OneQueryInARequest) {
  EXPECT_EQ(asked(get("query=ASK%7B%7D&query=ASK%7B%7D")), "400");
  EXPECT_EQ(asked(post(kForm, "query=ASK%7B%7D&query=SELECT")), "400");
  EXPECT_EQ(asked(post(kForm, "query=ASK%7B%7D", "query=ASK%7B%7D")), "400");
  EXPECT_EQ(asked(post(kDirect, "ASK {}", "query=ASK%7B%7D")), "400");
  EXPECT_THAT(told(get("query=A&query=B")), HasSubstr("more than one query"));
}

TEST(Protocol, WhatIsNoQueryIsRefused) {
  EXPECT_EQ(asked(post("text/plain", "ASK {}")), "415");
  EXPECT_EQ(asked(read_call({"POST", "", std::nullopt, "ASK {}"})), "415");
  EXPECT_EQ(asked(post("application/sparql-query; charset=UTF-16", "ASK {}")), "415");
  EXPECT_EQ(asked(get("query=%7")), "400");
  EXPECT_EQ(asked(get("query=%zz")), "400");
  for (const char* method : {"PUT", "DELETE", "PATCH", "TRACE", "get"}) {
    const auto call = read_call({method, "query=ASK%7B%7D", std::nullopt, {}});
    ASSERT_EQ(asked(call), "405") << method;
    EXPECT_EQ(std::get<Refusal>(call).headers.front().second, "GET, HEAD, POST, OPTIONS");
  }
}

TEST(Protocol, UpdatesAreRefused) {
  EXPECT_EQ(asked(post("application/sparql-update", "CLEAR ALL")), "403");
  EXPECT_EQ(asked(post(kForm, "update=CLEAR+ALL")), "403");
  EXPECT_EQ(asked(get("update=CLEAR+ALL")), "403");
  EXPECT_EQ(asked(get("query=ASK%7B%7D&update=CLEAR+ALL")), "403");
  EXPECT_EQ(asked(post(kForm, "query=ASK%7B%7D", "using-graph-uri=http://e/a")), "403");
  EXPECT_THAT(told(get("update=CLEAR+ALL")), HasSubstr("read-only"));
}

TEST(Protocol, UpdatesAreTakenWhereTheyMayBe) {
  const auto form = [](std::string_view body, std::string_view query = {}) {
    return read_call({"POST", query, kForm, body, true});
  };
  const auto direct = [](std::string_view body, std::string_view query = {}) {
    return read_call({"POST", query, "application/sparql-update", body, true});
  };
  const auto text = [](const ProtocolCall& call) {
    const auto* update = std::get_if<UpdateCall>(&call);
    return update ? update->text : asked(call);
  };
  EXPECT_EQ(text(form("update=CLEAR+ALL")), "CLEAR ALL");
  EXPECT_EQ(text(direct("CLEAR ALL # 1+1")), "CLEAR ALL # 1+1");
  const auto call =
      direct("CLEAR ALL", "using-graph-uri=http://e/a&using-named-graph-uri=http://e/b");
  const auto& graphs = std::get<UpdateCall>(call).using_graphs;
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_EQ(graphs[0].iri, "http://e/a");
  EXPECT_FALSE(graphs[0].is_named);
  EXPECT_TRUE(graphs[1].is_named);
  EXPECT_EQ(text(form("update=A&update=B")), "400");
  EXPECT_EQ(text(form("update=A", "update=B")), "400");
  EXPECT_EQ(text(direct("A", "query=B")), "400");
  EXPECT_EQ(text(read_call({"GET", "update=A", std::nullopt, {}, true})), "400");
  EXPECT_EQ(text(direct("A", "default-graph-uri=http://e/a")), "400");
  EXPECT_EQ(text(form("query=A", "using-graph-uri=http://e/a")), "400");
  EXPECT_EQ(text(direct("A", "using-graph-uri=a")), "400");
  EXPECT_EQ(text(read_call({"POST", "", "text/plain", "A", true})), "415");
  EXPECT_EQ(text(read_call({"POST", "", "application/sparql-update;charset=UTF-16", "A", true})),
            "415");
  EXPECT_EQ(text(form("query=ASK%7B%7D")), "ASK{}");
}

TEST(Protocol, TimesAreSecondsUnlessTheySay) {
  using std::chrono::milliseconds;
  EXPECT_EQ(read_timeout("500ms"), milliseconds(500));
  EXPECT_EQ(read_timeout("2s"), milliseconds(2'000));
  EXPECT_EQ(read_timeout("2"), milliseconds(2'000));
  EXPECT_EQ(read_timeout("1.5"), milliseconds(1'500));
  EXPECT_EQ(read_timeout("99999999999"), std::chrono::hours(24));
  for (const char* text : {"", "0", "-1", "s", "ms", "x", "2 s", "1e9", "nan", "inf", "2min"}) {
    EXPECT_EQ(read_timeout(text), std::nullopt) << text;
    EXPECT_EQ(asked(get(std::string("query=ASK%7B%7D&timeout=") + text)), "400") << text;
  }
  EXPECT_EQ(std::get<QueryCall>(get("query=A&timeout=250ms")).timeout, milliseconds(250));
}

TEST(Protocol, ErrorsSayWhereAndWhatToDo) {
  const Error error = Error(ErrorCode::InvalidInput, "a brace is missing", "add it")
                          .at("query", {.line = 2, .column = 7});
  EXPECT_EQ(text_of(error), "query:2:7: a brace is missing\nhint: add it\n");
  EXPECT_EQ(text_of(Error(ErrorCode::Internal, "no place")), "no place\n");
}

}  // namespace
}  // namespace helve::serve
