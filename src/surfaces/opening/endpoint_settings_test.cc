#include "surfaces/opening/endpoint_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/toml.h"
#include "tests/support/fake_env.h"

namespace helve::opening {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const char* variable(const char* name) {
  if (std::string_view(name) == "TOKEN") return "t0k3n";
  if (std::string_view(name) == "LINES") return "a\nb";
  return nullptr;
}

Result<EndpointSettings> read(const std::string& text) {
  HELVE_ASSIGN(const TomlDocument document, parse_toml(text, "e.toml"));
  HELVE_ASSIGN(const Section section, Section::open(document, "", document.root));
  HELVE_TRY(section.check_keys(endpoint_keys()));
  return read_endpoint_settings(section);
}

TEST(EndpointSettings, ReadsWhatItWrites) {
  const std::string text =
      "user = \"me\"\npassword = \"env:TOKEN\"\nca_file = \"ca \\\"x\\\".pem\"\n"
      "proxy = \"none\"\nmethod = \"get\"\nvoid = \"https://example.org/void.ttl\"\n"
      "connect_timeout = 2.5\nfirst_byte_timeout = 30\npause = 0.1\n"
      "allow_private = true\nrequests_at_once = 2\nretries = 0\n";
  const auto settings = read(text);
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->ca_file, "ca \"x\".pem");
  EXPECT_EQ(settings->connect_timeout, std::chrono::milliseconds(2'500));
  EXPECT_EQ(settings->retries, 0U);
  EXPECT_EQ(to_toml(*read(to_toml(*settings))), to_toml(*settings));
  EXPECT_EQ(to_toml(EndpointSettings()), "");
}

TEST(EndpointSettings, MistakesAreErrors) {
  for (const char* text : {
           "user = \"me\"",
           "password = \"env:TOKEN\"",
           "bearer = \"env:A\"\nuser = \"me\"\npassword = \"env:B\"",
           "header = \"X-Key\"",
           "header = \"Host\"\nheader_value = \"env:A\"",
           "header = \"content-length\"\nheader_value = \"env:A\"",
           "header = \"X Key\"\nheader_value = \"env:A\"",
           "user = \"a:b\"\npassword = \"env:B\"",
           "method = \"PUT\"",
           "proxy = \"http://joe:pw@proxy:3128\"",
           "pause = -1",
           "connect_timeout = 0",
           "requests_at_once = 0",
           "requests_at_once = 65",
           "retries = 11",
           "retries = \"two\"",
           "allow_private = 1",
           "ca_file = \"\"",
           "pasword = \"env:B\"",
       }) {
    const auto settings = read(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_EQ(settings.error().code, ErrorCode::InvalidInput) << text;
  }
}

TEST(EndpointSettings, SecretsThatAreWrittenAreNotRepeated) {
  for (const char* key : {"password", "bearer", "header_value"}) {
    const auto settings = read(std::string(key) + " = \"hunter2-hunter2\"");
    ASSERT_FALSE(settings);
    EXPECT_THAT(settings.error().to_string(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(settings.error().to_string(), HasSubstr("env:NAME"));
  }
}

class ApplySettingsTest : public ::testing::Test {
 protected:
  Result<remote::EndpointOptions> apply(const EndpointSettings& settings) {
    remote::EndpointOptions options;
    options.reach.proxy = "http://proxy:3128";
    HELVE_TRY(apply_settings(settings, "conf", env_, variable, options));
    return options;
  }
  FakeEnv env_;
};

TEST_F(ApplySettingsTest, EachWayToSayWhoAsks) {
  EndpointSettings basic;
  basic.user = "me";
  basic.password = "env:TOKEN";
  EXPECT_THAT(apply(basic)->credentials, ElementsAre(Pair("Authorization", "Basic bWU6dDBrM24=")));
  EndpointSettings bearer;
  bearer.bearer = "env:TOKEN";
  EXPECT_THAT(apply(bearer)->credentials, ElementsAre(Pair("Authorization", "Bearer t0k3n")));
  EndpointSettings header;
  header.header = "X-API-Key";
  header.header_value = "file:key";
  ASSERT_TRUE(env_.files().make_directories("conf"));
  ASSERT_TRUE(write_file_atomically(env_, "conf/key", "k3y\n"));
  EXPECT_THAT(apply(header)->credentials, ElementsAre(Pair("X-API-Key", "k3y")));
  EXPECT_NE(identity_of(basic), identity_of(bearer));
  EXPECT_THAT(identity_of(basic), Not(HasSubstr("t0k3n")));
}

TEST_F(ApplySettingsTest, SecretsThatAreNotThereAreErrors) {
  EndpointSettings settings;
  settings.bearer = "env:NOT_SET";
  EXPECT_EQ(apply(settings).error().code, ErrorCode::NotFound);
  settings.bearer = "file:none";
  EXPECT_EQ(apply(settings).error().code, ErrorCode::NotFound);
  settings.bearer = "env:LINES";  // would be a header of its own
  EXPECT_EQ(apply(settings).error().code, ErrorCode::InvalidInput);
}

TEST_F(ApplySettingsTest, TheRestGoesWhereItBelongs) {
  EndpointSettings settings;
  settings.ca_file = "ca.pem";
  EXPECT_EQ(apply(settings).error().code, ErrorCode::NotFound);
  ASSERT_TRUE(env_.files().make_directories("conf"));
  ASSERT_TRUE(write_file_atomically(env_, "conf/ca.pem", "x"));
  settings.method = "get";
  settings.void_place = "void.ttl";
  EXPECT_EQ(apply(settings).error().code, ErrorCode::NotFound);
  ASSERT_TRUE(write_file_atomically(env_, "conf/void.ttl", "x"));
  settings.allow_private = true;
  settings.connect_timeout = std::chrono::seconds(1);
  settings.first_byte_timeout = std::chrono::seconds(2);
  settings.pause = std::chrono::seconds(3);
  settings.requests_at_once = 5;
  settings.retries = 6;
  const auto options = apply(settings);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->reach.ca_file, "conf/ca.pem");
  EXPECT_EQ(options->reach.proxy, "http://proxy:3128");
  EXPECT_TRUE(options->reach.allows_private);
  EXPECT_EQ(options->reach.connect_timeout, std::chrono::seconds(1));
  EXPECT_EQ(options->method, remote::QueryMethod::Get);
  EXPECT_EQ(options->void_place, "conf/void.ttl");
  EXPECT_EQ(options->first_byte_timeout, std::chrono::seconds(2));
  EXPECT_EQ(options->host.pause, std::chrono::seconds(3));
  EXPECT_EQ(options->host.requests_at_once, 5U);
  EXPECT_EQ(options->retries_max, 6);
  settings.proxy = "none";
  EXPECT_EQ(apply(settings)->reach.proxy, "");
}

}  // namespace
}  // namespace helve::opening
