#include "tests/support/dataset/memory_dataset.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/check.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/language_tag.h"
#include "sources/rdf/reader.h"

namespace helve {

namespace {

using rdf::Id;
using rdf::Tag;
using sparql::GraphChoice;
using sparql::Order;
using sparql::Part;
using sparql::QuadBatch;
using sparql::QuadPattern;

constexpr Order kOrders[] = {Order::Spo, Order::Sop,  Order::Pso,  Order::Pos, Order::Osp,
                             Order::Ops, Order::Gspo, Order::Gpos, Order::Gosp};

std::array<Part, 4> parts_of(Order order) {
  constexpr Part kS = Part::Subject;
  constexpr Part kP = Part::Predicate;
  constexpr Part kO = Part::Object;
  constexpr Part kG = Part::Graph;
  switch (order) {
    case Order::Spo:
      return {kS, kP, kO, kG};
    case Order::Sop:
      return {kS, kO, kP, kG};
    case Order::Pso:
      return {kP, kS, kO, kG};
    case Order::Pos:
      return {kP, kO, kS, kG};
    case Order::Osp:
      return {kO, kS, kP, kG};
    case Order::Ops:
      return {kO, kP, kS, kG};
    case Order::Gspo:
      return {kG, kS, kP, kO};
    case Order::Gpos:
      return {kG, kP, kO, kS};
    case Order::Gosp:
      return {kG, kO, kS, kP};
  }
  return {kS, kP, kO, kG};
}

Id at(const MemoryRow& row, Part part) { return row[static_cast<std::size_t>(part)]; }

bool leads_with_graph(Order order) { return parts_of(order)[0] == Part::Graph; }

// True when the parts that the pattern binds come first.
bool suits(Order order, const QuadPattern& pattern) {
  const bool has_graph = pattern.graph.kind == GraphChoice::Kind::One;
  if (leads_with_graph(order) && !has_graph && pattern.graph.kind != GraphChoice::Kind::Named) {
    return false;
  }
  std::array<bool, 4> is_bound{pattern.subject.is_defined(), pattern.predicate.is_defined(),
                               pattern.object.is_defined(), has_graph && leads_with_graph(order)};
  std::size_t left = static_cast<std::size_t>(std::count(is_bound.begin(), is_bound.end(), true));
  for (const Part part : parts_of(order)) {
    if (left == 0) return true;
    if (!is_bound[static_cast<std::size_t>(part)]) return false;
    --left;
  }
  return true;
}

Order choose_order(const QuadPattern& pattern, std::optional<Order> preferred) {
  if (preferred && suits(*preferred, pattern)) return *preferred;
  for (const Order order : kOrders) {
    if (suits(order, pattern)) return order;
  }
  return Order::Spo;
}

class MemoryScan final : public sparql::Scan {
 public:
  MemoryScan(const MemorySnapshot& snapshot, const QuadPattern& pattern,
             std::optional<Order> preferred)
      : snapshot_(snapshot), preferred_(preferred) {
    MemoryScan::restart(pattern);
  }

  void restart(const QuadPattern& pattern) override {
    order_ = choose_order(pattern, preferred_);
    has_graphs_ = pattern.graph.kind == GraphChoice::Kind::Named;
    rows_ = snapshot_.rows(pattern, order_);
    next_ = 0;
  }

  bool next(QuadBatch& batch, std::size_t rows_max) override {
    for (auto& column : batch.columns) column.clear();
    const std::size_t end =
        std::min(rows_.size(), next_ + std::min(rows_max, std::size_t{QuadBatch::kRows}));
    batch.rows = end - next_;
    for (; next_ < end; ++next_) {
      for (std::size_t part = 0; part < (has_graphs_ ? 4 : 3); ++part) {
        batch.columns[part].push_back(rows_[next_][part]);
      }
    }
    return batch.rows > 0;
  }

  Order order() const override { return order_; }

