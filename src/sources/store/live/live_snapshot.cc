#include "sources/store/live/live_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sources/store/dataset.h"
#include "sources/store/live/bound_pattern.h"
#include "sources/store/live/live_groups.h"
#include "sources/store/live/live_intersection.h"
#include "sources/store/live/live_scan.h"
#include "sources/store/local_schema.h"

namespace helve::store {

namespace {

using Kind = GraphChoice::Kind;

std::shared_ptr<const Delta> no_changes(const Dictionary& dictionary) {
  auto delta = std::make_shared<Delta>();
  delta->terms = std::make_shared<const DeltaTerms>(dictionary);
  delta->terms_end = delta->terms->starts();
  return delta;
}

// REQUIRES: the sum is not below zero, as of exact differences.
std::uint64_t plus(std::uint64_t count, std::int64_t change) {
  return count + static_cast<std::uint64_t>(change);
}

std::uint64_t plus(std::uint64_t count, const EntryCounts& changes) {
  return count + changes.added - changes.removed;
}

// Base rows with their changes, then what is new, all by id.
template <typename Row, typename Map, typename KeyOf, typename Change, typename Make>
std::vector<Row> changed_rows(const std::vector<Row>& base, const Map& changes, const KeyOf& key_of,
                              const Change& change, const Make& make) {
  std::vector<Row> rows;
  rows.reserve(base.size() + changes.size());
  std::unordered_set<Id, IdHash> met;
  for (Row row : base) {
    const auto found = changes.find(key_of(row));
    if (found == changes.end()) {
      rows.push_back(row);
      continue;
    }
    met.insert(found->first);
    if (change(row, found->second)) rows.push_back(row);
  }
  if (met.size() == changes.size()) return rows;
  for (const auto& [id, one] : changes) {
    if (met.count(id) > 0) continue;
    Row row = make(id);
    if (change(row, one)) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](const Row& a, const Row& b) { return key_of(a) < key_of(b); });
  return rows;
}

bool change_predicate(PredicateStatistics& row, const StatisticsChange::Predicate& change) {
  row.triples = plus(row.triples, change.triples);
  row.distinct_subjects = plus(row.distinct_subjects, change.subjects);
  row.distinct_objects = plus(row.distinct_objects, change.objects);
  return row.triples > 0;
}

}  // namespace

LiveSnapshot::LiveSnapshot(std::shared_ptr<const store::Snapshot> base,
                           std::shared_ptr<const Delta> delta)
    : base_(std::move(base)), base_data_(as_dataset(base_)), delta_(std::move(delta)) {}

LiveSnapshot::LiveSnapshot(const std::shared_ptr<const store::Snapshot>& base)
    : LiveSnapshot(base, no_changes(base->dictionary())) {}

std::string LiveSnapshot::fingerprint() const {
  const std::string base = fingerprint_of(*base_);
  return delta_->is_empty() ? base : fmt::format("{}-{:016x}", base, delta_->chain);
}

bool LiveSnapshot::is_of_base(Id id) const { return base_->dictionary().has(id); }

// Whether the base knows all terms: without them it has no such quad, which need not be looked up.
bool LiveSnapshot::is_of_base(const QuadPattern& pattern) const {
  const auto is_known = [&](Id id) { return !id.is_defined() || is_of_base(id); };
  return is_known(pattern.subject) && is_known(pattern.predicate) && is_known(pattern.object) &&
         is_known(pattern.graph.graph);
}

std::optional<Id> LiveSnapshot::find(const rdf::TermView& term) const {
  if (auto id = base_->dictionary().find(term)) return id;
  std::string scratch;
  const DictionaryTerm wanted = to_dictionary_term(term, scratch);
  if (wanted.inlined.is_defined()) return wanted.inlined;
  if (delta_->has_no_terms(wanted.tag)) return std::nullopt;
  const auto id = delta_->terms->find(wanted);
  // Not those that came later.
  const std::size_t section = static_cast<std::size_t>(wanted.tag) - 1;
  return id && id->payload() < delta_->terms_end[section] ? id : std::nullopt;
}

rdf::TermView LiveSnapshot::term(Id id, std::string& scratch) const {
  if (is_of_base(id)) return base_->dictionary().term(id, scratch);
  return delta_->terms->term(id);
}

std::string_view LiveSnapshot::qualifier(Id id) const {
  if (is_of_base(id)) return base_->dictionary().qualifier(id);
  return delta_->terms->qualifier(id);
}

bool LiveSnapshot::is_in_string_order(rdf::Tag tag) const {
  return base_data_->is_in_string_order(tag) && delta_->has_no_terms(tag);
}

bool LiveSnapshot::is_touched(const QuadPattern& pattern) const {
  Order order = Order::Spo;
  const KeyRange range = BoundPattern::range_of_triples(pattern, order);
  return (*delta_)[order].has_any(range);
}

