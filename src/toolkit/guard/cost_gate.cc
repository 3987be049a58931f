#include "toolkit/guard/cost_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "toolkit/guard/words.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kLargeTriples = 20'000'000;  // of less, everything may be asked
constexpr std::uint64_t kCountMax = 1'000'000;       // a probe counts no further
constexpr std::uint64_t kProbesMax = 3;
constexpr Duration kProbeTime = std::chrono::seconds(2);
constexpr Duration kProbeTimeMin = std::chrono::milliseconds(50);  // in less nothing is answered
constexpr int kProbesShare = 5;                                    // of the time of the call
constexpr std::uint64_t kSeenOften = 3;  // queries of a shape, to conclude from
constexpr auto kRecently = std::chrono::hours(24);
constexpr double kQuickShare = 0.25;  // of the deadline

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

class CostGate {
 public:
  CostGate(const sparql::Query& query, const GraphSource& endpoint, const GraphProfile& profile,
           const GateRequest& request)
      : query_(query), endpoint_(endpoint), request_(request), guard_(request.guard) {
    verdict_.profile = profile;
    is_large_ = profile.triples == 0 || profile.triples > kLargeTriples;
    verdict_.profile.name = endpoint.info().name;
    verdict_.profile.is_triples_known = profile.triples > 0;
    for (const auto& [iri, instances] : profile.class_instances) raise_triples(instances);
    for (const auto& [iri, sizes] : profile.properties) raise_triples(sizes.triples);
  }

  GateVerdict run() {
    take_traits();
    verdict_.experience = endpoint_.experience(query_);
    verdict_.deadline_seconds = seconds_of(guard_.deadline);
    judge_now();
    const bool may_help = !verdict_.guard.is_refused() && is_large_ && !is_known_to_be_quick();
    if (request_.may_probe && may_help) probe();
    warn_of_experience();
    if (!request_.guard.is_validating) {
      for (Finding& finding : verdict_.guard.findings) finding.is_refusal = false;
    }
    return std::move(verdict_);
  }

 private:
  void take_traits() {
    const auto traits = endpoint_.traits();
    if (!traits) return;
    if (traits->rows_per_second > 0) verdict_.profile.rows_per_second = traits->rows_per_second;
    if (traits->query_time_max > Duration(0) && traits->query_time_max < guard_.deadline) {
      guard_.deadline = traits->query_time_max;
      guard_.is_deadline_of_endpoint = true;
    }
  }

  // Of a graph of unknown size there is at least what was counted.
  void raise_triples(std::uint64_t at_least) {
    GraphProfile& profile = verdict_.profile;
    if (!profile.is_triples_known) profile.triples = std::max(profile.triples, at_least);
  }

  // Refusals are wanted whatever the caller made of them: what is refused is not probed.
  void judge_now() {
    GraphProfile& profile = verdict_.profile;
    if (profile.triples == 0) return;  // nothing is known: the limits of the run must do
    GuardRequest strict = guard_;
    strict.is_validating = true;
    // Beside what was counted, what was not is taken for nearly nothing: no product of both
    // refuses.
    const double usual = profile.unknown_rows;
    if (!profile.found.empty()) profile.unknown_rows = 1;
    verdict_.guard = judge(query_, profile, strict);
    profile.unknown_rows = usual;
  }

  bool is_known_to_be_quick() const {
    const auto& seen = verdict_.experience;
    return seen && seen->answered >= kSeenOften && seen->too_heavy == 0 &&
           seen->slowest_seconds < kQuickShare * verdict_.deadline_seconds;
  }

  void warn_of_experience() {
    const auto& seen = verdict_.experience;
    if (!seen || seen->too_heavy < kSeenOften || seen->answered > 0 || !seen->last_too_heavy ||
        *seen->last_too_heavy + kRecently < request_.clock->wall()) {
      return;
    }
    Finding finding{FindingKind::TooHeavyBefore, false, {}, {}, {}, 0, 0, {}, {}};
    finding.reason = fmt::format(
        "{} queries of this shape ({}) were too heavy for {} and none was answered, the last on {}",
        seen->too_heavy, seen->shape, endpoint_.info().name, minute_words(*seen->last_too_heavy));
    finding.suggestion = "bind a subject, a class of few instances or an exact value";
    verdict_.guard.findings.push_back(std::move(finding));
  }

  void probe() {
    const Duration left =
        request_.op.deadline.is_never() ? guard_.deadline : request_.op.deadline.remaining();
    const Deadline end(*request_.clock, left / kProbesShare);
    for (auto left_open = probe_candidates(query_, verdict_.profile); !left_open.empty();
         left_open = probe_candidates(query_, verdict_.profile)) {
      const ProbeCandidate& next = left_open.front();
      const auto found = counted(next, std::min(kProbeTime, end.remaining()));
      if (!found) return;
      verdict_.profile.found[next.key] = *found;
      raise_triples(found->n);
      if (found->n == 0 && found->is_exact && next.is_plain && is_empty_without_matches(query_)) {
        verdict_.unmatched = next;
        return;
      }
      judge_now();
      if (verdict_.guard.is_refused()) return;
    }
  }

  // An error: nothing more is to be asked. What failed, fails the query too, with its cause.
  Result<FoundSize> counted(const ProbeCandidate& candidate, Duration time) {
    const auto ask = [&]() -> Result<FoundSize> {
      if (verdict_.asked == kProbesMax || time < kProbeTimeMin) {
        return Error{ErrorCode::LimitExceeded, "no more probes"};
      }
      ++verdict_.asked;
      OpContext op = request_.op;
      op.deadline = Deadline(*request_.clock, time);
      const auto count = endpoint_.count_upto(candidate.pattern, query_.dataset, kCountMax, op);
      FoundSize found;
      found.pattern = candidate.text;
      if (count) {
        found.n = count->n;
        found.is_exact = count->is_exact;
        return found;
      }
      if (count.error().code != ErrorCode::LimitExceeded) return count.error();
      // It was walking all that time.
      const double walked = verdict_.profile.rows_per_second * seconds_of(time);
      found.n = std::min(kCountMax, static_cast<std::uint64_t>(std::max(walked, 1.0)));
      found.is_exact = false;
      found.has_timed_out = true;
      return found;
    };
    if (!request_.keep) return ask();
    std::string key = fmt::format("probe {} {}", endpoint_.fingerprint(), candidate.key);
    for (const sparql::DatasetGraph& graph : query_.dataset) {
      key += fmt::format(" {} <{}>", graph.is_named ? "FROM NAMED" : "FROM", graph.iri);
    }
    auto found = request_.keep(key, ask);
    if (found) found->pattern = candidate.text;  // in the words of this query
    return found;
  }

  const sparql::Query& query_;
  const GraphSource& endpoint_;
  const GateRequest& request_;
  GuardRequest guard_;
  GateVerdict verdict_;
  bool is_large_ = true;
};

}  // namespace

GateVerdict weigh(const sparql::Query& query, const GraphSource& endpoint,
                  const GraphProfile& profile, const GateRequest& request) {
  return CostGate(query, endpoint, profile, request).run();
}

}  // namespace helve::toolkit
