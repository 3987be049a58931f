#include "sources/store/text_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/executor.h"
#include "sources/store/loader.h"
#include "sources/store/text_index_builder.h"
#include "sources/store/text_index_fuzzy.h"
#include "sources/store/text_index_search.h"

namespace helve::store {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kPrefixes = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
)";

std::shared_ptr<const Snapshot> load_turtle(const std::string& turtle) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.ttl", turtle, rdf::Format::Turtle));
  auto loaded = load_documents(std::move(documents), {}, {});
  EXPECT_TRUE(loaded.has_value()) << loaded.error().to_string();
  return loaded->snapshot;
}

// A graph and its names.
class Names {
 public:
  explicit Names(const std::string& turtle, const OpContext& context = {})
      : snapshot_(load_turtle(kPrefixes + turtle)) {
    auto index = build_text_index(*snapshot_, context);
    EXPECT_TRUE(index.has_value());
    index_ = *index;
  }

  Result<std::vector<NameHit>> search(const FindRequest& request) {
    work_ = {};
    return search_names(*snapshot_, *index_, request, {}, &work_);
  }
  std::vector<NameHit> hits(const std::string& text, NameKind kind = NameKind::Any,
                            std::size_t hits_max = 20, bool is_fuzzy = true) {
    auto found = search({text, kind, hits_max, is_fuzzy});
    EXPECT_TRUE(found.has_value()) << found.error().to_string();
    return found ? *found : std::vector<NameHit>();
  }
  // Local names of the hits.
  Strings find(const std::string& text, NameKind kind = NameKind::Any, std::size_t hits_max = 20,
               bool is_fuzzy = true) {
    Strings names;
    for (const NameHit& hit : hits(text, kind, hits_max, is_fuzzy)) {
      names.push_back(hit.iri.substr(hit.iri.find_last_of("/#") + 1));
    }
    return names;
  }
  const SearchWork& work() const { return work_; }
  const TextIndex& index() const { return *index_; }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const TextIndex> index_;
  SearchWork work_;
};

TEST(TextIndex, FindsLocalNamesAndLabels) {
  Names names(R"(
    ex:FullProfessor a owl:Class ; rdfs:label "Full professor"@en , "Ordentlicher Professor"@de .
    ex:anna a ex:FullProfessor ; rdfs:label "Anna Müller" ; ex:worksFor ex:uni .
    ex:uni rdfs:label "Universität Zürich" .
  )");
  EXPECT_EQ(names.find("full professor").front(), "FullProfessor");
  EXPECT_EQ(names.find("FullProfessor").front(), "FullProfessor");
  EXPECT_EQ(names.find("fullprofessor").front(), "FullProfessor");
  EXPECT_EQ(names.find("ordentlicher").front(), "FullProfessor");
  EXPECT_EQ(names.find("muller").front(), "anna");
  EXPECT_EQ(names.find("MÜLLER anna").front(), "anna");
  EXPECT_EQ(names.find("zurich").front(), "uni");
  EXPECT_EQ(names.find("works").front(), "worksFor");
  EXPECT_EQ(names.find("nothing like it"), Strings());
}

TEST(TextIndex, HitsSayWhatTheyAre) {
  Names names(R"(
    ex:Person a owl:Class ; rdfs:label "Mensch"@de , "person"@en ; skos:altLabel "human being"@en .
    ex:a a ex:Person ; ex:knows ex:b . ex:b a ex:Person ; ex:knows ex:a , ex:b .
  )");
  const auto person = names.hits("person").front();
  EXPECT_EQ(person.iri, "http://example.org/Person");
  EXPECT_EQ(person.label, "person");
  EXPECT_EQ(person.language, "en");
  EXPECT_EQ(person.kind, NameKind::Class);
  EXPECT_EQ(person.count, 2U);
  EXPECT_EQ(names.hits("mensch").front().label, "Mensch");
  EXPECT_EQ(names.hits("human").front().label, "human being");
  const auto knows = names.hits("knows").front();
  EXPECT_EQ(knows.kind, NameKind::Property);
  EXPECT_EQ(knows.count, 3U);
  const auto b = names.hits("b").front();
  EXPECT_EQ(b.kind, NameKind::Instance);
  EXPECT_EQ(b.count, 3U);
}

