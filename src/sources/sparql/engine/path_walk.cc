#include "sources/sparql/engine/path_walk.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

bool has(const std::vector<Id>& ids, Id id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Result<Id> resolve_iri(const std::string& iri, RunState& run) {
  return run.terms.intern(rdf::TermView::iri(iri));
}

Result<void> resolve_negated(const Path& path, ResolvedPath& resolved, RunState& run) {
  for (const Path& part : path.parts) {
    const bool is_inverse = part.kind == Path::Kind::Inverse;
    HELVE_ASSIGN(const Id id, resolve_iri(is_inverse ? part.parts.front().iri : part.iri, run));
    (is_inverse ? resolved.goes_backward : resolved.goes_forward) = true;
    (is_inverse ? resolved.not_backward : resolved.not_forward).push_back(id);
  }
  if (path.parts.empty()) resolved.goes_forward = true;
  return {};
}

}  // namespace

Result<ResolvedPath> resolve_path(const Path& path, RunState& run) {
  ResolvedPath resolved;
  resolved.kind = path.kind;
  if (path.kind == Path::Kind::Iri) {
    HELVE_ASSIGN(resolved.iri, resolve_iri(path.iri, run));
  } else if (path.kind == Path::Kind::NegatedSet) {
    HELVE_TRY(resolve_negated(path, resolved, run));
  } else {
    for (const Path& part : path.parts) {
      HELVE_ASSIGN(ResolvedPath inner, resolve_path(part, run));
      resolved.parts.push_back(std::move(inner));
    }
  }
  return resolved;
}

PathWalk::PathWalk(const GraphScope& scope, const RunState& run)
    : scope_(scope), run_(run), pace_(run.op), scan_(run.data(), scope) {}

bool PathWalk::is_node(Id id) const {
  return count_triples(run_.data(), scope_, id, {}, {}) > 0 ||
         count_triples(run_.data(), scope_, {}, {}, id) > 0;
}

Result<void> PathWalk::add_nodes(RowSet& nodes) {
  scan_.start({}, {}, {});
  while (scan_.next(found_)) {
    HELVE_TRY(pace_.add(0, found_.rows));
    for (std::size_t row = 0; row < found_.rows; ++row) {
      HELVE_TRY(nodes.insert({&found_[Part::Subject][row], 1}));
      HELVE_TRY(nodes.insert({&found_[Part::Object][row], 1}));
    }
  }
  return {};
}

Result<void> PathWalk::scan(Id subject, Id predicate, Id object, Part wanted,
                            std::vector<Id>& reached) {
  HELVE_TRY(pace_.add(0, 1));
  scan_.start(subject, predicate, object);
  while (scan_.next(found_)) {
    HELVE_TRY(pace_.add(0, found_.rows));
    reached.insert(reached.end(), found_[wanted].begin(), found_[wanted].end());
  }
  return {};
}

Result<void> PathWalk::step_negated(const std::vector<Id>& excluded, Id from, Way way,
                                    std::vector<Id>& reached) {
  const bool is_forward = way == Way::Forward;
  HELVE_TRY(pace_.add(0, 1));
  scan_.start(is_forward ? from : Id(), {}, is_forward ? Id() : from);
  while (scan_.next(found_)) {
    HELVE_TRY(pace_.add(0, found_.rows));
    for (std::size_t row = 0; row < found_.rows; ++row) {
      if (has(excluded, found_[Part::Predicate][row])) continue;
      reached.push_back(found_[is_forward ? Part::Object : Part::Subject][row]);
    }
  }
  return {};
}

Result<void> PathWalk::step_sequence(const ResolvedPath& path, Id from, Way way,
                                     std::vector<Id>& reached) {
  std::vector<Id> here = {from};
  std::vector<Id> there;
  for (std::size_t i = 0; i < path.parts.size(); ++i) {
    const bool is_forward = way == Way::Forward;
    const ResolvedPath& part = path.parts[is_forward ? i : path.parts.size() - 1 - i];
    there.clear();
    for (const Id node : here) HELVE_TRY(step(part, node, way, there));
    std::sort(there.begin(), there.end());
    there.erase(std::unique(there.begin(), there.end()), there.end());
    std::swap(here, there);
  }
  reached.insert(reached.end(), here.begin(), here.end());
  return {};
}

// Breadth first: the set of visited nodes, in the order they were met, is the queue.
Result<void> PathWalk::step_closure(const ResolvedPath& path, Id from, Way way,
                                    std::vector<Id>& reached) {
  if (depth_ == visited_.size()) {
    visited_.push_back(std::make_unique<RowSet>(1, run_.memory(), "path closure"));
  }
  RowSet& visited = *visited_[depth_];
  ++depth_;
  std::vector<Id> found;
  const auto expand = [&](Id node) -> Result<void> {
    found.clear();
    HELVE_TRY(step(path.parts.front(), node, way, found));
    for (const Id next : found) HELVE_TRY(visited.insert({&next, 1}));
    return {};
  };
  Result<void> outcome;
  if (path.kind != Path::Kind::OneOrMore) {
    if (auto inserted = visited.insert({&from, 1}); !inserted) outcome = inserted.error();
  }
  if (outcome) outcome = expand(from);
  const bool goes_on = path.kind != Path::Kind::ZeroOrOne;
  for (std::uint32_t i = 0; outcome && goes_on && i < visited.table().rows(); ++i) {
    outcome = expand(visited.table().at(i, 0));
  }
  for (std::uint32_t i = 0; i < visited.table().rows(); ++i) {
    reached.push_back(visited.table().at(i, 0));
  }
  visited.clear();
  --depth_;
  return outcome;
}

Result<void> PathWalk::step(const ResolvedPath& path, Id from, Way way, std::vector<Id>& reached) {
  const bool is_forward = way == Way::Forward;
  switch (path.kind) {
    case Path::Kind::Iri:
      return is_forward ? scan(from, path.iri, {}, Part::Object, reached)
                        : scan({}, path.iri, from, Part::Subject, reached);
    case Path::Kind::Inverse:
      return step(path.parts.front(), from, reversed(way), reached);
    case Path::Kind::Sequence:
      return step_sequence(path, from, way, reached);
    case Path::Kind::Alternative:
      for (const ResolvedPath& part : path.parts) HELVE_TRY(step(part, from, way, reached));
      return {};
    case Path::Kind::ZeroOrMore:
    case Path::Kind::OneOrMore:
    case Path::Kind::ZeroOrOne:
      return step_closure(path, from, way, reached);
    case Path::Kind::NegatedSet:
      if (path.goes_forward) HELVE_TRY(step_negated(path.not_forward, from, way, reached));
      if (path.goes_backward) {
        HELVE_TRY(step_negated(path.not_backward, from, reversed(way), reached));
      }
      return {};
  }
  return {};
}

}  // namespace helve::sparql
