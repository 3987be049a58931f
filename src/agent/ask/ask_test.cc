#include "agent/ask/ask.h"

#include "agent/loops/json_object.h"
#include "agent/loops/loop_testing.h"
#include "agent/loops/prompt_words.h"
#include "agent/trajectory/replay.h"
#include "agent/trajectory/stats.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/bank.h"

namespace helve::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Ask : public LoopTest {
 protected:
  Ask() { ask_.question = "Which planet has the most moons?"; }

  AskResult run(std::vector<ModelStep> script, const OpContext& context = {}) {
    trajectory_ = std::make_unique<FakeTrajectory>();
    model_ = std::make_unique<FakeModel>(std::move(script));
    events_.clear();
    return ask(ask_, parts(*model_), context);
  }

  AskRequest ask_;
};

TEST_F(Ask, AnswersWithContextAndEvidence) {
  const AskResult result =
      run({calls({query(kMoons)}), submits(R"({"answer": "Saturn", "handles": ["results_0"]})")});
  EXPECT_TRUE(result.run.has_converged());
  EXPECT_GT(result.context.layers.size(), 1U);
  EXPECT_EQ(result.context.guide, "solar-system");
  EXPECT_THAT(model_->request(0).system, HasSubstr(result.context.text));
  JsonValue json = result.to_json();
  EXPECT_EQ(text_of(json, "content"), "Saturn");
  EXPECT_EQ(text_of(json, "query"), kMoons);
  EXPECT_EQ(text_of(json, "stop_reason"), "submitted");
  EXPECT_EQ(to_json(*json.find("converged")), "true");
  EXPECT_EQ(to_json(*json.find("extracted")), "false");
  EXPECT_EQ(text_of(json, "bound"), "named");
  EXPECT_EQ(text_of(json, "note"), "");
  EXPECT_EQ(to_json(*json.find("tools_used")), R"(["sparql_query"])");
  EXPECT_EQ(to_json(*json.find("events")),
            R"({"schema_loaded":1,"tool_call":1,"tool_result":1,"final_answer":1})");
  EXPECT_EQ(to_json(*json.find("usage")),
            R"({"input_tokens":200,"cached_tokens":80,"cache_write_tokens":0,"output_tokens":20,)"
            R"("cost":0.02,"is_estimated":false})");
  const JsonValue artifact = json.find("structured_artifacts")->if_array()->at(0);
  EXPECT_EQ(text_of(artifact, "handle"), "results_0");
  EXPECT_EQ(text_of(artifact, "query_hash"), digest_hex(DigestKind::Sha256, kMoons));
  EXPECT_EQ(text_of(artifact, "source"), "sample");
  EXPECT_EQ(artifact.find("rows")->to_int64(), 3);
  EXPECT_EQ(json.find("error"), nullptr);
  EXPECT_EQ(events_.size(), 4U);  // and the caller hears them
  // Layer by layer.
  const JsonValue start = trajectory_->of(EventKind::RunStart)[0];
  const JsonValue::Array& layers = *start.find("context")->if_array();
  ASSERT_EQ(layers.size(), result.context.layers.size());
  EXPECT_EQ(text_of(layers[0], "layer"), "L0");
  EXPECT_THAT(text_of(layers[0], "text"), HasSubstr("Solar system exploration"));
}

