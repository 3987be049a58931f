// Deadline, cancellation and memory budget for every operator that a plan over the store can have,
// by the text of queries. A new operator needs a query here: the last test says so. Checks are
// counted by a StepClock, never seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/op_context.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/engine/query_run.h"
#include "tests/reference/comparison.h"
#include "tests/reference/random_query.h"
#include "tests/support/step_clock.h"

namespace helve::reference {
namespace {

using namespace sparql;
using ::testing::HasSubstr;

constexpr Duration kStep = std::chrono::milliseconds(1);
constexpr std::int64_t kNever = 1'000'000'000;

rdf::Term iri(const std::string& name) {
  return rdf::Term(rdf::TermView::iri("http://example.org/" + name));
}
rdf::Term number(int value) {
  return rdf::Term(
      rdf::TermView::literal(std::to_string(value), "http://www.w3.org/2001/XMLSchema#integer"));
}

// A ring of :p, six :k of each node to others, a number, a text and a class of each; with
// `has_graphs` a part of it in two named graphs as well, which some operators do not work with.
SnapshotPtr make_data(bool has_graphs) {
  constexpr int kNodes = 160;
  constexpr int kLinks = 6;
  std::vector<MemoryQuad> quads;
  const auto node = [](int i) { return iri("n" + std::to_string(i % kNodes)); };
  for (int i = 0; i < kNodes; ++i) {
    quads.push_back({node(i), iri("p"), node(i + 1), {}});
    quads.push_back({node(i), iri("v"), number(i), {}});
    quads.push_back({node(i), iri("t"), iri("C" + std::to_string(i % 5)), {}});
    quads.push_back(
        {node(i), iri("s"), rdf::Term(rdf::TermView::literal("label " + std::to_string(i))), {}});
    for (int j = 1; j <= kLinks; ++j) {
      quads.push_back({node(i), iri("k"), node(i * 3 + j * j * 7), {}});
    }
  }
  const std::size_t size = has_graphs ? quads.size() : 0;
  for (std::size_t i = 0; i < size; i += 2) {
    quads.push_back(quads[i]);
    quads.back()[3] = iri(i % 4 == 0 ? "g" : "h");
  }
  return make_store(quads);
}

const SnapshotPtr& data_for(const Query& query) {
  static const SnapshotPtr without = make_data(false);
  static const SnapshotPtr with = make_data(true);
  const bool asks_graphs =
      !query.dataset.empty() || to_sparql(query).find("GRAPH") != std::string::npos;
  return asks_graphs ? with : without;
}

struct Case {
  std::string name;
  std::string query;
};

// Each of its steps has a few rows only.
std::string many_steps() {
  std::string path = ":s?";
  for (int i = 1; i < 300; ++i) path += "/:s?";
  return "SELECT * { :n1 " + path + " ?b }";
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Each has some 25,000 rows or candidates, or more.
std::vector<Case> pattern_cases() {
  return {
      {"product", "SELECT ?a ?b { ?a :v ?x . ?b :v ?y }"},
      {"filtered_product", "SELECT * { ?a :v ?x . ?b :v ?y FILTER(?x + ?y < -1) }"},
      {"wide_star", "SELECT * { ?a :k ?b ; :k ?c ; :k ?d ; :v ?x ; :k ?e }"},
      {"chain", "SELECT ?a ?e { ?a :k ?b . ?b :k ?c . ?c :k ?d . ?d :k ?e }"},
      {"triangles", "SELECT * { ?a :k ?b . ?b :k ?c . ?a :k ?c . ?x :v ?y . ?z :t ?c }"},
      {"square", "SELECT * { ?a :k ?b . ?b :k ?c . ?c :k ?d . ?d :k ?a . ?e :v ?f }"},
      {"object_in_both", "SELECT * { { ?a :p ?b . ?b :p ?c } UNION { ?a :p ?b } ?d :v ?e }"},
      {"two_of_one_order", "SELECT * { ?a :v ?x . ?a :t ?t . ?b :k ?c . ?b :t ?d }"},
      {"three_of_one_order", "SELECT * { ?a :k ?b . ?a :v ?x . ?a :s ?y . ?c :v ?d }"},
      {"three_of_the_other", "SELECT * { ?a :k ?b . ?c :p ?b . ?d :k ?b . ?e :v ?f }"},
      {"variable_predicates", "SELECT ?a ?c { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d }"},
      {"sub_queries",
       "SELECT * { { SELECT DISTINCT ?a ?b { ?a :k ?c . ?c :k ?b } } "
       "{ SELECT DISTINCT ?a ?d { ?a :k ?e . ?e :k ?d } } }"},
      {"optional", "SELECT * { ?a :v ?x . ?b :v ?y OPTIONAL { ?a :k ?b } }"},
      {"optional_with_condition",
       "SELECT * { ?a :v ?x . ?b :v ?y OPTIONAL { ?a :k ?c FILTER(?c = ?b) } }"},
      {"optional_of_sub_query",
       "SELECT * { ?a :v ?x . ?b :v ?y OPTIONAL { SELECT DISTINCT ?a ?d { ?a :k ?c . ?c :p ?d } } "
       "}"},
      {"nested_optional",
       "SELECT * { ?a :v ?x . ?b :v ?y OPTIONAL { ?b :k ?c OPTIONAL { ?c :k ?a } } }"},
      {"minus", "SELECT * { ?a :v ?x . ?b :v ?y MINUS { ?a :k ?b } }"},
      {"minus_of_sub_query",
       "SELECT * { ?a :v ?x . ?b :v ?y MINUS { SELECT ?a ?b { ?a :k ?c . ?c :k ?b } } }"},
      {"minus_of_optional",
       "SELECT * { ?a :v ?x . ?b :v ?y MINUS { ?a :k ?c OPTIONAL { ?c :k ?b } } }"},
      {"exists", "SELECT * { ?a :v ?x . ?b :v ?y FILTER EXISTS { ?a :k ?c . ?c :k ?b } }"},
      {"not_exists", "SELECT * { ?a :v ?x . ?b :v ?y FILTER NOT EXISTS { ?a :k ?b } }"},
      {"exists_with_condition",
       "SELECT * { ?a :v ?x . ?b :v ?y FILTER EXISTS { ?a :k ?c FILTER(?c = ?b) } }"},
      {"exists_in_disjunction",
       "SELECT * { ?a :v ?x . ?b :v ?y FILTER(?x < 0 || EXISTS { ?a :k ?b }) }"},
      {"closure_of_all", "SELECT * { ?a :p+ ?b }"},
      {"closure_of_some", "SELECT * { ?a :t :C1 . ?a :k* ?b . ?b :v ?x }"},
      {"closure_of_sequence", "SELECT * { ?a (:k/:p)+ ?b }"},
      {"closure_between", "SELECT * { ?a :v ?x . ?b :v ?y . ?a :p* ?b }"},
      {"path_alternatives", "SELECT * { ?a (:k|^:k)/(:k|^:k)/(:p|:k) ?b }"},
      {"many_steps", many_steps()},
      {"negated_set", "SELECT * { ?a !(:p|:v)/!(^:k)/!:t ?b }"},
      {"union", "SELECT * { { ?a :v ?x . ?b :v ?y } UNION { ?a :k ?b . ?b :k ?c . ?c :k ?d } }"},
      {"values", "SELECT * { VALUES ?a { :n1 :n2 :n3 } ?b :v ?y . ?c :v ?z }"},
      {"values_with_open_cells",
       "SELECT * { ?a :v ?x . ?b :v ?y VALUES (?a ?b) { (:n1 UNDEF) (UNDEF :n2) (:n3 :n4) } }"},
      {"graphs", "SELECT * { GRAPH ?g { ?a :v ?b . ?c :k ?d } }"},
      {"one_graph", "SELECT * { GRAPH :g { ?a :t ?b . ?c ?p ?d } }"},
      {"from", "SELECT * FROM :g FROM :h { ?a :v ?b . ?c :k ?d }"},
  };
}

std::vector<Case> modifier_cases() {
  return {
      {"bind", "SELECT * { ?a :s ?x . ?b :s ?y BIND(CONCAT(?x, ?y) AS ?z) }"},
      {"regex", "SELECT * { ?a :s ?x . ?b :s ?y FILTER(REGEX(CONCAT(?x, ?y), '7.*9$')) }"},
      {"group", "SELECT ?a ?b (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y } GROUP BY ?a ?b"},
      {"group_of_index",
       "SELECT * { { SELECT ?b (COUNT(*) AS ?n) { ?a :k ?b } GROUP BY ?b } ?c :v ?x . ?d :k ?b }"},
      {"group_in_order",
       "SELECT * { { SELECT ?a (COUNT(?a) AS ?n) (COUNT(?e) AS ?m) { ?a :k ?b } GROUP BY ?a } "
       "?c :v ?x }"},
      {"distinct_of_index", "SELECT * { { SELECT DISTINCT ?b { ?a :k ?b } } ?c :v ?x . ?d :p ?b }"},
      {"predicates_of_index",
       "SELECT * { { SELECT ?p (COUNT(*) AS ?n) { ?a ?p ?b } GROUP BY ?p } ?c :v ?x . ?d :t :C1 . "
       "}"},
      {"group_of_few",
       "SELECT ?t (COUNT(DISTINCT ?y) AS ?n) (SUM(?x) AS ?s) (MAX(?y) AS ?m) "
       "{ ?a :t ?t ; :v ?x . ?b :v ?y } GROUP BY ?t HAVING(COUNT(*) > 1)"},
      {"aggregate", "SELECT (SUM(?x + ?y) AS ?n) { ?a :v ?x . ?b :v ?y }"},
      {"count_filtered", "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y FILTER(?x != ?y) }"},
      {"count_distinct",
       "SELECT (COUNT(DISTINCT *) AS ?n) { ?a :k ?b . ?b :k ?c . ?c :k ?d . ?d :t ?e }"},
      {"distinct", "SELECT DISTINCT ?x ?y { ?a :v ?x . ?b :v ?y }"},
      {"distinct_in_order",
       "SELECT * { { SELECT DISTINCT ?a { ?a :k ?b . ?a :v ?x } } ?c :v ?y . ?d :t :C1 }"},
      {"distinct_of_few", "SELECT DISTINCT ?t { ?a :t ?t . ?b :v ?x FILTER(?x != ?t) }"},
      {"order", "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(?y) ?x"},
      {"top_of_many", "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY ?y DESC(?x) LIMIT 20000"},
      {"top", "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY ?y DESC(?x) LIMIT 10"},
      {"offset", "SELECT * { ?a :v ?x . ?b :v ?y } OFFSET 25000"},
      {"sub_query_with_limit",
       "SELECT * { ?a :v ?x { SELECT ?b { ?b :k ?c . ?c :k ?d } ORDER BY ?b ?d LIMIT 200 } }"},
      {"sub_query_in_optional",
       "SELECT * { ?a :v ?x . ?d :v ?y OPTIONAL { SELECT ?a (COUNT(*) AS ?n) { ?a :k ?c } "
       "GROUP BY ?a } }"},
      {"ask", "ASK { ?a :v ?x . ?b :v ?y FILTER(?x + ?y < -1) }"},
      {"construct", "CONSTRUCT { ?a :q ?b } { ?a :v ?x . ?b :v ?y }"},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = pattern_cases();
  for (const Case& one : modifier_cases()) all.push_back(one);
  return all;
}

Query parsed_query(const std::string& text) {
  ParseOptions options;
  options.known_prefixes = {{"", "http://example.org/"}};
  return parse_query(text, options).value().query;
}

// Cancellation and deadline by the number of the check, memory in bytes.
struct Bounds {
  std::int64_t deadline_at = kNever;
  std::int64_t cancelled_at = kNever;
  std::size_t bytes_max = kGiB;
  Executor* executor = nullptr;
};

struct Measured {
  std::vector<std::uint64_t> rows;  // a hash of each: some have millions
  std::optional<Error> error;
  std::int64_t checks = 0;
  std::size_t bytes_peak = 0;
  std::size_t bytes_left = 0;  // after the end
};

std::uint64_t hash_of(const rdf::TermView& term, std::uint64_t seed) {
  const std::uint64_t value = hash_bytes(term.value, seed + static_cast<std::uint64_t>(term.kind));
  return term.is_literal() ? hash_bytes(term.datatype, hash_bytes(term.language, value)) : value;
}

struct RowSink final : SolutionSink, rdf::StatementSink {
  explicit RowSink(std::vector<std::uint64_t>& out) : rows(out) {}
  Result<void> variables(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> boolean(bool /*answer*/) override { return {}; }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    std::uint64_t hash = 0;
    for (const auto& term : terms) hash = term ? hash_of(*term, hash) : hash_bytes("", hash);
    rows.push_back(hash);
    return {};
  }
  Result<void> statement(const rdf::StatementView& statement) override {
    rows.push_back(hash_of(statement.object, hash_of(statement.subject, 0)));
    return {};
  }
  std::vector<std::uint64_t>& rows;
};

Result<void> evaluate_into(std::vector<std::uint64_t>& rows, const Query& query, PassSet passes,
                           const OpContext& context) {
  RunOptions options;
  options.passes = passes;
  HELVE_ASSIGN(QueryRun run, QueryRun::start(query, data_for(query), options, context));
  RowSink sink(rows);
  if (run.kind() == QueryRun::Kind::Graph) {
    HELVE_TRY(run.send(static_cast<rdf::StatementSink&>(sink)));
  } else {
    HELVE_TRY(run.send(static_cast<SolutionSink&>(sink)));
  }
  return {};
}

Measured measure(const Query& query, PassSet passes, const Bounds& bounds) {
  StepClock clock(kStep);
  MemoryBudget memory("test", bounds.bytes_max);
  OpContext context;
  context.memory = &memory;
  context.executor = bounds.executor;
  context.deadline = Deadline(clock, kStep * bounds.deadline_at);
  if (bounds.cancelled_at != kNever) clock.cancel_at(bounds.cancelled_at, context.cancel);
  Measured out;
  if (auto done = evaluate_into(out.rows, query, passes, context); !done) out.error = done.error();
  out.checks = clock.looks() - 1;  // the deadline's own look
  out.bytes_peak = memory.bytes_peak();
  out.bytes_left = memory.bytes_used();
  return out;
}

// What was delivered before an error is the beginning of the whole.
void expect_prefix(const Measured& part, const Measured& whole) {
  ASSERT_LE(part.rows.size(), whole.rows.size());
  EXPECT_TRUE(std::equal(part.rows.begin(), part.rows.end(), whole.rows.begin()));
}

class OperatorLimits : public ::testing::TestWithParam<Case> {
 protected:
  void check(PassSet passes, const std::vector<int>& percents) const {
    const Query query = parsed_query(GetParam().query);
    const Measured whole = measure(query, passes, {});
    ASSERT_FALSE(whole.error) << whole.error->to_string();
    EXPECT_EQ(whole.bytes_left, 0U);
    // One for each 8,000 rows or candidates, about.
    ASSERT_GE(whole.checks, 3) << "too little work to be worth a test, or too few checks";
    for (const int percent : percents) {
      Bounds bounds;
      bounds.deadline_at = 1 + whole.checks * percent / 100;
      const Measured part = measure(query, passes, bounds);
      ASSERT_TRUE(part.error) << percent << " percent of the time";
      EXPECT_EQ(part.error->code, ErrorCode::LimitExceeded);
      EXPECT_THAT(part.error->message, HasSubstr("deadline"));
      // Rows found before it still go through the operators above, which check as well.
      EXPECT_LE(part.checks, bounds.deadline_at + 3 + whole.checks / 100);
      EXPECT_EQ(part.bytes_left, 0U);
      expect_prefix(part, whole);
    }
    check_cancellation(query, passes, whole);
    check_memory(query, passes, whole, percents);
  }

  static void check_cancellation(const Query& query, PassSet passes, const Measured& whole) {
    Bounds bounds;
    bounds.cancelled_at = 1 + whole.checks / 2;
    const Measured part = measure(query, passes, bounds);
    ASSERT_TRUE(part.error);
    EXPECT_EQ(part.error->code, ErrorCode::Cancelled);
    EXPECT_LE(part.checks, bounds.cancelled_at + 1);
    EXPECT_EQ(part.bytes_left, 0U);
    expect_prefix(part, whole);
  }

  static void check_memory(const Query& query, PassSet passes, const Measured& whole,
                           const std::vector<int>& percents) {
    for (const int percent : percents) {
      Bounds bounds;
      bounds.bytes_max = whole.bytes_peak * static_cast<std::size_t>(percent) / 100;
      const Measured part = measure(query, passes, bounds);
      ASSERT_TRUE(part.error) << percent << " percent of " << whole.bytes_peak << " bytes";
      EXPECT_EQ(part.error->code, ErrorCode::LimitExceeded);
      EXPECT_THAT(part.error->message, HasSubstr(" needs ")) << "it names who";
      EXPECT_LE(part.bytes_peak, bounds.bytes_max);
      EXPECT_EQ(part.bytes_left, 0U);
      expect_prefix(part, whole);
    }
  }
};

TEST_P(OperatorLimits, HoldForTheOptimisedPlan) { check(PassSet::all(), {0, 40, 95}); }
TEST_P(OperatorLimits, HoldForTheSimplePlan) { check(PassSet::none(), {50}); }

// With other threads, how far they are when the end comes is open; that it comes is not.
TEST_P(OperatorLimits, HoldWithThreads) {
  static Executor executor(2);
  const Query query = parsed_query(GetParam().query);
  Bounds bounds;
  bounds.executor = &executor;
  const Measured whole = measure(query, PassSet::all(), bounds);
  ASSERT_FALSE(whole.error) << whole.error->to_string();
  EXPECT_EQ(whole.bytes_left, 0U);
  Bounds late = bounds;
  late.deadline_at = 1 + whole.checks / 3;
  const Measured stopped = measure(query, PassSet::all(), late);
  ASSERT_TRUE(stopped.error);
  EXPECT_EQ(stopped.error->code, ErrorCode::LimitExceeded);
  EXPECT_EQ(stopped.bytes_left, 0U);
  // What is enough for one core is enough.
  const Measured alone = measure(query, PassSet::all(), {});
  Bounds poor = bounds;
  poor.bytes_max = alone.bytes_peak;
  const Measured sparing = measure(query, PassSet::all(), poor);
  EXPECT_FALSE(sparing.error) << sparing.error->to_string();
  EXPECT_EQ(sparing.rows, alone.rows);
  poor.bytes_max = alone.bytes_peak / 10;
  const Measured starved = measure(query, PassSet::all(), poor);
  ASSERT_TRUE(starved.error);
  EXPECT_EQ(starved.error->code, ErrorCode::LimitExceeded);
  EXPECT_LE(starved.bytes_peak, poor.bytes_max);
  EXPECT_EQ(starved.bytes_left, 0U);
}

INSTANTIATE_TEST_SUITE_P(Cases, OperatorLimits, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// Operators, and a query that has them.
using Names = std::map<std::string, std::string>;

void collect_names(const PlanNode* node, const std::string& text, Names& names) {
  if (node == nullptr) return;
  names.emplace(node->name, text);
  for (const PlanNode* input : node->inputs) collect_names(input, text, names);
}

void add_names(const Query& query, const SnapshotPtr& snapshot, Names& names) {
  for (const PassSet passes : {PassSet::all(), PassSet::none()}) {
    const OpContext context;
    RunOptions options;
    options.passes = passes;
    options.explain = Explain::Plan;
    auto run = QueryRun::start(query, snapshot, options, context);
    if (run) collect_names(run->plan(), to_sparql(query), names);
  }
}

// Steps that give a row or none, whatever the data.
bool needs_no_case(const std::string& name) {
  return name == "seed" || name == "count from index" || name == "no such graph";
}

TEST(OperatorLimitsTest, EveryOperatorHasACase) {
  Names covered;
  for (const Case& one : cases())
    add_names(parsed_query(one.query), data_for(parsed_query(one.query)), covered);
  Names met;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Choices choices(seed);
    const TestedData random(random_quads(choices, {}));
    QueryOptions options;
    options.graphs = graph_names(random.quads());
    for (int i = 0; i < 30; ++i) {
      const auto query = as_text_says(RandomQuery(choices, options).make());
      if (query) add_names(*query, random.snapshot(Backend::Store), met);
    }
  }
  EXPECT_GT(covered.size(), 10U);
  for (const auto& [name, text] : met) {
    EXPECT_TRUE(covered.contains(name) || needs_no_case(name))
        << "no query of this test has the operator '" << name << "' in its plan, as this one has:\n"
        << text;
  }
}

}  // namespace
}  // namespace helve::reference
