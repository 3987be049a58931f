#include "sources/store/local_triples.h"

#include <gtest/gtest.h>

#include "sources/store/loader.h"

namespace helve::store {
namespace {

// The first triple is in two graphs.
constexpr const char* kData = R"(
@prefix ex: <http://example.org/> .
ex:a ex:p ex:x . ex:a ex:q ex:x . ex:b ex:p ex:x , ex:y .
ex:g { ex:a ex:p ex:x . ex:c ex:p ex:y . }
)";

std::shared_ptr<const Snapshot> snapshot() {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.trig", kData, rdf::Format::TriG));
  auto loaded = load_documents(std::move(documents), {}, {});
  EXPECT_TRUE(loaded.has_value());
  return loaded->snapshot;
}

Id id_of(const Snapshot& data, const std::string& name) {
  if (name.empty()) return {};
  return data.dictionary().find(rdf::TermView::iri("http://example.org/" + name)).value();
}

std::size_t count(const Snapshot& data, const std::string& s, const std::string& p,
                  const std::string& o) {
  std::vector<TripleIds> triples;
  const TripleIds known{id_of(data, s), id_of(data, p), id_of(data, o)};
  const auto has_more = read_triples(data, known, 100, triples, {});
  EXPECT_TRUE(has_more && !*has_more);
  for (const TripleIds& one : triples) {
    EXPECT_TRUE(one.subject.is_defined() && one.predicate.is_defined() && one.object.is_defined());
    EXPECT_TRUE(s.empty() || one.subject == known.subject);
    EXPECT_TRUE(p.empty() || one.predicate == known.predicate);
    EXPECT_TRUE(o.empty() || one.object == known.object);
  }
  return triples.size();
}

TEST(LocalTriples, AnyPartsMayBeKnownAndATripleOfTwoGraphsIsOne) {
  const auto data = snapshot();
  EXPECT_EQ(count(*data, "", "", ""), 5u);
  EXPECT_EQ(count(*data, "a", "", ""), 2u);
  EXPECT_EQ(count(*data, "", "p", ""), 4u);
  EXPECT_EQ(count(*data, "", "", "x"), 3u);
  EXPECT_EQ(count(*data, "b", "p", ""), 2u);
  EXPECT_EQ(count(*data, "a", "", "x"), 2u);
  EXPECT_EQ(count(*data, "", "p", "x"), 2u);
  EXPECT_EQ(count(*data, "a", "p", "x"), 1u);
  EXPECT_EQ(count(*data, "c", "q", ""), 0u);
}

TEST(LocalTriples, NoMoreAreReadThanWanted) {
  const auto data = snapshot();
  std::vector<TripleIds> triples;
  EXPECT_TRUE(read_triples(*data, {{}, id_of(*data, "p"), {}}, 3, triples, {}).value());
  EXPECT_EQ(triples.size(), 3u);
  triples.clear();
  EXPECT_FALSE(read_triples(*data, {{}, id_of(*data, "p"), {}}, 4, triples, {}).value());
  EXPECT_EQ(triples.size(), 4u);
}

TEST(LocalTriples, CountsTriplesByObject) {
  const auto data = snapshot();
  std::vector<TripleReader::ObjectCount> counts;
  EXPECT_FALSE(count_by_object(*data, id_of(*data, "p"), 2, counts, {}).value());
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0], TripleReader::ObjectCount(id_of(*data, "x"), 2));
  EXPECT_EQ(counts[1], TripleReader::ObjectCount(id_of(*data, "y"), 2));
  counts.clear();
  EXPECT_TRUE(count_by_object(*data, id_of(*data, "p"), 1, counts, {}).value());
  EXPECT_EQ(counts.size(), 1u);
}

}  // namespace
}  // namespace helve::store
