#include "sources/store/statement_walk.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "sources/rdf/writer.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"

namespace helve::store {
namespace {

TEST(StatementWalk, GivesBackWhatWasLoaded) {
  const std::string text =
      "<http://e/a> <http://e/p> \"1\"@en <http://e/g> .\n"
      "<http://e/b> <http://e/p> _:x <http://e/g> .\n"
      "<http://e/a> <http://e/p> \"01\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
      "<http://e/a> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n";
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nq", text, rdf::Format::NQuads));
  const auto loaded = load_documents(std::move(documents), {}, OpContext{});
  ASSERT_TRUE(loaded);
  StringSink out;
  const auto writer = rdf::make_writer(rdf::Format::NQuads, out, {}, OpContext{});
  ASSERT_TRUE(send_statements(*as_dataset(loaded->snapshot), *writer, OpContext{}));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(out.text(), text);
}

TEST(StatementWalk, StopsWhenCancelled) {
  std::vector<rdf::Document> documents;
  documents.push_back(
      rdf::Document::from_text("t.nt", "<a:b> <a:b> <a:b> .", rdf::Format::NTriples));
  const auto loaded = load_documents(std::move(documents), {}, OpContext{});
  OpContext context;
  context.cancel.cancel();
  StringSink out;
  const auto writer = rdf::make_writer(rdf::Format::NQuads, out, {}, OpContext{});
  const auto sent = send_statements(*as_dataset(loaded->snapshot), *writer, context);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace helve::store
