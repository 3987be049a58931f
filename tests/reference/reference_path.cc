#include "tests/reference/reference_path.h"

#include <algorithm>
#include <set>

namespace helve::reference {

namespace {

using sparql::Path;

class PathEvaluation {
 public:
  PathEvaluation(const TripleList& graph, const FindIri& find_iri, Steps& steps)
      : graph_(graph), find_iri_(find_iri), steps_(steps) {}

  Result<PathEnds> ends(const Path& path, Id start, Id end) {
    HELVE_TRY(steps_.spend(1));
    switch (path.kind) {
      case Path::Kind::Iri: {
        HELVE_ASSIGN(const Id predicate, find_iri_(path.iri));
        return link(predicate, start, end);
      }
      case Path::Kind::Inverse:
        return inverse(path.parts.front(), start, end);
      case Path::Kind::Sequence:
        return sequence(path.parts, 0, start, end);
      case Path::Kind::Alternative:
        return alternative(path.parts, start, end);
      case Path::Kind::NegatedSet:
        return negated_set(path.parts, start, end);
      case Path::Kind::ZeroOrOne: {
        HELVE_ASSIGN(PathEnds found, ends(path.parts.front(), start, end));
        for (const auto& pair : zero_length(start, end)) found.push_back(pair);
        return distinct(std::move(found));
      }
      default:
        return closure(path, start, end);
    }
  }

 private:
  static PathEnds distinct(PathEnds ends) {
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  static PathEnds swapped(PathEnds ends) {
    for (auto& [start, end] : ends) std::swap(start, end);
    return ends;
  }

  Result<PathEnds> link(Id predicate, Id start, Id end) {
    PathEnds out;
    graph_.for_each({start, predicate, end},
                    [&](const Triple& triple) { out.emplace_back(triple[0], triple[2]); });
    HELVE_TRY(steps_.spend(out.size()));
    return out;
  }

  Result<PathEnds> inverse(const Path& inner, Id start, Id end) {
    HELVE_ASSIGN(PathEnds found, ends(inner, end, start));
    return swapped(std::move(found));
  }

  // Join of the first part to a new variable with the rest from it.
  Result<PathEnds> sequence(const std::vector<Path>& parts, std::size_t first, Id start, Id end) {
    if (first + 1 == parts.size()) return ends(parts[first], start, end);
    HELVE_ASSIGN(const PathEnds left, ends(parts[first], start, Id()));
    HELVE_ASSIGN(const PathEnds right, sequence(parts, first + 1, Id(), end));
    HELVE_TRY(steps_.spend(left.size() * right.size()));
    PathEnds out;
    for (const auto& [from, middle] : left) {
      for (const auto& [again, to] : right) {
        if (middle == again) out.emplace_back(from, to);
      }
    }
    return out;
  }

  Result<PathEnds> alternative(const std::vector<Path>& parts, Id start, Id end) {
    PathEnds out;
    for (const Path& part : parts) {
      HELVE_ASSIGN(const PathEnds found, ends(part, start, end));
      out.insert(out.end(), found.begin(), found.end());
    }
    return out;
  }

  // Forwards, what has none of the IRIs, and backwards, what has none of the inverse ones; the
  // direction that is not spoken of does not take part.
  Result<PathEnds> negated_set(const std::vector<Path>& parts, Id start, Id end) {
    std::set<Id> forward;
    std::set<Id> backward;
    for (const Path& part : parts) {
      const bool is_inverse = part.kind == Path::Kind::Inverse;
      HELVE_ASSIGN(const Id predicate, find_iri_(is_inverse ? part.parts.front().iri : part.iri));
      (is_inverse ? backward : forward).insert(predicate);
    }
    PathEnds out;
    if (!forward.empty() || backward.empty()) {
      HELVE_TRY(without(forward, start, end, false, out));
    }
    if (!backward.empty()) HELVE_TRY(without(backward, end, start, true, out));
    return out;
  }

  Result<void> without(const std::set<Id>& predicates, Id subject, Id object, bool is_inverse,
                       PathEnds& out) {
    HELVE_TRY(steps_.spend(graph_.triples().size()));
    graph_.for_each({subject, Id(), object}, [&](const Triple& triple) {
      if (predicates.contains(triple[1])) return;
      if (is_inverse) {
        out.emplace_back(triple[2], triple[0]);
      } else {
        out.emplace_back(triple[0], triple[2]);
      }
    });
    return {};
  }

  PathEnds zero_length(Id start, Id end) const {
    if (start.is_defined() && end.is_defined()) {
      return start == end ? PathEnds{{start, start}} : PathEnds{};
    }
    if (start.is_defined()) return {{start, start}};
    if (end.is_defined()) return {{end, end}};
    PathEnds out;
    for (const Id node : graph_.nodes()) out.emplace_back(node, node);
    return out;
  }

  Result<PathEnds> closure(const Path& path, Id start, Id end) {
    if (!start.is_defined() && end.is_defined()) {
      const Path turned{path.kind, {}, {Path{Path::Kind::Inverse, {}, path.parts, {}}}, {}};
      HELVE_ASSIGN(PathEnds found, closure(turned, end, start));
      return swapped(std::move(found));
    }
    PathEnds out;
    const std::vector<Id> starts =
        start.is_defined() ? std::vector<Id>{start} : std::vector<Id>(graph_.nodes());
    for (const Id from : starts) {
      std::set<Id> reached;
      if (path.kind == Path::Kind::ZeroOrMore) {
        HELVE_TRY(reach(path.parts.front(), from, reached));
      } else {
        HELVE_ASSIGN(const PathEnds first, ends(path.parts.front(), from, Id()));
        for (const auto& pair : first) HELVE_TRY(reach(path.parts.front(), pair.second, reached));
      }
      for (const Id to : reached) {
        if (!end.is_defined() || to == end) out.emplace_back(from, to);
      }
    }
    return out;
  }

  // The procedure ALP: https://www.w3.org/TR/sparql11-query/#defn_evalALP_1
  Result<void> reach(const Path& step, Id from, std::set<Id>& reached) {
    std::vector<Id> open{from};
    while (!open.empty()) {
      const Id at = open.back();
      open.pop_back();
      HELVE_TRY(steps_.spend(1));
      if (!reached.insert(at).second) continue;
      HELVE_ASSIGN(const PathEnds next, ends(step, at, Id()));
      for (const auto& pair : next) open.push_back(pair.second);
    }
    return {};
  }

  const TripleList& graph_;
  const FindIri& find_iri_;
  Steps& steps_;
};

}  // namespace

Result<void> Steps::spend(std::uint64_t steps) {
  if (steps > left_) return Error(ErrorCode::LimitExceeded, "too big for the reference");
  left_ -= steps;
  return {};
}

Result<PathEnds> path_ends(const Path& path, Id start, Id end, const TripleList& graph,
                           const FindIri& find_iri, Steps& steps) {
  return PathEvaluation(graph, find_iri, steps).ends(path, start, end);
}

}  // namespace helve::reference
