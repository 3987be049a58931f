#include "sources/remote/remote_services.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "tests/support/fake_env.h"

namespace helve::remote {
namespace {

using testing::HasSubstr;

// So many rows of one number.
std::string numbers(std::size_t count) {
  std::string out = R"({"head":{"vars":["x"]},"results":{"bindings":[)";
  for (std::size_t i = 0; i < count; ++i) {
    out += fmt::format(R"({}{{"x":{{"type":"literal","value":"{}"}}}})", i == 0 ? "" : ",", i);
  }
  return out + "]}}";
}

class RemoteServicesTest : public testing::Test {
 protected:
  RemoteServicesTest() {
    env_.http().set_handler([this](const HttpRequest&) -> Result<HttpResponse> {
      return HttpResponse{200, {{"content-type", "application/sparql-results+json"}}, answer_};
    });
  }
  Result<sparql::SolutionTable> ask(const std::string& endpoint) {
    const auto query = sparql::parse_query("SELECT * { ?x ?p ?o }")->query;
    return services_.ask(endpoint, std::get<sparql::Select>(query.form).body.where, {});
  }

  FakeEnv env_;
  std::string answer_ = numbers(1);
  // The limits that everybody has.
  RemoteServices services_{{}, env_, std::make_shared<HostGates>(env_.clock())};
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

}  // namespace
}  // namespace helve::remote
