// What the writers write, the readers read back: isomorphic, and for pretty documents byte for
// byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "sources/rdf/isomorphism.h"
#include "sources/rdf/reader.h"
#include "sources/rdf/writer.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_data.h"

namespace helve::rdf {
namespace {

using test::random_dataset;
using test::RandomGraphOptions;

std::string write(const QuadSet& set, Format format, const WriteOptions& options = {}) {
  StringSink out;
  const auto writer = make_writer(format, out, options, OpContext());
  for (const auto& [name, iri] : set.prefixes()) writer->prefix(name, iri);
  for (const QuadIndexes& quad : set.quads()) {
    const auto written = writer->statement(set.view(quad));
    EXPECT_TRUE(written) << written.error().to_string();
  }
  const auto finished = writer->finish();
  EXPECT_TRUE(finished) << finished.error().to_string();
  return out.take();
}

QuadSet read(std::string_view text, Format format, const ReadOptions& options = {}) {
  QuadSet set;
  const auto report = read_document(format, text, options, OpContext(), set);
  EXPECT_TRUE(report) << report.error().to_string() << "\n" << text;
  return set;
}

bool is_equivalent(const QuadSet& a, const QuadSet& b) { return are_isomorphic(a, b).value(); }

// The same statements in another order, with other labels.
QuadSet disguised(const QuadSet& set, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<QuadIndexes> quads = set.quads();
  std::shuffle(quads.begin(), quads.end(), random);
  std::map<std::string, std::string, std::less<>> labels;
  const auto relabelled = [&](const TermView& view) {
    Term term(view);
    if (!term.view().is_blank()) return term;
    std::string& label = labels[term.value];
    if (label.empty()) label = "r" + std::to_string(random()) + "_" + std::to_string(labels.size());
    term.value = label;
    return term;
  };
  QuadSet out;
  for (const auto& [name, iri] : set.prefixes()) out.prefix(name, iri);
  for (const QuadIndexes& quad : quads) {
    const Term s = relabelled(set.term(quad[0]));
    const Term o = relabelled(set.term(quad[2]));
    const Term g = relabelled(set.term(quad[3]));
    EXPECT_TRUE(out.statement({s.view(), set.term(quad[1]), o.view(), g.view()}));
  }
  return out;
}

struct Case {
  Format format;
  bool is_pretty;
};

class RoundTrip : public ::testing::TestWithParam<Case> {};

TEST_P(RoundTrip, GivesAnIsomorphicDataset) {
  const auto [format, is_pretty] = GetParam();
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomGraphOptions options;
    options.statements = seed % 60;
    options.has_graphs = format == Format::NQuads || format == Format::TriG;
    options.is_xml_safe = format == Format::RdfXml;
    const QuadSet set = random_dataset(seed, options);
    WriteOptions write_options;
    write_options.pretty = is_pretty;
    const std::string text = write(set, format, write_options);
    ASSERT_TRUE(is_equivalent(set, read(text, format))) << "seed " << seed << "\n" << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip,
                         ::testing::Values(Case{Format::NTriples, true}, Case{Format::NQuads, true},
                                           Case{Format::Turtle, false}, Case{Format::TriG, false},
                                           Case{Format::Turtle, true}, Case{Format::TriG, true},
                                           Case{Format::RdfXml, false},
                                           Case{Format::RdfXml, true}));

TEST(PrettyDocument, WritingAgainGivesTheSameBytes) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    RandomGraphOptions options;
    options.statements = seed % 80;
    options.has_graphs = seed % 2 == 0;
    const Format format = options.has_graphs ? Format::TriG : Format::Turtle;
    const std::string once = write(random_dataset(seed, options), format);
    ASSERT_EQ(write(read(once, format), format), once) << "seed " << seed;
  }
}

TEST(PrettyDocument, DependsOnNeitherOrderNorLabels) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomGraphOptions options;
    options.has_graphs = true;
    const QuadSet set = random_dataset(seed, options);
    ASSERT_EQ(write(disguised(set, seed), Format::TriG), write(set, Format::TriG))
        << "seed " << seed;
  }
}

TEST(PrettyDocument, HoldsEveryOntology) {
  HELVE_SHARED_PATH(folder, "data/ontologies");
  std::size_t documents = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().string();
    if (!entry.is_regular_file() || name.ends_with(".md")) continue;
    std::stringstream content;
    content << std::ifstream(entry.path()).rdbuf();
    const std::string text = content.str();
    const auto format = detect_format(text, format_of_path(name));
    ASSERT_TRUE(format) << name;
    ReadOptions options;
    options.base_iri = "http://example.org/base";
    const QuadSet set = read(text, *format, options);
    const std::string once = write(set, Format::Turtle);
    const QuadSet again = read(once, Format::Turtle);
    EXPECT_TRUE(is_equivalent(set, again)) << name;
    EXPECT_TRUE(write(again, Format::Turtle) == once) << name;
    EXPECT_TRUE(write(disguised(set, 1), Format::Turtle) == once) << name;
    ++documents;
  }
  EXPECT_GT(documents, 0U);
}

}  // namespace
}  // namespace helve::rdf
