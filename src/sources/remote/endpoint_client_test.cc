#include "sources/remote/endpoint_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/percent.h"
#include "sources/remote/endpoint_questions.h"
#include "tests/support/fake_env.h"

namespace helve::remote {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kJsonType = "application/sparql-results+json";
constexpr const char* kOne =
    R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"1"}}]}})";

class EndpointClientTest : public ::testing::Test {
 protected:
  EndpointClient& client(EndpointOptions options = {}) {
    if (options.url.empty()) options.url = "https://example.org/sparql";
    options.name = "Example";
    client_ = *EndpointClient::make(std::move(options), env_, gates_);
    return *client_;
  }
  OpContext within(Duration time) {
    OpContext context;
    context.deadline = Deadline(env_.clock(), time);
    return context;
  }
  static HttpResponse answer(std::string body, HttpHeaders more = {}) {
    HttpResponse response{200, {{"content-type", kJsonType}}, std::move(body)};
    response.headers.insert(response.headers.end(), more.begin(), more.end());
    return response;
  }

  FakeEnv env_;
  std::shared_ptr<HostGates> gates_ = std::make_shared<HostGates>(env_.clock());
  std::unique_ptr<EndpointClient> client_;
};

TEST_F(EndpointClientTest, PostsTheQueryAsAForm) {
  env_.http().reply(answer(kOne));
  const auto rows = ask_rows(client(), "SELECT ?x { ?x ?p \"a&b\" }", 10, {});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->at(0).at(0)->value, "1");
  const HttpRequest request = env_.http().requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://example.org/sparql");
  EXPECT_EQ(request.body, "query=" + percent_encoded("SELECT ?x { ?x ?p \"a&b\" }"));
  EXPECT_THAT(request.headers, Contains(Pair("Content-Type", "application/x-www-form-urlencoded")));
  EXPECT_THAT(request.headers, Contains(Pair("Accept", HasSubstr("sparql-results+json"))));
}

TEST_F(EndpointClientTest, WhereOnlyPostIsWantedGetIsNotTried) {
  EndpointOptions options;
  options.url = "https://example.org/sparql";
  options.method = QueryMethod::Post;
  env_.http().reply(405, "", "text/plain");
  EXPECT_FALSE(ask_rows(client(options), "ASK {}", 10, {}));
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(EndpointClientTest, GetPutsItIntoTheAddress) {
  EndpointOptions options;
  options.url = "https://example.org/sparql?key=1";
  options.method = QueryMethod::Get;
  env_.http().reply(answer(kOne));
  ASSERT_TRUE(ask_rows(client(options), "ASK {}", 10, {}));
  EXPECT_EQ(env_.http().requests().at(0).url,
            "https://example.org/sparql?key=1&query=" + percent_encoded("ASK {}"));
  const auto failed = client_->ask(std::string(10'000, 'x'), AnswerKind::Solutions, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().cause, EndpointCause::Refused);
}

TEST_F(EndpointClientTest, ServersWithoutPostAreAskedByGetFromThenOn) {
  env_.http().reply(405, "no", "text/plain");
  env_.http().reply(answer(kOne));
  env_.http().reply(answer(kOne));
  ASSERT_TRUE(ask_rows(client(), "ASK {}", 10, {}));
  ASSERT_TRUE(ask_rows(*client_, "ASK {}", 10, {}));
  EXPECT_EQ(env_.http().requests().at(1).method, "GET");
  EXPECT_EQ(env_.http().requests().at(2).method, "GET");
}

TEST_F(EndpointClientTest, TheContentTellsTheFormat) {
  for (const char* type : {"text/plain", "application/octet-stream", "text/html", ""}) {
    env_.http().reply(200, kOne, type);
    EXPECT_TRUE(ask_rows(client(), "ASK {}", 10, {})) << type;
  }
  env_.http().reply(200, "?x\n\"1\"\n", "text/tab-separated-values; charset=utf-8");
  EXPECT_EQ(ask_rows(client(), "ASK {}", 10, {})->at(0).at(0)->value, "1");
  env_.http().reply(200,
                    "<?xml version=\"1.0\"?><sparql "
                    "xmlns=\"http://www.w3.org/2005/sparql-results#\"><head/><boolean>true</"
                    "boolean></sparql>",
                    "application/json");
  EXPECT_EQ(ask_whether(client(), "ASK {}", {}), true);
}

TEST_F(EndpointClientTest, PagesAndErrorsWithTheStatusOfAnAnswerAreNone) {
  env_.http().reply(200, "<!DOCTYPE html><html><body>Sign in</body></html>", kJsonType);
  const auto page = client().ask("ASK {}", AnswerKind::Solutions, {});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().cause, EndpointCause::WrongAnswer);
  EXPECT_THAT(page.error().error.detail, HasSubstr("Sign in"));
  env_.http().reply(200, R"({"exception":"Operation timed out.","status":"ERROR"})", kJsonType);
  const auto failed = client_->ask("ASK {}", AnswerKind::Solutions, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().cause, EndpointCause::TooHeavy);
  EXPECT_THAT(failed.error().error.detail, HasSubstr("Operation timed out"));
}

TEST_F(EndpointClientTest, BusyServersAreGivenTimeAndAskedAgain) {
  env_.http().reply(HttpResponse{429, {{"retry-after", "3"}}, ""});
  env_.http().reply(answer(kOne));
  const MonotonicTime begun = env_.clock().now();
  ASSERT_TRUE(ask_rows(client(), "ASK {}", 10, within(std::chrono::seconds(30))));
  EXPECT_GE(env_.clock().now() - begun, std::chrono::seconds(3));
  EXPECT_EQ(env_.http().requests().size(), 2U);
}

TEST_F(EndpointClientTest, NobodyWaitsLongerThanThereIsTime) {
  env_.http().reply(HttpResponse{503, {{"retry-after", "600"}}, ""});
  const auto failed =
      client().ask("ASK {}", AnswerKind::Solutions, within(std::chrono::seconds(30)));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().cause, EndpointCause::Busy);
  EXPECT_EQ(env_.http().requests().size(), 1U);
  // Nor is it asked by others meanwhile.
  const auto again =
      client_->ask("ASK {}", AnswerKind::Solutions, within(std::chrono::seconds(30)));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().cause, EndpointCause::Busy);
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(EndpointClientTest, WhatCannotGoBetterIsAskedOnce) {
  env_.http().reply(400, "syntax error", "text/plain");
  EXPECT_FALSE(client().ask("ASK {}", AnswerKind::Solutions, {}));
  EXPECT_EQ(env_.http().requests().size(), 1U);
}

TEST_F(EndpointClientTest, TriesAreCounted) {
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{502, {}, ""};
  });
  EXPECT_FALSE(client().ask("ASK {}", AnswerKind::Solutions, within(std::chrono::seconds(30))));
  EXPECT_EQ(env_.http().requests().size(), 3U);
}

