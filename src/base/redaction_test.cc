#include "base/redaction.h"

#include <gmock/gmock.h>
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

TEST(Redaction, ValuesMayBeginWithAnySign) {
  for (const char* secret : {"?ecret1", "$ecret1", ":hunter2", "%41bc", "@ccess1", ".dotted1",
                             "*starred", "<angle1", "(round1", "[square1", "{curly1", "?", "$x"}) {
    const bool is_mark = std::string_view(secret) == "?";
    const std::string text = std::string("host=h password=") + secret + " port=5";
    EXPECT_EQ(redact(text), is_mark ? text : "host=h password=[redacted] port=5");
    const std::string quoted = std::string("{\"token\": \"") + secret + "\"}";
    EXPECT_EQ(redact(quoted), is_mark ? quoted : "{\"token\": \"[redacted]\"}");
  }
}

TEST(Redaction, LeavesMarksOfParameters) {
  for (const char* text :
       {"WHERE token = ?", "WHERE token = ?1", "WHERE token = $12", "WHERE token = :token",
        "WHERE token = @p1", "WHERE password = :password AND x = 1", "password=${DB_PASSWORD}",
        "password=$DB_PASSWORD", "password=%s", "password = %(password)s", "password=<password>",
        "password=***", "token=...", "token = (SELECT 1)", "{\"token\": {\"a\": 1}}"}) {
    EXPECT_EQ(redact(text), text);
  }
}

TEST(Redaction, KnowsMoreTellingNames) {
  for (const char* name : {"PGPASSWORD", "db_pass", "DB_PASS", "dbPass", "mysql_pw", "MYSQL_PWD",
                           "accessToken", "client-secret", "userPassword", "--db-pass", "pass"}) {
    EXPECT_EQ(redact(std::string(name) + "=hunter2 x"), std::string(name) + "=[redacted] x");
  }
  for (const char* text : {"bypass=hunter2", "compass=north", "first_pass=2",
                           "--without-pass=merge", "pass: 5, fail: 1", "tokens=100", "keypass"}) {
    EXPECT_EQ(redact(text), text);
  }
}

TEST(Redaction, TakesPasswordsOutOfStatementsThatMakeUsers) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"CREATE USER a IDENTIFIED BY 'x y' ACCOUNT LOCK",
       "CREATE USER a IDENTIFIED BY '[redacted]' ACCOUNT LOCK"},
      {"create user a identified  by\n\"x\"", "create user a identified  by\n\"[redacted]\""},
      {"ALTER USER a IDENTIFIED BY PASSWORD '*5F2C'",
       "ALTER USER a IDENTIFIED BY PASSWORD '[redacted]'"},
      {"IDENTIFIED WITH `mysql_native_password` AS 'x''y', b",
       "IDENTIFIED WITH `mysql_native_password` AS '[redacted]', b"},
      {"IDENTIFIED VIA ed25519 USING PASSWORD('x')",
       "IDENTIFIED VIA ed25519 USING PASSWORD('[redacted]')"},
      {"CREATE ROLE a LOGIN ENCRYPTED PASSWORD 'x' VALID UNTIL 'infinity'",
       "CREATE ROLE a LOGIN ENCRYPTED PASSWORD '[redacted]' VALID UNTIL 'infinity'"},
      {"SET PASSWORD FOR a = PASSWORD('x')", "SET PASSWORD FOR a = PASSWORD('[redacted]')"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(redact(text), expected);
  for (const char* text : {"rows identified by key", "identified as wrong in 'x'",
                           "SELECT password FROM t WHERE name = 'x'"}) {
    EXPECT_EQ(redact(text), text);
  }
}

TEST(Redaction, LeavesWorkingFolders) {
  for (const char* text : {"PWD=/home/ann", "pwd=~/x", "OLDPWD=/tmp", "pwd=C:/data", "pwd=C:\\data",
                           "pwd: ./here/1"}) {
    EXPECT_EQ(redact(text), text);
  }
  EXPECT_EQ(redact("server=s;uid=a;pwd=hunter2;"), "server=s;uid=a;pwd=[redacted];");
  EXPECT_EQ(redact("db_pwd=/hunter2"), "db_pwd=[redacted]");
}