TEST(TextIndex, RanksByMatchThenFieldThenDegree) {
  Names names(R"(
    ex:x1 rdfs:label "river" .
    ex:x2 rdfs:label "river bank" .
    ex:x3 skos:altLabel "river bed" .
    ex:river_four ex:p 1 , 2 , 3 .
    ex:x5 rdfs:label "riverside" .
    ex:x6 rdfs:label "rivet" .
    ex:x7 rdfs:label "river mouth" ; ex:p 1 , 2 , 3 , 4 , 5 , 6 .
  )");
  EXPECT_EQ(names.find("river"), (Strings{"x1", "x7", "x2", "x3", "river_four", "x5", "x6"}));
  EXPECT_EQ(names.find("river", NameKind::Any, 20, false).size(), 6U);
  const auto hits = names.hits("river");
  for (std::size_t i = 1; i < hits.size(); ++i) EXPECT_LE(hits[i].score, hits[i - 1].score);
  EXPECT_EQ(names.find("river", NameKind::Any, 3), (Strings{"x1", "x7", "x2"}));
}

TEST(TextIndex, SeveralWordsAndSomeOfThem) {
  Names names(R"(
    ex:a rdfs:label "red river valley" . ex:b rdfs:label "red house" . ex:c rdfs:label "river boat" .
    ex:d rdfs:label "red" .
  )");
  EXPECT_EQ(names.find("river red").front(), "a");
  EXPECT_EQ(names.find("riv re").front(), "a");
  EXPECT_EQ(names.find("red river").size(), 4U);
  EXPECT_EQ(names.find("red red red").size(), 3U);
  EXPECT_EQ(names.find("valley unheard").front(), "a");
}

TEST(TextIndex, MisspeltWords) {
  Names names(R"(
    ex:a rdfs:label "protein" . ex:b rdfs:label "university" . ex:c rdfs:label "cat" .
    ex:d rdfs:label "Ελλάδα" . ex:e rdfs:label "профессор" .
  )");
  EXPECT_EQ(names.find("protien"), Strings{"a"});     // swapped
  EXPECT_EQ(names.find("protin"), Strings{"a"});      // left out
  EXPECT_EQ(names.find("prottein"), Strings{"a"});    // added
  EXPECT_EQ(names.find("grotein"), Strings{"a"});     // the first letter
  EXPECT_EQ(names.find("prteni"), Strings());         // two, but the word is short
  EXPECT_EQ(names.find("univrestiy"), Strings{"b"});  // two swaps in a long word
  EXPECT_EQ(names.find("cut"), Strings());            // too short for mistakes
  EXPECT_EQ(names.find("ελαδα"), Strings{"d"});
  EXPECT_EQ(names.find("професор"), Strings{"e"});
  EXPECT_EQ(names.find("protien", NameKind::Any, 20, false), Strings());
}

TEST(TextIndex, ManyScripts) {
  Names names(R"(
    ex:tokyo rdfs:label "東京都"@ja . ex:kyoto rdfs:label "京都市"@ja . ex:thai rdfs:label "กรุงเทพมหานคร"@th .
    ex:seoul rdfs:label "서울특별시"@ko . ex:cairo rdfs:label "القَاهِرة"@ar . ex:delhi rdfs:label "नई दिल्ली"@hi .
    ex:moscow rdfs:label "Москва"@ru . ex:wide rdfs:label "ＨＥＬＶＥ" . ex:lodz rdfs:label "Łódź" .
  )");
  EXPECT_EQ(names.find("東京"), Strings{"tokyo"});
  EXPECT_EQ(names.find("東京都"), (Strings{"tokyo", "kyoto"}));  // which has one of two pairs
  EXPECT_EQ(names.find("京都"), (Strings{"kyoto", "tokyo"}));
  EXPECT_EQ(names.find("市"), Strings{"kyoto"});
  EXPECT_EQ(names.find("กรุงเทพ"), Strings{"thai"});
  EXPECT_EQ(names.find("서울"), Strings{"seoul"});
  EXPECT_EQ(names.find("القاهرة"), Strings{"cairo"});
  EXPECT_EQ(names.find("दिल्ली"), Strings{"delhi"});
  EXPECT_EQ(names.find("МОСКВА"), Strings{"moscow"});
  EXPECT_EQ(names.find("helve"), Strings{"wide"});
  EXPECT_EQ(names.find("lodz"), Strings{"lodz"});
}

