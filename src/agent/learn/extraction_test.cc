#include "agent/learn/extraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/learn/extraction_testing.h"
#include "agent/learn/lesson_check.h"
#include "tests/support/fake_model.h"

namespace helve::agent {
namespace {

using helve::testing::FakeModel;
using helve::testing::says;
using learning::Verdict;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Extraction by_pattern(const std::vector<JudgedRun>& runs, const TaskCase& task = moons_task()) {
  auto extraction = make_pattern_extractor()->extract(task, runs, solar_origin(), {});
  EXPECT_TRUE(extraction) << (extraction ? "" : extraction.error().to_string());
  return extraction ? *std::move(extraction) : Extraction{};
}

std::string all_text(const memory::Item& item) {
  return item.title + "\n" + item.desc + "\n" + item.content;
}

TEST(PatternExtractor, OfARightAnswerTheQueryIsTheLesson) {
  const Extraction out = by_pattern({judged_run(kMoonsOfSaturn, Verdict::Correct)});
  ASSERT_THAT(out.items, SizeIs(1)) << ::testing::PrintToString(out.rejected);
  const memory::Item& item = out.items[0];
  EXPECT_EQ(item.src, memory::ItemSource::Success);
  EXPECT_EQ(item.title, "Find sol:Moon by sol:orbits");
  EXPECT_THAT(item.content, HasSubstr("sol:orbits ?slot1"));
  EXPECT_THAT(all_text(item), Not(HasSubstr("Saturn")));
  EXPECT_FALSE(item.quarantined);
  EXPECT_EQ(item.domain, "solar");
  EXPECT_EQ(item.provenance.run, "trajectories/001-moons-1.jsonl");
  EXPECT_EQ(item.provenance.verdict, "correct, by execution");
  EXPECT_EQ(item.provenance.evidence, "results_0");
  EXPECT_EQ(item.provenance.query_hash, "abcd");
  EXPECT_EQ(item.id, memory::id_of(item));
}

TEST(PatternExtractor, WhatNobodyVerifiedIsQuarantined) {
  const Extraction out = by_pattern({judged_run(kMoonsOfSaturn, Verdict::Correct, false)});
  ASSERT_THAT(out.items, SizeIs(1));
  EXPECT_TRUE(out.items[0].quarantined);
}

TEST(PatternExtractor, OfAWrongAnswerWhatToAvoid) {
  const Extraction out =
      by_pattern({judged_run("SELECT ?m { ?m a sol:Planet ; sol:near ?x }", Verdict::Incorrect)});
  ASSERT_THAT(out.items, SizeIs(1)) << ::testing::PrintToString(out.rejected);
  EXPECT_EQ(out.items[0].src, memory::ItemSource::Failure);
  EXPECT_THAT(out.items[0].title, HasSubstr("wrong_result"));
  EXPECT_FALSE(out.items[0].quarantined);
  // How many rows are right would be the answer of a task that counts.
  EXPECT_THAT(all_text(out.items[0]), Not(HasSubstr("4 of 4")));
}

TEST(PatternExtractor, AMistakeIsToldWithoutFigures) {
  JudgedRun run = judged_run("SELECT ?m { ?m a sol:Planet ; sol:near ?x }", Verdict::Incorrect);
  Comparison& comparison = run.judgment.comparison.emplace();
  comparison.reference_rows = 17;
  const auto told = [&] { return by_pattern({run}).items.at(0).content; };
  EXPECT_THAT(told(), HasSubstr("Found out: no rows came\n"));
  comparison.rows = 5;
  EXPECT_THAT(told(), HasSubstr("Found out: none of the rows was asked for\n"));
  comparison.common = 5;
  EXPECT_THAT(told(), HasSubstr("Found out: rows were missing\n"));
  comparison.common = comparison.reference_rows;
  EXPECT_THAT(told(), HasSubstr("rows that were not asked for\n"));
  comparison.is_order_wrong = true;
  EXPECT_THAT(told(), HasSubstr("in another order\n"));
  EXPECT_THAT(told(), Not(HasSubstr("17")));
  comparison.missing_columns = 1;
  EXPECT_THAT(told(), HasSubstr("Found out: a column that was asked for is missing\n"));
}

// Otherwise later agents would be driven away from the right classes and properties.
TEST(PatternExtractor, ToLookInTheRightPlaceIsNothingToAvoid) {
  const auto learnt = [](const char* query, std::size_t missing_columns) {
    JudgedRun run = judged_run(query, Verdict::Incorrect);
    run.judgment.comparison.emplace().missing_columns = missing_columns;
    return by_pattern({run}).items.size();
  };
  EXPECT_EQ(learnt("SELECT (COUNT(*) AS ?n) { ?m a sol:Moon ; sol:orbits ?p }", 0), 0U);
  EXPECT_EQ(learnt("PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> SELECT ?l { ?m a sol:Moon "
                   "; sol:orbits ?p ; rdfs:label ?l }",
                   0),
            0U);
  EXPECT_EQ(learnt("SELECT ?m { ?m a sol:Moon }", 1), 0U);
  EXPECT_EQ(learnt("SELECT ?m { ?m a sol:Moon }", 0), 1U);
  EXPECT_EQ(learnt("SELECT ?m { ?m a sol:Moon ; sol:orbits ?p ; sol:near ?x }", 1), 1U);
}

TEST(PatternExtractor, AQueryThatCannotBeReadTeachesNothing) {
  const Extraction out =
      by_pattern({judged_run("SELECT name FROM results_0", Verdict::Incorrect, false)});
  EXPECT_THAT(out.items, IsEmpty());
  EXPECT_THAT(out.rejected, ElementsAre(HasSubstr("cannot be read")));
  TaskCase task = moons_task();
  task.language = learning::QueryLanguage::Sql;
  task.reference.clear();
  EXPECT_THAT(
      by_pattern({judged_run("SELECT name FROM results_0", Verdict::Incorrect, false)}, task).items,
      IsEmpty());
}

// Otherwise a wrong constant would teach to avoid the right way.
TEST(PatternExtractor, TheRightPatternIsNothingToAvoid) {
  const Extraction out = by_pattern(
      {judged_run("SELECT ?m { ?m a sol:Moon ; sol:orbits <http://example.org/body/Mars> }",
                  Verdict::Incorrect)});
  EXPECT_THAT(out.items, IsEmpty());
}

TEST(PatternExtractor, ErrorsOfToolsAreLearntWithTheirQueries) {
  JudgedRun run = judged_run("", Verdict::Incorrect);
  run.result.stop = StopReason::StepCap;
  run.failures = {{"limit_exceeded", "it took too long", "add a LIMIT"},
                  {"limit_exceeded", "again", ""},
                  {"invalid_input", "sol:orbit is not known: did you mean sol:orbits?", ""}};
  run.failed_queries = {"SELECT * { ?a sol:near ?b }", "SELECT * { ?a ?p ?b }",
                        "SELECT * { ?a sol:orbit ?b }"};
  const Extraction out = by_pattern({run});
  ASSERT_THAT(out.items, SizeIs(2)) << ::testing::PrintToString(out.rejected);
  EXPECT_THAT(out.items[0].content, HasSubstr("It ended with limit_exceeded."));
  EXPECT_THAT(out.items[0].content, HasSubstr("add a LIMIT"));
  EXPECT_THAT(out.items[1].content, HasSubstr("did you mean sol:orbits?"));
}

// A query with slots is no answer, whatever words the rows have.
TEST(PatternExtractor, RowsOfCommonWordsAreNoReason) {
  JudgedRun run = judged_run(kMoonsOfSaturn, Verdict::Correct);
  run.judgment.answer_words = {"a", "for", "other", "Use", "classes", "moon", "orbits"};
  EXPECT_THAT(by_pattern({run}).items, SizeIs(1));
  run = judged_run("", Verdict::Incorrect);
  run.judgment.answer_words = {"Titan"};
  run.failures = {{"invalid_input", "b:Titan_ is not known: did you mean b:Titan?", ""}};
  run.failed_queries = {"SELECT * { ?a sol:near ?b }"};
  const Extraction out = by_pattern({run});
  ASSERT_THAT(out.items, SizeIs(1)) << ::testing::PrintToString(out.rejected);
  EXPECT_THAT(out.items[0].content, Not(HasSubstr("Titan")));
}

TEST(PatternExtractor, PartOfTheRowsAloneTeachesNothing) {
  EXPECT_THAT(by_pattern({judged_run(kMoonsOfSaturn, Verdict::Partial)}).items, IsEmpty());
  EXPECT_THAT(by_pattern({judged_run(kMoonsOfSaturn, Verdict::None)}).items, IsEmpty());
}

TEST(PatternExtractor, ContrastIsWhatTheRightOneHasAndTheWrongOnesLack) {
  const Extraction out = by_pattern(
      {judged_run("SELECT DISTINCT ?m { ?m sol:near ?x ; a sol:Body }", Verdict::Incorrect),
       judged_run(kMoonsOfSaturn, Verdict::Correct),
       judged_run("SELECT DISTINCT ?m { ?m sol:near ?x }", Verdict::Partial)});
  ASSERT_THAT(out.items, SizeIs(3)) << ::testing::PrintToString(out.rejected);
  const memory::Item& item = out.items[0];
  EXPECT_EQ(item.src, memory::ItemSource::Contrastive);
  EXPECT_EQ(item.title, "Rightly: Find sol:Moon by sol:orbits");
  EXPECT_THAT(item.content, HasSubstr("lacked these names: sol:Moon, sol:orbits."));
  EXPECT_THAT(item.content, HasSubstr("instead these names: sol:near."));
  EXPECT_THAT(item.content, HasSubstr("instead this in its shape: DISTINCT."));
  EXPECT_THAT(item.content, Not(HasSubstr("sol:Body."))) << "not of all wrong ones";
  EXPECT_THAT(all_text(item), Not(HasSubstr("Saturn")));
  EXPECT_EQ(out.items[1].src, memory::ItemSource::Success);
  EXPECT_EQ(out.items[2].src, memory::ItemSource::Failure);
}

TEST(PatternExtractor, ConstantsAreNoContrast) {
  const Extraction out = by_pattern(
      {judged_run(kMoonsOfSaturn, Verdict::Correct),
       judged_run("SELECT ?m { ?m a sol:Moon ; sol:orbits <http://example.org/body/Mars> }",
                  Verdict::Incorrect)});
  ASSERT_THAT(out.items, SizeIs(1));
  EXPECT_EQ(out.items[0].src, memory::ItemSource::Success);
  EXPECT_THAT(out.rejected, ElementsAre(HasSubstr("differ in constants alone")));
}

TEST(PatternExtractor, SqlIsLearntToo) {
  TaskCase task;
  task.id = "albums";
  task.question = "How many albums has 'Nina Simone'?";
  task.language = learning::QueryLanguage::Sql;
  const Extraction out = by_pattern(
      {judged_run("SELECT COUNT(*) FROM album JOIN artist ON album.artist_id = artist.id "
                  "WHERE artist.name = 'Nina Simone'",
                  Verdict::Correct),
       judged_run("SELECT title FROM album WHERE title = 'Nina Simone'", Verdict::Incorrect)},
      task);
  ASSERT_THAT(out.items, SizeIs(3)) << ::testing::PrintToString(out.rejected);
  EXPECT_THAT(out.items[0].content, HasSubstr("artist"));
  for (const memory::Item& item : out.items) {
    EXPECT_THAT(all_text(item), Not(HasSubstr("Nina")));
  }
}

constexpr const char* kGood =
    R"([{"title": "Moons by what they orbit", "desc": "When moons of a body are asked for.",
        "content": "Ask for sol:Moon and sol:orbits.\n```sparql\nPREFIX sol: <http://example.org/solar#>\nSELECT ?m { ?m a sol:Moon ; sol:orbits ?slot1 }\n```",
        "tags": ["moons"]}])";

