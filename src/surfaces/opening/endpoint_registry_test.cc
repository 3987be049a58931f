#include "surfaces/opening/endpoint_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sources/sparql/algebra/parser.h"
#include "surfaces/opening/open_endpoint.h"
#include "tests/support/fake_env.h"

namespace helve::opening {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EndpointRegistryTest : public ::testing::Test {
 protected:
  static NamedEndpoint endpoint(std::string name, std::string url = "https://example.org/sparql") {
    return {std::move(name), std::move(url), "", {}, {}};
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    const auto all = registry_.list();
    for (const NamedEndpoint& one : *all) names.push_back(one.name);
    return names;
  }
  Environment environment() const {
    return [this](const char* name) -> const char* {
      const auto found = variables_.find(name);
      return found != variables_.end() ? found->second.c_str() : nullptr;
    };
  }

  FakeEnv env_;
  EndpointRegistry registry_{"/conf/helve/endpoints", env_};
  std::map<std::string, std::string> variables_ = {{"XDG_CONFIG_HOME", "/conf"}, {"HOME", "/home"}};
};

TEST_F(EndpointRegistryTest, KeepsEndpoints) {
  NamedEndpoint lab = endpoint("lab");
  lab.description = "The \"lab\"";
  lab.settings.bearer = "env:LAB";
  ASSERT_TRUE(registry_.add(lab, false));
  EXPECT_THAT(names(), ElementsAre("lab", "uniprot", "wikidata"));
  const auto found = registry_.find("lab");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(found->url, lab.url);
  EXPECT_EQ(found->description, lab.description);
  EXPECT_EQ(found->settings.bearer, "env:LAB");
  EXPECT_EQ(registry_.add(lab, false).error().code, ErrorCode::InvalidInput);
  lab.url = "https://example.org/other";
  ASSERT_TRUE(registry_.add(lab, true));
  EXPECT_EQ(registry_.find("lab")->url, "https://example.org/other");
  ASSERT_TRUE(registry_.remove("lab"));
  EXPECT_EQ(registry_.find("lab").error().code, ErrorCode::NotFound);
}

TEST_F(EndpointRegistryTest, PresetsCanBeHiddenButNotRemoved) {
  EXPECT_EQ(registry_.find("uniprot")->url, "https://sparql.uniprot.org/sparql");
  EXPECT_EQ(registry_.remove("uniprot").error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(registry_.add(endpoint("uniprot", "https://mirror.example.org/sparql"), false));
  EXPECT_EQ(registry_.find("uniprot")->url, "https://mirror.example.org/sparql");
  EXPECT_THAT(names(), ElementsAre("uniprot", "wikidata"));
}

TEST_F(EndpointRegistryTest, NamesAndAddressesAreChecked) {
  for (const char* name : {"", "a/b", "../x", "a b"}) {
    EXPECT_FALSE(registry_.add(endpoint(name), false)) << name;
  }
  for (const char* url : {"", "ftp://x/", "https://me:secret@example.org/", "nonsense"}) {
    const auto added = registry_.add(endpoint("x", url), false);
    ASSERT_FALSE(added) << url;
    EXPECT_THAT(added.error().to_string(), ::testing::Not(HasSubstr("secret")));
  }
  EXPECT_THAT(registry_.find("unipro").error().hint, HasSubstr("uniprot"));
}

TEST_F(EndpointRegistryTest, FilesThatAreWrongSayWhere) {
  ASSERT_TRUE(env_.files().make_directories("/conf/helve/endpoints"));
  ASSERT_TRUE(write_file_atomically(env_, "/conf/helve/endpoints/bad.toml",
                                    "url = \"https://example.org/\"\nretrys = 3\n"));
  const auto found = registry_.find("bad");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().to_string(), HasSubstr("retries"));
  EXPECT_EQ(found.error().position->line, 2U);
  EXPECT_THAT(names(), ElementsAre("uniprot", "wikidata"));
  ASSERT_TRUE(write_file_atomically(env_, "/conf/helve/endpoints/bad.toml", "retries = 3\n"));
  EXPECT_THAT(registry_.find("bad").error().to_string(), HasSubstr("url"));
  EXPECT_TRUE(registry_.remove("bad"));
  EXPECT_EQ(registry_.find("bad").error().code, ErrorCode::NotFound);
}

TEST_F(EndpointRegistryTest, FoldersOfTheUser) {
  EXPECT_EQ(endpoint_folders(environment()).registry, "/conf/helve/endpoints");
  EXPECT_EQ(endpoint_folders(environment()).profiles, "/home/.local/state/helve/endpoints");
  variables_["HELVE_ENDPOINTS"] = "/mine";
  variables_["XDG_STATE_HOME"] = "relative";  // is as if it was not there
  EXPECT_EQ(endpoint_folders(environment()).registry, "/mine");
  EXPECT_EQ(endpoint_folders(environment()).profiles, "/home/.local/state/helve/endpoints");
  variables_.clear();
  EXPECT_TRUE(endpoint_folders(environment()).registry.empty());
  EXPECT_TRUE(endpoint_folders(environment()).profiles.empty());
}

TEST_F(EndpointRegistryTest, NamesStandForSources) {
  ASSERT_TRUE(registry_.add(endpoint("lab"), false));
  EXPECT_EQ((*endpoint_named("lab", env_, environment()))->url, "https://example.org/sparql");
  EXPECT_EQ((*endpoint_named("endpoint:lab", env_, environment()))->name, "lab");
  EXPECT_EQ(endpoint_named("endpoint:lap", env_, environment()).error().code, ErrorCode::NotFound);
  EXPECT_FALSE(*endpoint_named("lap", env_, environment()));
  EXPECT_FALSE(*endpoint_named("data.ttl", env_, environment()));
  EXPECT_FALSE(*endpoint_named("a=b", env_, environment()));
  // Nobody should have to guess which of the two was meant.
  ASSERT_TRUE(write_file_atomically(env_, "lab", "<a> <b> <c> ."));
  EXPECT_EQ(endpoint_named("lab", env_, environment()).error().code, ErrorCode::InvalidInput);
  EXPECT_TRUE(*endpoint_named("endpoint:lab", env_, environment()));
}

TEST_F(EndpointRegistryTest, PresetsAreKnownByTheirAddress) {
  EndpointInput input;
  input.name = "up";
  input.uri = "http://sparql.uniprot.org/sparql/";
  const auto opened = open_endpoint(input, env_);
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_FALSE(opened->knowledge->profile().notes.empty());
  EXPECT_EQ(opened->client->options().triples, 232'000'000'000U);
  EXPECT_EQ(opened->client->options().host.requests_at_once, 2U);
  input.settings.requests_at_once = 1;
  EXPECT_EQ(open_endpoint(input, env_)->client->options().host.requests_at_once, 1U);
}

class ServiceTest : public EndpointRegistryTest {
 protected:
  ServiceTest() {
    env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
      return HttpResponse{200,
                          {{"content-type", "application/sparql-results+json"}},
                          R"({"head":{"vars":["x"]},"results":{"bindings":[]}})"};
    });
  }
  // How the endpoint is asked.
  HttpRequest asked(const std::string& url) {
    const auto services =
        shared_services({"helve 9", environment(), {"/conf/helve/endpoints", {}}}, env_);
    const auto query = sparql::parse_query("SELECT * { ?x ?p ?o }")->query;
    const auto answer = services->ask(url, query.body().where, {});
    EXPECT_TRUE(answer) << answer.error().to_string();
    return env_.http().requests().empty() ? HttpRequest() : env_.http().requests().back();
  }
  static std::string header(const HttpHeaders& headers, std::string_view name) {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return "";
  }
};