TEST(TextIndex, IrisAndPrefixedNames) {
  Names names("ex:Person a owl:Class . ex:PersonGroup a owl:Class . ex:p1 a ex:Person .");
  EXPECT_EQ(names.find("http://example.org/Person").front(), "Person");
  EXPECT_EQ(names.find("<http://example.org/Person>").front(), "Person");
  EXPECT_EQ(names.find("ex:Person").front(), "Person");
  EXPECT_EQ(names.find("ex:Pers"), (Strings{"Person", "PersonGroup"}));
  EXPECT_EQ(names.find("ex:Persom").front(), "Person");
  EXPECT_EQ(names.find("http://elsewhere.org/Person").front(), "Person");
  EXPECT_EQ(names.find("http://example.org/").size(), 3U);
  EXPECT_EQ(names.find("person", NameKind::Instance), Strings());
}

TEST(TextIndex, KindsFilter) {
  Names names(R"(
    ex:Name a owl:Class . ex:name a owl:DatatypeProperty . ex:thing1 ex:name "name" .
  )");
  EXPECT_EQ(names.find("name", NameKind::Class), Strings{"Name"});
  EXPECT_EQ(names.find("name", NameKind::Property), Strings{"name"});
  EXPECT_EQ(names.find("name", NameKind::Instance), Strings{"thing1"});
  EXPECT_EQ(names.find("name").size(), 3U);
}

TEST(TextIndex, NothingToLookFor) {
  Names names("ex:a ex:p ex:b .");
  for (const char* text : {"", "   ", "!!!", "\xFF\xFF", "<>"}) {
    const auto found = names.search({text, NameKind::Any, 20, true});
    ASSERT_FALSE(found.has_value()) << text;
    EXPECT_EQ(found.error().code, ErrorCode::InvalidInput);
  }
  EXPECT_TRUE(names.find("a", NameKind::Any, 0).empty());
}

TEST(TextIndex, EmptyGraph) {
  Names names("");
  EXPECT_EQ(names.index().size(), 0U);
  EXPECT_EQ(names.find("a b c"), Strings());
  EXPECT_EQ(names.find("ex:a"), Strings());
  EXPECT_EQ(names.find("misspelt"), Strings());
}

