// Rehearsal: the calls of tests/toolkit/replay.cases through HTTP, on an endpoint that takes the
// time of the real one (slow_endpoint.h), and how much each of them asked of it.
#pragma once

#include <string>
#include <vector>

#include "tests/rehearsal/slow_endpoint.h"
#include "tests/toolkit/replay.h"

namespace helve::rehearsal {

// What calls asked of the endpoint.
struct Asked {
  std::size_t requests = 0;
  std::size_t failed = 0;  // that it gave up, or refused
  double seconds = 0;      // of all, one after the other, as the real one would take them
  double slowest = 0;
  std::string slowest_query;
  std::vector<std::string> failed_queries;

  void add(const Asked& other);
};
Asked sum_of(const std::vector<AskedQuery>& queries);

struct RehearsedCall {
  proofs::ReplayResult result;  // also failed where the endpoint gave up, or its time is over
  Asked asked;
  // The endpoint gave up the query of the call, and answered the one that the error suggested.
  bool is_given_up = false;
};

struct Rehearsal {
  Asked survey;  // and the handles that the calls name
  std::vector<RehearsedCall> calls;

  std::size_t count(proofs::ReplayOutcome outcome) const;
  Asked asked() const;  // by the calls
};

// The tools of `bench` have the endpoint as their only source; nothing was called before.
Result<Rehearsal> rehearse(const std::vector<proofs::ReplayCase>& cases,
                           const proofs::ReplayNames& names, SlowEndpoint& endpoint,
                           proofs::Workbench& bench);

// The queries of the time-outs as they were written, sent by themselves: does the model bite?
struct NaiveRun {
  std::size_t sent = 0;
  Asked asked;
};
Result<NaiveRun> send_naively(const std::vector<proofs::ReplayCase>& cases, SlowEndpoint& endpoint);

// Queries with a subject, a text or a class of few instances: what the real one answers at once.
Result<Asked> look_up(SlowEndpoint& endpoint);

}  // namespace helve::rehearsal
