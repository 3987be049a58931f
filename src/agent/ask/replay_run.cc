#include "agent/ask/replay_run.h"

#include "agent/ask/recorded_request.h"
#include "agent/loops/model_talk.h"

namespace helve::agent {

Result<ReplayedRun> replay_run(const RecordedRun& run, toolkit::Toolkit& toolkit,
                               const toolkit::Caller& caller, const OpContext& context) {
  HELVE_ASSIGN(const RecordedRequest request, recorded_request(run));
  const auto model = recorded_model(run.events, request_hash);
  MemoryTrajectory trajectory;
  const RunParts parts{toolkit, caller, *model, nullptr, trajectory, {}, {}};
  ReplayedRun replayed;
  replayed.result = request.loop == Loop::Rlm ? run_rlm(request.run, parts, context)
                                              : run_react(request.run, parts, context);
  HELVE_TRY(context.check());
  replayed.events = trajectory.events();
  replayed.report = compare_events(run.events, replayed.events);
  return replayed;
}

}  // namespace helve::agent
