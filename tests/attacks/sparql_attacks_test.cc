// Runs the query attacks of a corpus beside the repository: every one must end in one of the
// outcomes its entry names, within its deadline and its memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/text.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/sparql/results/result_format.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "tests/support/test_data.h"

namespace helve {
namespace {

using namespace sparql;
using namespace std::chrono_literals;

constexpr std::uint64_t kRowsMax = 1'000;
constexpr Duration kTimeout = 500ms;
constexpr std::size_t kMemoryMax = 256 * kMiB;
// Checks are some 10 ms apart at most; the rest is for sanitizers and busy machines.
constexpr Duration kPatience = 5s;

struct Attack {
  std::string id;
  std::string query;
  std::string detail;
  std::vector<std::string> outcomes;
};

void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.id; }

std::string text_of(const JsonValue& entry, std::string_view name) {
  const JsonValue* member = entry.find(name);
  return member != nullptr && member->if_string() != nullptr ? *member->if_string() : "";
}

constexpr const char* kCorpus = "data/attacks/sparql_attacks.json";

// Empty where there is no corpus.
std::vector<Attack> read_attacks() {
  std::ifstream file(helve::testing::shared_path(kCorpus));
  if (!file) return {};
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto json = parse_json(text);
  HELVE_CHECK(json.has_value() && json->if_array() != nullptr);
  std::vector<Attack> attacks;
  for (const JsonValue& entry : *json->if_array()) {
    Attack attack{text_of(entry, "id"), text_of(entry, "sparql"), text_of(entry, "detail"), {}};
    for (const JsonValue& outcome : *entry.find("outcomes")->if_array()) {
      attack.outcomes.push_back(*outcome.if_string());
    }
    attacks.push_back(std::move(attack));
  }
  return attacks;
}

// More than 100,000 triples: a thousand nodes that know and point at each other.
std::string big_graph() {
  constexpr int kNodes = 1'000;
  constexpr int kTriplesPerNode = 101;
  std::string text = "<http://ex/a> <http://ex/where> \"x\" .\n";
  const auto node = [](int number) {
    return "<http://ex/n" + std::to_string(number % kNodes) + ">";
  };
  for (int i = 0; i < kNodes; ++i) {
    text += node(i) + " <http://example.org/knows> " + node(i + 1) + " .\n";
    for (int j = 0; j < kTriplesPerNode; ++j) {
      text += node(i) + (j % 2 == 0 ? " <http://ex/p> " : " <http://ex/q> ") +
              (j % 4 == 0 ? node(i * 7 + j) : "\"" + std::to_string(i * 1'000 + j) + "\"") + " .\n";
    }
  }
  return text;
}

std::shared_ptr<const Snapshot> data() {
  static const auto snapshot = [] {
    const std::string text = big_graph();
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("data.nt", text, rdf::Format::NTriples));
    auto loaded = store::load_documents(std::move(documents), {}, {});
    HELVE_CHECK(loaded.has_value());
    return store::as_dataset(std::move(loaded->snapshot));
  }();
  return snapshot;
}

// The processor time of this program, so that a busy machine changes nothing; remembers how long no
// one looked at it: how late a deadline was noticed at worst.
class WorkClock final : public Clock {
 public:
  MonotonicTime now() const override {
    const MonotonicTime time = work_done();
    longest_ = std::max<Duration>(longest_, time - last_);
    last_ = time;
    return time;
  }
  WallTime wall() const override { return real_clock().wall(); }
  void sleep_for(Duration duration) override { real_clock().sleep_for(duration); }
  Duration longest_gap() const { return longest_; }

 private:
  static MonotonicTime work_done() {
    const double seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return MonotonicTime(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
  }

  mutable MonotonicTime last_ = work_done();
  mutable Duration longest_{0};
};

std::string outcome_of(const Error& error, bool is_parsing) {
  switch (error.code) {
    case ErrorCode::InvalidInput:
      return is_parsing ? "error:parse" : "error:query";
    case ErrorCode::Denied:
      return "error:policy";
    case ErrorCode::LimitExceeded:
      if (error.message.find("deadline") != std::string::npos) return "error:timeout";
      if (error.message.find("memory budget") != std::string::npos) return "error:memory";
      return "error:limit";
    default:
      return "error of ours: " + error.to_string();
  }
}

struct CountingGraph final : rdf::StatementSink {
  Result<void> statement(const rdf::StatementView& /*statement*/) override {
    ++count;
    return {};
  }
  std::size_t count = 0;
};

struct Ending {
  std::string outcome;
  std::string error;
  std::string table;  // as a person would see it
};

Ending ended(std::string outcome, const Error& error) {
  return {std::move(outcome), error.to_string(), ""};
}

Ending rows_ending(std::size_t rows, bool has_more, std::string table) {
  if (has_more) return {"truncated", "", std::move(table)};
  return {rows == 0 ? "0 rows" : "rows", "", std::move(table)};
}

Ending evaluate(const Query& query, const OpContext& context) {
  auto run = QueryRun::start(query, data(), {}, context);
  if (!run) return ended(outcome_of(run.error(), false), run.error());
  if (run->kind() == QueryRun::Kind::Graph) {
    CountingGraph graph;
    const auto sent = run->send(graph, kRowsMax);
    if (!sent) return ended(outcome_of(sent.error(), false), sent.error());
    return rows_ending(graph.count, *sent, "");
  }
  SolutionTable table;
  const auto sent = run->send(table, kRowsMax);
  if (!sent) return ended(outcome_of(sent.error(), false), sent.error());
  StringSink out;
  const auto writer = make_solution_writer(ResultFormat::Table, out);
  HELVE_CHECK(table.send(*writer).has_value());
  HELVE_CHECK(writer->finish().has_value());
  return rows_ending(table.answer ? 1 : table.rows.size(), *sent, out.take());
}

class SparqlAttack : public ::testing::TestWithParam<Attack> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SparqlAttack);

// "rows (<50 ms)" is rows; "rows (regex error = no match)" is none too; "error" is any error; rows
// may be more than were asked for.
bool is_named(const std::string& outcome, const Attack& attack) {
  for (const std::string& named : attack.outcomes) {
    if (named.starts_with(outcome)) return true;
    if (named == "error" && outcome.starts_with("error:")) return true;
    if (outcome == "truncated" && named == "rows") return true;
    if (outcome == "0 rows" && named.find("no match") != std::string::npos) return true;
  }
  // Meant for endpoints that know the service; SERVICE is refused here.
  return attack.detail == "only-if-endpoint-is-wdqs" && outcome == "error:policy";
}

TEST_P(SparqlAttack, EndsAsItShould) {
  const Attack& attack = GetParam();
  data();  // before the deadline is set
  const WorkClock clock;
  MemoryBudget memory("query", kMemoryMax);
  OpContext context;
  context.deadline = Deadline(clock, kTimeout);
  context.memory = &memory;
  const MonotonicTime started = real_clock().now();
  Ending ending;
  if (const auto parsed = parse_query(attack.query); !parsed) {
    ending = ended(outcome_of(parsed.error(), true), parsed.error());
  } else {
    ending = evaluate(parsed->query, context);
  }
  EXPECT_TRUE(is_named(ending.outcome, attack))
      << ending.outcome << ", not " << ::testing::PrintToString(attack.outcomes) << "; "
      << ending.error << "\n"
      << attack.query.substr(0, 500);
  EXPECT_LT(real_clock().now() - started, kTimeout + kPatience);
  EXPECT_LE(memory.bytes_peak(), kMemoryMax);
  EXPECT_EQ(memory.bytes_used(), 0U);
  RecordProperty("longest_gap_us",
                 static_cast<int>(clock.longest_gap() / std::chrono::microseconds(1)));
  if (attack.detail == "marked") {
    for (const std::string_view hidden : {"\x1B", "\a", "\u200B", "\u202E"}) {
      EXPECT_THAT(ending.table, ::testing::Not(::testing::HasSubstr(std::string(hidden))));
    }
    EXPECT_THAT(ending.table, ::testing::HasSubstr("\\"));
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, SparqlAttack, ::testing::ValuesIn(read_attacks()),
                         [](const auto& test) {
                           std::string name = test.param.id;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SparqlAttacks, CorpusIsThere) {
  HELVE_SHARED_PATH(file, kCorpus);
  EXPECT_GE(read_attacks().size(), 80U);
}

}  // namespace
}  // namespace helve