TEST_F(EndpointClientTest, CredentialsGoToTheEndpointAlone) {
  EndpointOptions options;
  options.credentials = {{"Authorization", "Bearer hidden"}};
  env_.http().reply(HttpResponse{307, {{"location", "https://other.example/"}}, ""});
  env_.http().reply(answer(kOne));
  ASSERT_TRUE(ask_rows(client(options), "ASK {}", 10, {}));
  EXPECT_FALSE(env_.http().requests().at(0).credentials.empty());
  EXPECT_TRUE(env_.http().requests().at(1).credentials.empty());
  env_.http().reply(answer(kOne));
  ASSERT_TRUE(client_->get("https://other.example/void", "text/turtle", {}));
  EXPECT_TRUE(env_.http().requests().at(2).credentials.empty());
}

TEST_F(EndpointClientTest, AnswersThatAreNotWholeSaySo) {
  env_.http().reply(answer(kOne, {{"x-sql-state", "S1TAT"}, {"x-sql-message", "anytime"}}));
  const auto partial = client().ask("SELECT", AnswerKind::Solutions, {});
  ASSERT_TRUE(partial);
  EXPECT_THAT(partial->incomplete, ::testing::StrEq("the server stopped early: its time was over"));
  env_.http().reply(answer(kOne, {{"x-sparql-maxrows", "10000"}}));
  const auto capped = client_->ask("SELECT", AnswerKind::Solutions, {});
  ASSERT_TRUE(capped);
  EXPECT_EQ(capped->rows_capped, 10'000U);
  env_.http().reply(answer(kOne, {{"helve-max-rows", "500"}}));
  const auto capped_by_helve = client_->ask("SELECT", AnswerKind::Solutions, {});
  ASSERT_TRUE(capped_by_helve);
  EXPECT_EQ(capped_by_helve->rows_capped, 500U);
}

TEST_F(EndpointClientTest, AddressesAreChecked) {
  for (const char* url :
       {"", "example.org", "ftp://example.org/", "https://user:hidden@example.org/", "https://",
        "https://exa mple.org/", "http://example.org:99999/"}) {
    EndpointOptions options;
    options.url = url;
    const auto made = EndpointClient::make(options, env_, gates_);
    ASSERT_FALSE(made) << url;
    EXPECT_EQ(made.error().code, ErrorCode::InvalidInput);
    EXPECT_THAT(made.error().to_string(), Not(HasSubstr("hidden")));
  }
}

TEST_F(EndpointClientTest, OnlySoManyRequestsAreUnderWayAtOnce) {
  EndpointOptions options;
  options.host.requests_at_once = 1;
  env_.http().reply(answer(kOne));
  env_.http().reply(answer(kOne));
  auto first = client(options).ask("ASK {}", AnswerKind::Solutions, {});
  ASSERT_TRUE(first);
  const auto second =
      client_->ask("ASK {}", AnswerKind::Solutions, within(std::chrono::seconds(1)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().cause, EndpointCause::Busy);
  first = tl::unexpected(second.error());
  EXPECT_TRUE(client_->ask("ASK {}", AnswerKind::Solutions, within(std::chrono::seconds(1))));
}

}  // namespace
}  // namespace helve::remote
