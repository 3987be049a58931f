#include "toolkit/writes/confirmations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <filesystem>
#include <thread>

#include "base/file_identity.h"
#include "base/real_env.h"
#include "tests/support/fake_env.h"

namespace helve::toolkit {
namespace {

const PendingChange kChange{"subject", 3, true};

PendingChange asked_by(const std::string& session) {
  PendingChange change = kChange;
  change.origin = {{"anna", session}, "data_modify", "shop", "hash", "call", "transaction-1", true};
  return change;
}

// What became of questions: "session: why".
struct Told {
  ConfirmationHooks hooks() {
    return {[this](const PendingChange& change, std::string_view why) {
              all.push_back(change.origin.asker.session + ": " + std::string(why));
              last = change;
            },
            nullptr};
  }
  std::vector<std::string> all;
  PendingChange last;
};

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

TEST_P(ConfirmationsTest, WhatNobodyAnsweredIsTold) {
  Told told;
  Confirmations confirmations(GetParam(), env_, told.hooks());
  const auto answered = confirmations.ask(asked_by("one"));
  ASSERT_TRUE(confirmations.ask(asked_by("one")));
  EXPECT_TRUE(confirmations.claim(answered->token, "subject"));
  EXPECT_EQ(confirmations.waiting(), std::string(GetParam()).empty() ? 1U : 2U);
  env_.clock().advance(Confirmations::kLife - std::chrono::seconds(1));
  confirmations.sweep();
  EXPECT_TRUE(told.all.empty());
  env_.clock().advance(std::chrono::seconds(1));
  confirmations.sweep();
  confirmations.sweep();
  EXPECT_EQ(told.all, std::vector<std::string>{"one: nobody answered in time"});
  EXPECT_EQ(confirmations.waiting(), 0U);
  const QuestionOrigin& origin = told.last.origin;
  EXPECT_EQ(origin.asker, (WriteSession{"anna", "one"}));
  EXPECT_EQ(origin.tool + " " + origin.source + " " + origin.query_hash + " " + origin.call_id +
                " " + origin.transaction,
            "data_modify shop hash call transaction-1");
  EXPECT_TRUE(origin.is_recorded);
  EXPECT_EQ(told.last.rows, 3U);
  // One whose end is known otherwise is not told of.
  const auto dropped = confirmations.ask(asked_by("one"));
  confirmations.drop(dropped->token);
  EXPECT_FALSE(confirmations.claim(dropped->token, "subject"));
  env_.clock().advance(Confirmations::kLife);
  confirmations.sweep();
  EXPECT_EQ(told.all.size(), 1U);
}

TEST_P(ConfirmationsTest, LiveTokensAreMarkedWhereverTheyStand) {
  const std::string live = ask();
  const std::string spent = ask();
  ASSERT_TRUE(confirmations_.claim(spent, "subject"));
  std::string upper = live;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(confirmations_.without_tokens("/* " + live + " */ abc" + live + upper),
            "/* [token] */ abc[token][token]");
  EXPECT_EQ(confirmations_.without_tokens(live.substr(1)), live.substr(1));
  EXPECT_EQ(confirmations_.without_tokens(spent + "é"), spent + "é");
  EXPECT_EQ(without_token_forms("x'" + spent + "'"), "x'[token]'");
  EXPECT_EQ(without_token_forms("no token at all: decade"), "no token at all: decade");
}

TEST(ConfirmationSessions, TakeNoRoomFromOthersAndEndWithTheirQuestions) {
  FakeEnv env;
  Told told;
  {
    Confirmations confirmations("", env, told.hooks());
    const auto first = confirmations.ask(asked_by("one"));
    for (std::size_t i = 0; i < Confirmations::kPendingMax; ++i) {
      env.clock().advance(std::chrono::seconds(1));
      ASSERT_TRUE(confirmations.ask(asked_by("two")));
    }
    EXPECT_TRUE(told.all.empty());
    ASSERT_TRUE(confirmations.ask(asked_by("two")));
    EXPECT_EQ(told.all, std::vector<std::string>{"two: others were asked since"});
    confirmations.end({"anna", "two"}, "it is over");
    EXPECT_EQ(told.all.size(), 1 + Confirmations::kPendingMax);
    EXPECT_EQ(told.all.back(), "two: it is over");
    EXPECT_TRUE(confirmations.claim(first->token, "subject"));
    ASSERT_TRUE(confirmations.ask(asked_by("three")));
  }
  EXPECT_EQ(told.all.back(), "three: its session was closed");
}

TEST(ConfirmationFiles, ThatNobodyAnsweredAreToldByTheNextProcess) {
  FakeEnv env;
  ASSERT_TRUE(env.files().make_directories("/session"));
  Told told;
  ASSERT_TRUE(Confirmations("/session", env, told.hooks()).ask(asked_by("one")));
  EXPECT_TRUE(told.all.empty());
  env.clock().advance(Confirmations::kLife);
  Confirmations("/session", env, told.hooks()).sweep();
  EXPECT_EQ(told.all.size(), 1U);
  Confirmations("/session", env, told.hooks()).sweep();
  EXPECT_EQ(told.all.size(), 1U);
}

TEST(ConfirmationFiles, AreTheirOwnersAlone) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "helve-confirmations";
  fs::remove_all(folder);
  fs::create_directories(folder / "confirmations");
  fs::permissions(folder / "confirmations", fs::perms::all);
  Confirmations confirmations(folder, real_env(), {nullptr, make_owned_folder});
  ASSERT_TRUE(confirmations.ask(kChange));
  EXPECT_EQ(fs::status(folder / "confirmations").permissions(), fs::perms::owner_all);
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(folder / "confirmations")) {
    ++files;
    EXPECT_EQ(file.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(files, 1U);
  fs::remove_all(folder);
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
