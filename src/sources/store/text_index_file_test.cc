#include "sources/store/text_index_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/executor.h"
#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "sources/store/local_schema.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "sources/store/text_index_builder.h"
#include "sources/store/text_index_search.h"
#include "tests/support/temp_directory.h"

namespace helve::store {
namespace {

std::string some_turtle(int things) {
  std::string turtle =
      "@prefix ex: <http://example.org/> . @prefix rdfs: "
      "<http://www.w3.org/2000/01/rdf-schema#> .\n";
  for (int i = 0; i < things; ++i) {
    turtle += fmt::format("ex:thing{0} a ex:Thing ; rdfs:label \"label {0} of thing\"@en .\n", i);
  }
  return turtle;
}

std::shared_ptr<const Snapshot> load_turtle_file(const std::string& turtle,
                                                 Executor* executor = nullptr) {
  OpContext context;
  context.executor = executor;
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.ttl", turtle, rdf::Format::Turtle));
  return load_documents(std::move(documents), {}, context).value().snapshot;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string text_of(const Result<std::vector<NameHit>>& hits) {
  if (!hits) return hits.error().to_string();
  std::string text;
  for (const NameHit& hit : *hits) {
    text += fmt::format("{} {} {} {:.3f}\n", hit.iri, hit.label, hit.count, hit.score);
  }
  return text;
}

constexpr const char* kQueries[] = {"thing", "label 17", "thin", "thnig", "17", "thing17 absent"};

class TextIndexFileTest : public ::testing::Test {
 protected:
  TextIndexFileTest() {
    EXPECT_TRUE(write_snapshot(*memory_, {}, folder_, {}).has_value());
    snapshot_ = open_snapshot(folder_, {}).value();
    index_ = build_text_index(*memory_, {}).value();
  }
  std::string answers(const TextIndex& index) const {
    std::string text;
    for (const char* query : kQueries) {
      text += text_of(search_names(*snapshot_, index, {query, NameKind::Any, 10, true}, {}));
    }
    return text;
  }
  std::shared_ptr<const GraphSource> graph() const {
    return make_local_graph(open_snapshot(folder_, {}).value(), {}, {folder_}).value();
  }
  std::string answers(const GraphSource& graph) const {
    std::string text;
    for (const char* query : kQueries) text += text_of(graph.find({query, NameKind::Any, 10}, {}));
    return text;
  }

  TempDirectory temp_;
  std::filesystem::path folder_ = temp_.path() / "index";
  std::filesystem::path file_ = folder_ / kNamesFileName;
  std::shared_ptr<const Snapshot> memory_ = load_turtle_file(some_turtle(500));
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const TextIndex> index_;
};

TEST_F(TextIndexFileTest, RoundTrip) {
  EXPECT_EQ(open_text_index(*snapshot_, folder_, {}).error().code, ErrorCode::NotFound);
  ASSERT_TRUE(write_text_index(*index_, *snapshot_, folder_, {}).has_value());
  const auto opened = open_text_index(*snapshot_, folder_, {});
  ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
  EXPECT_EQ(answers(**opened), answers(*index_));
  EXPECT_FALSE((*opened)->failure().has_value());
  EXPECT_EQ((*opened)->labels, index_->labels);
  // The same bytes, whoever makes them.
  const std::string bytes = read(file_);
  ASSERT_TRUE(write_text_index(**opened, *snapshot_, folder_, {}).has_value());
  EXPECT_EQ(read(file_), bytes);
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  ASSERT_TRUE(
      write_text_index(**build_text_index(*snapshot_, context), *memory_, folder_, {}).has_value());
  EXPECT_EQ(read(file_), bytes);
}

TEST_F(TextIndexFileTest, EmptyGraph) {
  const auto empty = load_turtle_file("");
  const auto folder = temp_.path() / "empty";
  ASSERT_TRUE(write_snapshot(*empty, {}, folder, {}).has_value());
  const auto index = build_text_index(*empty, {}).value();
  ASSERT_TRUE(write_text_index(*index, *empty, folder, {}).has_value());
  const auto opened = open_text_index(*empty, folder, {});
  ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
  EXPECT_EQ(search_names(*empty, **opened, {"word"}, {})->size(), 0U);
}

TEST_F(TextIndexFileTest, GraphKeepsItAndUsesIt) {
  EXPECT_EQ(answers(*graph()), answers(*index_));
  const std::string bytes = read(file_);
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(answers(*graph()), answers(*index_));
  EXPECT_EQ(read(file_), bytes);
}

TEST_F(TextIndexFileTest, StaleOnesAreMadeAnew) {
  (void)answers(*graph());
  const std::string old = read(file_);
  const auto other = load_turtle_file(some_turtle(501));
  ASSERT_TRUE(write_snapshot(*other, {}, folder_, {}).has_value());
  const auto opened = open_snapshot(folder_, {}).value();
  EXPECT_EQ(open_text_index(*opened, folder_, {}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(graph()->find({"thing500"}, {})->size(), 1U);
  EXPECT_NE(read(file_), old);
  EXPECT_TRUE(open_text_index(*opened, folder_, {}).has_value());
}

TEST_F(TextIndexFileTest, DamageIsNeverTrusted) {
  (void)answers(*graph());
  const std::string good = read(file_);
  const std::string expected = answers(*index_);
  for (std::size_t at = 0; at < good.size(); at += 61) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x5A);
    write(file_, bad);
    ASSERT_EQ(answers(*graph()), expected) << at;
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{64}, good.size() / 2}) {
    write(file_, good.substr(0, size));
    ASSERT_EQ(answers(*graph()), expected) << size;
  }
  EXPECT_EQ(read(file_), good);  // repaired
}

TEST_F(TextIndexFileTest, WorksWhereNothingCanBeWritten) {
  const auto nowhere = make_local_graph(memory_, {}, {temp_.path() / "absent", nullptr}).value();
  EXPECT_EQ(nowhere->find({"thing17"}, {})->front().iri, "http://example.org/thing17");
}

TEST_F(TextIndexFileTest, FolderOfNamesAloneMayBecomeAnIndex) {
  (void)answers(*graph());
  std::filesystem::remove(folder_ / kSnapshotFileName);
  EXPECT_TRUE(write_snapshot(*memory_, {}, folder_, {}, real_env(), IfPresent::Refuse).has_value());
}

TEST_F(TextIndexFileTest, FingerprintsFollowTheData) {
  Executor executor(4);
  EXPECT_EQ(fingerprint_of(*memory_), fingerprint_of(*snapshot_));
  EXPECT_EQ(fingerprint_of(*load_turtle_file(some_turtle(500), &executor)),
            fingerprint_of(*memory_));
  EXPECT_NE(fingerprint_of(*load_turtle_file(some_turtle(499))), fingerprint_of(*memory_));
  std::string other = some_turtle(500);
  other.replace(other.find("label 250"), 9, "label 25x");
  EXPECT_NE(fingerprint_of(*load_turtle_file(other)), fingerprint_of(*memory_));
  const auto folder = temp_.path() / "other";
  ASSERT_TRUE(
      write_snapshot(*memory_, {{"elsewhere.ttl"}, "helve", "key"}, folder, {}).has_value());
  EXPECT_EQ(fingerprint_of(**open_snapshot(folder, {})), fingerprint_of(*memory_));
}

}  // namespace
}  // namespace helve::store
