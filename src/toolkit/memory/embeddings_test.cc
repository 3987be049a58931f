#include "toolkit/memory/embeddings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/json.h"
#include "tests/support/fake_http.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/bank_place_testing.h"
#include "toolkit/memory/vectors.h"

namespace helve::memory {
namespace {

// Words that mean the same have the same place in vectors.
std::vector<double> meaning_of(const std::string& text) {
  static const std::map<std::string, std::size_t> places = {
      {"car", 0}, {"automobile", 0}, {"export", 1}, {"download", 1}, {"protein", 2}};
  std::vector<double> values(4, 0);
  values[3] = 0.1;
  for (const std::string& term : terms_of(text)) {
    const auto place = places.find(term);
    if (place != places.end()) values[place->second] += 1;
  }
  return values;
}

// The last first: the order is that of the indexes.
Result<HttpResponse> answer(const HttpRequest& request) {
  const auto json = parse_json(request.body);
  const auto& input = *json->find("input")->if_array();
  std::string body = "{\"data\":[";
  for (std::size_t i = input.size(); i-- > 0;) {
    body += fmt::format("{{\"index\":{},\"embedding\":[{}]}}{}", i,
                        fmt::join(meaning_of(*input[i].if_string()), ","), i > 0 ? "," : "");
  }
  return HttpResponse{200, {}, body + "]}"};
}

class EmbeddingsTest : public ::testing::Test {
 protected:
  EmbeddingsTest() { http_.set_handler(answer); }

  std::shared_ptr<const EmbeddingClient> client(std::size_t dims = 0) {
    EmbeddingOptions options;
    options.url = "https://models.example.org/v1/embeddings";
    options.model = "small";
    options.key = "tulips-and-daisies";
    options.batch_max = 2;
    options.dims = dims;
    auto made = EmbeddingClient::make(options, http_);
    EXPECT_TRUE(made) << made.error().to_string();
    return std::make_shared<const EmbeddingClient>(*std::move(made));
  }
  std::string failure(const std::string& body, int status = 200) {
    http_.reply(status, body);
    const auto vectors = client()->embed({"a", "b"}, context_);
    EXPECT_FALSE(vectors);
    return vectors ? "" : vectors.error().message;
  }

  FakeHttp http_;
  OpContext context_;
};

TEST_F(EmbeddingsTest, AsksInBatchesAndPutsVectorsInOrder) {
  const auto vectors = client()->embed({"car", "export", "protein"}, context_);
  ASSERT_TRUE(vectors) << vectors.error().to_string();
  ASSERT_THAT(*vectors, SizeIs(3));
  EXPECT_GT(vectors->at(0)[0], 0.9F);
  EXPECT_GT(vectors->at(1)[1], 0.9F);
  EXPECT_GT(vectors->at(2)[2], 0.9F);
  for (const auto& one : *vectors) {
    double squares = 0;
    for (const float value : one) squares += double{value} * value;
    EXPECT_NEAR(squares, 1, 1e-6);
  }
  const auto requests = http_.requests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].credentials.at(0).second, "Bearer tulips-and-daisies");
  EXPECT_THAT(requests[0].body, HasSubstr("\"model\":\"small\""));
  EXPECT_FALSE(requests[0].reach.allows_private);
}

TEST_F(EmbeddingsTest, AnswersThatAreNoneAreTold) {
  EXPECT_THAT(failure("{}", 500), HasSubstr("status 500"));
  EXPECT_THAT(failure("nonsense"), HasSubstr("not 2 vectors"));
  EXPECT_THAT(failure(R"({"data":[{"index":0,"embedding":[1]}]})"), HasSubstr("not 2 vectors"));
  const std::string first = R"({"data":[{"index":0,"embedding":[1,0]},)";
  EXPECT_THAT(failure(first + R"({"index":0,"embedding":[1,0]}]})"), HasSubstr("same place"));
  EXPECT_THAT(failure(first + R"({"index":2,"embedding":[1,0]}]})"), HasSubstr("no place"));
  EXPECT_THAT(failure(first + R"({"embedding":[1,0]}]})"), HasSubstr("no place"));
  EXPECT_THAT(failure(first + R"({"index":1,"embedding":[1]}]})"), HasSubstr("1 values and not 2"));
  EXPECT_THAT(failure(first + R"({"index":1,"embedding":[0,0]}]})"), HasSubstr("no list"));
  EXPECT_THAT(failure(first + R"({"index":1,"embedding":["x",1]}]})"), HasSubstr("no list"));
  EXPECT_THAT(failure("{}", 401), HasSubstr("refuses the key"));
  http_.reply(200, first + R"({"index":1,"embedding":[1,0]}]})");
  EXPECT_FALSE(client(3)->embed({"a", "b"}, context_));
  EXPECT_FALSE(EmbeddingClient::make({.url = "ftp://x", .model = "m"}, http_));
  EXPECT_FALSE(EmbeddingClient::make({.url = "https://x/"}, http_));
}

