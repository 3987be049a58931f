#include "surfaces/mcp/http/mirrored_headers.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

constexpr std::string_view kVersion = "2026-07-28";

std::vector<HeaderParameter> parameters_of(std::string_view tool) {
  if (tool != "route") return {};
  return {{"Region", {"region"}}, {"Count", {"count"}}, {"Deep", {"a", "b"}}, {"Flag", {"flag"}}};
}

using Headers = std::vector<std::pair<std::string, std::string>>;

WebFields fields_of(const Headers& headers) {
  WebFields fields;
  for (const auto& [name, value] : headers) fields.insert(name, value);
  return fields;
}

// The code of the error; 0: none.
int check(std::string method, std::string_view params, const Headers& headers,
          std::string_view version = kVersion) {
  const auto error = check_mirrored_headers(
      fields_of(headers), {"1", std::move(method), *parse_json(params)}, version, parameters_of);
  return error ? error->code : 0;
}

int check_route(std::string_view arguments, Headers headers) {
  headers.insert(headers.end(), {{"MCP-Protocol-Version", "2026-07-28"},
                                 {"Mcp-Method", "tools/call"},
                                 {"Mcp-Name", "route"}});
  return check("tools/call", R"({"name":"route","arguments":)" + std::string(arguments) + "}",
               headers);
}

TEST(MirroredHeaders, ValuesAreDecoded) {
  EXPECT_EQ(decode_header_value("us-west1"), "us-west1");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?="),
            "");
  EXPECT_EQ(decode_header_value("=?BASE64?SGVsbG8=?="), "=?BASE64?SGVsbG8=?=");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8="), "=?base64?SGVsbG8=");
  EXPECT_EQ(decode_header_value("=?base64?="), "=?base64?=");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?SGVs!!!bG8=?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?SGVs bG8=?="), std::nullopt);
  EXPECT_EQ(decode_header_value("caf\xC3\xA9"), std::nullopt);
  EXPECT_EQ(decode_header_value(std::string_view("a\0b", 3)), std::nullopt);
}

TEST(MirroredHeaders, VersionAndMethodMustBeThereAndMatch) {
  const Headers good = {{"mcp-protocol-version", "2026-07-28"}, {"MCP-METHOD", "tools/list"}};
  EXPECT_EQ(check("tools/list", "{}", good), 0);
  EXPECT_EQ(check("tools/list", "{}", {good[0]}), code::kHeaderMismatch);
  EXPECT_EQ(check("tools/list", "{}", {good[1]}), code::kHeaderMismatch);
  EXPECT_EQ(check("TOOLS/LIST", "{}", good), code::kHeaderMismatch);
  EXPECT_EQ(check("tools/list", "{}", {good[0], good[1], good[1]}), code::kHeaderMismatch);
  EXPECT_EQ(check("tools/list", "{}", good, "2025-11-25"), code::kHeaderMismatch);
}

TEST(MirroredHeaders, AnUnspokenVersionIsLeftToTheServer) {
  EXPECT_EQ(check("tools/list", "{}", {{"MCP-Protocol-Version", "v9"}}, "v9"), 0);
}

TEST(MirroredHeaders, NamesMatchTheirSource) {
  const auto headers = [](const char* method, const char* name) {
    return Headers{
        {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}, {"Mcp-Name", name}};
  };
  EXPECT_EQ(check("tools/call", R"({"name":"x"})", headers("tools/call", "x")), 0);
  EXPECT_EQ(check("prompts/get", R"({"name":"x"})", headers("prompts/get", "x")), 0);
  EXPECT_EQ(check("resources/read", R"({"uri":"a:b"})", headers("resources/read", "a:b")), 0);
  EXPECT_EQ(
      check("tools/call", R"({"name":"Hello"})", headers("tools/call", "=?base64?SGVsbG8=?=")), 0);
  EXPECT_EQ(check("tools/call", R"({"name":"x"})", headers("tools/call", "y")),
            code::kHeaderMismatch);
  EXPECT_EQ(check("tools/call", R"({})", headers("tools/call", "y")), code::kHeaderMismatch);
  EXPECT_EQ(check("tools/call", R"({"name":"x"})",
                  {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}}),
            code::kHeaderMismatch);
  // Without a name in the body there is nothing to repeat; the server says what is missing.
  EXPECT_EQ(check("tools/call", R"({})",
                  {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}}),
            0);
}

TEST(MirroredHeaders, ParametersMatchTheArguments) {
  EXPECT_EQ(check_route("{}", {}), 0);
  EXPECT_EQ(check_route(R"({"region":null})", {}), 0);
  EXPECT_EQ(check_route(R"({"region":"eu"})", {{"Mcp-Param-Region", "eu"}}), 0);
  EXPECT_EQ(check_route(R"({"region":"eu"})", {{"mcp-param-region", "eu"}}), 0);
  EXPECT_EQ(check_route(R"({"region":"Hello"})", {{"Mcp-Param-Region", "=?base64?SGVsbG8=?="}}), 0);
  EXPECT_EQ(check_route(R"({"a":{"b":"x"}})", {{"Mcp-Param-Deep", "x"}}), 0);
  EXPECT_EQ(check_route(R"({"count":42})", {{"Mcp-Param-Count", "42.0"}}), 0);
  EXPECT_EQ(check_route(R"({"count":-7})", {{"Mcp-Param-Count", "-7"}}), 0);
  EXPECT_EQ(check_route(R"({"flag":true})", {{"Mcp-Param-Flag", "true"}}), 0);
  EXPECT_EQ(check_route("{}", {{"Mcp-Param-Other", "x"}}), 0);
}

TEST(MirroredHeaders, ParametersThatDifferAreRefused) {
  EXPECT_EQ(check_route(R"({"region":"eu"})", {}), code::kHeaderMismatch);
  EXPECT_EQ(check_route(R"({"region":"eu"})", {{"Mcp-Param-Region", "us"}}), code::kHeaderMismatch);
  EXPECT_EQ(check_route(R"({"region":"Hello"})", {{"Mcp-Param-Region", "=?base64?SGVsbG8?="}}),
            code::kHeaderMismatch);
  EXPECT_EQ(check_route("{}", {{"Mcp-Param-Region", "us"}}), code::kHeaderMismatch);
  EXPECT_EQ(check_route(R"({"count":42})", {{"Mcp-Param-Count", "43"}}), code::kHeaderMismatch);
  EXPECT_EQ(check_route(R"({"count":42})", {{"Mcp-Param-Count", "forty"}}), code::kHeaderMismatch);
  EXPECT_EQ(check_route(R"({"flag":true})", {{"Mcp-Param-Flag", "TRUE"}}), code::kHeaderMismatch);
  EXPECT_EQ(check_route(R"({"region":["eu"]})", {{"Mcp-Param-Region", "eu"}}),
            code::kHeaderMismatch);
}

}  // namespace
}  // namespace helve::mcp
