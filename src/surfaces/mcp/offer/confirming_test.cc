#include "surfaces/mcp/offer/confirming.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "toolkit/tools/write_testing.h"

namespace helve::mcp {
namespace {

// A client that can put questions to its user, in either era.
class AskingTurn final : public Turn {
 public:
  explicit AskingTurn(toolkit::Caller caller) : caller_(std::move(caller)) {}

  const toolkit::Caller& caller() const override { return caller_; }
  Revision revision() const override { return kRevisions.front(); }
  const OpContext& op() const override { return op_; }
  bool can(std::string_view capability) const override {
    return can_ask &&
           std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
  }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(LogLevel, std::string_view, std::string_view) override {}
  std::optional<InputAnswers> ask(std::vector<InputRequest> requests, std::string state) override {
    asked.push_back(requests.front());
    next_state = std::move(state);
    if (answers.empty() || failure) return std::nullopt;
    JsonValue answer = *parse_json(answers.front());
    answers.pop_front();
    return InputAnswers{{requests.front().key, std::move(answer)}};
  }
  std::optional<AskFailure> take_failure() override { return std::exchange(failure, std::nullopt); }
  const std::string& state() const override { return brought_state; }
  const JsonValue* answer(std::string_view key) const override {
    return key == brought_key ? &brought : nullptr;
  }

  bool can_ask = true;
  std::vector<std::string> capabilities = {"elicitation"};
  std::optional<AskFailure> failure;  // of the next question
  std::deque<std::string> answers;    // at once; none left: the call has to come again
  std::vector<InputRequest> asked;
  std::string next_state;
  // Of a call that came again.
  std::string brought_state;
  std::string brought_key;
  JsonValue brought;

 private:
  toolkit::Caller caller_;
  OpContext op_;
};

constexpr std::string_view kYes = R"({"action":"accept","content":{"confirm":true}})";

class Confirming : public toolkit::WriteTest {
 protected:
  std::optional<toolkit::CallOutcome> make_change(AskingTurn& turn, std::string_view more = "") {
    return call_asking(*toolkit_, "data_modify", *parse_json(arguments(kRename, more)), turn);
  }
  bool is_changed() const { return value("artist", 4, 1) == "Q"; }

  static constexpr std::string_view kRename = "UPDATE artist SET name = 'Q' WHERE name = 'Queen'";
};

TEST_F(Confirming, AYesMakesTheChange) {
  AskingTurn turn(caller_);
  turn.answers = {std::string(kYes)};
  const auto outcome = make_change(turn);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->reply.is_error) << outcome->reply.text;
  EXPECT_TRUE(is_changed());
  ASSERT_EQ(turn.asked.size(), 1U);
  EXPECT_EQ(turn.asked[0].method, "elicitation/create");
  EXPECT_NE(to_json(turn.asked[0].params).find("artist"), std::string::npos);
  EXPECT_EQ(log_->records.back().confirmation, "person");
}

TEST_F(Confirming, WhatIsNoClearYesIsANo) {
  for (const char* answer :
       {R"({"action":"decline"})", R"({"action":"cancel"})", R"({"action":"accept"})",
        R"({"action":"accept","content":{}})", R"({"action":"accept","content":{"confirm":false}})",
        R"({"action":"accept","content":{"confirm":"true"}})",
        R"({"action":"accept","content":{"confirm":1}})",
        R"({"action":"decline","content":{"confirm":true}})", R"({"content":{"confirm":true}})",
        R"({"action":true,"content":{"confirm":true}})", "{}"}) {
    AskingTurn turn(caller_);
    turn.answers = {answer};
    const auto outcome = make_change(turn);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->reply.is_error) << answer;
    EXPECT_FALSE(is_changed()) << answer;
    EXPECT_EQ(log_->records.back().confirmation, "refused");
  }
}

