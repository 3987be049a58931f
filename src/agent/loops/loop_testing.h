// Loops on the sample graph and a small database, with a model of a script, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/loops/agent_run.h"
#include "base/env.h"
#include "tests/support/fake_env.h"
#include "tests/support/fake_model.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/tables/fake_tables.h"
#include "tests/support/test_data.h"

namespace helve::agent {

using helve::testing::answer_of;
using helve::testing::calls;
using helve::testing::fails;
using helve::testing::FakeModel;
using helve::testing::FakeTrajectory;
using helve::testing::gives;
using helve::testing::ModelStep;
using helve::testing::refuses;
using helve::testing::says;
using helve::testing::streams_on;
using helve::testing::submits;

inline constexpr const char* kMoons =
    R"(SELECT ?planet (COUNT(?moon) AS ?n) { ?moon sol:orbits ?planet ; a/rdfs:subClassOf* sol:Moon }
GROUP BY ?planet ORDER BY DESC(?n) LIMIT 3)";

// A call of sparql_query.
inline std::pair<std::string, std::string> query(std::string_view sparql) {
  JsonValue::Object arguments;
  arguments.push_back({"query", JsonValue(sparql)});
  return {"sparql_query", to_json(JsonValue(std::move(arguments)))};
}
inline std::pair<std::string, std::string> sql(std::string_view text) {
  JsonValue::Object arguments;
  arguments.push_back({"sql", JsonValue(text)});
  return {"query_execute", to_json(JsonValue(std::move(arguments)))};
}

// A source whose queries go on until their context ends them.
class EndlessTables final : public TableSource {
 public:
  explicit EndlessTables(std::string name = "shop")
      : inner_(helve::testing::music_shop(SqlDialect::Sqlite, std::move(name))) {}

  const SourceInfo& info() const override { return inner_->info(); }
  std::string fingerprint() const override { return inner_->fingerprint(); }
  SqlDialect dialect() const override { return inner_->dialect(); }
  TableRun run(const TableQuery& /*query*/, RowSink& /*sink*/,
               const OpContext& context) const override {
    TableRun run;
    const int now = ++running_;
    for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
    }
    while (true) {
      if (auto going = context.check(); !going) {
        run.error = std::move(going).error();
        --running_;
        return run;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    return inner_->explain(query, context);
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    if (is_away_) return Error{ErrorCode::Unavailable, "it is away"};
    while (is_slow_) {
      HELVE_TRY(context.check());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return inner_->catalogue(context, is_fresh);
  }
  Result<SourceRights> rights(const OpContext& context) const override {
    return inner_->rights(context);
  }
  std::string setup_script() const override { return inner_->setup_script(); }

  void hide_catalogue() { is_away_ = true; }
  // It comes when the context of the call ends, that is never.
  void delay_catalogue() { is_slow_ = true; }
  int running() const { return running_; }
  int most_at_once() const { return most_; }

 private:
  std::shared_ptr<helve::testing::FakeTables> inner_;
  bool is_away_ = false;
  bool is_slow_ = false;
  mutable std::atomic<int> running_{0};
  mutable std::atomic<int> most_{0};
};

inline std::string sample_text() {
  const auto file =
      real_env().files().map(helve::testing::repository_path("examples/solar-system.trig"));
  EXPECT_TRUE(file.has_value());
  return file ? std::string((*file)->text()) : std::string();
}

class LoopTest : public ::testing::Test {
 protected:
  LoopTest() {
    reset_toolkit();
    request_.question = "Which planet has the most moons?";
    request_.context = "# L0 Source\nSolar system\n";
  }

  // A new one with the same sources, and nothing stored.
  void reset_toolkit() {
    env_ = std::make_unique<FakeEnv>();
    toolkit::ToolkitOptions options;
    options.marks_data = true;
    auto made = toolkit::Toolkit::make(options, *env_, helve::testing::graph_factory());
    EXPECT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    static const auto sample = helve::testing::graph_of(sample_text(), "sample");
    EXPECT_TRUE(toolkit_->add_source(sample).has_value());
    EXPECT_TRUE(toolkit_->add_source(helve::testing::music_shop()).has_value());
  }

  void set_policy(std::string_view json) {
    auto policy = toolkit::policy_from_json(*parse_json(json));
    ASSERT_TRUE(policy.has_value());
    caller_.policy = std::make_shared<const toolkit::Policy>(*std::move(policy));
  }

  RunParts parts(FakeModel& model) {
    RunParts parts{*toolkit_, caller_, model, nullptr, *trajectory_, {}, {}, {}};
    parts.on_event = [this](const RunEvent& event) {
      const bool is_alone = event_mutex_.try_lock();
      EXPECT_TRUE(is_alone) << "two events at once";
      events_.emplace_back(name_of(event.kind));
      if (event.kind == RunEventKind::Output) printed_ += event.text;
      if (is_alone) event_mutex_.unlock();
    };
    parts.steering = steering_;
    parts.start_sandbox = start_sandbox_;
    return parts;
  }

  RunResult react(std::vector<ModelStep> script, const OpContext& context = {}) {
    return run(run_react, std::move(script), context);
  }
  RunResult rlm(std::vector<ModelStep> script, const OpContext& context = {}) {
    return run(run_rlm, std::move(script), context);
  }
  RunResult run(RunResult (*loop)(const RunRequest&, const RunParts&, const OpContext&),
                std::vector<ModelStep> script, const OpContext& context) {
    trajectory_ = std::make_unique<FakeTrajectory>();
    events_.clear();
    printed_.clear();
    model_ = std::make_unique<FakeModel>(std::move(script));
    return loop(request_, parts(*model_), context);
  }

  // The text of a message of a request to the model.
  std::string heard(std::size_t request, std::size_t from_end = 0) const {
    const auto messages = model_->request(request).messages;
    return messages.at(messages.size() - 1 - from_end).text;
  }
  std::size_t count_events(std::string_view name) const {
    return static_cast<std::size_t>(std::count(events_.begin(), events_.end(), name));
  }

  std::unique_ptr<FakeEnv> env_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  toolkit::Caller caller_;
  RunRequest request_;
  std::function<Steering()> steering_;
  decltype(RunParts::start_sandbox) start_sandbox_;
  std::unique_ptr<FakeTrajectory> trajectory_ = std::make_unique<FakeTrajectory>();
  std::unique_ptr<FakeModel> model_;
  std::mutex event_mutex_;
  std::vector<std::string> events_;
  std::string printed_;
};

}  // namespace helve::agent