TEST(Vectors, BytesComeBackAndNothingElse) {
  const std::vector<float> values = {0, -1.5F, 3e-30F};
  std::vector<float> back;
  ASSERT_TRUE(append_vector(vector_bytes(values), 3, back));
  EXPECT_EQ(back, values);
  EXPECT_FALSE(append_vector("123", 1, back));
  EXPECT_FALSE(append_vector("", 0, back));
  EXPECT_EQ(back, values);
}

TEST(Vectors, FusionIsByPlacesAndTiesById) {
  const auto fused = fuse({{{"b", 9}, {"a", 8}}, {{"c", 0.5}, {"a", 0.4}}}, 10);
  ASSERT_THAT(fused, SizeIs(3));
  EXPECT_EQ(fused[0].id, "a");
  EXPECT_DOUBLE_EQ(fused[0].score, 2.0 / 62);
  EXPECT_EQ(fused[1].id, "b");
  EXPECT_EQ(fused[2].id, "c");
  EXPECT_DOUBLE_EQ(fused[1].score, fused[2].score);
}

class FusionTest : public EmbeddingsTest {
 protected:
  void SetUp() override {
    auto opened = MemoryBank::open(folder_ / "bank.db", true, real_env(), context_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    bank_ = *opened;
    bank_->set_embeddings(client());
    ASSERT_TRUE(bank_->repository().add({car_, other_, wrong_}, context_));
    ASSERT_TRUE(bank_->repository().retract(wrong_.id, context_));
    options_.ranker = Ranker::Fusion;
  }
  std::vector<std::string> search(const std::string& question) {
    const auto found = bank_->search(question, options_, context_);
    EXPECT_TRUE(found) << found.error().to_string();
    std::vector<std::string> ids;
    if (!found) return ids;
    warning_ = found->warning;
    for (const Hit& hit : found->hits) ids.push_back(hit.item.id);
    return ids;
  }

  const Item car_ = item_of("Wheels", "About the automobile.");
  const Item other_ = item_of("Cars", "Plain proteins.");
  const Item wrong_ = item_of("Wrong", "A car that was taken back.");
  TempDirectory folder_;
  std::shared_ptr<MemoryBank> bank_;
  SearchOptions options_;
  std::string warning_;
};

TEST_F(FusionTest, FindsWhatHasNoneOfTheWords) {
  EXPECT_EQ(bank_->embed_missing(1, context_).value(), 1U);
  EXPECT_EQ(bank_->embed_missing(100, context_).value(), 1U);
  EXPECT_EQ(bank_->embed_missing(100, context_).value(), 0U);
  EXPECT_THAT(search("download of automobiles"), ElementsAre(car_.id, other_.id));
  EXPECT_EQ(warning_, "");
  // By words it is the second alone, by meaning the first one comes first: both have one first
  // place.
  const auto ids = search("car");
  EXPECT_THAT(ids, ::testing::UnorderedElementsAre(car_.id, other_.id));
  EXPECT_EQ(search("car"), ids);
  // What was learnt later is found as well: the table is read again.
  const Item later = item_of("Later", "How to export.");
  ASSERT_TRUE(bank_->repository().add({later}, context_));
  EXPECT_EQ(bank_->embed_missing(100, context_).value(), 1U);
  EXPECT_EQ(search("download").at(0), later.id);
}

TEST_F(FusionTest, WithoutVectorsItIsRankedByWordsAndTold) {
  EXPECT_THAT(search("car"), ElementsAre(other_.id));
  EXPECT_THAT(warning_, HasSubstr("no item has a vector yet"));
  ASSERT_TRUE(bank_->embed_missing(100, context_));
  http_.fail({ErrorCode::Unavailable, "nobody listens"});
  EXPECT_THAT(search("car"), ElementsAre(other_.id));
  EXPECT_THAT(warning_, HasSubstr("ranked by words alone: nobody listens"));
  http_.reply(200, R"({"data":[{"index":0,"embedding":[1,0]}]})");
  EXPECT_THAT(search("car"), ElementsAre(other_.id));
  EXPECT_THAT(warning_, HasSubstr("has 2 values, and those of the items 4"));
  bank_->set_embeddings(nullptr);
  EXPECT_THAT(search("car"), ElementsAre(other_.id));
  EXPECT_THAT(warning_, HasSubstr("no embeddings endpoint"));
}

}  // namespace
}  // namespace helve::memory
