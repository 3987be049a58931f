#include "toolkit/writes/confirmations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/fake_env.h"

namespace helve::toolkit {
namespace {

const PendingChange kChange{"subject", 3, true};

class ConfirmationsTest : public ::testing::TestWithParam<const char*> {
 protected:
  ConfirmationsTest() { EXPECT_TRUE(env_.files().make_directories("/session")); }

  std::string ask() {
    const auto asked = confirmations_.ask(kChange);
    EXPECT_TRUE(asked) << asked.error().to_string();
    return asked ? asked->token : std::string();
  }

  FakeEnv env_;
  Confirmations confirmations_{GetParam(), env_};
};

INSTANTIATE_TEST_SUITE_P(Places, ConfirmationsTest, ::testing::Values("", "/session"));

TEST_P(ConfirmationsTest, ATokenWorksOnce) {
  const std::string token = ask();
  EXPECT_EQ(token.size(), 32U);
  const auto first = confirmations_.claim(token, "subject");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rows, 3U);
  EXPECT_TRUE(first->is_exact);
  const auto second = confirmations_.claim(token, "subject");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Denied);
}

TEST_P(ConfirmationsTest, AllRefusalsSayTheSame) {
  const std::string used = ask();
  ASSERT_TRUE(confirmations_.claim(used, "subject"));
  const std::string foreign = ask();
  const std::string said = confirmations_.claim(foreign, "another").error().to_string();
  EXPECT_EQ(confirmations_.claim(used, "subject").error().to_string(), said);
  EXPECT_EQ(confirmations_.claim(std::string(32, 'a'), "subject").error().to_string(), said);
  EXPECT_EQ(confirmations_.claim("", "subject").error().to_string(), said);
  EXPECT_EQ(confirmations_.claim("../../etc/passwd", "subject").error().to_string(), said);
  EXPECT_EQ(confirmations_.claim(std::string(1'000'000, 'a'), "subject").error().to_string(), said);
  // A wrong use spends it.
  EXPECT_FALSE(confirmations_.claim(foreign, "subject"));
  const std::string late = ask();
  env_.clock().advance(Confirmations::kLife);
  EXPECT_EQ(confirmations_.claim(late, "subject").error().to_string(), said);
}

TEST_P(ConfirmationsTest, LiveForAWhile) {
  const std::string token = ask();
  env_.clock().advance(Confirmations::kLife - std::chrono::seconds(1));
  EXPECT_TRUE(confirmations_.claim(token, "subject"));
}

TEST_P(ConfirmationsTest, TheOldestGoWhereThereAreTooMany) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i <= Confirmations::kPendingMax; ++i) {
    tokens.push_back(ask());
    env_.clock().advance(std::chrono::seconds(1));
  }
  EXPECT_FALSE(confirmations_.claim(tokens[0], "subject"));
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    EXPECT_TRUE(confirmations_.claim(tokens[i], "subject")) << i;
  }
}

TEST_P(ConfirmationsTest, OfTwoThreadsOneHasTheToken) {
  for (int round = 0; round < 50; ++round) {
    const std::string token = ask();
    std::atomic<int> claimed{0};
    const auto claim = [&] { claimed += confirmations_.claim(token, "subject") ? 1 : 0; };
    std::thread other(claim);
    claim();
    other.join();
    EXPECT_EQ(claimed, 1);
  }
}

TEST(ConfirmationFiles, AreSharedByProcessesAndDoNotTellTheToken) {
  FakeEnv env;
  ASSERT_TRUE(env.files().make_directories("/session"));
  const auto asked = Confirmations("/session", env).ask(kChange);
  ASSERT_TRUE(asked);
  const auto names = env.files().list("/session/confirmations");
  ASSERT_TRUE(names);
  ASSERT_EQ(names->size(), 1U);
  EXPECT_EQ(names->front().native().find(asked->token), std::string::npos);
  EXPECT_EQ(
      env.files().content("/session/confirmations/" + names->front().native())->find(asked->token),
      std::string::npos);
  EXPECT_TRUE(Confirmations("/session", env).claim(asked->token, "subject"));
  EXPECT_FALSE(Confirmations("/session", env).claim(asked->token, "subject"));
  EXPECT_TRUE(env.files().list("/session/confirmations")->empty());
}

TEST(ConfirmationFiles, ThatAreDamagedConfirmNothing) {
  FakeEnv env;
  ASSERT_TRUE(env.files().make_directories("/session"));
  for (const char* content : {"", "{}", "[]", R"({"subject":"subject","expires":"x"})",
                              R"({"subject":"subject","expires":99999999999999,"exact":true})"}) {
    const auto asked = Confirmations("/session", env).ask(kChange);
    ASSERT_TRUE(asked);
    const auto names = env.files().list("/session/confirmations");
    ASSERT_EQ(names->size(), 1U);
    env.files().put("/session/confirmations/" + names->front().native(), content);
    EXPECT_FALSE(Confirmations("/session", env).claim(asked->token, "subject")) << content;
  }
}

TEST(Subjects, KeepTheirPartsApart) {
  EXPECT_NE(subject_of({"a", "bc"}), subject_of({"ab", "c"}));
  EXPECT_NE(subject_of({"a", ""}), subject_of({"a"}));
  EXPECT_EQ(subject_of({"a", "b"}), subject_of({"a", "b"}));
}

TEST(PolicyFingerprints, ChangeWithEveryKey) {
  const std::string plain = fingerprint_of({});
  EXPECT_EQ(plain, fingerprint_of({}));
  const auto differs = [&](auto change) {
    Policy policy;
    change(policy);
    return fingerprint_of(policy) != plain;
  };
  EXPECT_TRUE(differs([](Policy& p) { p.read_only = false; }));
  EXPECT_TRUE(differs([](Policy& p) { p.max_affected_rows = 7; }));
  EXPECT_TRUE(differs([](Policy& p) { p.require_confirmation = Confirmation::None; }));
  EXPECT_TRUE(differs([](Policy& p) { p.audit = AuditMode::Off; }));
  EXPECT_TRUE(differs([](Policy& p) { p.denied_columns = {"a.b"}; }));
  EXPECT_TRUE(differs([](Policy& p) { p.allowed_tables.emplace(); }));
  EXPECT_TRUE(differs([](Policy& p) { p.allowed_tools = {"x"}; }));
}

}  // namespace
}  // namespace helve::toolkit
