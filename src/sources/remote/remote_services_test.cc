#include "sources/remote/remote_services.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "tests/support/fake_env.h"

namespace helve::remote {
namespace {

using ::testing::HasSubstr;

// So many rows of one number.
std::string numbers(std::size_t count) {
  std::string out = R"({"head":{"vars":["x"]},"results":{"bindings":[)";
  for (std::size_t i = 0; i < count; ++i) {
    out += fmt::format(R"({}{{"x":{{"type":"literal","value":"{}"}}}})", i == 0 ? "" : ",", i);
  }
  return out + "]}}";
}

class RemoteServicesTest : public ::testing::Test {
 protected:
  RemoteServicesTest() {
    env_.http().set_handler([this](const HttpRequest& request) -> Result<HttpResponse> {
      const bool is_behind = request.body.find("OFFSET") != std::string::npos;
      if (is_behind && is_behind_refused_) {
        return HttpResponse{400, {{"content-type", "text/plain"}}, "OFFSET is too large"};
      }
      return HttpResponse{200,
                          {{"content-type", "application/sparql-results+json"}},
                          is_behind ? behind_ : answer_};
    });
  }
  Result<sparql::SolutionTable> ask(const std::string& endpoint) {
    const auto query = sparql::parse_query("SELECT * { ?x ?p ?o }")->query;
    return services_.ask(endpoint, std::get<sparql::Select>(query.form).body.where, {});
  }

  FakeEnv env_;
  std::string answer_ = numbers(1);
  std::string behind_ = numbers(0);  // where rows are asked for behind others
  bool is_behind_refused_ = false;
  std::shared_ptr<HostGates> gates_ = std::make_shared<HostGates>(env_.clock());
  // The limits that everybody has.
  RemoteServices services_{
      [this](const std::string& url) -> Result<std::shared_ptr<EndpointClient>> {
        EndpointOptions options;
        options.name = fmt::format("SERVICE <{}>", url);
        options.url = url;
        return EndpointClient::make(options, env_, gates_);
      }};
};

TEST_F(RemoteServicesTest, AskAHundredEndpointsAndNoMore) {
  for (int i = 0; i < 100; ++i) {
    const auto answer = ask(fmt::format("http://e{}.example/sparql", i));
    ASSERT_TRUE(answer) << i << ": " << answer.error().to_string();
  }
  const auto one_more = ask("http://e100.example/sparql");
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(one_more.error().message, HasSubstr("more than 100 endpoints"));
  EXPECT_FALSE(one_more.error().hint.empty());
  EXPECT_EQ(env_.http().requests().size(), 100U);
  // Those that are known are asked as before.
  EXPECT_TRUE(ask("http://e99.example/sparql"));
}

TEST_F(RemoteServicesTest, TakeAHundredThousandRowsAndNoMore) {
  answer_ = numbers(100'000);
  const auto all = ask("http://one.example/sparql");
  ASSERT_TRUE(all) << all.error().to_string();
  EXPECT_EQ(all->rows.size(), 100'000U);
  answer_ = numbers(100'001);
  const auto too_many = ask("http://one.example/sparql");
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(too_many.error().message, HasSubstr("more than 100,000 rows"));
  EXPECT_FALSE(too_many.error().hint.empty());
}

// Servers that stop at a number that people choose say nothing of it.
TEST_F(RemoteServicesTest, RowsThatEndAtARoundNumberAreLookedBehind) {
  answer_ = numbers(999);
  EXPECT_EQ(ask("http://one.example/sparql")->rows.size(), 999U);
  EXPECT_EQ(env_.http().requests().size(), 1U);
  answer_ = numbers(1'000);
  const auto whole = ask("http://one.example/sparql");
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_EQ(whole->rows.size(), 1'000U);
  ASSERT_EQ(env_.http().requests().size(), 3U);
  EXPECT_THAT(env_.http().requests().back().body, HasSubstr("OFFSET%201000"));
}

TEST_F(RemoteServicesTest, ACapThatNobodyTellsOfIsAnError) {
  answer_ = numbers(10'000);
  behind_ = numbers(1);
  const auto capped = ask("http://one.example/sparql");
  ASSERT_FALSE(capped);
  EXPECT_EQ(capped.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(capped.error().message, HasSubstr("stopped at 10,000 rows without saying so"));
  EXPECT_FALSE(capped.error().hint.empty());
}

TEST_F(RemoteServicesTest, AnEndThatCannotBeLookedBehindIsAnError) {
  answer_ = numbers(10'000);
  is_behind_refused_ = true;
  const auto doubtful = ask("http://one.example/sparql");
  ASSERT_FALSE(doubtful);
  EXPECT_EQ(doubtful.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(doubtful.error().message,
              HasSubstr("exactly 10,000 rows came from SERVICE <http://"));
}

}  // namespace
}  // namespace helve::remote