TEST_F(Ask, WhatTheRunIsMadeOfIsWrittenDown) {
  run({submits(R"({"answer": "x"})")});
  const JsonValue origin = *trajectory_->of(EventKind::RunStart)[0].find("origin");
  EXPECT_THAT(text_of(origin, "helve"), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  const JsonValue::Array& sources = *origin.find("sources")->if_array();
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(text_of(sources[0], "name"), "sample");
  EXPECT_NE(text_of(sources[0], "fingerprint"), "");
  EXPECT_NE(sources[1].find("uri"), nullptr);
  EXPECT_EQ(sources[1].find("fingerprint"), nullptr);  // it was not looked at
}

// Every character of every request, marks apart; counted here from what the model was really sent.
TEST_F(Ask, PromptsOfARecordedRunAreCountedAsTheyWereSent) {
  for (const Loop loop : {Loop::React, Loop::Rlm}) {
    ask_.loop = loop;
    reset_toolkit();
    FakeModel model(
        loop == Loop::React
            ? std::vector<ModelStep>{calls({query(kMoons)}), submits(R"({"answer": "Saturn"})")}
            : std::vector<ModelStep>{says("```python\nprint(len(context))\n```"),
                                     says("```python\nSUBMIT(answer='x')\n```")});
    MemoryTrajectory trajectory;
    const RunParts parts{*toolkit_, caller_, model, nullptr, trajectory, {}, {}, {}};
    const AskResult result = ask(ask_, parts, {});
    ASSERT_TRUE(result.run.has_converged()) << name_of(loop);
    TrajectoryFile file;
    for (TrajectoryEvent& event : trajectory.events()) file.lines.push_back({event, "", 1, 1});
    const RunStats stats = stats_of(runs_of(std::move(file))[0]);
    std::uint64_t sent = 0;
    std::uint64_t most = 0;
    ASSERT_EQ(model.requests().size(), 2U);
    for (const llm::Request& request : model.requests()) {
      std::uint64_t chars = utf8_length(request.system);
      for (const llm::Message& message : request.messages) {
        const bool is_reply = message.role == llm::Role::Tool;
        chars += utf8_length(is_reply ? without_marks(message.text) : message.text);
        for (const llm::ToolUse& call : message.calls) chars += to_json(call.arguments).size();
      }
      sent += chars;
      most = std::max(most, chars);
    }
    EXPECT_EQ(stats.prompt_chars, sent) << name_of(loop);
    EXPECT_EQ(stats.prompt_chars_max, most) << name_of(loop);
  }
}

// What the caller says goes into the record, or a replay would go another way.
TEST_F(Ask, WordsOfTheCallerAreWrittenDown) {
  int step = 0;
  steering_ = [&step] {
    Steering word;
    if (++step == 2) word.message = "wrong table";
    if (step == 3) word.word = Steering::Word::Stop;
    return word;
  };
  const AskResult result = run({calls({query(kMoons)}), calls({query(kMoons)})});
  EXPECT_EQ(result.run.stop, StopReason::Cancelled);
  EXPECT_EQ(heard(1), "wrong table");
  const auto words = trajectory_->of(EventKind::Steering);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(to_json(words[0]), R"({"n":2,"message":"wrong table"})");
  EXPECT_EQ(to_json(words[1]), R"({"n":3,"stop":true})");
}

TEST_F(Ask, ReasoningAndFailuresOfTheModelAreWrittenDown) {
  llm::Answer thinking = answer_of("hm");
  thinking.reasoning = "moons first";
  run({gives(thinking), submits(R"({"answer": "x"})")});
  const JsonValue call = trajectory_->of(EventKind::LlmCall)[0];
  EXPECT_EQ(text_of(*call.find("answer"), "reasoning"), "moons first");
  EXPECT_NE(call.find("ms"), nullptr);
  EXPECT_GT(call.find("chars")->to_int64(), 0);
  run({fails({ErrorCode::Denied, "the key is wrong"})});
  EXPECT_EQ(text_of(trajectory_->of(EventKind::LlmCall)[0], "code"), "denied");
}

TEST_F(Ask, RlmHasTheContextAsAVariable) {
  ask_.loop = Loop::Rlm;
  ask_.signature = "context, question -> answer: str";
  const AskResult result =
      run({says("```python\nprint('Solar system' in context)\nSUBMIT(answer=context[:11])\n```")});
  EXPECT_TRUE(result.run.has_converged())
      << (result.run.error ? result.run.error->to_string() : "");
  EXPECT_EQ(result.run.content, "# L0 Source");
  EXPECT_THAT(printed_, HasSubstr("True"));
  EXPECT_THAT(model_->request(0).system, Not(HasSubstr("# L0 Source")));
}

TEST_F(Ask, AsksTheSourceThatIsNamed) {
  ask_.source = "shop";
  const AskResult result =
      run({calls({sql("SELECT name FROM artist")}), submits(R"({"answer": "x"})")});
  EXPECT_THAT(result.context.text, HasSubstr("artist"));
  EXPECT_EQ(result.run.evidence.at(0).source, "shop");
  ask_.source = "nowhere";
  const AskResult none = run({submits(R"({"answer": "x"})")});
  EXPECT_EQ(none.run.stop, StopReason::Failed);
  EXPECT_EQ(none.run.error->code, ErrorCode::NotFound);
  EXPECT_EQ(model_->asked(), 0U);
  EXPECT_THAT(trajectory_->kinds(), ::testing::ElementsAre(EventKind::RunStart, EventKind::RunEnd));
  EXPECT_EQ(text_of(*none.to_json().find("error"), "code"), "not_found");
}

TEST_F(Ask, ContextIsWithinThePolicy) {
  ask_.source = "shop";
  set_policy(R"({"denied_tables": ["customer"], "denied_columns": ["artist.name"]})");
  const AskResult result = run({submits(R"({"answer": "x"})")});
  EXPECT_THAT(result.context.text, AllOf(HasSubstr("album"), Not(HasSubstr("customer("))));
  EXPECT_THAT(model_->request(0).system, Not(HasSubstr("customer")));
  set_policy(R"({"allowed_sources": ["shop"]})");
  ask_.source = "sample";
  EXPECT_EQ(run({submits(R"({"answer": "x"})")}).run.error->code, ErrorCode::NotFound);
  ask_.source.clear();
  EXPECT_THAT(run({submits(R"({"answer": "x"})")}).context.text, HasSubstr("album"));
}

TEST_F(Ask, WithoutASourceThereIsNoContext) {
  set_policy(R"({"allowed_sources": []})");
  const AskResult result = run({submits(R"({"answer": "x"})")});
  EXPECT_TRUE(result.run.has_converged());
  EXPECT_EQ(result.context.text, "");
  EXPECT_THAT(result.context.notes, ::testing::Contains("there is no source"));
}

TEST_F(Ask, SummaryOfTheCallerStandsInsteadOfTheSchema) {
  ask_.hints.schema_summary = "Only moons matter.";
  ask_.hints.business = "A world is a moon.";
  const AskResult result = run({submits(R"({"answer": "x"})")});
  const std::string system = model_->request(0).system;
  EXPECT_THAT(result.context.text, HasSubstr("Only moons matter."));
  EXPECT_EQ(system.find("Only moons matter."), system.rfind("Only moons matter."));
  EXPECT_THAT(system, AllOf(HasSubstr("A world is a moon."), Not(HasSubstr("9,235 triples"))));
}

TEST_F(Ask, HistoryComesBeforeTheQuestion) {
  llm::Message before;
  before.text = "And Jupiter?";
  ask_.history = {before};
  run({submits(R"({"answer": "x"})")});
  const auto messages = model_->request(0).messages;
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].text, "And Jupiter?");
  EXPECT_EQ(messages[1].text, ask_.question);
}

