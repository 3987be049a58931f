#include "sources/store/text_index_words.h"

#include <gtest/gtest.h>

namespace helve::store {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  WordSplitter splitter;
  Words words;
  for (const Word& word : splitter.split(text)) words.emplace_back(word.text);
  return words;
}

TEST(TextIndexWords, RunsAndParts) {
  EXPECT_EQ(words_of("full professor"), (Words{"full", "professor"}));
  EXPECT_EQ(words_of("hasExactSynonym"), (Words{"hasexactsynonym", "has", "exact", "synonym"}));
  EXPECT_EQ(words_of("RDFGraph"), (Words{"rdfgraph", "rdf", "graph"}));
  EXPECT_EQ(words_of("GO_0008150"), (Words{"go", "0008150"}));
  EXPECT_EQ(words_of("P12345"), (Words{"p12345", "p", "12345"}));
  EXPECT_EQ(words_of("a-b.c/d"), (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(words_of("Élan VitalÉté"), (Words{"elan", "vitalete", "vital", "ete"}));
  EXPECT_EQ(words_of(" ... "), Words());
  EXPECT_EQ(words_of(""), Words());
}

TEST(TextIndexWords, ScriptsWithoutSpaces) {
  EXPECT_EQ(words_of("東京都"), (Words{"東京", "京都", "都"}));
  EXPECT_EQ(words_of("東"), (Words{"東"}));
  EXPECT_EQ(words_of("Café東京"), (Words{"cafe", "東京", "京"}));
  EXPECT_EQ(words_of("서울 특별시"), (Words{"서울", "특별시"}));
  EXPECT_EQ(words_of("Москва Река"), (Words{"москва", "река"}));
}

TEST(TextIndexWords, WholeIgnoresSpelling) {
  WordSplitter splitter;
  splitter.split("Full Professor");
  const std::string spaced(splitter.whole());
  splitter.split("fullProfessor");
  EXPECT_EQ(splitter.whole(), spaced);
  EXPECT_FALSE(splitter.is_cut());
}

TEST(TextIndexWords, HostileTextsAreBounded) {
  WordSplitter splitter;
  EXPECT_LE(splitter.split(std::string(5'000'000, 'a')).size(), 1U);
  EXPECT_TRUE(splitter.is_cut());
  EXPECT_EQ(splitter.split(std::string(5'000'000, 'a'))[0].text.size(), kWordBytesMax);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "aB1 ";
  EXPECT_LE(splitter.split(many).size(), kTextWordsMax);
  EXPECT_LE(splitter.split("\xFF\xFE bad").size(), 0U);
  EXPECT_EQ(words_of("good \xFF bad"), (Words{"good"}));
  std::string marks = "a";
  for (int i = 0; i < 10'000; ++i) marks += "\u0301";
  EXPECT_EQ(words_of(marks), (Words{"a"}));
  std::string wide(kWordBytesMax - 1, 'a');
  EXPECT_EQ(words_of(wide + "ж")[0], wide);  // cut between characters
}

TEST(TextIndexWords, LocalNames) {
  std::string scratch;
  EXPECT_EQ(local_name("http://example.org/ns#Person", scratch), "Person");
  EXPECT_EQ(local_name("http://example.org/Person/", scratch), "Person");
  EXPECT_EQ(local_name("urn:isbn:123", scratch), "123");
  EXPECT_EQ(local_name("http://example.org/M%C3%BCller", scratch), "Müller");
  EXPECT_EQ(local_name("http://example.org/%FF%FEx", scratch), "%FF%FEx");
  EXPECT_EQ(local_name("", scratch), "");
  EXPECT_EQ(local_name("///", scratch), "");
}

}  // namespace
}  // namespace helve::store
