#include "surfaces/mcp/offer/confirming.h"

#include <utility>

#include "surfaces/mcp/server/missing_capability.h"

namespace helve::mcp {

namespace {

constexpr std::string_view kKey = "confirm";
constexpr int kQuestionsMax = 3;  // of one call: what was asked about may have changed meanwhile

// Each question has a name of its own: an answer to one is none to the next.
std::string name_of_question(std::string_view token) {
  constexpr std::size_t kTelling = 8;
  return "confirm-" + std::string(token.substr(0, kTelling));
}

InputRequest question(const toolkit::ConfirmationRequest& request) {
  JsonValue::Object answer;
  answer.push_back({"type", JsonValue("boolean")});
  answer.push_back({"title", JsonValue("Make this change")});
  answer.push_back({"description", JsonValue("Yes makes the change as it is told above; anything "
                                             "else leaves all as it is.")});
  JsonValue::Object properties;
  properties.push_back({std::string(kKey), JsonValue(std::move(answer))});
  JsonValue::Array required;
  required.emplace_back(std::string(kKey));
  JsonValue::Object schema;
  schema.push_back({"type", JsonValue("object")});
  schema.push_back({"properties", JsonValue(std::move(properties))});
  schema.push_back({"required", JsonValue(std::move(required))});
  JsonValue::Object params;
  params.push_back({"message", JsonValue(request.question)});
  params.push_back({"requestedSchema", JsonValue(std::move(schema))});
  return {name_of_question(request.token), "elicitation/create", JsonValue(std::move(params))};
}

// Accepted, with a true that is no text and no number.
bool is_yes(const JsonValue& answer) {
  const JsonValue* const action = answer.find("action");
  const JsonValue* const content = answer.find("content");
  if (action == nullptr || content == nullptr || action->if_string() == nullptr) return false;
  const JsonValue* const given = content->find(kKey);
  const bool* const word = given == nullptr ? nullptr : given->if_bool();
  return *action->if_string() == "accept" && word != nullptr && *word;
}

// The caller with what a person said of the change that `token` stands for.
toolkit::Caller answered(toolkit::Caller caller, const std::string& token, bool is_confirmed) {
  caller.confirmed = is_confirmed ? token : std::string();
  caller.declined = is_confirmed ? std::string() : token;
  return caller;
}

// The same where no answer came, or one that is none.
toolkit::Caller unanswered(toolkit::Caller caller, const std::string& token, AskFailure failure) {
  caller = answered(std::move(caller), token, false);
  if (!failure.is_refusal) caller.unanswered = std::move(failure.message);
  return caller;
}

}  // namespace

std::optional<toolkit::CallOutcome> call_asking(toolkit::Toolkit& toolkit, const std::string& tool,
                                                const JsonValue& arguments, Turn& turn) {
  toolkit::Caller caller = turn.caller();
  caller.has_person = takes_forms(turn);
  if (caller.has_person && !turn.state().empty()) {
    const JsonValue* const answer = turn.answer(name_of_question(turn.state()));
    caller = answered(std::move(caller), turn.state(), answer != nullptr && is_yes(*answer));
  }
  toolkit::CallOutcome outcome = toolkit.call(tool, arguments, caller, turn.op());
  for (int asked = 0; asked < kQuestionsMax; ++asked) {
    if (!outcome.confirmation || !caller.has_person) break;
    const std::string token = outcome.confirmation->token;
    const auto answers = turn.ask({question(*outcome.confirmation)}, token);
    if (answers) {
      const bool is_confirmed = answers->size() == 1 && is_yes(answers->front().second);
      caller = answered(std::move(caller), token, is_confirmed);
    } else if (auto failure = turn.take_failure()) {
      caller = unanswered(std::move(caller), token, *std::move(failure));
    } else {
      return std::nullopt;
    }
    outcome = toolkit.call(tool, arguments, caller, turn.op());
  }
  return outcome;
}

}  // namespace helve::mcp