class ModelExtractorTest : public ::testing::Test {
 protected:
  Extraction extract(const std::string& text, const std::vector<JudgedRun>& runs = {
                                                  judged_run(kMoonsOfSaturn, Verdict::Correct)}) {
    model_ = std::make_unique<FakeModel>(std::vector{says(text)});
    auto out = make_model_extractor(*model_)->extract(moons_task(), runs, solar_origin(), {});
    EXPECT_TRUE(out) << (out ? "" : out.error().to_string());
    return out ? *std::move(out) : Extraction{};
  }
  // The reason why one that is good but for this was rejected.
  std::string rejected(std::string_view from, std::string_view to) {
    std::string text = kGood;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const Extraction out = extract(text);
    EXPECT_THAT(out.items, IsEmpty()) << to;
    return out.rejected.empty() ? "" : out.rejected[0];
  }

  std::unique_ptr<FakeModel> model_;
};

TEST_F(ModelExtractorTest, LessonsComeWithTheirProvenance) {
  const Extraction out = extract(kGood);
  ASSERT_THAT(out.items, SizeIs(1)) << ::testing::PrintToString(out.rejected);
  const memory::Item& item = out.items[0];
  EXPECT_EQ(item.title, "Moons by what they orbit");
  EXPECT_EQ(item.src, memory::ItemSource::Success);
  EXPECT_EQ(item.domain, "solar");
  EXPECT_EQ(item.provenance.verdict, "correct, by execution");
  EXPECT_EQ(item.provenance.query_hash, "abcd");
  EXPECT_FALSE(item.quarantined);
  EXPECT_EQ(out.usage.input_tokens, 100U);
  const llm::Request request = model_->request(0);
  EXPECT_THAT(request.system, HasSubstr("judged right"));
  EXPECT_THAT(request.messages[0].text, HasSubstr("4 of 4 rows are there"));
  EXPECT_THAT(request.messages[0].text, HasSubstr("<data "));
  // In a block, as many write it.
  EXPECT_THAT(extract("```json\n" + std::string(kGood) + "\n```").items, SizeIs(1));
  EXPECT_THAT(extract("[]").items, IsEmpty());
}

