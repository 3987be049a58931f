// Queries made to make diagnosis work: it asks no more than it may, and always ends.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/clock.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/diagnosis/diagnosis.h"

namespace helve::toolkit {
namespace {

constexpr std::string_view kSmallData = R"(
@prefix : <http://x.example/> .
:a :p :b ; :q 1 ; :name "a" . :b :p :c ; :q 2 ; :name "b" . :c :r "end" ; :q 3 .
)";
constexpr std::uint64_t kProbesMax = 200;

Diagnosis diagnose_query(const std::string& text, const OpContext& context = {}) {
  static const auto graph = testing::graph_of(kSmallData);
  sparql::ParseOptions options;
  options.known_prefixes = {{"", "http://x.example/"}};
  const auto query = sparql::parse_query(text, options);
  EXPECT_TRUE(query) << (query ? "" : query.error().to_string());
  if (!query) return {};
  Diagnosis out = diagnose_empty(query->query, *graph, context);
  EXPECT_LE(out.probes, kProbesMax);
  for (const std::string& part : out.parts) EXPECT_LE(part.size(), 1'000U);
  EXPECT_LE(out.says.size(), 2'000U);
  return out;
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += fmt::format(fmt::runtime(piece), i, i + 1);
  return out;
}

TEST(HostileQueries, AThousandTriples) {
  const Diagnosis one =
      diagnose_query("SELECT * { " + repeated("?a{0} :p ?b{0} . ", 999) + "?a500 :nosuch ?z }");
  EXPECT_EQ(one.cause, EmptyCause::UnknownIri) << one.says;
  const Diagnosis star =
      diagnose_query("SELECT * { " + repeated("?x :p ?b{0} . ", 500) + "?x :r ?z }");
  EXPECT_EQ(star.cause, EmptyCause::EmptyJoin) << star.says;
  EXPECT_EQ(star.parts.size(), 2U);
  diagnose_query("SELECT * { " + repeated("?v{0} :p ?v{1} . ", 900) + "}");
}

TEST(HostileQueries, AThousandBranches) {
  std::string text = "SELECT * { { ?x :nosuch0 ?y } ";
  text += repeated("UNION {{ ?x :nosuch{} ?y }} ", 998) + "}";
  EXPECT_EQ(diagnose_query(text).cause, EmptyCause::UnknownIri);
  text = "SELECT * { { ?x :p 0 } " + repeated("UNION {{ ?x :p {} }} ", 998) + "}";
  diagnose_query(text);
}

TEST(HostileQueries, DeepNesting) {
  std::string braces = "?x :p ?y FILTER(?y = 1)";
  for (int i = 0; i < 45; ++i)
    braces = "{ " + braces + " FILTER(?x != 2) } UNION { ?x :nosuch ?z }";
  EXPECT_EQ(diagnose_query("SELECT * { " + braces + " }").cause, EmptyCause::UnknownIri);
  std::string selects = "?x :p 1";
  for (int i = 0; i < 40; ++i) selects = "{ SELECT * { " + selects + " } }";
  diagnose_query("SELECT * { " + selects + " }");
  std::string exists = "?x :nosuch ?y";
  for (int i = 0; i < 40; ++i) exists = "?x :p ?y FILTER EXISTS { " + exists + " }";
  diagnose_query("SELECT * { " + exists + " }");
  diagnose_query("SELECT * { ?x :p ?y " + repeated("OPTIONAL {{ ?x :q ?q{} }} ", 300) +
                 "?y :r :c }");
  diagnose_query("SELECT * { ?x :p ?y " + repeated("MINUS {{ ?x :q {} }} ", 300) + "}");
}

TEST(HostileQueries, ManyConditions) {
  diagnose_query("SELECT * { ?x :q ?v " + repeated("FILTER(?v > {}) ", 400) + "}");
  diagnose_query("SELECT * { ?x :q ?v FILTER(?v IN (100" + repeated(", {}00", 2'000) + ")) }");
  diagnose_query("SELECT * { ?x :q ?v VALUES ?v {" + repeated(" \"{}0\"", 9'000) + " } }");
  diagnose_query("SELECT * { ?x :q ?v BIND(7 AS ?w) ?y :q ?w }");
}

TEST(HostileQueries, LongNamesAndTexts) {
  const std::string name(100'000, 'x');
  EXPECT_EQ(diagnose_query("SELECT * { ?x <http://x.example/" + name + "> ?y }").cause,
            EmptyCause::UnknownIri);
  diagnose_query("SELECT * { ?x :name \"" + name + "\" }");
  diagnose_query("SELECT * { ?x :name ?n FILTER(CONTAINS(?n, \"" + name + "\")) }");
  diagnose_query("SELECT * { ?x :name ?n FILTER(REGEX(?n, \"(x+x+)+y\")) }");
  diagnose_query("SELECT * { ?x (:nosuch|^:p)+/!(:p|^:q) :a . ?x (:p/:p/:p/:p)? :nosuch }");
}

TEST(HostileQueries, NoTimeLeft) {
  OpContext late;
  late.deadline = Deadline(real_clock(), Duration(0));
  const Diagnosis out = diagnose_query("SELECT * { ?x :nosuch ?y }", late);
  EXPECT_EQ(out.cause, EmptyCause::Unknown);
  EXPECT_EQ(out.probes, 0U);
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(diagnose_query("SELECT * { ?x :nosuch ?y . ?y :p ?z }", cancelled).cause,
            EmptyCause::Unknown);
}

TEST(HostileQueries, WhatDoesGiveRowsIsNotBlamed) {
  EXPECT_EQ(diagnose_query("SELECT * { ?x :p ?y }").cause, EmptyCause::Unknown);
  EXPECT_EQ(diagnose_query("SELECT * { }").cause, EmptyCause::Unknown);
  EXPECT_EQ(diagnose_query("SELECT * { ?x :p ?y OPTIONAL { ?y :nosuch ?z } }").cause,
            EmptyCause::Unknown);
}

}  // namespace
}  // namespace helve::toolkit