TEST_F(Ask, SourceThatCouldNotBeLoadedFails) {
  SourceInfo info;
  info.name = "late";
  ASSERT_TRUE(toolkit_->declare_source(info).has_value());
  ASSERT_TRUE(
      toolkit_->fail_source("late", {ErrorCode::Unavailable, "cannot be read"}).has_value());
  ask_.source = "late";
  const AskResult result = run({submits(R"({"answer": "x"})")});
  EXPECT_EQ(result.run.stop, StopReason::Failed);
  EXPECT_EQ(result.run.error->code, ErrorCode::Unavailable);
  EXPECT_EQ(model_->asked(), 0U);
}

TEST_F(Ask, SourceWithoutACatalogueIsAskedAllTheSame) {
  const auto tables = std::make_shared<EndlessTables>("away");
  tables->hide_catalogue();
  ASSERT_TRUE(toolkit_->add_source(tables).has_value());
  ask_.source = "away";
  const AskResult result = run({submits(R"({"answer": "x"})")});
  EXPECT_TRUE(result.run.has_converged());
  EXPECT_THAT(result.context.notes, ::testing::Contains(HasSubstr("no context: it is away")));
}

TEST_F(Ask, LessonsAreInjectedWhereTheCallerMaySearchThem) {
  const TempDirectory folder;
  toolkit::ToolkitOptions options;
  options.bank = *memory::MemoryBank::open(folder / "bank.db", true, real_env(), {});
  memory::Item item;
  item.title = "Count moons";
  item.desc = "When moons are asked for.";
  item.content = "Group by the planet.";
  item.src = memory::ItemSource::Success;
  item.id = id_of(item);
  ASSERT_TRUE(options.bank->repository().add({item}, {}).has_value());
  toolkit_ = *toolkit::Toolkit::make(options, *env_, helve::testing::graph_factory());
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(sample_text(), "sample")).has_value());
  const AskResult result = run({submits(R"({"answer": "x"})")});
  EXPECT_THAT(result.context.injected, ::testing::ElementsAre(item.id));
  EXPECT_THAT(model_->request(0).system, HasSubstr("Group by the planet."));
  set_policy(R"({"allowed_tools": ["sparql_query"]})");
  EXPECT_TRUE(run({submits(R"({"answer": "x"})")}).context.injected.empty());
}