TEST_F(ModelExtractorTest, EachKindHasItsInstructions) {
  const JudgedRun right = judged_run(kMoonsOfSaturn, Verdict::Correct, false);
  const JudgedRun wrong = judged_run("SELECT ?m { ?m sol:near ?x }", Verdict::Incorrect);
  Extraction out = extract(kGood, {wrong, right});
  EXPECT_THAT(model_->request(0).system, HasSubstr("what the right queries did"));
  ASSERT_THAT(out.items, SizeIs(1));
  EXPECT_EQ(out.items[0].src, memory::ItemSource::Contrastive);
  EXPECT_TRUE(out.items[0].quarantined) << "the right one is not verified";
  out = extract("[]", {wrong});
  EXPECT_THAT(model_->request(0).system, HasSubstr("judged wrong"));
  JudgedRun empty = judged_run("", Verdict::Incorrect);
  EXPECT_THAT(extract(kGood, {empty}).rejected, ElementsAre(HasSubstr("nothing ran")));
  EXPECT_EQ(model_->asked(), 0U);
}

TEST_F(ModelExtractorTest, WhatIsInvalidIsRejectedWithAReason) {
  EXPECT_THAT(rejected("sol:orbits ?slot1", "sol:moonOf ?slot1"),
              HasSubstr("sol:moonOf stands in no query that ran"));
  EXPECT_THAT(rejected("Ask for sol:Moon", "Ask for sol:Satellite"), HasSubstr("sol:Satellite"));
  EXPECT_THAT(rejected("Ask for sol:Moon", "See http://evil.example/x and"),
              HasSubstr("http://evil.example/x"));
  EXPECT_THAT(rejected("Ask for", "For Saturn ask for"), HasSubstr("constant of its task"));
  EXPECT_THAT(rejected("Ask for", "There are 146. Ask for"), HasSubstr("constant of its task"));
  EXPECT_THAT(rejected("Ask for", "It has 4 rows. Ask for"), HasSubstr("constant of its task"));
  EXPECT_THAT(rejected("When moons of a body are asked for.", "Moons known so far go round it."),
              HasSubstr("repeats words of its question"));
  EXPECT_THAT(rejected(R"("tags": ["moons"])", R"("src": "human")"), HasSubstr("member src"));
  EXPECT_THAT(rejected(R"("Moons by what they orbit")", "7"), HasSubstr("title is no text"));
  EXPECT_THAT(rejected("Moons by what they orbit", "a b c d e f g h i j k"), HasSubstr("title"));
  EXPECT_THAT(rejected("When moons of a body are asked for.", ""), HasSubstr("desc"));
  EXPECT_THAT(rejected("SELECT ?m {", "SELEC ?m {"), HasSubstr("cannot be read"));
  EXPECT_THAT(rejected("```sparql", "```sql"), HasSubstr("its query is sql"));
}

