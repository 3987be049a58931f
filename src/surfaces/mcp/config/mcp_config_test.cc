#include "surfaces/mcp/config/mcp_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/support/temp_directory.h"
#include "tests/support/test_data.h"

namespace helve::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

class McpConfigTest : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) {
    std::ofstream(directory_ / name) << text;
  }
  Result<McpConfig> read(std::string_view toml) {
    write("helve.toml", toml);
    arguments_.config_file = (directory_ / "helve.toml").string();
    return make();
  }
  Result<McpConfig> make() {
    return make_mcp_config(arguments_, real_env(), [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }
  McpConfig good(std::string_view toml) {
    auto config = read(toml);
    EXPECT_TRUE(config.has_value()) << toml << ": " << config.error().to_string();
    return config ? *std::move(config) : McpConfig();
  }
  // Without the folder.
  std::string error(std::string_view toml) {
    const auto config = read(toml);
    EXPECT_FALSE(config.has_value()) << toml;
    if (config) return "no error";
    std::string text = config.error().to_string();
    const std::string folder = directory_.path().string() + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
      text.erase(at, folder.size());
    }
    return text;
  }

  TempDirectory directory_;
  McpArguments arguments_;
  std::map<std::string, std::string, std::less<>> variables_ = {{"TOKEN", kToken},
                                                                {"SHORT", "abc"}};
};

TEST_F(McpConfigTest, NothingSaidIsAServerOnStdioThatOnlyReads) {
  const auto config = make();
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->toolset, Toolset::Standard);
  EXPECT_TRUE(config->policy->read_only);
  EXPECT_THAT(*config->policy->allowed_paths, IsEmpty());
  EXPECT_FALSE(config->http.listen);
  EXPECT_THAT(config->sources, IsEmpty());
  EXPECT_THAT(config->callers, IsEmpty());
  EXPECT_EQ(good("").toolset, Toolset::Standard);
}

TEST_F(McpConfigTest, TheSectionOfAModelIsForWhoReadsIt) {
  const McpConfig config = good("[model]\nmodel = \"m\"\n");
  ASSERT_NE(config.document, nullptr);
  ASSERT_NE(config.document->root.find("model"), nullptr);
  EXPECT_EQ(config.document->root.find("model")->find("model")->if_string()->compare("m"), 0);
  EXPECT_EQ(config.folder, directory_.path());
  EXPECT_THAT(error("[modle]\n"), HasSubstr("did you mean model?"));
  arguments_.config_file.reset();
  EXPECT_EQ(make()->document, nullptr);
}

