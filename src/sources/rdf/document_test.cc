#include "sources/rdf/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/rdf/quad_set.h"
#include "tests/support/fake_env.h"

namespace helve::rdf {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTurtle =
    "@prefix e: <http://e/> .\n<> e:p <x> ; e:q [ e:r 'text' ] .\n";

class DocumentTest : public ::testing::Test {
 protected:
  Result<Document> open(const std::string& path, DocumentOptions options = {}) {
    return open_document(env_, path, options, context_);
  }
  std::string error_of(const std::string& path) {
    const auto document = open(path);
    return document ? "" : document.error().to_string();
  }
  static std::string compressed(Compression compression, std::string_view text) {
    StringSink out;
    const auto sink = open_compressor(compression, out);
    EXPECT_TRUE(sink->write(text));
    EXPECT_TRUE(sink->finish());
    return out.take();
  }

  FakeEnv env_;
  OpContext context_;
};

TEST_F(DocumentTest, MapsPlainFiles) {
  env_.files().put("/data/a b.ttl", std::string(kTurtle));
  auto document = open("/data/a b.ttl");
  ASSERT_TRUE(document) << document.error().to_string();
  EXPECT_EQ(document->name(), "/data/a b.ttl");
  EXPECT_EQ(document->format(), Format::Turtle);
  EXPECT_EQ(document->compression(), Compression::None);
  ASSERT_TRUE(document->is_mapped());
  EXPECT_EQ(document->text(), kTurtle);
  EXPECT_EQ(document->bytes_total(), kTurtle.size());
  EXPECT_EQ(document->bytes_read(), 0U);
  QuadSet quads;
  EXPECT_EQ(document->read({}, context_, quads)->statements, 3U);
  EXPECT_EQ(quads.view(quads.quads()[0]).object.value, "file:///data/x");
  EXPECT_EQ(document->bytes_read(), kTurtle.size());
  QuadSet again;
  EXPECT_EQ(document->read({}, context_, again)->statements, 3U);
}

TEST_F(DocumentTest, DecompressesWhateverTheNameSays) {
  for (const Compression compression : {Compression::Gzip, Compression::Zstd, Compression::Bzip2}) {
    const std::string stored = compressed(compression, kTurtle);
    env_.files().put("/data/x.ttl", stored);
    auto document = open("/data/x.ttl");
    ASSERT_TRUE(document) << document.error().to_string();
    EXPECT_EQ(document->compression(), compression);
    EXPECT_EQ(document->format(), Format::Turtle);
    EXPECT_FALSE(document->is_mapped());
    EXPECT_EQ(document->bytes_total(), stored.size());
    QuadSet quads;
    ReadOptions options;
    options.base_iri = "http://base/";
    EXPECT_EQ(document->read(options, context_, quads)->statements, 3U);
    EXPECT_EQ(quads.view(quads.quads()[0]).object.value, "http://base/x");
    EXPECT_EQ(document->bytes_read(), stored.size());
    QuadSet again;
    EXPECT_THAT(document->read({}, context_, again).error().message, HasSubstr("already"));
  }
}

TEST_F(DocumentTest, ContentWinsOverTheName) {
  env_.files().put("/x.owl", std::string(kTurtle));
  EXPECT_EQ(open("/x.owl")->format(), Format::Turtle);
  env_.files().put("/x.ttl", "<?xml version='1.0'?><rdf:RDF x='y'/>");
  EXPECT_EQ(open("/x.ttl")->format(), Format::RdfXml);
  env_.files().put("/x.nt", "ex:a ex:b ex:c .");
  EXPECT_EQ(open("/x.nt", {.format = Format::TriG})->format(), Format::TriG);
}

TEST_F(DocumentTest, EmptyFiles) {
  env_.files().put("/x.ttl", "");
  env_.files().put("/x.rdf", "");
  QuadSet quads;
  EXPECT_EQ(open("/x.ttl")->read({}, context_, quads)->statements, 0U);
  const auto report = open("/x.rdf")->read({}, context_, quads);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().document, "/x.rdf");
}

TEST_F(DocumentTest, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(open("/none.ttl").error().code, ErrorCode::NotFound);
  ASSERT_TRUE(env_.files().make_directories("/dir"));
  EXPECT_EQ(error_of("/dir"), "/dir is a folder (name the files in it)");
  env_.files().put("/secret.ttl", "x");
  env_.files().deny("/secret.ttl");
  EXPECT_EQ(open("/secret.ttl").error().code, ErrorCode::Denied);
  env_.files().put("/data.bin", std::string("\x7F"
                                            "ELF\0\0\1",
                                            7));
  EXPECT_EQ(
      error_of("/data.bin"),
      "/data.bin does not look like RDF: it seems to be binary data (Turtle, TriG, "
      "N-Triples, N-Quads and RDF/XML are read; on the command line --from FORMAT says which it "
      "is)");
  env_.files().put("/page.ttl", "<!DOCTYPE html><html>");
  EXPECT_THAT(error_of("/page.ttl"), HasSubstr("seems to be HTML"));
  env_.files().put("/x.json", "{\"a\": 1}");
  EXPECT_THAT(error_of("/x.json"), HasSubstr("seems to be JSON"));
  env_.files().put("/notes.txt", "Buy milk.");
  EXPECT_THAT(error_of("/notes.txt"), HasSubstr("text of another kind"));
}

TEST_F(DocumentTest, NamesItselfOnceInAnError) {
  env_.files().put("/page.ttl.gz", compressed(Compression::Gzip, "<!DOCTYPE html><html/>"));
  EXPECT_THAT(error_of("/page.ttl.gz"),
              ::testing::StartsWith("/page.ttl.gz does not look like RDF"));
  env_.files().put("/wide.ttl", std::string("\xFF\xFE@\0p\0", 6));
  EXPECT_THAT(error_of("/wide.ttl"), HasSubstr("it seems to be UTF-16"));
}

TEST_F(DocumentTest, TruncatedCompressionIsAnErrorWithTheName) {
  std::string text(kTurtle);
  for (int i = 0; i < 20'000; ++i) text += "e:s" + std::to_string(i * 7919) + " e:p e:o .\n";
  std::string stored = compressed(Compression::Gzip, text);
  stored.resize(stored.size() - 20);
  env_.files().put("/cut.ttl.gz", stored);
  auto document = open("/cut.ttl.gz");
  ASSERT_TRUE(document);
  QuadSet quads;
  ReadOptions options;
  options.lenient = true;
  const auto report = document->read(options, context_, quads);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(report.error().document, "/cut.ttl.gz");
  env_.files().put("/short.gz", stored.substr(0, 15));
  EXPECT_EQ(open("/short.gz").error().document, "/short.gz");
}

TEST_F(DocumentTest, BoundsItsSize) {
  context_.limits.document_bytes_max = 10;
  env_.files().put("/x.ttl", std::string(kTurtle));
  EXPECT_EQ(open("/x.ttl").error().code, ErrorCode::LimitExceeded);
  env_.files().put("/x.ttl.zst", compressed(Compression::Zstd, kTurtle));
  EXPECT_EQ(open("/x.ttl.zst").error().code, ErrorCode::LimitExceeded);
}

TEST(FileIri, EscapesWhatAnIriCannotHold) {
  EXPECT_EQ(file_iri("/a b/c#d?e%f/\u00e9.ttl"), "file:///a%20b/c%23d%3Fe%25f/%C3%A9.ttl");
}

}  // namespace
}  // namespace helve::rdf
