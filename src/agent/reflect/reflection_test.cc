#include "agent/reflect/reflection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/loops/json_object.h"
#include "agent/reflect/draft_text.h"
#include "agent/reflect/rerun.h"
#include "tests/support/fake_model.h"
#include "tests/support/temp_directory.h"

namespace helve::agent {
namespace {

using helve::testing::FakeModel;
using helve::testing::says;
using memory::Item;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kQuery =
    "PREFIX sol: <https://helve.example/solar/> SELECT ?moon { ?moon sol:orbits "
    "<https://helve.example/solar/body/Mars> }";

Reflection reflection_of(std::string query = kQuery) {
  Reflection reflection;
  reflection.run.task = "Which moons has \"Mars\"?";
  RecordedCall call;
  call.name = "sparql_query";
  call.arguments = object_of({{"query", JsonValue(query)}});
  call.rows = 2;
  reflection.run.steps.emplace_back().calls.push_back(call);
  reflection.run.query = std::move(query);
  reflection.run.answer = "Phobos and Deimos";
  reflection.run.has_end = true;
  reflection.run.start = object_of({{"config", object_of({{"source", JsonValue("sample")}})}});
  reflection.run.end =
      object_of({{"handles", array_of({"results_0"})}, {"query_hash", JsonValue("abc")}});
  reflection.run.events.push_back(
      {EventKind::Judgment, object_of({{"verdict", JsonValue("correct")}})});
  reflection.run_name = "run.jsonl#1";
  reflection.verdict = recorded_verdict(reflection.run);
  return reflection;
}

Item lesson(std::string title = "Moons of a planet") {
  Item item;
  item.title = std::move(title);
  item.desc = "For questions about what goes round a body.";
  item.content = "Ask ?moon sol:orbits ?slot1, not the other way round.";
  item.domain = "sample";
  return item;
}

TEST(Reflection, TakesVerdictProvenanceAndPatternOfTheRun) {
  const Reflection reflection = reflection_of();
  EXPECT_EQ(reflection.verdict, "correct");
  const Item draft = plain_draft(reflection);
  EXPECT_EQ(draft.src, memory::ItemSource::Human);
  EXPECT_EQ(draft.domain, "sample");
  EXPECT_EQ(draft.provenance.run, "run.jsonl#1");
  EXPECT_EQ(draft.provenance.verdict, "correct");
  EXPECT_EQ(draft.provenance.evidence, "results_0");
  EXPECT_EQ(draft.provenance.query_hash, "abc");
  EXPECT_THAT(draft.content, HasSubstr("?slot1"));
  EXPECT_TRUE(check_draft(draft, reflection).has_value());
  Reflection compared = reflection_of();
  compared.other = compared.run;
  EXPECT_EQ(plain_draft(compared).src, memory::ItemSource::Contrastive);
  Reflection refined = reflection_of();
  refined.refined = lesson();
  EXPECT_EQ(plain_draft(refined).title, "Moons of a planet");
  EXPECT_EQ(plain_draft(reflection_of("no query at all")).title, "");
}

// As agents write them: the source knows its prefixes, a record does not.
TEST(Reflection, PrefixesNeedNoDeclaration) {
  const Reflection reflection = reflection_of("SELECT ?moon { ?moon sol:orbits body:Mars }");
  const Item draft = plain_draft(reflection);
  EXPECT_THAT(draft.content, HasSubstr("sol:orbits"));
  EXPECT_THAT(draft.content, Not(HasSubstr("prefix://")));
  EXPECT_TRUE(check_draft(draft, reflection).has_value());
  Reflection unquoted = reflection;
  unquoted.run.task = "Which moons has Mars?";
  EXPECT_FALSE(check_draft(lesson("Moons of Mars"), unquoted).has_value());
}

// A class is a name of the schema, also at the end of a path.
TEST(Reflection, ClassesOfPathsMayBeNamed) {
  const Reflection reflection =
      reflection_of("SELECT ?m { ?m a/rdfs:subClassOf* sol:Moon . ?m sol:orbits body:Mars }");
  const Item draft = plain_draft(reflection);
  EXPECT_THAT(draft.content, HasSubstr("a/rdfs:subClassOf* sol:Moon"));
  EXPECT_THAT(draft.content, Not(HasSubstr("PREFIX")));
  EXPECT_TRUE(check_draft(lesson("Moons of a body"), reflection).has_value());
  EXPECT_THAT(check_draft(lesson("Moons of Mars"), reflection).error().message,
              HasSubstr("the title has 'mars' in it"));
}

TEST(Reflection, ConstantsOfTheTaskAreNoLesson) {
  const Reflection reflection = reflection_of();
  EXPECT_TRUE(check_draft(lesson(), reflection).has_value());
  for (const char* title : {"Moons of Mars", ""}) {
    EXPECT_EQ(check_draft(lesson(title), reflection).error().code, ErrorCode::InvalidInput);
  }
  Item item = lesson();
  item.content = "Look at <https://helve.example/solar/body/Mars>.";
  EXPECT_FALSE(check_draft(item, reflection).has_value());
  item = lesson();
  item.tags = {"moons", "Mars"};
  EXPECT_FALSE(check_draft(item, reflection).has_value());
  Reflection compared = reflection_of();
  compared.other = compared.run;
  compared.other->task = "Which moons has \"Jupiter\"?";
  EXPECT_FALSE(check_draft(lesson("Moons of Jupiter"), compared).has_value());
}

TEST(Reflection, AModelSeesTheRunAndTheHint) {
  FakeModel model({says(R"(Gladly: {"title": "Moons of a planet", "desc": "When asked.",
      "content": "Use sol:orbits.", "tags": ["moons", 7, ""]})")});
  Reflection reflection = reflection_of();
  reflection.hint = "the direction matters";
  const auto draft = draft_by_model(reflection, model, {});
  ASSERT_TRUE(draft.has_value()) << draft.error().to_string();
  EXPECT_EQ(draft->item.title, "Moons of a planet");
  EXPECT_THAT(draft->item.tags, ElementsAre("moons"));
  EXPECT_EQ(draft->item.provenance.run, "run.jsonl#1");
  EXPECT_EQ(draft->usage.output_tokens, 10U);
  const std::string text = model.request(0).messages.at(0).text;
  EXPECT_THAT(text, HasSubstr("## What the person says\n\nthe direction matters"));
  EXPECT_THAT(text, HasSubstr("Phobos and Deimos"));
  EXPECT_THAT(text, HasSubstr("<data "));
  FakeModel silent({says("I would rather not.")});
  EXPECT_EQ(draft_by_model(reflection, silent, {}).error().code, ErrorCode::InvalidInput);
}

TEST(DraftText, IsReadAsItWasWritten) {
  Item item = lesson();
  item.tags = {"moons", "orbits"};
  item.content = "# no comment\ntitle: stays\n\nlast";
  const auto read = read_draft(draft_text(item, "A lesson of\nrun.jsonl"), Item());
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ(read->title, item.title);
  EXPECT_EQ(read->desc, item.desc);
  EXPECT_EQ(read->content, item.content);
  EXPECT_EQ(read->tags, item.tags);
  EXPECT_EQ(read->domain, "sample");
}

TEST(DraftText, TellsWhatIsWrong) {
  EXPECT_THAT(read_draft("title: x\nwhat is this\n", {}).error().message, HasSubstr("line 2"));
  EXPECT_THAT(read_draft("author: me\ntitle: x\n", {}).error().message, HasSubstr("line 1"));
  EXPECT_EQ(read_draft("title:\ncontent:\nx", {}).error().message, "the draft has no title");
  EXPECT_FALSE(read_draft("title: \xFF", {}).has_value());
  EXPECT_EQ(read_draft(std::string(100'000, 'x'), {}).error().code, ErrorCode::LimitExceeded);
}

class ReflectionBankTest : public ::testing::Test {
 protected:
  ReflectionBankTest() {
    auto opened = memory::MemoryBank::open(folder_.path() / "memory.db", true, real_env(), {});
    EXPECT_TRUE(opened.has_value());
    bank_ = *std::move(opened);
  }
  Item stored(const std::string& id) {
    const auto items = bank_->repository().get({id}, {});
    EXPECT_TRUE(items.has_value());
    return items ? items->front() : Item();
  }

  Result<StoredDraft> store(Item item, bool is_reviewed, const Reflection& reflection) {
    note_review(item, is_reviewed, WallTime(std::chrono::seconds(1'000)));
    return store_draft(*bank_, std::move(item), reflection, {});
  }

  TempDirectory folder_;
  std::shared_ptr<memory::MemoryBank> bank_;
};

TEST_F(ReflectionBankTest, StoresOnceAndSupersedesWhatIsRefined) {
  Reflection reflection = reflection_of();
  const auto first = store(lesson(), true, reflection);
  ASSERT_TRUE(first.has_value()) << first.error().to_string();
  EXPECT_EQ(first->state, DraftState::Added);
  EXPECT_THAT(first->changes, SizeIs(1));
  EXPECT_TRUE(stored(first->id).is_active());
  EXPECT_TRUE(stored(first->id).verified_at.has_value());
  EXPECT_EQ(store(lesson(), true, reflection)->state, DraftState::Exists);
  EXPECT_THAT(store(lesson(), true, reflection)->changes, IsEmpty());
  reflection.refined = stored(first->id);
  const auto second = store(lesson("Moons of any body"), true, reflection);
  ASSERT_TRUE(second.has_value()) << second.error().to_string();
  EXPECT_THAT(second->changes, SizeIs(2));
  EXPECT_EQ(stored(first->id).superseded_by, second->id);
  EXPECT_TRUE(stored(second->id).is_active());
  // What was replaced is not approved by accident, nor refined again.
  EXPECT_EQ(store(lesson(), true, reflection_of()).error().code, ErrorCode::Denied);
  reflection.refined = stored(first->id);
  EXPECT_EQ(store(lesson("Moons again"), true, reflection).error().code, ErrorCode::Denied);
}

TEST_F(ReflectionBankTest, OtherFieldsOfTheSameItemAreTaken) {
  const std::string id = store(lesson(), true, reflection_of())->id;
  Reflection reflection = reflection_of();
  reflection.refined = stored(id);
  Item better = lesson();
  better.desc = "For any question about orbits.";
  better.domain = "solar";
  const auto refined = store(better, true, reflection);
  ASSERT_TRUE(refined.has_value()) << refined.error().to_string();
  EXPECT_EQ(refined->id, id);
  EXPECT_EQ(refined->state, DraftState::Changed);
  EXPECT_EQ(stored(id).desc, better.desc);
  EXPECT_EQ(stored(id).domain, "solar");
  // Approved once more, with other tags, by somebody who did not know of it.
  better.tags = {"moons"};
  EXPECT_EQ(store(better, true, reflection_of())->state, DraftState::Changed);
  EXPECT_THAT(stored(id).tags, ElementsAre("moons"));
}

TEST_F(ReflectionBankTest, ApprovingReleasesWhatIsQuarantined) {
  const auto first = store(lesson(), false, reflection_of());
  ASSERT_TRUE(first.has_value()) << first.error().to_string();
  EXPECT_TRUE(first->is_quarantined);
  EXPECT_FALSE(stored(first->id).verified_at.has_value());
  const auto again = store(lesson(), false, reflection_of());
  EXPECT_EQ(again->state, DraftState::Exists);
  EXPECT_TRUE(again->is_quarantined);
  const auto approved = store(lesson(), true, reflection_of());
  ASSERT_TRUE(approved.has_value()) << approved.error().to_string();
  EXPECT_EQ(approved->state, DraftState::Released);
  EXPECT_FALSE(approved->is_quarantined);
  EXPECT_THAT(approved->changes, SizeIs(1));
  EXPECT_TRUE(stored(first->id).is_active());
  EXPECT_TRUE(stored(first->id).verified_at.has_value());
}

// What is in use stays in use.
TEST_F(ReflectionBankTest, ADraftThatNobodySawReplacesNothing) {
  Reflection reflection = reflection_of();
  reflection.refined = stored(store(lesson(), true, reflection)->id);
  const std::string& old = reflection.refined->id;
  const auto beside = store(lesson("Moons of any body"), false, reflection);
  ASSERT_TRUE(beside.has_value()) << beside.error().to_string();
  EXPECT_TRUE(beside->is_quarantined);
  EXPECT_TRUE(stored(old).is_active());
  Item same = lesson();
  EXPECT_EQ(store(same, false, reflection).error().code, ErrorCode::InvalidInput);
  same.desc = "Whatever the model says.";
  EXPECT_EQ(store(same, false, reflection).error().code, ErrorCode::InvalidInput);
  EXPECT_TRUE(stored(old).is_active());
  EXPECT_EQ(stored(old).desc, lesson().desc);
  // Approved now: released, and it supersedes.
  const auto approved = store(lesson("Moons of any body"), true, reflection);
  ASSERT_TRUE(approved.has_value()) << approved.error().to_string();
  EXPECT_EQ(approved->state, DraftState::Released);
  EXPECT_EQ(stored(old).superseded_by, beside->id);
  EXPECT_TRUE(stored(beside->id).is_active());
}

TEST_F(ReflectionBankTest, ShowsNearDuplicates) {
  const Reflection reflection = reflection_of();
  const auto first = store(lesson(), true, reflection);
  ASSERT_TRUE(first.has_value());
  Item other = lesson("Rings of a planet");
  other.content = "Something else altogether about rings and what they are made of.";
  ASSERT_TRUE(store(other, true, reflection).has_value());
  const auto similar = similar_items(*bank_, lesson("Moons of one planet"), reflection, {});
  ASSERT_TRUE(similar.has_value()) << similar.error().to_string();
  ASSERT_EQ(similar->size(), 2U);
  EXPECT_EQ(similar->front().item.id, first->id);
  EXPECT_TRUE(similar->front().is_near_duplicate);
  EXPECT_FALSE(similar->back().is_near_duplicate);
  Reflection refining = reflection_of();
  refining.refined = stored(first->id);
  EXPECT_EQ(similar_items(*bank_, lesson(), refining, {})->size(), 1U);
}

TEST_F(ReflectionBankTest, WhatWasRetractedStaysAway) {
  const auto first = store(lesson(), true, reflection_of());
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(bank_->repository().retract(first->id, {}).has_value());
  EXPECT_EQ(store(lesson(), true, reflection_of()).error().code, ErrorCode::Denied);
}

TEST(Rerun, ShowsWhatDiffers) {
  Rerun without;
  without.run.stop = StopReason::StepCap;
  without.run.iterations = 12;
  without.run.content = "perhaps";
  Rerun with = without;
  with.run.stop = StopReason::Submitted;
  with.run.iterations = 2;
  with.run.query = "SELECT";
  with.had_item = true;
  const std::string text = rerun_text(without, with);
  EXPECT_THAT(text, HasSubstr("end                step_cap        submitted\n"));
  EXPECT_THAT(text, HasSubstr("steps                    12                2\n"));
  EXPECT_THAT(text, HasSubstr("the answer is the same: perhaps\n"));
  EXPECT_THAT(text, HasSubstr("query without: (none)\nquery with: SELECT\n"));
  with.had_item = false;
  EXPECT_THAT(rerun_text(without, with), HasSubstr("the item was not in the context"));
}

}  // namespace
}  // namespace helve::agent