std::uint64_t LiveSnapshot::quads(const QuadPattern& pattern) const {
  QuadPattern anywhere = pattern;
  anywhere.graph = {Kind::Union, {}};
  Order order = Order::Spo;
  const KeyRange range = BoundPattern::range_of_triples(anywhere, order);
  const std::uint64_t in_base = is_of_base(anywhere) ? base_->count(anywhere).n : 0;
  return plus(in_base, (*delta_)[order].counts(range));
}

bool LiveSnapshot::has_repeated_triples() const {
  return plus(base_->indexes().repeated_triples, delta_->statistics.repeated) > 0;
}

Count LiveSnapshot::count(const QuadPattern& pattern) const {
  Count count = base_->count(pattern);
  if (delta_->is_empty()) return count;
  Order order = Order::Spo;
  if (pattern.graph.kind == Kind::Default || pattern.graph.kind == Kind::One) {
    const KeyRange range = BoundPattern::range_of_graph(pattern, pattern.graph.graph, order);
    count.n = plus(count.n, (*delta_)[order].counts(range));
    return count;
  }
  const KeyRange range = BoundPattern::range_of_triples(pattern, order);
  count.n = plus(count.n, (*delta_)[order].counts(range));
  if (pattern.graph.kind == Kind::Named) {
    const KeyRange in_default = BoundPattern::range_of_graph(pattern, Id(), order);
    const EntryCounts apart = (*delta_)[order].counts(in_default);
    // The base counts its default graph in as well, or has none of these.
    if (base_->indexes().has_named_graphs) {
      count.is_exact = count.is_exact && apart.is_zero();
    } else {
      count.n = count.n + apart.removed - apart.added;
    }
    return count;
  }
  count.is_exact = count.n == 0 || !has_repeated_triples();
  return count;
}

std::unique_ptr<sparql::Scan> LiveSnapshot::scan(const QuadPattern& pattern,
                                                 std::optional<Order> preferred,
                                                 Parts wanted) const {
  if (delta_->is_empty()) return base_data_->scan(pattern, preferred, wanted);
  return make_live_scan(*this, *base_data_, pattern, preferred, wanted);
}

void LiveSnapshot::sample(const QuadPattern& pattern, std::size_t rows_max,
                          QuadBatch& batch) const {
  Order order = Order::Spo;
  const KeyRange range = BoundPattern::range_of_triples(pattern, order);
  const EntryCounts changes = (*delta_)[order].counts(range);
  if (changes.added + changes.removed <= base_->count(pattern).n) {
    base_data_->sample(pattern, rows_max, batch);
    if (changes.removed > 0) remove_changed(pattern.graph, batch);
    if (batch.rows > 0 || changes.is_zero()) return;
  }
  sparql::Snapshot::sample(pattern, rows_max, batch);
}

// Rows of the base that are there no more.
void LiveSnapshot::remove_changed(const GraphChoice& graph, QuadBatch& batch) const {
  const auto is_there = [&](std::size_t row) {
    const Quad triple{batch[Part::Subject][row], batch[Part::Predicate][row],
                      batch[Part::Object][row], graph.graph};
    if (graph.kind == Kind::Union) {
      return quads({triple.subject, triple.predicate, triple.object, graph}) > 0;
    }
    Quad quad = triple;
    if (graph.kind == Kind::Named) quad.graph = batch[Part::Graph][row];
    return contains(quad);
  };
  std::size_t kept = 0;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (!is_there(row)) continue;
    for (auto& column : batch.columns) {
      if (!column.empty()) column[kept] = column[row];
    }
    ++kept;
  }
  for (auto& column : batch.columns) column.resize(std::min(column.size(), kept));
  batch.rows = kept;
}

std::unique_ptr<sparql::Lookup> LiveSnapshot::lookup(sparql::LookupKind kind, Parts wanted) const {
  if (delta_->is_empty()) return base_data_->lookup(kind, wanted);
  return make_live_lookup(*this, *base_data_, kind, wanted);
}

std::unique_ptr<sparql::Intersection> LiveSnapshot::intersect(std::span<const Part> free) const {
  if (delta_->is_empty()) return base_data_->intersect(free);
  return make_live_intersection(*this, *base_data_, free);
}

std::unique_ptr<sparql::GroupScan> LiveSnapshot::groups(const QuadPattern& pattern, Part by) const {
  return make_live_groups(*this, *base_data_, pattern, by);
}