TEST_F(McpConfigTest, EveryWordIsRead) {
  write("limits.json", R"({"max_rows": 11, "allowed_paths": ["data"]})");
  write("key.txt", "  key-key-key-key-key-key\n");
  const McpConfig config = good(R"(
toolset = "all"
read_only = false
audit = "audit.jsonl"
audit_key = "file:key.txt"
audit_fingerprints = true
state_key = "file:key.txt"
policy = "limits.json"

[source.wiki]
uri = "wiki.helve"
description = "Articles"
policy = { max_rows = 5, allowed_graphs = ["http://e/g"] }

[source.sample]
uri = "sample:"

[source.tables]
uri = "Sample-Tables:"

[[caller]]
name = "anna"
token = "env:TOKEN"
sources = ["wiki"]
policy = { timeout = 2.5 }

[http]
listen = "127.0.0.1:8080"
path = "/graph"
allowed_hosts = ["helve.example.org"]
allowed_origins = ["https://app.example.org"]

[limits]
body_bytes = 2048
connections = 10
sessions = 3
session_idle = 60
workers = 4
queue = 0
requests = 8
subscriptions = 9
ask_timeout = 1.5
)");
  EXPECT_EQ(config.toolset, Toolset::All);
  EXPECT_FALSE(config.policy->read_only);
  EXPECT_EQ(config.policy->max_rows, 11U);
  EXPECT_THAT(*config.policy->allowed_paths, ElementsAre((directory_ / "data").string()));
  EXPECT_EQ(config.audit, directory_ / "audit.jsonl");
  EXPECT_EQ(config.audit_options.key, "key-key-key-key-key-key");
  EXPECT_TRUE(config.audit_options.is_fingerprints);
  EXPECT_EQ(config.state_key, "key-key-key-key-key-key");
  ASSERT_EQ(config.sources.size(), 3U);
  EXPECT_EQ(config.sources[0].name, "wiki");
  EXPECT_EQ(config.sources[0].place, (directory_ / "wiki.helve").string());
  EXPECT_EQ(config.sources[0].description, "Articles");
  EXPECT_EQ(config.sources[0].policy->max_rows, 5U);
  EXPECT_FALSE(config.sources[0].policy->allowed_endpoints);
  EXPECT_EQ(config.sources[1].place, "sample:");
  EXPECT_EQ(config.sources[1].policy, nullptr);
  EXPECT_EQ(config.sources[2].place, "sample-tables:");
  EXPECT_EQ(config.sources[2].uri, "sample-tables:");
  EXPECT_TRUE(config.sources[2].is_database);
  ASSERT_EQ(config.callers.size(), 1U);
  EXPECT_EQ(config.callers[0].token, kToken);
  EXPECT_EQ(config.callers[0].policy->max_rows, 11U);  // of the server's
  EXPECT_EQ(config.callers[0].policy->timeout_max, std::chrono::milliseconds(2'500));
  EXPECT_THAT(*config.callers[0].policy->allowed_sources, ElementsAre("wiki"));
  EXPECT_EQ(config.http.listen->host, "127.0.0.1");
  EXPECT_EQ(config.http.listen->port, 8080);
  EXPECT_EQ(config.http.path, "/graph");
  EXPECT_THAT(config.http.allowed_hosts, ElementsAre("helve.example.org"));
  EXPECT_THAT(config.http.allowed_origins, ElementsAre("https://app.example.org"));
  EXPECT_EQ(config.limits.body_bytes, 2'048U);
  EXPECT_EQ(config.limits.queue, 0U);
  EXPECT_EQ(config.limits.session_idle, std::chrono::minutes(1));
  EXPECT_EQ(config.limits.ask_timeout, std::chrono::milliseconds(1'500));
}

TEST_F(McpConfigTest, EndpointsAreAskedAsTheFileSays) {
  const McpConfig config = good(R"(
[source.lab]
uri = "https://graph.lab.example/sparql"
bearer = "env:TOKEN"
ca_file = "ca.pem"
requests_at_once = 2

[source.up]
uri = "endpoint:uniprot"
)");
  ASSERT_EQ(config.sources.size(), 2U);
  EXPECT_TRUE(config.sources[0].is_endpoint);
  EXPECT_EQ(config.sources[0].endpoint.bearer, "env:TOKEN");
  EXPECT_EQ(config.sources[0].endpoint.requests_at_once, 2U);
  EXPECT_EQ(config.sources[0].folder, directory_.path());
  EXPECT_TRUE(config.sources[1].is_endpoint);
  EXPECT_EQ(config.sources[1].place, "https://sparql.uniprot.org/sparql");
  EXPECT_FALSE(config.sources[1].description.empty());
}

TEST_F(McpConfigTest, HowEndpointsAreAskedIsForEndpoints) {
  for (const char* text :
       {"[source.a]\nuri = \"sample:\"\nbearer = \"env:TOKEN\"",
        "[source.a]\nuri = \"endpoint:uniprot\"\nretries = 1",
        "[source.a]\nuri = \"https://e.example/\"\nuser = \"me\"",
        "[source.a]\nuri = \"https://e.example/\"\nretries = 11",
        "[source.a]\nuri = \"https://e.example/\"\nbearer = \"hunter2-hunter2-hunter2\""}) {
    EXPECT_THAT(error(text), ::testing::Not(HasSubstr("hunter2"))) << text;
  }
}

TEST_F(McpConfigTest, UnknownKeysAreToldWithTheirLineAndTheNearestWord) {
  EXPECT_EQ(error("\ntoolsets = \"all\"\n"),
            "helve.toml:2:1: unknown key \"toolsets\" (did you mean toolset?)");
  EXPECT_THAT(
      error("[http]\nlisten = \"1\"\nallowed_host = []\n"),
      HasSubstr("helve.toml:3:1: unknown key \"allowed_host\" (did you mean allowed_hosts"));
  EXPECT_THAT(error("[source.a]\nuri = \"sample:\"\nurl = \"x\"\n"), HasSubstr("helve.toml:3:1"));
  EXPECT_THAT(error("[limits]\nworker = 1\n"), HasSubstr("did you mean workers?"));
  EXPECT_THAT(error("[[caller]]\nname = \"a\"\ntokn = \"env:TOKEN\"\n"),
              HasSubstr("helve.toml:3:1"));
  EXPECT_THAT(error("[policy]\nmax_rows = 1\nmax_row = 1\n"),
              HasSubstr("helve.toml:3:1: policy: unknown key \"max_row\""));
  write("p.toml", "\n\ntimeot = 1\n");
  EXPECT_THAT(error("policy = \"p.toml\"\n"), HasSubstr("p.toml:3:1: policy: unknown key"));
}

TEST_F(McpConfigTest, WrongValuesAreErrorsNeverDefaults) {
  for (const char* toml :
       {"toolset = 1",
        "toolset = \"most\"",
        "toolset = \"\"",
        "read_only = \"yes\"",
        "read_only = 1",
        "policy = 1",
        "policy = \"\"",
        "policy = \"absent.json\"",
        "policy = { max_rows = 0 }",
        "policy = { timeout = \"30\" }",
        "audit = true",
        "audit_key = \"file:key.txt\"",
        "audit = \"a\"\naudit_key = \"env:SHORT\"",
        "audit = \"a\"\naudit_key = \"0123456789abcdef\"",
        "audit = \"a\"\naudit_fingerprints = 1",
        "state_key = \"env:SHORT\"",
        "state_key = \"env:UNSET\"",
        "state_key = \"file:absent\"",
        "http = \"127.0.0.1:1\"",
        "[http]\nlisten = 8080",
        "[http]\nlisten = \"a:b\"",
        "policy = { allowed_tools = [\"sparql_qery\"] }",
        "policy = { allowed_graphs = [\"graph\"] }",
        "[http]\npath = \"mcp\"",
        "[http]\npath = \"/metrics\"",
        "[http]\nallowed_hosts = \"x\"",
        "[http]\nallowed_origins = [1]",
        "[limits]\nworkers = 0",
        "[limits]\nbody_bytes = -1",
        "[limits]\nsessions = 1.5",
        "[limits]\nsession_idle = 0",
        "source = 1",
        "source.a = \"x\"",
        "[source.a]",
        "[source.a]\nuri = 1",
        "[source.a]\nuri = \"ftp://x/y\"",
        "[source.a]\nuri = \"https://me:secret@x/sparql\"",
        "[source.\"a b\"]\nuri = \"x\"",
        "[source.a]\nuri = \"x\"\ndescription = []",
        "caller = 1",
        "[caller]\nname = \"a\"\ntoken = \"env:TOKEN\"",
        "[[caller]]\nname = \"a\"",
        "[[caller]]\ntoken = \"env:TOKEN\"",
        "[[caller]]\nname = \"a\"\ntoken = 5",
        "[[caller]]\nname = \"a\"\ntoken = \"env:TOKEN\"\nsources = [\"none\"]",
        "[[caller]]\nname = \"a\"\ntoken = \"env:TOKEN\"\npolicy = \"absent.json\""}) {
    const std::string told = error(toml);
    EXPECT_THAT(told, HasSubstr("helve.toml:")) << toml;
  }
}

TEST_F(McpConfigTest, APortAsANumberIsToldHowToBeWritten) {
  EXPECT_EQ(error("[http]\nlisten = 8080\n"),
            "helve.toml:2:1: listen must be a text in quotes: write listen = \"8080\"");
}

TEST_F(McpConfigTest, NamesInPoliciesMustBeThereAndTheNearestIsTold) {
  EXPECT_THAT(error("[policy]\nallowed_tools = [\"sparql_query\", \"sparql_schma\"]\n"),
              HasSubstr("helve.toml:2:1: there is no tool named \"sparql_schma\" (did you mean "
                        "sparql_schema?"));
  write("p.json", R"({"allowed_tools": ["Sparql-Query"]})");
  EXPECT_EQ(error("policy = \"p.json\"\n"),
            "p.json: there is no tool named \"Sparql-Query\" (did you mean sparql_query?)");
  EXPECT_THAT(error("[policy]\nmax_rows = 5\nallowed_graphs = [\"ex:g\", \"open\"]\n"),
              HasSubstr("helve.toml:3:1: policy: allowed_graphs: \"open\" is not an IRI"));

  const std::string source = "[source.planets]\nuri = \"sample:\"\n";
  EXPECT_THAT(error("[policy]\nallowed_sources = [\"planet\"]\n" + source),
              HasSubstr("there is no source named planet; did you mean planets?"));
  EXPECT_THAT(error(source + "[[caller]]\nname = \"a\"\ntoken = \"env:TOKEN\"\n"
                             "policy = { allowed_sources = [\"planet\"] }\n"),
              HasSubstr("helve.toml:6:1: there is no source named planet"));
  EXPECT_THAT(*good("[policy]\nallowed_sources = [\"planets\"]\n" + source).policy->allowed_sources,
              ElementsAre("planets"));
  good("[policy]\nallowed_sources = [\"planets\"]\n");  // no source of its own

  arguments_.sources = {"planets=sample:"};
  write("given.toml", "allowed_sources = [\"planet\"]\n");
  arguments_.policy_file = (directory_ / "given.toml").string();
  EXPECT_THAT(error(""), HasSubstr("there is no source named planet"));
  arguments_.config_file.reset();
  EXPECT_FALSE(make().has_value());
}

TEST_F(McpConfigTest, ASecretInTheFileIsRefusedAndNotRepeated) {
  const std::string told =
      error("[[caller]]\nname = \"a\"\ntoken = \"" + std::string(kToken) + "\"\n");
  EXPECT_THAT(told, HasSubstr("helve.toml: line 3: token: "));
  EXPECT_THAT(told, HasSubstr("env:NAME"));
  // Nor can who shows the error show the line.
  EXPECT_FALSE(make().error().position);
  EXPECT_THAT(told, Not(HasSubstr(kToken)));
  variables_["BLANK"] = "0123456789 0123456789";
  EXPECT_THAT(error("[[caller]]\nname = \"a\"\ntoken = \"env:BLANK\"\n"),
              Not(HasSubstr("0123456789")));
}

TEST_F(McpConfigTest, CallersHaveNamesAndTokensOfTheirOwn) {
  variables_["OTHER"] = "fedcba9876543210";
  EXPECT_THAT(error("[[caller]]\nname = \"a\"\ntoken = \"env:TOKEN\"\n"
                    "[[caller]]\nname = \"a\"\ntoken = \"env:OTHER\"\n"),
              HasSubstr("two callers named a"));
  EXPECT_THAT(error("[[caller]]\nname = \"a\"\ntoken = \"env:TOKEN\"\n"
                    "[[caller]]\nname = \"b\"\ntoken = \"env:TOKEN\"\n"),
              HasSubstr("a and b have the same token"));
}

TEST_F(McpConfigTest, TheCommandLineWins) {
  write("given.toml", "max_rows = 3\n");
  arguments_.sources = {"more=more.ttl"};
  arguments_.http = "9000";
  arguments_.toolset = "minimal";
  arguments_.policy_file = (directory_ / "given.toml").string();
  arguments_.audit_file = "here.jsonl";
  const McpConfig config = good(
      "toolset = \"all\"\naudit = \"a\"\npolicy = { max_rows = 9, timeout = 1 }\n"
      "[http]\nlisten = \"0.0.0.0:1\"\n[source.a]\nuri = \"sample:\"\n");
  EXPECT_EQ(config.toolset, Toolset::Minimal);
  EXPECT_EQ(config.audit, "here.jsonl");
  EXPECT_EQ(config.policy->max_rows, 3U);
  EXPECT_EQ(config.policy->timeout_max, std::chrono::seconds(300));
  EXPECT_EQ(config.http.listen->host, "127.0.0.1");
  EXPECT_EQ(config.http.listen->port, 9000);
  ASSERT_EQ(config.sources.size(), 2U);
  EXPECT_EQ(config.sources[0].name, "more");
  // What does not count is read as strictly.
  EXPECT_THAT(error("toolset = \"most\"\n"), HasSubstr("helve.toml:1:1"));
  EXPECT_THAT(error("policy = { max_rows = 0 }\n"), HasSubstr("helve.toml:1"));
  EXPECT_THAT(error("[source.more]\nuri = \"sample:\"\n"), HasSubstr("two sources named more"));
  arguments_.sources = {"a=x.ttl", "a=y.ttl"};
  EXPECT_THAT(error(""), HasSubstr("two sources named a"));
  // Who gives no names has no way to tell two files of one name apart.
  arguments_.sources = {"x/data.ttl", "y/data.ttl", "data.ttl-2=z.ttl", "z/data.ttl"};
  EXPECT_THAT(error(""), HasSubstr("two sources named data.ttl-2"));
  arguments_.sources = {"x/data.ttl", "y/data.ttl", "z/data.ttl", "sample:", "sample:"};
  std::vector<std::string> names;
  for (const SourceConfig& source : good("").sources) names.push_back(source.name);
  EXPECT_EQ(names, (std::vector<std::string>{"data.ttl", "data.ttl-2", "data.ttl-3", "sample",
                                             "sample-2"}));
}

TEST_F(McpConfigTest, ABankIsAFileBesideTheConfigurationOrAnAddress) {
  EXPECT_EQ(good("").bank, "");
  EXPECT_EQ(good("bank = \"lessons.db\"\n").bank, (directory_ / "lessons.db").string());
  const std::string address = "postgresql://helve@db.example/lessons?password=env:P";
  EXPECT_EQ(good("bank = \"" + address + "\"\n").bank, address);
  arguments_.bank = "here.db";
  EXPECT_EQ(good("bank = \"lessons.db\"\n").bank, "here.db");
}

TEST_F(McpConfigTest, ASessionFolderIsBesideTheConfiguration) {
  EXPECT_EQ(good("").session, "");
  EXPECT_EQ(good("session = \"kept\"\n").session, directory_ / "kept");
  arguments_.session = "here";
  EXPECT_EQ(good("session = \"kept\"\n").session, "here");
}

TEST_F(McpConfigTest, ReadOnlyIsNeverWidenedByAPolicy) {
  EXPECT_TRUE(good("read_only = true\npolicy = { read_only = false }\n").policy->read_only);
  EXPECT_FALSE(good("policy = { read_only = false }\n").policy->read_only);
  EXPECT_TRUE(good("read_only = false\npolicy = { read_only = true }\n").policy->read_only);
  arguments_.is_read_only = true;
  const McpConfig config = good(
      "read_only = false\n[[caller]]\nname = \"a\"\ntoken = \"env:TOKEN\"\n"
      "policy = { read_only = false }\n");
  EXPECT_TRUE(config.policy->read_only);
  EXPECT_TRUE(config.callers[0].policy->read_only);
}

TEST_F(McpConfigTest, OverHttpNoFilesAreReadUnlessTheirFoldersAreNamed) {
  const McpConfig closed = good("[http]\nlisten = \"127.0.0.1:0\"\n");
  ASSERT_TRUE(closed.policy->allowed_paths);
  EXPECT_THAT(*closed.policy->allowed_paths, IsEmpty());
  const McpConfig open =
      good("[http]\nlisten = \"127.0.0.1:0\"\n[policy]\nallowed_paths = [\"/data\"]\n");
  EXPECT_THAT(*open.policy->allowed_paths, ElementsAre("/data"));
}

TEST_F(McpConfigTest, CallersHaveThePolicyOfTheirNameInThePolicyFile) {
  write("policy.toml", R"(
max_rows = 10
[caller.anna]
max_rows = 20
[caller.local]
max_rows = 30
[source.wiki]
max_chars = 500
)");
  const McpConfig config = good(R"(
policy = "policy.toml"
[source.wiki]
uri = "sample:"
policy = { max_rows = 7 }
[[caller]]
name = "anna"
token = "env:TOKEN"
[http]
listen = "127.0.0.1:0"
)");
  ASSERT_EQ(config.callers.size(), 1U);
  EXPECT_EQ(config.callers[0].policy->max_rows, 20U);
  EXPECT_EQ(config.policy->max_rows, 30U);
  EXPECT_EQ(config.sources[0].policy->max_rows, 7U);
  EXPECT_EQ(config.sources[0].policy->max_chars, 500U);
  // One of its own builds on what is for everybody.
  const McpConfig own = good(R"(
policy = "policy.toml"
[source.wiki]
uri = "sample:"
[[caller]]
name = "anna"
token = "env:TOKEN"
policy = { max_chars = 300 }
[http]
listen = "127.0.0.1:0"
)");
  EXPECT_EQ(own.callers[0].policy->max_rows, 10U);
}

TEST_F(McpConfigTest, ThePolicyOfWhoCallsWithoutATokenIsThatOfItsName) {
  write("policy.toml", "default = \"deny\"\n[caller.anna]\nmax_rows = 20\n");
  arguments_.policy_file = (directory_ / "policy.toml").string();
  EXPECT_TRUE(make()->policy->allowed_tools->empty());
  arguments_.caller = "anna";
  const auto config = make();
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->caller, "anna");
  EXPECT_EQ(config->policy->max_rows, 20U);
  write("policy.toml", "[caller.anna]\nmax_rows = 20\n");
  arguments_.caller = "ana";
  ASSERT_FALSE(make());
  EXPECT_THAT(make().error().to_string(), HasSubstr("did you mean anna?"));
}

TEST_F(McpConfigTest, PoliciesForNobodyAreMistakes) {
  write("policy.toml", "[caller.ana]\nmax_rows = 20\n");
  const std::string rest = R"(
[[caller]]
name = "anna"
token = "env:TOKEN"
[http]
listen = "127.0.0.1:0"
)";
  EXPECT_THAT(error("policy = \"policy.toml\"\n" + rest),
              HasSubstr("policy.toml:1:9: there is no caller named ana; did you mean anna?"));
  write("policy.toml", "[source.wki]\nmax_rows = 20\n");
  EXPECT_THAT(error("policy = \"policy.toml\"\n[source.wiki]\nuri = \"sample:\"\n"),
              HasSubstr("policy.toml:1:9: there is no source named wki"));
  EXPECT_THAT(error("[policy.caller.anna]\nmax_row = 1\n"), HasSubstr("helve.toml:2:1:"));
}

TEST_F(McpConfigTest, DatabasesAreOpenedForWritingOnlyWhereSomebodyMayWrite) {
  const auto is_writable = [this](const std::string& text) {
    const McpConfig config = good(text + "[source.shop]\nuri = \"sqlite:shop.db\"\n");
    return !config.sources.empty() && config.sources[0].is_writable;
  };
  const std::string caller = "[[caller]]\nname = \"anna\"\ntoken = \"env:TOKEN\"\n";
  const std::string http = "[http]\nlisten = \"127.0.0.1:0\"\n";
  EXPECT_FALSE(is_writable(""));
  EXPECT_FALSE(is_writable("policy = { max_rows = 5 }\n"));
  EXPECT_FALSE(is_writable(caller + http));
  EXPECT_TRUE(is_writable("policy = { read_only = false }\n"));
  EXPECT_TRUE(is_writable(caller + "policy = { read_only = false }\n" + http));
  EXPECT_FALSE(is_writable("read_only = true\npolicy = { read_only = false }\n"));
  EXPECT_FALSE(
      is_writable("[policy]\nread_only = false\n[policy.source.shop]\nread_only = true\n"));
  arguments_.is_read_only = true;
  EXPECT_FALSE(is_writable("policy = { read_only = false }\n"));
}

TEST_F(McpConfigTest, AFileThatCannotBeReadIsAnError) {
  arguments_.config_file = (directory_ / "absent.toml").string();
  EXPECT_EQ(make().error().code, ErrorCode::NotFound);
  EXPECT_THAT(error("toolset = \n"), HasSubstr("helve.toml:1"));
  arguments_.config_file.reset();
  arguments_.policy_file = (directory_ / "absent.json").string();
  EXPECT_EQ(make().error().code, ErrorCode::NotFound);
}

TEST_F(McpConfigTest, TheExampleIsAsTheDocumentsSay) {
  variables_["HELVE_TOKEN_ANALYST"] = kToken;
  variables_["HELVE_TOKEN_GUEST"] = "fedcba9876543210fedcba9876543210";
  const std::filesystem::path examples =
      std::filesystem::path(helve::testing::repository_path("examples"));
  arguments_.config_file = (examples / "helve-mcp.toml").string();
  const auto config = make();
  ASSERT_TRUE(config.has_value()) << config.error().to_string();
  ASSERT_EQ(config->sources.size(), 2U);
  for (const SourceConfig& source : config->sources) {
    EXPECT_TRUE(std::filesystem::exists(source.place)) << source.place;
  }
  ASSERT_EQ(config->callers.size(), 2U);
  EXPECT_EQ(config->callers[0].policy->max_rows, 10'000U);
  EXPECT_THAT(*config->callers[1].policy->allowed_sources, ElementsAre("ontology"));
  EXPECT_EQ(config->callers[1].policy->max_rows, 1'000U);
  EXPECT_EQ(config->http.listen->port, 8080);
}

TEST(ListenAddress, HostsAndPorts) {
  const auto read = [](std::string_view text) {
    const auto address = read_listen_address(text);
    return address ? address->host + " " + std::to_string(address->port) : std::string("error");
  };
  EXPECT_EQ(read("127.0.0.1:8080"), "127.0.0.1 8080");
  EXPECT_EQ(read("8080"), "127.0.0.1 8080");
  EXPECT_EQ(read("localhost:0"), "localhost 0");
  EXPECT_EQ(read("[::1]:1"), "::1 1");
  for (const char* bad : {"", ":", ":1", "::1:1", "a", "a:", "a:70000", "a:-1", "a:1x", "[]:1"}) {
    EXPECT_EQ(read(bad), "error") << bad;
  }
}

}  // namespace
}  // namespace helve::mcp
