#include "sources/rdf/turtle_writer.h"

#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

TermView iri(std::string_view value) { return TermView::iri(value); }

struct Fixture {
  explicit Fixture(Format format, const WriteOptions& options = {})
      : writer(make_turtle_writer(format, out, options, OpContext())) {}
  void add(const TermView& s, const TermView& p, const TermView& o, const TermView& g = {}) const {
    ASSERT_TRUE(writer->statement({s, p, o, g}));
  }
  std::string finish() const {
    EXPECT_TRUE(writer->finish());
    return out.text();
  }
  StringSink out;
  std::unique_ptr<Writer> writer;
};

TEST(TurtleWriter, GroupsNeighbours) {
  Fixture turtle(Format::Turtle);
  turtle.writer->prefix("", "http://e/");
  turtle.add(iri("http://e/s"), iri(kRdfType), iri("http://e/C"));
  turtle.add(iri("http://e/s"), iri("http://e/p"), TermView::literal("1", kXsdInteger));
  turtle.add(iri("http://e/s"), iri("http://e/p"), TermView::blank("x"));
  turtle.add(TermView::blank("x"), iri("http://e/p"), iri(kRdfNil));
  turtle.add(iri("http://e/s"), iri("http://e/p"), iri("http://f/"));
  EXPECT_EQ(turtle.finish(),
            "@prefix : <http://e/> .\n"
            "\n"
            ":s a :C ;\n"
            "    :p 1,\n"
            "        _:x .\n"
            "\n"
            "_:x :p () .\n"
            "\n"
            ":s :p <http://f/> .\n");
}

TEST(TurtleWriter, DeclaresPrefixesAsTheyCome) {
  WriteOptions options;
  options.prefixes = {{"a", "http://a/"}};
  Fixture trig(Format::TriG, options);
  trig.add(iri("http://a/s"), iri("http://b/p"), iri("http://a/o"), iri("http://a/g"));
  trig.writer->prefix("b", "http://b/");
  trig.writer->prefix("a", "http://other/");
  trig.writer->prefix("not a name", "http://c/");
  trig.add(iri("http://a/s"), iri("http://b/p"), iri("http://a/o2"), iri("http://a/g"));
  EXPECT_EQ(trig.finish(),
            "@prefix a: <http://a/> .\n"
            "\n"
            "a:g {\n"
            "    a:s <http://b/p> a:o .\n"
            "}\n"
            "@prefix b: <http://b/> .\n"
            "\n"
            "a:g {\n"
            "    a:s b:p a:o2 .\n"
            "}\n");
}

TEST(TurtleWriter, OpensAndClosesGraphs) {
  Fixture trig(Format::TriG);
  const TermView s = iri("http://e/s");
  trig.add(s, s, s);
  trig.add(s, s, s, TermView::blank("g"));
  trig.add(s, s, TermView::literal("x"), TermView::blank("g"));
  trig.add(s, s, s);
  EXPECT_EQ(trig.finish(),
            "<http://e/s> <http://e/s> <http://e/s> .\n"
            "\n"
            "_:g {\n"
            "    <http://e/s> <http://e/s> <http://e/s>,\n"
            "            \"x\" .\n"
            "}\n"
            "\n"
            "<http://e/s> <http://e/s> <http://e/s> .\n");
}

TEST(TurtleWriter, EmptyInputIsAnEmptyDocument) { EXPECT_EQ(Fixture(Format::Turtle).finish(), ""); }

TEST(TurtleWriter, RefusesGraphsInTurtleAndBadTerms) {
  Fixture turtle(Format::Turtle);
  const TermView s = iri("http://e/s");
  EXPECT_EQ(turtle.writer->statement({s, s, s, s}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(turtle.writer->statement({s, s, iri("x"), {}}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(turtle.finish(), "");
}

// A sink that forgets: memory must not grow with the document.
class NullSink final : public ByteSink {
 public:
  Result<void> write(std::string_view bytes) override {
    largest_ = std::max(largest_, bytes.size());
    total_ += bytes.size();
    return {};
  }
  Result<void> flush() override { return {}; }
  std::size_t largest_ = 0;
  std::size_t total_ = 0;
};

TEST(TurtleWriter, HandsOverPiecesAsItGoes) {
  NullSink out;
  const auto writer = make_turtle_writer(Format::Turtle, out, {}, OpContext());
  const TermView s = iri("http://e/s");
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(writer->statement({s, s, s, {}}));
  EXPECT_GT(out.total_, 100'000U);
  EXPECT_LT(out.largest_, 70'000U);
}

}  // namespace
}  // namespace helve::rdf
