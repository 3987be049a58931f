#include "toolkit/guard/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/guard/rewrite.h"
#include "toolkit/guard/words.h"
#include "toolkit/guard/workload.h"

namespace helve::toolkit {

namespace {

using sparql::BasicGraphPattern;
using sparql::TriplePattern;

constexpr double kManyTimes = 10;    // the deadline, before anything is refused
constexpr double kLightShare = 0.2;  // of the deadline: what a rewritten query aims at
constexpr double kManyRows = 100'000;
constexpr double kFarMore = 100;  // times the rows that can be fetched: no part of such a product
                                  // is an answer
constexpr double kManyFound = 1'000;  // matches, for a reason to name them
constexpr int kRewritesMax = 8;

class Judge {
 public:
  Judge(const sparql::Query& query, const GraphProfile& profile, const GuardRequest& request)
      : original_(query),
        query_(query),
        profile_(profile),
        request_(request),
        deadline_(std::chrono::duration<double>(request.deadline).count()) {}

  std::optional<sparql::Query> lighter_one() const {
    auto candidate = lighter(request_.rows_max);
    if (candidate && *candidate == original_) candidate.reset();
    return candidate;
  }

  GuardVerdict run() {
    const QueryWork work = measure(query_, profile_, request_.rows_max);
    const Burden* worst = worst_of(work);
    if (worst != nullptr && is_over(*worst)) {
      Finding finding = about(*worst);
      finding.is_refusal = request_.is_validating;
      finding.rewritten = lighter(request_.rows_max);
      verdict_.findings.push_back(std::move(finding));
    } else if (auto product = endless_product()) {
      verdict_.findings.push_back(*std::move(product));
    } else if (worst != nullptr && worst->work > kManyRows) {
      verdict_.findings.push_back(about(*worst));
    }
    const bool is_capped =
        request_.rows_max && work.rows >= static_cast<double>(*request_.rows_max);
    warn(work, is_capped ? measure(query_, profile_, std::nullopt).rows : work.rows);
    return std::move(verdict_);
  }

 private:
  double seconds_of(double work) const { return work / std::max(profile_.rows_per_second, 1.0); }

  static const Burden* worst_of(const QueryWork& work) {
    const auto worst =
        std::max_element(work.burdens.begin(), work.burdens.end(),
                         [](const Burden& a, const Burden& b) { return a.work < b.work; });
    return worst != work.burdens.end() ? &*worst : nullptr;
  }

  bool is_over(const Burden& burden) const {
    if (seconds_of(burden.work) <= kManyTimes * deadline_) return false;
    constexpr double kNanoseconds = 1e9;
    return !profile_.is_local || !request_.engine_cost_ns ||
           *request_.engine_cost_ns > kManyTimes * deadline_ * kNanoseconds;
  }

  bool is_far_more(double rows) const {
    return request_.rows_max && rows > kFarMore * static_cast<double>(*request_.rows_max);
  }

  // Parts that share no variable, without a LIMIT: what can be fetched is soon there, but is a
  // vanishing part of the product, and no one asked for a part.
  std::optional<Finding> endless_product() {
    const QueryWork work = measure(query_, profile_, std::nullopt);
    const Burden* worst = worst_of(work);
    if (!is_far_more(work.rows) || worst == nullptr ||
        worst->kind != FindingKind::CartesianProduct) {
      return std::nullopt;
    }
    constexpr double kNanoseconds = 1e9;
    const double seconds = profile_.is_local && request_.engine_cost_ns
                               ? *request_.engine_cost_ns / kNanoseconds
                               : seconds_of(worst->work);
    if (seconds <= deadline_) return std::nullopt;
    Finding finding = about(*worst);
    finding.is_refusal = request_.is_validating;
    finding.rewritten = lighter(std::nullopt);
    if (finding.rewritten &&
        is_far_more(measure(*finding.rewritten, profile_, std::nullopt).rows)) {
      finding.rewritten.reset();
    }
    return finding;
  }