// What is checked as the procedure is all the code there is.
TEST_F(ModelExtractorTest, BlocksThatNobodyChecksAreRejected) {
  EXPECT_THAT(
      extract(std::string(kGood).replace(std::string(kGood).find("```sparql"), 9, "```SPARQL "))
          .items,
      SizeIs(1));
  for (const auto& [from, to] :
       {std::pair{"```sparql", "```"}, std::pair{"```sparql", "```rq"},
        std::pair{"?slot1 }\\n```", "?slot1 }\\n```\\n```sql\\nSELECT x FROM made_up\\n```"},
        std::pair{"?slot1 }\\n```", "?slot1 }\\n```\\n~~~\\nSELECT x FROM made_up\\n~~~"},
        std::pair{"?slot1 }\\n```", "?slot1 }"}}) {
    EXPECT_THAT(rejected(from, to), HasSubstr("other than its one query")) << to;
  }
}

TEST(ModelExtractor, TablesOfSentencesAreGrounded) {
  TaskCase task;
  task.id = "albums";
  task.question = "Which albums are there?";
  task.language = learning::QueryLanguage::Sql;
  for (const auto& [sentence, count] :
       {std::pair{"SELECT title FROM album", 1U}, std::pair{"SELECT title FROM record", 0U},
        std::pair{"Use JOIN record for it", 0U}, std::pair{"Read them from the table", 1U}}) {
    FakeModel model(
        {says(R"([{"title": "Titles", "desc": "When they are asked for.", "content": ")" +
              std::string(sentence) + R"("}])")});
    const auto out = make_model_extractor(model)->extract(
        task, {judged_run("SELECT title FROM album", Verdict::Correct)}, solar_origin(), {});
    ASSERT_TRUE(out);
    EXPECT_THAT(out->items, SizeIs(count)) << sentence;
  }
}

