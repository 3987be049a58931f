#include "tests/rehearsal/cost_model.h"

#include <algorithm>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"

namespace helve::rehearsal {

namespace {

using rdf::Id;
using sparql::GraphChoice;
using sparql::LookupKeys;
using sparql::Matches;
using sparql::Part;
using sparql::Parts;
using sparql::QuadBatch;
using sparql::QuadPattern;
using sparql::Snapshot;

// Operators ask for one row, then for eight, and so on: they read up to eight times what they need.
constexpr double kReadAhead = 8;
constexpr double kFirstReads = 64;

double ratio(std::uint64_t real, std::uint64_t small) {
  return std::max(
      1.0, static_cast<double>(real) / static_cast<double>(std::max<std::uint64_t>(small, 1)));
}

std::uint64_t upto(const sparql::Body& body) {
  return body.limit ? *body.limit + body.offset.value_or(0) : 0;
}

// The largest LIMIT of the query and of what is in it; ASK is one.
std::uint64_t largest_limit(const sparql::Query& query) {
  std::uint64_t largest = std::holds_alternative<sparql::Ask>(query.form) ? 1 : upto(query.body());
  sparql::for_each_pattern(query.body().where, [&largest](const sparql::Pattern& pattern) {
    if (const auto* sub = pattern.if_is<sparql::SubSelect>()) {
      largest = std::max(largest, upto(sub->select->body));
    }
  });
  return largest;
}

class MeteredScan final : public sparql::Scan {
 public:
  MeteredScan(std::unique_ptr<sparql::Scan> inner, QuadPattern pattern, QueryCost& cost)
      : inner_(std::move(inner)), pattern_(pattern), cost_(cost) {}

  void restart(const QuadPattern& pattern) override {
    pattern_ = pattern;
    inner_->restart(pattern);
  }
  bool next(QuadBatch& batch, std::size_t rows_max) override {
    const bool has_rows = inner_->next(batch, rows_max);
    cost_.scanned(pattern_, batch);
    return has_rows;
  }
  sparql::Order order() const override { return inner_->order(); }

 private:
  std::unique_ptr<sparql::Scan> inner_;
  QuadPattern pattern_;
  QueryCost& cost_;
};

class MeteredLookup final : public sparql::Lookup {
 public:
  MeteredLookup(std::unique_ptr<sparql::Lookup> inner, QueryCost& cost)
      : inner_(std::move(inner)), cost_(cost) {}

  void start(const LookupKeys& keys) override {
    keys_ = keys;
    cost_.looked_up(keys);
    inner_->start(keys);
  }
  bool next(Matches& matches, std::size_t rows_max) override {
    const std::size_t before = matches.rows.size();
    const bool has_more = inner_->next(matches, rows_max);
    cost_.found(keys_, matches.rows.size() - before);
    return has_more;
  }
  std::optional<sparql::Order> order() const override { return inner_->order(); }

 private:
  std::unique_ptr<sparql::Lookup> inner_;
  LookupKeys keys_;
  QueryCost& cost_;
};

class MeteredSnapshot final : public Snapshot {
 public:
  MeteredSnapshot(const Snapshot& inner, QueryCost& cost) : inner_(inner), cost_(cost) {}

  std::optional<Id> find(const rdf::TermView& term) const override { return inner_.find(term); }
  rdf::TermView term(Id id, std::string& scratch) const override {
    return inner_.term(id, scratch);
  }
  std::string_view qualifier(Id id) const override { return inner_.qualifier(id); }
  bool is_in_string_order(rdf::Tag tag) const override { return inner_.is_in_string_order(tag); }
  sparql::Count count(const QuadPattern& pattern) const override {
    return {inner_.count(pattern).n, false};  // an estimate: no answer is taken from it
  }
  std::unique_ptr<sparql::Scan> scan(const QuadPattern& pattern,
                                     std::optional<sparql::Order> preferred,
                                     Parts wanted) const override {
    // What is free says how an entry is weighed.
    const Parts needed = sparql::bit(Part::Predicate) | sparql::bit(Part::Object);
    return std::make_unique<MeteredScan>(
        inner_.scan(pattern, preferred, static_cast<Parts>(wanted | needed)), pattern, cost_);
  }
  void sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const override {
    inner_.sample(pattern, rows_max, batch);
  }
  std::unique_ptr<sparql::Lookup> lookup(sparql::LookupKind kind, Parts wanted) const override {
    return std::make_unique<MeteredLookup>(inner_.lookup(kind, wanted), cost_);
  }
  std::vector<Id> named_graphs() const override { return inner_.named_graphs(); }
  std::optional<sparql::PredicateCounts> predicate_counts(Id predicate) const override {
    return inner_.predicate_counts(predicate);
  }
  std::vector<sparql::PredicateCounts> all_predicate_counts() const override {
    return inner_.all_predicate_counts();
  }
  std::optional<sparql::StarCounts> star_counts(std::span<const Id> predicates) const override {
    return inner_.star_counts(predicates);
  }
  std::uint64_t triples() const override { return inner_.triples(); }
  const std::vector<std::pair<std::string, std::string>>& prefixes() const override {
    return inner_.prefixes();
  }
  std::optional<Error> failure() const override { return inner_.failure(); }