  // Lightened until it is light, or nothing more can be done.
  std::optional<sparql::Query> lighter(std::optional<std::uint64_t> rows_max) const {
    sparql::Query candidate = original_;
    for (int i = 0; i < kRewritesMax; ++i) {
      const QueryWork work = measure(candidate, profile_, rows_max);
      const Burden* worst = worst_of(work);
      if (worst == nullptr || seconds_of(worst->work) <= kLightShare * deadline_) return candidate;
      const bool is_good = !is_over(*worst);
      if (!lighten(candidate, *worst)) {
        if (is_good) return candidate;
        return std::nullopt;
      }
    }
    const QueryWork work = measure(candidate, profile_, rows_max);
    const Burden* worst = worst_of(work);
    if (worst != nullptr && is_over(*worst)) return std::nullopt;
    return candidate;
  }

  const TriplePattern* triple_at(const Place& place) const {
    if (place.pattern == nullptr) return nullptr;
    const auto* triples = place.pattern->if_is<BasicGraphPattern>();
    if (triples == nullptr || place.triple >= triples->triples.size()) return nullptr;
    return &triples->triples[place.triple];
  }

  std::string filter_text(const sparql::Expression& condition) const {
    return fmt::format("FILTER ({})", sparql::to_sparql(condition, query_.prefixes));
  }

  Finding about(const Burden& burden) const {
    Finding finding{burden.kind, false, {}, {}, {}, 0, 0, {}, {}};
    finding.estimated_rows = burden.work;
    finding.estimated_seconds = seconds_of(burden.work);
    if (const TriplePattern* triple = triple_at(burden.place)) {
      finding.pattern = sparql::to_sparql(*triple, query_.prefixes);
      finding.span = triple->span;
    }
    if (burden.condition && burden.condition->expression != nullptr) {
      finding.pattern += finding.pattern.empty() ? "" : " ";
      finding.pattern += filter_text(*burden.condition->expression);
      finding.span = burden.condition->expression->span;
    }
    finding.reason = fmt::format(
        "{}: at least {} rows to walk through, about {} at {} rows a second there; {} {}{}",
        cause_words(burden), count_words(burden.work), time_words(finding.estimated_seconds),
        count_words(profile_.rows_per_second),
        request_.is_deadline_of_endpoint ? "the endpoint gives a query" : "the deadline is",
        time_words(deadline_), found_words());
    finding.suggestion = advice(burden);
    return finding;
  }

  // What probes have counted, where it is much.
  std::string found_words() const {
    std::string words;
    for (const auto& [key, found] : profile_.found) {
      if (static_cast<double>(found.n) < kManyFound) continue;
      words += fmt::format("; {} has {}{} matches{}", found.pattern,
                           found.is_exact ? "" : "at least ", format_count(found.n),
                           found.has_timed_out ? " (not counted to the end in time)" : "");
    }
    return words;
  }

  std::string all_triples() const {
    return profile_.is_triples_known
               ? fmt::format("all {} triples of {}", format_count(profile_.triples), profile_.name)
               : fmt::format("all triples of {}, which are at least {}", profile_.name,
                             format_count(profile_.triples));
  }

  std::string cause_words(const Burden& burden) const {
    switch (burden.kind) {
      case FindingKind::UnboundPredicate:
        return fmt::format(
            "a predicate that may be anything, with no subject, object or class "
            "to start from, matches {}",
            all_triples());
      case FindingKind::AllPredicates:
        return fmt::format("listing what occurs at all needs a look at {}", all_triples());
      case FindingKind::StringFilter:
        return burden.condition
                   ? "the condition looks into the text of everything that comes by, and a LIMIT "
                     "does not end that before enough is found"
                   : "something is computed of the text of everything that comes by, and a LIMIT "
                     "comes behind that";
      case FindingKind::CartesianProduct:
        return "parts of the pattern share no variable, so that each row of one is paired with "
               "each row of the other";
      case FindingKind::PropertyDiscovery:
        return burden.class_iri.empty()
                   ? std::string("all properties of very many subjects are walked through")
                   : fmt::format("all properties of all {} instances of <{}> are walked through",
                                 format_count(instances_of(burden.class_iri)), burden.class_iri);
      case FindingKind::UnanchoredPath:
        return burden.is_any_path
                   ? "the path follows any predicate for any number of steps, and so reaches "
                     "much of the graph"
                   : "the path may have any number of steps and neither of its ends is known";
      default:
        return "very many rows";
    }
  }

