#include "agent/ask/replay_run.h"

#include "agent/ask/recorded_request.h"
#include "agent/llm/exchange_json.h"

namespace helve::agent {

namespace {

// What the caller said before each step, in its place.
std::function<Steering()> said_again(const RecordedRun& run) {
  return [words = recorded_words(run.events), step = std::uint64_t{0}]() mutable {
    Steering steering;
    const auto found = words.find(++step);
    if (found == words.end()) return steering;
    steering.message = found->second.message;
    if (found->second.is_stop) steering.word = Steering::Word::Stop;
    return steering;
  };
}

}  // namespace

Result<ReplayedRun> replay_run(const RecordedRun& run, toolkit::Toolkit& toolkit,
                               const toolkit::Caller& caller, const OpContext& context) {
  HELVE_ASSIGN(const RecordedRequest request, recorded_request(run));
  const auto model = recorded_model(run.events, llm::request_hash);
  const auto sub_model = recorded_sub_model(model, run.events);
  MemoryTrajectory trajectory;
  const RunParts parts{toolkit, caller, *model, sub_model.get(), trajectory, {}, said_again(run)};
  ReplayedRun replayed;
  replayed.result = request.loop == Loop::Rlm ? run_rlm(request.run, parts, context)
                                              : run_react(request.run, parts, context);
  HELVE_TRY(context.check());
  replayed.events = trajectory.events();
  replayed.report = compare_events(run.events, replayed.events);
  return replayed;
}

}  // namespace helve::agent