TEST_F(ModelExtractorTest, TheAnswerIsNotTold) {
  JudgedRun run = judged_run(kMoonsOfSaturn, Verdict::Correct);
  run.judgment.answer_words = {"http://example.org/body/Titan",
                               "Titan",
                               "Mimas_II",
                               "82",
                               "http://example.org/solar#Moon",
                               "Moon",
                               "moons",
                               "of",
                               "UK"};
  const auto reason = [&](std::string_view from, std::string_view to) {
    std::string text = kGood;
    text.replace(text.find(from), from.size(), to);
    const Extraction out = extract(text, {run});
    return out.items.empty() ? out.rejected.at(0) : std::string();
  };
  // Names of the schema, words of the question and of any sentence stay.
  EXPECT_EQ(reason("Ask for", "Moons of this class: ask for"), "");
  EXPECT_EQ(reason("?slot1 }", "?slot1 } LIMIT 82"), "");
  for (const char* told : {"It is titan: ask for", "Mimas II and others. Ask for",
                           "There are 82. Ask for", "Of the UK. Ask for"}) {
    EXPECT_THAT(reason("Ask for", told), HasSubstr("a value of the answer")) << told;
  }
  EXPECT_EQ(reason("Ask for", "Titanic words: ask for"), "");
  EXPECT_THAT(reason(R"(["moons"])", R"(["Titan"])"), HasSubstr("a value of the answer"));
  EXPECT_THAT(reason("?slot1 }", "?slot1 } # Titan"), HasSubstr("a value of the answer"));
}

TEST_F(ModelExtractorTest, EqualLessonsAreOne) {
  const std::string good = kGood;
  const std::string one = good.substr(1, good.size() - 2);
  EXPECT_THAT(extract("[" + one + "," + one + "]").items, SizeIs(1));
}

TEST_F(ModelExtractorTest, WhatIsNoListIsRejected) {
  EXPECT_THAT(extract("I cannot do that.").rejected, ElementsAre(HasSubstr("no JSON list")));
  EXPECT_THAT(extract(R"({"title": "x"})").rejected, ElementsAre(HasSubstr("no JSON list")));
  EXPECT_THAT(extract("[1, null]").rejected, SizeIs(2));
  EXPECT_THAT(extract(std::string(70'000, ' ')).rejected, ElementsAre(HasSubstr("more than")));
  EXPECT_THAT(extract("[{},{},{},{},{}]").rejected,
              Contains(HasSubstr("2 lessons beyond the first three")));
}

TEST_F(ModelExtractorTest, AModelThatIsAwayIsAnError) {
  model_ = std::make_unique<FakeModel>(
      std::vector{helve::testing::fails(Error{ErrorCode::Unavailable, "away"})});
  const auto out = make_model_extractor(*model_)->extract(
      moons_task(), {judged_run(kMoonsOfSaturn, Verdict::Correct)}, solar_origin(), {});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::agent