TEST(TextIndex, HostileLabels) {
  std::string many = "ex:many rdfs:label \"many\"";
  for (int i = 0; i < 3'000; ++i) many += fmt::format(" , \"label {}\"", i);
  Names names(many + " .\n" + "ex:long rdfs:label \"" + std::string(3'000'000, 'x') + "\" .\n" +
              "ex:empty rdfs:label \"\" , \" \" .\n ex:words rdfs:label \"" +
              [] {
                std::string words;
                for (int i = 0; i < 50'000; ++i) words += fmt::format("w{} ", i);
                return words;
              }() +
              "\" .\n ex:number rdfs:label 12 . _:b rdfs:label \"blank\" .");
  EXPECT_EQ(names.find("label 2999").front(), "many");
  EXPECT_LE(names.work().labels, 100U);
  EXPECT_EQ(names.find(std::string(1'000'000, 'x')), Strings{"long"});
  EXPECT_EQ(names.find("w1").front(), "words");
  EXPECT_LT(names.hits("w49999").front().score, 40);  // too far in: only its "w" is known
  EXPECT_EQ(names.find("blank"), Strings());
  EXPECT_LE(names.hits("x").front().label.size(), 512U);
}

TEST(TextIndex, SameWithManyThreads) {
  std::string turtle;
  for (int i = 0; i < 5'000; ++i) {
    turtle += fmt::format("ex:thing{0} rdfs:label \"thing number {0} of kind {1}\" ; ex:p {1} .\n",
                          i, i % 7);
  }
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  Names alone(turtle);
  Names together(turtle, context);
  EXPECT_EQ(alone.index().words.size(), together.index().words.size());
  EXPECT_EQ(alone.index().lists.size(), together.index().lists.size());
  for (const char* text : {"thing", "number 17", "kind", "thin", "thnig", "thing3 kind unknown"}) {
    EXPECT_EQ(alone.find(text), together.find(text)) << text;
    EXPECT_EQ(alone.find(text), alone.find(text)) << text;
  }
}

TEST(TextIndex, WorkIsBounded) {
  std::string turtle;
  for (int i = 0; i < 60'000; ++i) {
    turtle += fmt::format("ex:item{0} rdfs:label \"common word{0}\" .\n", i);
  }
  Names names(turtle);
  EXPECT_EQ(names.find("common").size(), 20U);
  EXPECT_LE(names.work().list_steps, 200U);  // of sixty thousand
  EXPECT_EQ(names.find("comm").size(), 20U);
  EXPECT_LE(names.work().list_steps, 400U);
  EXPECT_EQ(names.find("common item").size(), 20U);
  EXPECT_LE(names.work().list_steps, 1'000U);
  EXPECT_EQ(names.find("comon").size(), 20U);
  EXPECT_LE(names.work().near_steps, kNearStepsMax + 1'000);
  EXPECT_EQ(names.find("w").size(), 20U);
  EXPECT_LE(names.work().prefix_words, 3U * 6'000U);
  EXPECT_EQ(names.find("common word59999").front(), "item59999");
}

TEST(TextIndex, BestOfVeryManyCompletions) {
  std::string turtle = "ex:wzz a owl:Class . ex:wzzp a owl:ObjectProperty .\n";
  for (int i = 0; i < 20'000; ++i) turtle += fmt::format("ex:wa{:05} ex:p 1 .\n", i);
  turtle += "ex:wa19123 ex:p 2 , 3 , 4 , 5 .";
  Names names(turtle);
  EXPECT_EQ(names.find("w", NameKind::Any, 3), (Strings{"wzz", "wzzp", "wa19123"}));
  EXPECT_EQ(names.find("w", NameKind::Class), Strings{"wzz"});
  EXPECT_EQ(names.find("w", NameKind::Property), Strings{"wzzp"});
  EXPECT_LE(names.work().prefix_words, 6'000U);
}

TEST(TextIndex, StopsWhenTold) {
  const auto snapshot = load_turtle("<http://a/b> <http://a/c> <http://a/d> .");
  OpContext context;
  context.cancel.cancel();
  EXPECT_EQ(build_text_index(*snapshot, context).error().code, ErrorCode::Cancelled);
  OpContext small;
  MemoryBudget budget("small", 16);
  small.memory = &budget;
  EXPECT_EQ(build_text_index(*snapshot, small).error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(budget.bytes_used(), 0U);
}

FrontCoded dictionary_of(Strings words) {
  std::sort(words.begin(), words.end());
  FrontCodedBuilder builder;
  for (const auto& word : words) builder.add(word);
  return builder.finish();
}

std::uint32_t plain_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::uint32_t>> d(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<std::uint32_t>(i + j);
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

// Against the distance by its definition, over all words of three letters' kinds.
TEST(TextIndexFuzzy, FindsAllAndOnlyNearWords) {
  Strings words;
  for (int i = 0; i < 4'096; ++i) {
    std::string word;
    for (int rest = i; rest > 0; rest /= 4) word += static_cast<char>('a' + rest % 4);
    words.push_back(word + "end");
  }
  std::sort(words.begin(), words.end());
  const FrontCoded dictionary = dictionary_of(words);
  for (const std::string word : {"abcend", "dcbaend", "aend", "dddddend", "bacend", "end"}) {
    for (const std::uint32_t edits : {1U, 2U}) {
      std::size_t expected = 0;
      for (const auto& other : words) {
        const std::uint32_t distance = plain_distance(word, other);
        expected += distance > 0 && distance <= edits ? 1 : 0;
      }
      const NearWords near = find_near_words(dictionary, word, edits, 10'000, 1'000'000);
      EXPECT_EQ(near.words.size(), expected) << word << " " << edits;
      std::string text;
      for (const NearWord& one : near.words) {
        dictionary.get(one.word, text);
        EXPECT_EQ(one.distance, plain_distance(word, text)) << word << " " << text;
      }
    }
  }
}

TEST(TextIndexFuzzy, PassesOverWhatCannotMatch) {
  Strings words;
  for (int i = 0; i < 50'000; ++i) words.push_back(fmt::format("zzz{:05}", i));
  words.emplace_back("professor");
  const NearWords near = find_near_words(dictionary_of(words), "proffessor", 2, 10, 1'000'000);
  ASSERT_EQ(near.words.size(), 1U);
  EXPECT_EQ(near.words[0].distance, 1U);
  EXPECT_LE(near.steps, 50'000U / FrontCoded::kBlockStrings + 200U);
}

}  // namespace
}  // namespace helve::store
