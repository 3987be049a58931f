// How often diagnosis names the right cause and part, by kind; how often it sees a mistake where
// there is none.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "sources/sparql/algebra/parser.h"
#include "tests/diagnosis/broken_queries.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/test_data.h"

namespace helve::testing {
namespace {

namespace fs = std::filesystem;
using toolkit::Diagnosis;
using toolkit::EmptyCause;

constexpr std::size_t kDraftsPerGraph = 60;
constexpr std::size_t kPerKindAndGraph = 12;
constexpr std::size_t kQuestionsPerKind = 12;

struct Score {
  std::size_t asked = 0;
  std::size_t right_cause = 0;
  std::size_t right = 0;  // and part
};

struct Scores {
  std::map<std::string, Score> kinds;
  std::map<std::string, Score> questions;  // right: no mistake was claimed
  std::uint64_t probes_max = 0;

  static Score sum(const std::map<std::string, Score>& scores) {
    Score out;
    for (const auto& [kind, score] : scores) {
      out.asked += score.asked;
      out.right_cause += score.right_cause;
      out.right += score.right;
    }
    return out;
  }
};

bool claims_mistake(EmptyCause cause) {
  return cause == EmptyCause::UnknownIri || cause == EmptyCause::Reversed ||
         cause == EmptyCause::LiteralDatatype || cause == EmptyCause::LiteralLanguage ||
         cause == EmptyCause::LiteralCase || cause == EmptyCause::LiteralSpace ||
         cause == EmptyCause::WrongGraph;
}

bool is_verbose() { return std::getenv("HELVE_VERBOSE") != nullptr; }

void tell(const std::string& kind, const std::string& text, const Diagnosis& diagnosis) {
  if (!is_verbose()) return;
  std::printf("%s: %s\n  %s: %s\n", kind.c_str(), text.c_str(),
              std::string(name_of(diagnosis.cause)).c_str(), diagnosis.says.c_str());
  for (const std::string& part : diagnosis.parts) std::printf("  part %s\n", part.c_str());
}

bool has_part(const Diagnosis& diagnosis, const BrokenQuery& broken) {
  for (const sparql::SourceSpan& span : diagnosis.spans) {
    if (span.begin < broken.span.second && broken.span.first < span.end) return true;
  }
  // GRAPH stands around the triples that are named.
  if (broken.cause != EmptyCause::WrongGraph) return false;
  const std::string name = broken.text.substr(broken.span.first, 5);
  return !diagnosis.parts.empty() && name == "GRAPH" && diagnosis.parts[0].starts_with("GRAPH");
}

Diagnosis diagnose(const GraphSample& sample, const std::string& text) {
  const auto query = sparql::parse_query(text);
  EXPECT_TRUE(query) << text;
  if (!query) return {};
  return toolkit::diagnose_empty(query->query, *sample.source, {});
}

void score_broken(const GraphSample& sample, Scores& scores) {
  Random random(20240229);
  std::map<std::string, std::size_t> made;
  for (const Draft& draft : make_drafts(sample, kDraftsPerGraph, random)) {
    for (const BrokenQuery& broken : broken_in_every_way(sample, draft, random)) {
      if (++made[broken.kind] > kPerKindAndGraph) continue;
      const Diagnosis diagnosis = diagnose(sample, broken.text);
      Score& score = scores.kinds[broken.kind];
      ++score.asked;
      scores.probes_max = std::max(scores.probes_max, diagnosis.probes);
      const bool is_cause = diagnosis.cause == broken.cause;
      if (is_cause) ++score.right_cause;
      if (is_cause && has_part(diagnosis, broken)) {
        ++score.right;
      } else {
        tell("WRONG " + sample.name + " " + broken.kind, broken.text, diagnosis);
      }
    }
  }
}

void score_questions(const GraphSample& sample, Scores& scores) {
  Random random(19690720);
  for (const EmptyQuestion& question : empty_questions(sample, kQuestionsPerKind, random)) {
    const Diagnosis diagnosis = diagnose(sample, question.text);
    Score& score = scores.questions[question.kind];
    ++score.asked;
    if (claims_mistake(diagnosis.cause)) {
      tell("FALSE ALARM " + sample.name + " " + question.kind, question.text, diagnosis);
    } else {
      ++score.right;
    }
  }
}

void print(const Scores& scores) {
  std::printf("%-44s %6s %6s %6s\n", "broken by", "asked", "cause", "+part");
  for (const auto& [kind, score] : scores.kinds) {
    std::printf("%-44s %6zu %6zu %6zu\n", kind.c_str(), score.asked, score.right_cause,
                score.right);
  }
  const Score all = Scores::sum(scores.kinds);
  std::printf("%-44s %6zu %6zu %6zu  %.1f %%\n", "all", all.asked, all.right_cause, all.right,
              100.0 * static_cast<double>(all.right) / static_cast<double>(all.asked));
  std::printf("%-44s %6s %6s\n", "good questions without an answer", "asked", "quiet");
  for (const auto& [kind, score] : scores.questions) {
    std::printf("%-44s %6zu %6zu\n", kind.c_str(), score.asked, score.right);
  }
  const Score quiet = Scores::sum(scores.questions);
  std::printf("%-44s %6zu %6zu  %.1f %% false alarms; at most %llu probes for one query\n", "all",
              quiet.asked, quiet.right,
              100.0 * static_cast<double>(quiet.asked - quiet.right) /
                  static_cast<double>(std::max<std::size_t>(1, quiet.asked)),
              static_cast<unsigned long long>(scores.probes_max));
}

void expect_good(const Scores& scores, std::size_t broken_min) {
  const Score all = Scores::sum(scores.kinds);
  EXPECT_GE(all.asked, broken_min);
  EXPECT_GE(all.right * 100, all.asked * 90);
  const Score quiet = Scores::sum(scores.questions);
  EXPECT_GE(quiet.asked, 30U);
  EXPECT_LT((quiet.asked - quiet.right) * 100, quiet.asked * 2);
  EXPECT_LE(scores.probes_max, 200U);
}

void score_file(const std::string& name, const fs::path& path, Scores& scores) {
  const auto source = graph_of_file(path.string());
  ASSERT_TRUE(source) << source.error().to_string();
  const GraphSample sample = sample_of(name, *source);
  ASSERT_FALSE(sample.is_empty()) << path;
  score_broken(sample, scores);
  score_questions(sample, scores);
}

TEST(DiagnosisAccuracy, OnTheSample) {
  Scores scores;
  score_file("sample", fs::path(helve::testing::repository_path("examples/solar-system.trig")),
             scores);
  print(scores);
  expect_good(scores, 100);
}

TEST(DiagnosisAccuracy, OnPublishedGraphs) {
  HELVE_SHARED_PATH(folder, "data");
  Scores scores;
  const std::vector<std::pair<std::string, std::string>> graphs = {
      {"prov", "ontologies/prov/prov.ttl"},
      {"schema.org", "ontologies/schemaorg/schemaorg-current-https.ttl"},
      {"swdf", "kg/swdf/merged.nt.gz"},
      {"nobel", "kg/nobel/nobel.fixed.ttl"},
      {"lubm", "kg/lubm-u1/merged.nt.gz"}};
  for (const auto& [name, path] : graphs) score_file(name, fs::path(folder) / path, scores);
  print(scores);
  expect_good(scores, 200);
}

}  // namespace
}  // namespace helve::testing