 private:
  const MemorySnapshot& snapshot_;
  std::optional<Order> preferred_;
  Order order_ = Order::Spo;
  bool has_graphs_ = false;
  std::vector<MemoryRow> rows_;
  std::size_t next_ = 0;
};

Tag tag_of(const rdf::Term& term) {
  if (term.kind == rdf::TermKind::Iri) return Tag::Iri;
  if (term.kind == rdf::TermKind::BlankNode) return Tag::Blank;
  if (!term.language.empty()) return Tag::LangString;
  return term.datatype.empty() ? Tag::String : Tag::TypedLiteral;
}

std::optional<Id> inlined_id(const rdf::TermView& term) {
  if (!term.is_literal() || !term.language.empty()) return std::nullopt;
  return rdf::inline_literal(term.value, term.datatype);
}

rdf::Term normal(const rdf::TermView& term) {
  std::string language;
  return rdf::Term(rdf::with_normal_language(term, language));
}

bool is_default_graph(const rdf::Term& graph) {
  return graph.kind == rdf::TermKind::Iri && graph.value.empty();
}

class Collector final : public rdf::StatementSink {
 public:
  Result<void> statement(const rdf::StatementView& view) override {
    quads.push_back({rdf::Term(view.subject), rdf::Term(view.predicate), rdf::Term(view.object),
                     rdf::Term(view.graph)});
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override {
    prefixes.emplace_back(name, iri);
  }

  std::vector<MemoryQuad> quads;
  std::vector<std::pair<std::string, std::string>> prefixes;
};

}  // namespace

bool MemorySnapshot::TermLess::operator()(const rdf::Term& a, const rdf::Term& b) const {
  return std::tie(a.kind, a.value, a.datatype, a.language, a.direction) <
         std::tie(b.kind, b.value, b.datatype, b.language, b.direction);
}

MemorySnapshot::MemorySnapshot(const std::vector<MemoryQuad>& quads,
                               std::vector<std::pair<std::string, std::string>> prefixes)
    : prefixes_(std::move(prefixes)) {
  for (const MemoryQuad& quad : quads) {
    for (const rdf::Term& term : quad) {
      if (!is_default_graph(term) && !inlined_id(term.view()))
        ids_.emplace(normal(term.view()), Id());
    }
  }
  std::map<Tag, std::uint64_t> used;
  for (auto& [term, id] : ids_) {  // ascending by text within each tag
    const Tag tag = tag_of(term);
    id = Id(tag, used[tag]++);
    terms_.emplace(id.bits(), term);
  }
  for (const MemoryQuad& quad : quads) {
    MemoryRow row;
    for (std::size_t part = 0; part < 4; ++part) {
      if (!is_default_graph(quad[part])) row[part] = find(quad[part].view()).value_or(Id());
    }
    quads_.push_back(row);
  }
  std::sort(quads_.begin(), quads_.end());
  quads_.erase(std::unique(quads_.begin(), quads_.end()), quads_.end());
}

std::optional<Id> MemorySnapshot::find(const rdf::TermView& term) const {
  if (const auto id = inlined_id(term)) return id;
  const auto found = ids_.find(normal(term));
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

rdf::TermView MemorySnapshot::term(Id id, std::string& scratch) const {
  if (!id.is_inlined()) return terms_.at(id.bits()).view();
  scratch.clear();
  rdf::append_inlined_lexical(scratch, id);
  return rdf::TermView::literal(scratch, rdf::inlined_datatype(id.tag()));
}

std::string_view MemorySnapshot::qualifier(Id id) const {
  if (id.is_inlined()) return rdf::inlined_datatype(id.tag());
  const rdf::Term& term = terms_.at(id.bits());
  return term.language.empty() ? term.datatype : term.language;
}

std::vector<MemoryRow> MemorySnapshot::rows(const QuadPattern& pattern, Order order) const {
  using Kind = GraphChoice::Kind;
  const Kind kind = pattern.graph.kind;
  const auto matches = [&pattern, kind](const MemoryRow& row) {
    const auto fits = [&row](Part part, Id wanted) {
      return !wanted.is_defined() || at(row, part) == wanted;
    };
    const Id graph = at(row, Part::Graph);
    const bool fits_graph = kind == Kind::Union || (kind == Kind::Default && !graph.is_defined()) ||
                            (kind == Kind::Named && graph.is_defined()) ||
                            (kind == Kind::One && graph == pattern.graph.graph);
    return fits_graph && fits(Part::Subject, pattern.subject) &&
           fits(Part::Predicate, pattern.predicate) && fits(Part::Object, pattern.object);
  };
  std::vector<MemoryRow> found;
  auto begin = quads_.begin();
  auto end = quads_.end();
  if (pattern.subject.is_defined()) {  // they are sorted by subject first
    const auto subject_of = [](const MemoryRow& row) { return at(row, Part::Subject); };
    begin = std::ranges::lower_bound(quads_, pattern.subject, {}, subject_of);
    end = std::ranges::upper_bound(quads_, pattern.subject, {}, subject_of);
  }
  for (; begin != end; ++begin) {
    if (!matches(*begin)) continue;
    MemoryRow row = *begin;
    if (kind != Kind::Named) row[static_cast<std::size_t>(Part::Graph)] = Id();
    found.push_back(row);
  }
  const auto parts = parts_of(order);
  std::sort(found.begin(), found.end(), [&parts](const MemoryRow& a, const MemoryRow& b) {
    for (const Part part : parts) {
      if (at(a, part) != at(b, part)) return at(a, part) < at(b, part);
    }
    return false;
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

sparql::Count MemorySnapshot::count(const QuadPattern& pattern) const {
  return {rows(pattern, Order::Spo).size(), true};
}

std::unique_ptr<sparql::Scan> MemorySnapshot::scan(const QuadPattern& pattern,
                                                   std::optional<Order> preferred,
                                                   sparql::Parts /*wanted*/) const {
  return std::make_unique<MemoryScan>(*this, pattern, preferred);
}

std::vector<Id> MemorySnapshot::named_graphs() const {
  std::set<Id> graphs;
  for (const MemoryRow& row : quads_) {
    if (at(row, Part::Graph).is_defined()) graphs.insert(at(row, Part::Graph));
  }
  return {graphs.begin(), graphs.end()};
}

std::optional<sparql::PredicateCounts> MemorySnapshot::predicate_counts(Id predicate) const {
  QuadPattern pattern;
  pattern.predicate = predicate;
  pattern.graph.kind = GraphChoice::Kind::Union;
  const auto found = rows(pattern, Order::Spo);
  if (found.empty()) return std::nullopt;
  std::set<Id> subjects;
  std::set<Id> objects;
  for (const MemoryRow& row : found) {
    subjects.insert(at(row, Part::Subject));
    objects.insert(at(row, Part::Object));
  }
  return sparql::PredicateCounts{predicate, found.size(), subjects.size(), objects.size()};
}

std::vector<sparql::PredicateCounts> MemorySnapshot::all_predicate_counts() const {
  std::set<Id> predicates;
  for (const MemoryRow& row : quads_) predicates.insert(at(row, Part::Predicate));
  std::vector<sparql::PredicateCounts> counts;
  for (const Id predicate : predicates) counts.push_back(*predicate_counts(predicate));
  return counts;
}

std::uint64_t MemorySnapshot::triples() const {
  QuadPattern everything;
  everything.graph.kind = GraphChoice::Kind::Union;
  return count(everything).n;
}

std::shared_ptr<const MemorySnapshot> memory_snapshot(std::string_view trig) {
  std::string text =
      "@prefix : <http://example.org/> .\n"
      "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n";
  text += trig;
  Collector collector;
  const OpContext context;
  const auto report = rdf::read_document(rdf::Format::TriG, text, {}, context, collector);
  HELVE_CHECK(report.has_value());
  return std::make_shared<MemorySnapshot>(collector.quads, std::move(collector.prefixes));
}

}  // namespace helve