Statistics LiveSnapshot::statistics() const {
  const Statistics& base = base_->statistics();
  const StatisticsChange& change = delta_->statistics;
  Statistics out;
  out.statements = plus(base.statements, change.statements);
  out.triples = plus(base.triples, change.triples);
  out.distinct_subjects = plus(base.distinct_subjects, change.subjects);
  out.distinct_objects = plus(base.distinct_objects, change.objects);
  out.predicates = changed_rows(
      base.predicates, change.predicates,
      [](const PredicateStatistics& row) { return row.predicate; }, change_predicate,
      [](Id id) { return PredicateStatistics{id}; });
  out.classes = changed_rows(
      base.classes, change.classes, [](const ClassStatistics& row) { return row.type; },
      [](ClassStatistics& row, std::int64_t n) {
        row.instances = plus(row.instances, n);
        return row.instances > 0;
      },
      [](Id id) { return ClassStatistics{id}; });
  out.graphs = changed_rows(
      base.graphs, change.graphs, [](const GraphStatistics& row) { return row.graph; },
      [](GraphStatistics& row, std::int64_t n) {
        row.statements = plus(row.statements, n);
        return row.statements > 0;
      },
      [](Id id) { return GraphStatistics{id}; });
  // The default graph comes last.
  const auto named =
      std::stable_partition(out.graphs.begin(), out.graphs.end(),
                            [](const GraphStatistics& row) { return row.graph.is_defined(); });
  static_cast<void>(named);
  return out;
}

std::vector<Id> LiveSnapshot::named_graphs() const {
  if (delta_->is_empty()) return base_data_->named_graphs();
  std::vector<Id> graphs = delta_->kept_graphs;
  for (const GraphStatistics& graph : statistics().graphs) {
    if (graph.graph.is_defined()) graphs.push_back(graph.graph);
  }
  std::sort(graphs.begin(), graphs.end());
  graphs.erase(std::unique(graphs.begin(), graphs.end()), graphs.end());
  return graphs;
}

std::uint64_t LiveSnapshot::statements_of(Id graph) const {
  return count({{}, {}, {}, {graph.is_defined() ? Kind::One : Kind::Default, graph}}).n;
}

std::uint64_t LiveSnapshot::statements() const {
  return plus(base_->statistics().statements, delta_->statistics.statements);
}

bool LiveSnapshot::has_graph(Id graph) const {
  return std::binary_search(delta_->kept_graphs.begin(), delta_->kept_graphs.end(), graph) ||
         statements_of(graph) > 0;
}

std::uint64_t LiveSnapshot::instances_of(Id type) const {
  const auto& classes = base_->statistics().classes;
  const auto known =
      std::lower_bound(classes.begin(), classes.end(), type,
                       [](const ClassStatistics& row, Id wanted) { return row.type < wanted; });
  const bool is_known = known != classes.end() && known->type == type;
  const auto change = delta_->statistics.classes.find(type);
  return plus(is_known ? known->instances : 0,
              change != delta_->statistics.classes.end() ? change->second : 0);
}

bool LiveSnapshot::contains(const Quad& quad) const {
  const auto change = (*delta_)[Order::Spo].find(key_of(quad, Order::Spo));
  if (change) return *change == Presence::Added;
  const GraphChoice graph{quad.graph.is_defined() ? Kind::One : Kind::Default, quad.graph};
  const QuadPattern pattern{quad.subject, quad.predicate, quad.object, graph};
  return is_of_base(pattern) && base_->count(pattern).n > 0;
}

std::optional<sparql::PredicateCounts> LiveSnapshot::predicate_counts(Id predicate) const {
  auto counts = base_data_->predicate_counts(predicate);
  const auto change = delta_->statistics.predicates.find(predicate);
  if (change == delta_->statistics.predicates.end()) return counts;
  PredicateStatistics row{predicate};
  if (counts) {
    row = {predicate, counts->triples, counts->distinct_subjects, counts->distinct_objects};
  }
  if (!change_predicate(row, change->second)) return std::nullopt;
  return sparql::PredicateCounts{predicate, row.triples, row.distinct_subjects,
                                 row.distinct_objects};
}

std::vector<sparql::PredicateCounts> LiveSnapshot::all_predicate_counts() const {
  if (delta_->is_empty()) return base_data_->all_predicate_counts();
  std::vector<sparql::PredicateCounts> counts;
  for (const PredicateStatistics& row : statistics().predicates) {
    counts.push_back({row.predicate, row.triples, row.distinct_subjects, row.distinct_objects});
  }
  return counts;
}

// Characteristic sets are those of the base: told while few of the triples changed.
std::optional<sparql::StarCounts> LiveSnapshot::star_counts(std::span<const Id> predicates) const {
  constexpr double kShareMax = 0.1;
  for (const Id predicate : predicates) {
    if (!is_of_base(predicate)) return std::nullopt;
    const auto change = delta_->statistics.predicates.find(predicate);
    if (change == delta_->statistics.predicates.end()) continue;
    const auto counts = base_data_->predicate_counts(predicate);
    const double changed = std::abs(static_cast<double>(change->second.triples));
    if (!counts || changed > kShareMax * static_cast<double>(counts->triples)) return std::nullopt;
  }
  return base_data_->star_counts(predicates);
}

std::uint64_t LiveSnapshot::triples() const {
  return plus(base_->statistics().triples, delta_->statistics.triples);
}

}  // namespace helve::store
