#include "base/redaction.h"

#include <gtest/gtest.h>

#include "base/percent.h"

namespace helve {
namespace {

// Each test has a secret of its own: they are known for the life of the process.
TEST(Redaction, RemovesKnownSecretsInEveryEncoding) {
  const std::string secret = "c4n'ary \"p&ss<w>\\ord/ä";
  register_secret(secret);
  register_secret(secret);
  for (const std::string& text : {
           "plain " + secret + " end",
           "percent " + percent_encoded(secret) + " end",
           std::string("form c4n%27ary+%22p%26ss%3Cw%3E%5Cord%2F%C3%A4 end"),
           std::string("json \"c4n'ary \\\"p&ss<w>\\\\ord/ä\" end"),
           std::string("sql 'c4n''ary \"p&ss<w>\\ord/ä' end"),
           std::string("xml c4n'ary \"p&amp;ss&lt;w&gt;\\ord/ä end"),
       }) {
    const std::string out = redact(text);
    EXPECT_NE(out.find(kRedacted), std::string::npos) << out;
    EXPECT_EQ(out.find("ary"), std::string::npos) << out;
  }
}

TEST(Redaction, RemovesHexAndBase64WhereverTheyStand) {
  register_secret("canary-secret-7");
  EXPECT_EQ(redact("x 63616e6172792d7365637265742d37 y"), "x [redacted] y");
  EXPECT_EQ(redact("x 63616E6172792D7365637265742D37 y"), "x [redacted] y");
  // "canary-secret-7", "u:canary-secret-7" and "us:canary-secret-7" in base64.
  for (const char* text :
       {"Y2FuYXJ5LXNlY3JldC03", "dTpjYW5hcnktc2VjcmV0LTc=", "dXM6Y2FuYXJ5LXNlY3JldC03"}) {
    const std::string out = redact(text);
    EXPECT_NE(out.find(kRedacted), std::string::npos) << text << " " << out;
  }
}

TEST(Redaction, TakesWhatStandsBehindTellingNames) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"password=abc123", "password=[redacted]"},
      {"host=a password='a b' port=5", "host=a password='[redacted]' port=5"},
      {R"({"api_key": "xyz", "n": 1})", R"({"api_key": "[redacted]", "n": 1})"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"},
      {"DB_PASSWORD = hunter2; x", "DB_PASSWORD = [redacted]; x"},
      {"WHERE token = 'x''y'", "WHERE token = '[redacted]'"},
      {R"("{\"token\":\"abc\"}")", R"("{\"token\":\"[redacted]\"}")"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(redact(text), expected);
}

TEST(Redaction, LeavesWhatIsNoSecret) {
  for (const char* text :
       {"no such column: password", "?password=env:SHOP_PASSWORD is not set",
        "password=file:/run/secret", "max_tokens=100", "SELECT password, token FROM t",
        "WHERE token = ?", "WHERE token = $1", "password: null", "token::text", "secretary: Ann",
        "line 6: token: a secret is not written here", "postgresql://reader@localhost:5432/shop",
        "http://example.org/a:b@c"}) {
    EXPECT_EQ(redact(text), text);
  }
}

TEST(Redaction, TakesPasswordsOutOfAddresses) {
  EXPECT_EQ(redact("cannot reach postgresql://ann:hunter2@host/db now"),
            "cannot reach postgresql://ann:[redacted]@host/db now");
  EXPECT_EQ(redact("a://u:p@q@h b://v:w@k"), "a://u:[redacted]@h b://v:[redacted]@k");
}

TEST(Redaction, LeavesShortSecretsInData) {
  register_secret("wort");
  register_secret("long enough 9");
  std::string data = "ein wort und long enough 9";
  redact_known(data);
  EXPECT_EQ(data, "ein wort und [secret]");
  EXPECT_EQ(redact("ein wort"), "ein [redacted]");
  register_secret("abc");
  EXPECT_EQ(redact("abc"), "abc");
}

}  // namespace
}  // namespace helve
