#include "agent/llm/rules/rules.h"

#include "agent/llm/answer_parts.h"
#include "agent/llm/rules/decide.h"
#include "agent/llm/rules/talk_state.h"

namespace helve::llm {

namespace {

class Rules final : public Provider {
 public:
  explicit Rules(const RulesOptions& options) : options_(options) {}

  Result<Answer> complete(const Request& request, const OpContext& context,
                          const StreamSink* /*sink*/) override {
    HELVE_TRY(context.check());
    if (!rules::is_declared(request, "submit")) {
      return Error{
          ErrorCode::InvalidInput,
          "builtin:rules works with tools that it calls, and submits its answer; it writes "
          "neither programs nor texts",
          "use it with --loop react, and a model for anything else"};
    }
    Answer answer = rules::decide(request, options_.seed);
    answer.model = model();
    answer.usage = estimated_usage(request, answer);
    answer.usage.cost = 0;
    return answer;
  }

  std::string name() const override { return "builtin"; }
  std::string model() const override { return "rules"; }

 private:
  const RulesOptions options_;
};

}  // namespace

std::shared_ptr<Provider> make_rules_provider(const RulesOptions& options) {
  return std::make_shared<Rules>(options);
}

}  // namespace helve::llm
