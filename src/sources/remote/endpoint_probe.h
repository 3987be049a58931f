// Learning of an endpoint: what it holds, and by a few small questions what it can do. For the
// first call that needs to know, and for people who want to see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sources/remote/endpoint_client.h"
#include "sources/remote/endpoint_knowledge.h"
#include "sources/remote/endpoint_survey.h"

namespace helve::remote {

// Surveys the endpoint and keeps what it finds; checks whether its text search can be asked.
tl::expected<std::shared_ptr<const EndpointSurvey>, EndpointFailure> learn(
    EndpointClient& client, EndpointKnowledge& knowledge, Env& env, const OpContext& context);

// What was learnt of its limits may not hold any more.
void forget_limits(EndpointClient& client, EndpointKnowledge& knowledge);

// One question and what came of it.
struct ProbeStep {
  std::string question;  // in words: "look up by subject"
  std::string says;      // what it shows, or why it failed
  double seconds = 0;
  bool has_answered = false;
};

// At most ten questions, each in a few seconds. Stops at the first where nobody answers. What is
// learnt goes into the profile.
std::vector<ProbeStep> probe(EndpointClient& client, EndpointKnowledge& knowledge, Env& env,
                             const OpContext& context);

}  // namespace helve::remote
