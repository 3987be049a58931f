#include "tests/rehearsal/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources/remote/endpoint_client.h"

namespace helve::rehearsal {

namespace {

using proofs::ReplayCase;
using proofs::ReplayOutcome;

constexpr double kDeadlineSeconds = 30;  // of a call, as the contract has it

// Sends queries as they are.
class PlainClient {
 public:
  static Result<PlainClient> make(const std::string& url) {
    remote::EndpointOptions options;
    options.url = url;
    options.reach.allows_private = true;
    options.retries_max = 0;
    PlainClient client;
    HELVE_ASSIGN(client.client_,
                 remote::EndpointClient::make(std::move(options), real_env(), client.gates_));
    return client;
  }

  void send(const std::string& query) {
    const bool is_graph = query.find("CONSTRUCT") != std::string::npos;
    const auto kind = is_graph ? remote::AnswerKind::Statements : remote::AnswerKind::Solutions;
    const auto answer = client_->ask(query, kind, {});
    (void)answer;  // what became of it is known to the endpoint
  }

 private:
  std::shared_ptr<remote::HostGates> gates_ = std::make_shared<remote::HostGates>(real_clock());
  std::unique_ptr<remote::EndpointClient> client_;
};

void judge(RehearsedCall& call) {
  call.is_given_up = call.result.outcome == ReplayOutcome::Repaired && call.asked.failed == 1;
  if (call.is_given_up) return;
  if (call.asked.failed > 0) {
    call.result.outcome = ReplayOutcome::Failed;
    call.result.says += "; the endpoint gave up " + call.asked.failed_queries.front();
  } else if (call.asked.seconds > kDeadlineSeconds) {
    call.result.outcome = ReplayOutcome::Failed;
    call.result.says = fmt::format("{:.1f} s there, of which {:.1f} s for {}", call.asked.seconds,
                                   call.asked.slowest, call.asked.slowest_query);
  }
}

}  // namespace

void Asked::add(const Asked& other) {
  requests += other.requests;
  failed += other.failed;
  seconds += other.seconds;
  failed_queries.insert(failed_queries.end(), other.failed_queries.begin(),
                        other.failed_queries.end());
  if (other.slowest <= slowest) return;
  slowest = other.slowest;
  slowest_query = other.slowest_query;
}

Asked sum_of(const std::vector<AskedQuery>& queries) {
  Asked sum;
  for (const AskedQuery& one : queries) {
    Asked asked{1, 0, one.seconds, one.seconds, one.text, {}};
    if (one.has_failed) {
      asked.failed = 1;
      asked.failed_queries.push_back(one.text);
    }
    sum.add(asked);
  }
  return sum;
}

std::size_t Rehearsal::count(ReplayOutcome outcome) const {
  return static_cast<std::size_t>(std::count_if(
      calls.begin(), calls.end(),
      [outcome](const RehearsedCall& call) { return call.result.outcome == outcome; }));
}

Asked Rehearsal::asked() const {
  Asked sum;
  for (const RehearsedCall& call : calls) sum.add(call.asked);
  return sum;
}

Result<Rehearsal> rehearse(const std::vector<ReplayCase>& cases, const proofs::ReplayNames& names,
                           SlowEndpoint& endpoint, proofs::Workbench& bench) {
  Rehearsal rehearsal;
  endpoint.take_asked();
  HELVE_TRY(proofs::prepare_replay(bench, names));
  rehearsal.survey = sum_of(endpoint.take_asked());
  for (const ReplayCase& one : cases) {
    RehearsedCall call{proofs::replay(one, bench), {}, false};
    call.asked = sum_of(endpoint.take_asked());
    judge(call);
    rehearsal.calls.push_back(std::move(call));
  }
  return rehearsal;
}

Result<NaiveRun> send_naively(const std::vector<ReplayCase>& cases, SlowEndpoint& endpoint) {
  HELVE_ASSIGN(PlainClient client, PlainClient::make(endpoint.url()));
  NaiveRun run;
  endpoint.take_asked();
  for (const ReplayCase& one : cases) {
    const std::string query = proofs::text_at(one.arguments, "query");
    if (!one.was_time_out() || query.empty()) continue;
    client.send(query);
    ++run.sent;
  }
  run.asked = sum_of(endpoint.take_asked());
  return run;
}

Result<Asked> look_up(SlowEndpoint& endpoint) {
  HELVE_ASSIGN(PlainClient client, PlainClient::make(endpoint.url()));
  endpoint.take_asked();
  for (const char* query : {
           "SELECT ?p ?o { <http://purl.uniprot.org/uniprot/P0000000> ?p ?o }",
           "SELECT ?name { <http://purl.uniprot.org/uniprot/P0000001> "
           "<http://purl.uniprot.org/core/recommendedName>/<http://purl.uniprot.org/core/fullName> "
           "?name }",
           "SELECT ?x { ?x <http://purl.uniprot.org/core/orfName> \"ORF_0000001_1\" }",
           "SELECT ?x ?l { ?x a <http://purl.uniprot.org/core/Database> ; "
           "<http://www.w3.org/2000/01/rdf-schema#label> ?l }",
           "SELECT ?x { ?x a <http://purl.uniprot.org/core/Protein> } LIMIT 100",
           "ASK { ?x <http://purl.uniprot.org/core/mnemonic> ?m }",
       }) {
    client.send(query);
  }
  return sum_of(endpoint.take_asked());
}

}  // namespace helve::rehearsal