TEST_F(Ask, MoreToolsAreDeclaredWhereTheCallerMayCallThem) {
  const auto is_declared = [this](std::string_view name) {
    const auto request = model_->request(0);
    return std::any_of(request.tools.begin(), request.tools.end(),
                       [name](const llm::ToolDeclaration& one) { return one.name == name; });
  };
  run({submits(R"({"answer": "x"})")});
  EXPECT_FALSE(is_declared("ont_load"));
  ask_.more_tools = {"ont_load", "no_such_tool"};
  run({submits(R"({"answer": "x"})")});
  EXPECT_TRUE(is_declared("ont_load"));
  EXPECT_TRUE(is_declared("sparql_query"));
  EXPECT_FALSE(is_declared("no_such_tool"));
  set_policy(R"({"allowed_tools": ["sparql_query"]})");
  run({submits(R"({"answer": "x"})")});
  EXPECT_FALSE(is_declared("ont_load"));
}

// The source would wait for ever: what ends it is the time of the run, which is then used up.
TEST_F(Ask, TimeOfTheRunHoldsForTheContextToo) {
  const auto tables = std::make_shared<EndlessTables>("slow");
  tables->delay_catalogue();
  ASSERT_TRUE(toolkit_->add_source(tables).has_value());
  ask_.source = "slow";
  ask_.limits.time_max = std::chrono::milliseconds(1'200);
  const AskResult result = run({submits(R"({"answer": "x"})")});
  EXPECT_EQ(result.run.stop, StopReason::TimeBudget);
  EXPECT_EQ(model_->asked(), 0U);
  EXPECT_THAT(result.context.notes, ::testing::Contains(HasSubstr("no context: ")));
  // As it was given, whatever the context took.
  const JsonValue start = trajectory_->of(EventKind::RunStart)[0];
  EXPECT_EQ(to_json(*start.find("config")->find("time_max_s")), "1.2");
  EXPECT_EQ(text_of(result.to_json(), "note"), "after 1.20 s; raise --time");
}

TEST_F(Ask, CancelledBeforeTheModelIsAsked) {
  OpContext context;
  context.cancel.cancel();
  const AskResult result = run({submits(R"({"answer": "x"})")}, context);
  EXPECT_EQ(result.run.stop, StopReason::Cancelled);
  EXPECT_EQ(model_->asked(), 0U);
}

TEST_F(Ask, WhatTheCallerShouldKnowIsInTheResult) {
  llm::Answer cut = answer_of("It is Sat");
  cut.stop = llm::Stop::OutputCap;
  const JsonValue json = run({gives(cut)}).to_json();
  EXPECT_EQ(text_of(json, "stop_reason"), "output_cap");
  EXPECT_EQ(text_of(json, "bound"), "none");
  EXPECT_THAT(text_of(json, "note"), HasSubstr("--max-output"));
  EXPECT_THAT(to_json(*json.find("notes")), HasSubstr("cut off at 4,096 tokens"));
}

TEST_F(Ask, EarlierTurnsMayBeRestedOn) {
  const AskResult first = run({calls({query(kMoons)}), submits(R"({"answer": "Saturn"})")});
  ask_.earlier_handles = first.run.handles;
  const AskResult later = run({submits(R"({"answer": "x", "handles": ["results_0"]})")});
  EXPECT_EQ(later.run.query, kMoons);
}

TEST(Loops, AreReadByName) {
  EXPECT_EQ(*read_loop("react"), Loop::React);
  EXPECT_EQ(*read_loop(name_of(Loop::Rlm)), Loop::Rlm);
  EXPECT_EQ(read_loop("dance").error().code, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::agent