TEST_F(ServiceTest, ServicesAreToldWhoAsks) {
  variables_["HELVE_CONTACT"] = "me@example.org";
  variables_["https_proxy"] = "http://proxy.example:3128";
  const HttpRequest request = asked("https://example.org/sparql");
  EXPECT_EQ(header(request.headers, "User-Agent"),
            "helve/9 (SPARQL client of language-model tools; me@example.org)");
  EXPECT_EQ(request.reach.proxy, "http://proxy.example:3128");
  EXPECT_TRUE(request.credentials.empty());
}

TEST_F(ServiceTest, ServicesAreAskedAsTheRegistrySays) {
  NamedEndpoint lab = endpoint("lab");
  lab.settings.bearer = "env:LAB_TOKEN";
  lab.settings.method = "get";
  ASSERT_TRUE(registry_.add(lab, false));
  variables_["LAB_TOKEN"] = "a-token-of-the-lab";
  const HttpRequest own = asked("https://example.org/sparql");
  EXPECT_EQ(header(own.credentials, "Authorization"), "Bearer a-token-of-the-lab");
  EXPECT_EQ(own.method, "GET");
  // What is spelt otherwise is another's.
  for (const char* other : {"http://example.org/sparql", "https://example.org/sparql/",
                            "https://example.org/sparql2", "https://example.com/sparql"}) {
    EXPECT_TRUE(asked(other).credentials.empty()) << other;
  }
}

// Rather no answer than one for somebody else.
TEST_F(ServiceTest, ASecretThatIsNotThereIsAnError) {
  NamedEndpoint lab = endpoint("lab");
  lab.settings.bearer = "env:LAB_TOKEN";
  ASSERT_TRUE(registry_.add(lab, false));
  const auto services =
      shared_services({"helve 9", environment(), {"/conf/helve/endpoints", {}}}, env_);
  const auto query = sparql::parse_query("SELECT * { ?x ?p ?o }")->query;
  EXPECT_EQ(services->ask(lab.url, query.body().where, {}).error().code, ErrorCode::NotFound);
  EXPECT_TRUE(env_.http().requests().empty());
}

}  // namespace
}  // namespace helve::opening
