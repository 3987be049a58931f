// A closed loop on a small graph, with a model and a judge of its own, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/learn/learn.h"
#include "agent/loops/json_object.h"
#include "base/real_env.h"
#include "tests/support/fake_env.h"
#include "tests/support/fake_model.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/temp_directory.h"

namespace helve::agent {

inline constexpr const char* kSmallGraph =
    "@prefix sol: <http://example.org/solar#> . @prefix b: <http://example.org/body/> .\n"
    "b:Moon a sol:Moon ; sol:orbits b:Earth . b:Titan a sol:Moon ; sol:orbits b:Saturn .\n"
    "b:Earth a sol:Planet ; sol:mass 5 . b:Saturn a sol:Planet ; sol:mass 9 .\n"
    "b:Titan sol:near b:Saturn .\n";

// What the model writes for a question, wrong at first.
struct ModelWays {
  std::string right;
  std::string wrong;
};

// Calls sparql_query, then submits. It asks rightly where its seed is even, or where a lesson of
// the right way is in its context.
class SteppingModel final : public llm::Provider {
 public:
  SteppingModel(std::map<std::string, ModelWays> ways, std::uint64_t seed)
      : ways_(std::move(ways)), seed_(seed) {}

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override {
    const llm::Message& last = request.messages.back();
    if (last.role == llm::Role::Tool) {
      return helve::testing::submits(R"({"answer": "done", "handles": ["results_0"]})")(
          request, context, sink);
    }
    for (const auto& [question, ways] : ways_) {
      if (last.text.find(question) == std::string::npos) continue;
      const bool knows = request.system.find("sol:orbits ?") != std::string::npos;
      const std::string& query = seed_ % 2 == 0 || knows ? ways.right : ways.wrong;
      return helve::testing::calls(
          {{"sparql_query", to_json(object_of({{"query", JsonValue(query)}}))}})(request, context,
                                                                                 sink);
    }
    return Error{ErrorCode::Unavailable, "the model is away"};
  }
  bool tells_cost() const override { return true; }
  std::string name() const override { return "stepping"; }
  std::string model() const override { return "stepping-1"; }

 private:
  const std::map<std::string, ModelWays> ways_;
  const std::uint64_t seed_;
};

class SmallRollouts final : public RolloutMaker {
 public:
  SmallRollouts(std::map<std::string, ModelWays> ways, std::shared_ptr<memory::MemoryBank> bank)
      : ways_(std::move(ways)), bank_(std::move(bank)) {}

  Result<Rollout> make(std::uint64_t seed, const OpContext& context) override {
    HELVE_TRY(context.check());
    static const auto graph = helve::testing::graph_of(kSmallGraph, "small");
    Rollout rollout;
    HELVE_ASSIGN(rollout.toolkit,
                 toolkit::Toolkit::make({}, env_, helve::testing::graph_factory()));
    HELVE_TRY(rollout.toolkit->add_source(graph));
    rollout.model = std::make_shared<SteppingModel>(ways_, fixed_seed_.value_or(seed));
    rollout.source = "small";
    rollout.lessons = bank_;
    ++made_;
    if (on_make_) on_make_();
    return rollout;
  }

  void fix_seed(std::uint64_t seed) { fixed_seed_ = seed; }
  void on_make(std::function<void()> then) { on_make_ = std::move(then); }
  std::size_t made() const { return made_; }

 private:
  FakeEnv env_;
  const std::map<std::string, ModelWays> ways_;
  const std::shared_ptr<memory::MemoryBank> bank_;
  std::optional<std::uint64_t> fixed_seed_;
  std::function<void()> on_make_;
  std::atomic<std::size_t> made_{0};
};

// Right is the query that the reference is.
class TextJudge final : public Judge {
 public:
  Result<TaskJudgment> judge(const TaskCase& task, const JudgedAnswer& answer,
                             const OpContext& /*context*/) override {
    if (task.id == fails_at) return Error{ErrorCode::Unavailable, "the source is away"};
    TaskJudgment judgment;
    const bool is_right = answer.query == task.reference;
    judgment.judgment = {is_right ? learning::Verdict::Correct : learning::Verdict::Incorrect, true,
                         "execution"};
    judgment.comparison.emplace();
    judgment.comparison->f1 = is_right ? 1 : 0;
    judgment.comparison->rows = 1;
    judgment.says = is_right ? "all rows are there" : "other rows";
    judgment.query_hash = "hash";
    if (on_judged) on_judged();
    return judgment;
  }