TEST_F(Confirming, ACallThatComesAgainBringsTheAnswer) {
  AskingTurn first(caller_);
  EXPECT_FALSE(make_change(first));
  EXPECT_FALSE(is_changed());
  AskingTurn again(caller_);
  again.brought_state = first.next_state;
  again.brought_key = first.asked[0].key;
  again.brought = *parse_json(kYes);
  const auto outcome = make_change(again);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(again.asked.empty());
  EXPECT_TRUE(is_changed());
}

TEST_F(Confirming, AnAnswerIsForItsQuestionAlone) {
  AskingTurn first(caller_);
  EXPECT_FALSE(make_change(first));
  // A yes under another name, and a yes without the state of a question.
  AskingTurn other(caller_);
  other.brought_state = first.next_state;
  other.brought_key = "confirm-00000000";
  other.brought = *parse_json(kYes);
  const auto outcome = make_change(other);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->reply.is_error);
  AskingTurn unasked(caller_);
  unasked.brought_key = first.asked[0].key;
  unasked.brought = *parse_json(kYes);
  EXPECT_FALSE(make_change(unasked));  // is asked
  EXPECT_EQ(unasked.asked.size(), 1U);
  EXPECT_FALSE(is_changed());
}

TEST_F(Confirming, AModelCannotSayYesWhereAPersonIsAsked) {
  caller_.has_person = false;
  const std::string token = text(modify(kRename), "confirm");
  AskingTurn turn(caller_);
  turn.answers = {R"({"action":"decline"})"};
  const auto outcome = make_change(turn, "\"confirm\":\"" + token + "\"");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(turn.asked.size(), 1U);
  EXPECT_FALSE(is_changed());
}

TEST_F(Confirming, NoAnswerLeavesARecordAndAReply) {
  for (const bool is_refusal : {false, true}) {
    AskingTurn turn(caller_);
    turn.failure = AskFailure{"the client did not answer", is_refusal};
    const auto outcome = make_change(turn);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->reply.is_error);
    EXPECT_EQ(outcome->reply.text.find("the client did not answer") != std::string::npos,
              !is_refusal);
    EXPECT_EQ(log_->records.back().verdict, "denied");
    EXPECT_EQ(log_->records.back().confirmation, is_refusal ? "refused" : "timeout");
    EXPECT_FALSE(is_changed());
  }
}

TEST_F(Confirming, ClientsThatOnlyOpenPagesAskNobody) {
  AskingTurn turn(caller_);
  turn.capabilities = {"elicitation", "elicitation.url"};
  auto outcome = make_change(turn);
  ASSERT_TRUE(outcome);
  EXPECT_NE(outcome->reply.json.find("\"confirm\":"), std::string::npos) << outcome->reply.json;
  set_policy(R"({"read_only": false})");
  AskingTurn strict(caller_);
  strict.capabilities = turn.capabilities;
  outcome = make_change(strict);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->reply.is_error);
  EXPECT_NE(outcome->reply.text.find("form elicitation"), std::string::npos);
  EXPECT_TRUE(turn.asked.empty() && strict.asked.empty());
  AskingTurn both(caller_);
  both.capabilities = {"elicitation", "elicitation.url", "elicitation.form"};
  both.answers = {std::string(kYes)};
  ASSERT_TRUE(make_change(both));
  EXPECT_EQ(both.asked.size(), 1U);
  EXPECT_TRUE(is_changed());
}

TEST_F(Confirming, WithoutAPersonItIsTheTokenOrNothing) {
  AskingTurn turn(caller_);
  turn.can_ask = false;
  auto outcome = make_change(turn);
  ASSERT_TRUE(outcome);
  EXPECT_NE(outcome->reply.json.find("confirmation_required"), std::string::npos);
  set_policy(R"({"read_only": false})");
  AskingTurn strict(caller_);
  strict.can_ask = false;
  outcome = make_change(strict);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->reply.is_error);
  EXPECT_TRUE(turn.asked.empty() && strict.asked.empty());
  EXPECT_FALSE(is_changed());
}

}  // namespace
}  // namespace helve::mcp