  std::uint64_t instances_of(const std::string& class_iri) const {
    const auto found = profile_.class_instances.find(class_iri);
    return found != profile_.class_instances.end() ? found->second : 0;
  }

  static std::string advice(const Burden& burden) {
    switch (burden.kind) {
      case FindingKind::UnboundPredicate:
        return "name the predicate, the subject or the class; sparql_describe shows all triples "
               "of one resource, and a LIMIT is enough to look around";
      case FindingKind::AllPredicates:
        return "sparql_schema lists classes and properties with their counts; the rewritten query "
               "counts over a sample of triples";
      case FindingKind::StringFilter:
        return "sparql_find looks names up in an index; compare with the exact text, or bind the "
               "subject or its class to few instances first";
      case FindingKind::CartesianProduct:
        return "join the parts by a variable that they share, or ask for each by itself";
      case FindingKind::PropertyDiscovery:
        return "a sample of the instances shows the same properties; sparql_peek and "
               "sparql_schema list them too";
      case FindingKind::UnanchoredPath:
        return burden.is_any_path ? "name the predicates of the path, or count its steps"
                                  : "bind one end of the path to a resource, or to few of them";
      default:
        return "narrow the pattern, or ask for a count";
    }
  }

  bool has(FindingKind kind) const {
    return std::any_of(verdict_.findings.begin(), verdict_.findings.end(),
                       [kind](const Finding& finding) { return finding.kind == kind; });
  }

  // `rows`: of the whole result, fetched or not.
  void warn(const QueryWork& work, double rows) {
    const bool knows_all = has(FindingKind::UnboundPredicate) || has(FindingKind::AllPredicates);
    if (work.unbound && !knows_all && static_cast<double>(profile_.triples) > kManyRows) {
      Burden burden;
      burden.kind = FindingKind::UnboundPredicate;
      burden.place = *work.unbound;
      Finding finding = about(burden);
      finding.reason =
          fmt::format("this pattern matches {}; only a LIMIT keeps it short", all_triples());
      verdict_.findings.push_back(std::move(finding));
    }
    if (work.filter != nullptr && work.filtered_rows > kManyRows &&
        !has(FindingKind::StringFilter)) {
      Finding finding{FindingKind::LateFilter, false, {}, {}, {}, 0, 0, {}, {}};
      finding.estimated_rows = work.filtered_rows;
      finding.estimated_seconds = seconds_of(work.filtered_rows);
      finding.pattern = filter_text(*work.filter);
      finding.span = work.filter->span;
      finding.reason =
          fmt::format("the condition is asked of about {} rows", count_words(work.filtered_rows));
      finding.suggestion = "a pattern that names a value is found by an index; a FILTER is not";
      verdict_.findings.push_back(std::move(finding));
    }
    if (rows > kManyRows) {
      Finding finding{FindingKind::LargeResult, false, {}, {}, {}, 0, 0, {}, {}};
      finding.estimated_rows = rows;
      finding.estimated_seconds = seconds_of(rows);
      finding.reason = fmt::format("the result may have about {} rows", count_words(rows));
      finding.suggestion = "add a LIMIT, narrow the pattern, or ask for a count";
      verdict_.findings.push_back(std::move(finding));
    }
  }

  const sparql::Query& original_;
  sparql::Query query_;  // what is measured points into it
  const GraphProfile& profile_;
  const GuardRequest& request_;
  double deadline_;
  GuardVerdict verdict_;
};

}  // namespace

std::optional<sparql::Query> lighter_query(const sparql::Query& query, const GraphProfile& profile,
                                           const GuardRequest& request) {
  return Judge(query, profile, request).lighter_one();
}

double least_seconds(const sparql::Query& query, const GraphProfile& profile,
                     std::optional<std::uint64_t> rows_max) {
  sparql::Query measured = query;
  double work = 0;
  for (const Burden& burden : measure(measured, profile, rows_max).burdens) {
    work = std::max(work, burden.work);
  }
  return work / std::max(profile.rows_per_second, 1.0);
}

GuardVerdict judge(const sparql::Query& query, const GraphProfile& profile,
                   const GuardRequest& request) {
  return Judge(query, profile, request).run();
}

}  // namespace helve::toolkit