 private:
  const Snapshot& inner_;
  QueryCost& cost_;
};

Id constant_of(const LookupKeys& keys, Part part) {
  const sparql::KeyPart& of = keys.parts[static_cast<std::size_t>(part)];
  return of.ids == nullptr ? of.constant : Id();
}

bool is_free(const LookupKeys& keys, Part part) {
  return keys.parts[static_cast<std::size_t>(part)].is_free();
}

}  // namespace

CostModel::CostModel(const VoidDescription& real, const Snapshot& small, CostRates rates)
    : rates_(rates), all_(ratio(real.triples, small.triples())) {
  std::string scratch;
  for (const sparql::PredicateCounts& counts : small.all_predicate_counts()) {
    const auto told =
        real.properties.find(std::string(small.term(counts.predicate, scratch).value));
    if (told == real.properties.end()) continue;
    const double more = ratio(told->second.triples, counts.triples);
    const double more_objects = ratio(told->second.objects, counts.distinct_objects);
    scans_[counts.predicate.bits()] = more;
    objects_[counts.predicate.bits()] = std::max(1.0, more / more_objects);
  }
  type_ = small.find(rdf::TermView::iri(rdf::kRdfType)).value_or(Id());
  for (const auto& [iri, instances] : real.class_instances) {
    const auto id = small.find(rdf::TermView::iri(iri));
    if (!id) continue;
    const auto here = small.count({Id(), type_, *id, {GraphChoice::Kind::Union, Id()}});
    classes_[id->bits()] = ratio(instances, here.n);
  }
}

double CostModel::of(const std::unordered_map<std::uint64_t, double>& weights, Id predicate) const {
  const auto found = weights.find(predicate.bits());
  return found != weights.end() ? found->second : all_;
}

double CostModel::object_weight(Id predicate, Id object) const {
  if (predicate != type_) return of(objects_, predicate);
  const auto found = classes_.find(object.bits());
  return found != classes_.end() ? found->second : 1;
}

QueryCost::QueryCost(const CostModel& model, const sparql::Query& query, CancelToken cancel)
    : model_(model),
      cancel_(std::move(cancel)),
      streamed_(kFirstReads + kReadAhead * static_cast<double>(largest_limit(query))) {}

void QueryCost::charge(double weight) {
  ++read_;
  scanned_ += 1;
  // A LIMIT ends a scan as early there as here; what is read beyond it is in search of something,
  // which is as rare there.
  scaled_ += scanned_ <= streamed_ ? 1 : weight;
}

void QueryCost::scanned(const QuadPattern& pattern, const QuadBatch& batch) {
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (pattern.subject.is_defined()) {
      charge(1);
      continue;
    }
    const Id predicate =
        pattern.predicate.is_defined() ? pattern.predicate : batch[Part::Predicate][row];
    charge(pattern.object.is_defined() ? model_.object_weight(predicate, pattern.object)
                                       : model_.scan_weight(predicate));
  }
  check();
}

void QueryCost::looked_up(const LookupKeys& keys) {
  followed_ += static_cast<double>(keys.rows);
  check();
}

void QueryCost::found(const LookupKeys& keys, std::size_t rows) {
  double weight = 1;
  const Id predicate = constant_of(keys, Part::Predicate);
  if (is_free(keys, Part::Subject) && predicate.is_defined()) {
    weight = is_free(keys, Part::Object)
                 ? model_.scan_weight(predicate)
                 : model_.object_weight(predicate, constant_of(keys, Part::Object));
  }
  read_ += rows;
  followed_ += weight * static_cast<double>(rows);
  check();
}

double QueryCost::seconds() const {
  // Look-ups follow the entries of scans: where there are more of these there are more of them.
  const double more = scanned_ > 0 ? scaled_ / scanned_ : 1;
  return model_.rates().latency_seconds +
         (scaled_ + followed_ * more) / model_.rates().rows_per_second;
}

void QueryCost::check() const {
  if (is_over()) cancel_.cancel();
}

std::shared_ptr<const Snapshot> make_metered(const Snapshot& inner, QueryCost& cost) {
  return std::make_shared<const MeteredSnapshot>(inner, cost);
}

}  // namespace helve::rehearsal
