#include "sources/sparql/engine/path_walk.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/engine/index_scan.h"

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
    : scope_(scope), run_(run), pace_(run.pace), scan_(run.data(), scope) {}

bool PathWalk::is_node(Id id) const {
  return count_triples(run_.data(), scope_, id, {}, {}) > 0 ||
         count_triples(run_.data(), scope_, {}, {}, id) > 0;
}

Result<void> PathWalk::add_nodes(NodeSet& nodes) {
  scan_.start({}, {}, {});
  while (scan_.next(found_)) {
    HELVE_TRY(pace_.add(0, found_.rows));
    for (std::size_t row = 0; row < found_.rows; ++row) {
      HELVE_TRY(nodes.insert(found_[Part::Subject][row]));
      HELVE_TRY(nodes.insert(found_[Part::Object][row]));
    }
  }
  return {};
}

class PathWalk::BorrowedLevel {
 public:
  explicit BorrowedLevel(PathWalk& walk) : walk_(walk) {
    if (walk_.depth_ == walk_.levels_.size()) {
      walk_.levels_.push_back(std::make_unique<Level>(walk_.run_.memory()));
    }
    level_ = walk_.levels_[walk_.depth_++].get();
  }
  BorrowedLevel(const BorrowedLevel&) = delete;
  BorrowedLevel& operator=(const BorrowedLevel&) = delete;
  ~BorrowedLevel() {
    level_->nodes.clear();
    level_->found.clear();
    --walk_.depth_;
  }
  Level* operator->() const { return level_; }

 private:
  PathWalk& walk_;
  Level* level_;
};

Result<void> PathWalk::scan(Id subject, Id predicate, Id object, Part wanted, RowTable& reached) {
  HELVE_TRY(pace_.add(0, 1));
  scan_.start(subject, predicate, object);
  while (scan_.next(found_)) {
    HELVE_TRY(pace_.add(0, found_.rows));
    for (const Id& id : found_[wanted]) HELVE_TRY(reached.append({&id, 1}));
  }
  return {};
}

Result<void> PathWalk::step_negated(const std::vector<Id>& excluded, Id from, Way way,
                                    RowTable& reached) {
  const bool is_forward = way == Way::Forward;
  HELVE_TRY(pace_.add(0, 1));
  scan_.start(is_forward ? from : Id(), {}, is_forward ? Id() : from);
  while (scan_.next(found_)) {
    HELVE_TRY(pace_.add(0, found_.rows));
    for (std::size_t row = 0; row < found_.rows; ++row) {
      if (has(excluded, found_[Part::Predicate][row])) continue;
      const auto& ends = found_[is_forward ? Part::Object : Part::Subject];
      HELVE_TRY(reached.append({&ends[row], 1}));
    }
  }
  return {};
}

Result<void> PathWalk::expand(const ResolvedPath& path, Id from, Way way, RowTable& found,
                              NodeSet& nodes) {
  found.clear();
  HELVE_TRY(step(path, from, way, found));
  HELVE_TRY(pace_.add(0, found.rows()));
  for (const Id id : found.ids()) HELVE_TRY(nodes.insert(id));
  return {};
}

Result<void> PathWalk::expand_all(Id predicate, Way way, std::uint32_t first, NodeSet& nodes) {
  const bool is_forward = way == Way::Forward;
  const Part from = is_forward ? Part::Subject : Part::Object;
  const Part to = is_forward ? Part::Object : Part::Subject;
  auto& lookup = lookups_[static_cast<std::size_t>(way)];
  if (lookup == nullptr) lookup = run_.data().lookup(LookupKind::All, bit(to));
  std::vector<Id> keys;
  while (first < nodes.table().rows()) {
    const auto ids = nodes.table().ids().subspan(first);
    keys.assign(ids.begin(),
                ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), Batch::kRows)));
    first += static_cast<std::uint32_t>(keys.size());
    LookupKeys wanted;
    wanted.parts[static_cast<std::size_t>(from)].ids = keys.data();
    wanted.parts[static_cast<std::size_t>(Part::Predicate)].constant = predicate;
    wanted.graph = choice_of(scope_);
    wanted.rows = keys.size();
    lookup->start(wanted);
    for (bool has_more = true; has_more;) {
      matches_.clear();
      has_more = lookup->next(matches_, Batch::kRows);
      HELVE_TRY(pace_.add(0, keys.size() + matches_.rows.size()));
      for (const Id id : matches_.columns[static_cast<std::size_t>(to)]) {
        HELVE_TRY(nodes.insert(id));
      }
    }
  }
  return {};
}

Result<void> PathWalk::step_sequence(const ResolvedPath& path, Id from, Way way,
                                     RowTable& reached) {
  const BorrowedLevel first(*this);
  const BorrowedLevel second(*this);
  NodeSet* here = &first->nodes;
  NodeSet* there = &second->nodes;
  HELVE_TRY(here->insert(from));
  for (std::size_t i = 0; i < path.parts.size(); ++i) {
    const bool is_forward = way == Way::Forward;
    const ResolvedPath& part = path.parts[is_forward ? i : path.parts.size() - 1 - i];
    there->clear();
    for (std::uint32_t row = 0; row < here->table().rows(); ++row) {
      HELVE_TRY(expand(part, here->table().at(row, 0), way, first->found, *there));
    }
    std::swap(here, there);
  }
  for (const Id& id : here->table().ids()) HELVE_TRY(reached.append({&id, 1}));
  return {};
}

// Breadth first: the set of visited nodes, in the order they were met, is the queue.
Result<void> PathWalk::step_closure(const ResolvedPath& path, Id from, Way way, RowTable& reached) {
  const BorrowedLevel level(*this);
  const RowTable& visited = level->nodes.table();
  const ResolvedPath& inner = path.parts.front();
  if (path.kind != Path::Kind::OneOrMore) HELVE_TRY(level->nodes.insert(from));
  HELVE_TRY(expand(inner, from, way, level->found, level->nodes));
  const bool goes_on = path.kind != Path::Kind::ZeroOrOne;
  const bool is_inverse = inner.kind == Path::Kind::Inverse;
  const ResolvedPath& link = is_inverse ? inner.parts.front() : inner;
  const bool is_plain = link.kind == Path::Kind::Iri && link.iri.tag() != rdf::Tag::Local &&
                        is_one_graph(scope_) && run_.passes.has(Pass::BatchJoins);
  if (goes_on && is_plain) {
    HELVE_TRY(expand_all(link.iri, is_inverse ? reversed(way) : way, 0, level->nodes));
  }
  for (std::uint32_t row = 0; goes_on && !is_plain && row < visited.rows(); ++row) {
    HELVE_TRY(expand(inner, visited.at(row, 0), way, level->found, level->nodes));
  }
  for (const Id& id : visited.ids()) HELVE_TRY(reached.append({&id, 1}));
  return {};
}

Result<void> PathWalk::step(const ResolvedPath& path, Id from, Way way, RowTable& reached) {
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