TEST(Redaction, PasswordsOfAddressesMayHaveAnySign) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"postgresql://u:pa/ss@host/db", "postgresql://u:[redacted]@host/db"},
      {"postgresql://u:12/34@host/db", "postgresql://u:[redacted]@host/db"},
      {"mysql://u:p?a#s@host", "mysql://u:[redacted]@host"},
      {"mysql://u:p@s/s@host/db?a=b@c", "mysql://u:[redacted]@host/db?a=b@c"},
      {"https://u:pa/ss@host/x", "https://u:[redacted]@host/x"},
      {"see 'redis://:pa/ss@h' and http://h:80/a@b",
       "see 'redis://:[redacted]@h' and http://h:80/a@b"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(redact(text), expected);
  for (const char* text : {"http://localhost:8080/a@b", "http://[::1]:80/a@b", "http://h/a:b@c",
                           "postgresql://h:5432/db", "https://h/?x=http://y:z"}) {
    EXPECT_EQ(redact(text), text);
  }
}

// The name of a table must not go because somebody chose it as a password; what is missing would
// also tell it.
TEST(Redaction, OrdinaryWordsAreSecretsOnlyWhereSecretsStand) {
  for (const char* word : {"customer", "ORDER_ITEMS", "Sales", "wort", "1234567"}) {
    register_secret(word);
    const std::string shown = std::string("no such table: ") + word;
    EXPECT_EQ(redact(shown), shown);
    std::string data = shown;
    redact_known(data);
    EXPECT_EQ(data, shown);
    EXPECT_EQ(redact(std::string("password=") + word), "password=[redacted]");
    EXPECT_EQ(redact(std::string("password: ") + word), "password: [redacted]");
    EXPECT_EQ(redact(std::string("mysql://u:") + word + "@h"), "mysql://u:[redacted]@h");
  }
  EXPECT_EQ(redact("password: word"), "password: word");  // of ours
  // Nobody writes them like this for another reason.
  EXPECT_EQ(redact("x 637573746f6d6572 y"), "x [redacted] y");
  EXPECT_EQ(redact("dTpjdXN0b21lcg=="), "dT[redacted]");  // "u:customer"
}

TEST(Redaction, LeavesShortSecretsInData) {
  register_secret("w0rt");
  register_secret("long enough 9");
  register_secret("qWhTzKlPmXvBn");  // letters, and no word
  std::string data = "ein w0rt und long enough 9, qWhTzKlPmXvBn";
  redact_known(data);
  EXPECT_EQ(data, "ein w0rt und [secret], [secret]");
  EXPECT_EQ(redact("ein w0rt"), "ein [redacted]");
  register_secret("abc");
  EXPECT_EQ(redact("abc"), "abc");
}

// Nothing is looked at again and again, whatever the text repeats.
TEST(Redaction, LeavesNoDigitOfASecretInBase64) {
  register_secret("kX7#9tzQ-mango9x");
  const std::string secret = "kX7#9tzQ-mango9x";
  // base64 of the secret alone, and of it between one, two and three other bytes
  for (const char* text : {"a1g3Izl0elEtbWFuZ285eA==", "YWtYNyM5dHpRLW1hbmdvOXhi",
                           "YWFrWDcjOXR6US1tYW5nbzl4YmI=", "YWFha1g3Izl0elEtbWFuZ285eGJiYg=="}) {
    const std::string shown = redact(std::string("x ") + text + " y");
    // Of the neighbours' bytes at most the first digits stay.
    EXPECT_THAT(shown, ::testing::MatchesRegex("x [A-Za-z]{0,3}\\[redacted\\][A-Za-z0-9=]{0,5} y"))
        << text;
    for (const char* part : {"eA", "OXg", "eGJ", "5eG", "OXhi", "l4Y"}) {
      EXPECT_THAT(shown, ::testing::Not(::testing::HasSubstr(part))) << shown;
    }
  }
}

// A quadratic reader needs hours for each.
TEST(Redaction, TakesLinearTime) {
  for (const char* part : {"token=env:", "password=env:", "token=:", "token=?",
                           "token='env:", "token=''", "token=\"env:", "token=\\\"env:",
                           "identified by 'env:", "password = (", "token: a", "a://b:", "://"}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_GE(redact(text).size(), 10U) << part;
  }
}

TEST(Redaction, LongTextsAreRedactedToo) {
  for (const char* piece : {"a://x:y/", "identified password='env:", "password (token "}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    EXPECT_EQ(redact(text), text);
  }
}

}  // namespace
}  // namespace helve