  std::string fails_at;
  std::function<void()> on_judged;
};

class LearnTest : public ::testing::Test {
 protected:
  LearnTest() {
    add_task("moons", "Which moon orbits a planet?", "SELECT ?m { ?m a sol:Moon ; sol:orbits ?p }",
             "SELECT ?m { ?m sol:near ?p }");
    add_task("planets", "Which planets are heavy?", "SELECT ?p { ?p a sol:Planet ; sol:mass ?x }",
             "SELECT ?p { ?p sol:mass ?x }");
    add_task("orbits", "What orbits what?", "SELECT ?a ?b { ?a sol:orbits ?b }",
             "SELECT ?a ?b { ?a sol:near ?b }");
    tasks_.name = "small";
    tasks_.digest = "0123";
    options_.folder = "/learn";
    options_.has_times = false;
    options_.config = {{"model", "stepping-1"}};
    origin_.domain = "small";
    origin_.prefixes = {{"sol", "http://example.org/solar#"}};
  }

  void add_task(const std::string& id, const std::string& question, const std::string& right,
                const std::string& wrong) {
    constexpr const char* kHead = "PREFIX sol: <http://example.org/solar#> ";
    TaskCase task;
    task.id = id;
    task.question = question;
    task.reference = kHead + right;
    ways_[question] = {kHead + right, kHead + wrong};
    tasks_.cases.push_back(std::move(task));
  }

  std::shared_ptr<memory::MemoryBank> open_bank(const std::string& name = "bank.db") {
    auto bank = memory::MemoryBank::open(folder_ / name, true, real_env(), {});
    EXPECT_TRUE(bank) << (bank ? "" : bank.error().to_string());
    return *bank;
  }

  Result<LearnReport> run(const std::shared_ptr<memory::MemoryBank>& bank) {
    rollouts_ = std::make_unique<SmallRollouts>(ways_, bank);
    if (seed_) rollouts_->fix_seed(*seed_);
    rollouts_->on_make(on_make_);
    done_.clear();
    const LearnParts parts{*rollouts_,
                           judge_,
                           *extractor_,
                           bank.get(),
                           origin_,
                           *env_,
                           [this](const LearnedTask& task) { done_.push_back(task.id); }};
    return learn(tasks_, options_, parts, context_);
  }

  // All that a bank has, in an order of its own; without times and how often it was looked at.
  static std::vector<std::string> items_of(memory::MemoryBank& bank, bool with_counts = true) {
    std::vector<std::string> items;
    const auto visited = bank.repository().visit(
        memory::whole_bank(),
        [&](const memory::Item& item) {
          items.push_back(item.id + " " + std::string(name_of(item.src)) + " " + item.title + "|" +
                          item.provenance.run + "|" + (item.quarantined ? "waits" : "active") +
                          (item.superseded_by.empty() ? "" : " superseded") +
                          (with_counts ? " +" + std::to_string(item.counters.helped) + " -" +
                                             std::to_string(item.counters.hurt)
                                       : ""));
          return Result<void>();
        },
        {});
    EXPECT_TRUE(visited);
    std::sort(items.begin(), items.end());
    return items;
  }

  std::string journal() const { return env_->files().content("/learn/journal.jsonl").value_or(""); }
  std::size_t count_lines(std::string_view kind) const {
    const std::string wanted = R"("kind":")" + std::string(kind) + '"';
    std::size_t count = 0;
    const std::string text = journal();
    for (std::size_t at = text.find(wanted); at != std::string::npos;
         at = text.find(wanted, at + 1)) {
      ++count;
    }
    return count;
  }

  TempDirectory folder_;
  std::unique_ptr<FakeEnv> env_ = std::make_unique<FakeEnv>();
  TaskSet tasks_;
  std::map<std::string, ModelWays> ways_;
  LearnOptions options_;
  LessonOrigin origin_;
  TextJudge judge_;
  std::unique_ptr<Extractor> extractor_ = make_pattern_extractor();
  std::unique_ptr<SmallRollouts> rollouts_;
  std::optional<std::uint64_t> seed_ = 0;
  std::function<void()> on_make_;
  std::vector<std::string> done_;
  OpContext context_;
};

}  // namespace helve::agent
