#include <algorithm>
#include <set>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "toolkit/diagnosis/build_expression.h"
#include "toolkit/diagnosis/diagnosis.h"
#include "toolkit/diagnosis/near_iris.h"
#include "toolkit/diagnosis/probes.h"

namespace helve::toolkit {

namespace {

using sparql::Pattern;

constexpr std::size_t kNearestMax = 5;
constexpr std::size_t kUnknownMax = 20;
constexpr std::size_t kNamesMax = 150;                   // of a query that are looked up
constexpr std::size_t kAskedMax = 5;                     // of a query on an endpoint
constexpr std::uint64_t kScannedTriplesMax = 1'000'000;  // of an endpoint
constexpr std::size_t kInstancesMax = 500;               // of a namespace that are compared
constexpr double kSameName = 0.5;  // scores of names that were found by their label
constexpr double kSameWords = 0.1;

struct WrittenName {
  std::string iri;
  sparql::SourceSpan span;
  NameKind kind;
};

// Every IRI of a query that the data should have, once.
class NameCollector {
 public:
  explicit NameCollector(const sparql::Query& query) {
    const sparql::Body& body = query.body();
    for_each_pattern(body.where, [this](const Pattern& node) { visit(node); });
    for_each_expression(body.where, [this](const sparql::Expression& node) {
      const auto* constant = node.if_is<sparql::Constant>();
      if (constant != nullptr) add_value(constant->term, node.span);
    });
    if (body.values) visit(*body.values);
    for (const sparql::DatasetGraph& graph : query.dataset) {
      add(graph.iri, graph.span, NameKind::Any);
    }
    if (const auto* describe = std::get_if<sparql::Describe>(&query.form)) {
      for (const auto& target : describe->targets) add_node(target, NameKind::Any);
    }
  }

  std::vector<WrittenName> take() { return std::move(names_); }

 private:
  void add(const std::string& iri, sparql::SourceSpan span, NameKind kind) {
    if (names_.size() >= kNamesMax || !seen_.insert(iri).second) return;
    names_.push_back({iri, span, kind});
  }

  // Of expressions: datatypes are compared with, but no statement need have them.
  void add_value(const rdf::Term& term, sparql::SourceSpan span) {
    if (term.kind != rdf::TermKind::Iri || term.value.starts_with(rdf::kXsd) ||
        term.value == rdf::kRdfLangString) {
      return;
    }
    add(term.value, span, NameKind::Any);
  }

  template <typename Node>
  void add_node(const Node& node, NameKind kind) {
    const auto* constant = std::get_if<sparql::Constant>(&node);
    if (constant != nullptr && constant->term.kind == rdf::TermKind::Iri) {
      add(constant->term.value, constant->span, kind);
    }
  }

  void visit(const sparql::Path& path) {
    if (path.kind == sparql::Path::Kind::Iri) add(path.iri, path.span, NameKind::Property);
    for (const sparql::Path& part : path.parts) visit(part);
  }

  void visit(const sparql::Values& values) {
    for (const auto& row : values.rows) {
      for (const auto& cell : row) {
        if (cell) add_value(*cell, values.span);
      }
    }
  }

  void visit(const Pattern& pattern) {
    if (const auto* triples = pattern.if_is<sparql::BasicGraphPattern>()) {
      for (const sparql::TriplePattern& triple : triples->triples) visit(triple);
    } else if (const auto* values = pattern.if_is<sparql::Values>()) {
      visit(*values);
    } else if (const auto* graph = pattern.if_is<sparql::Graph>()) {
      add_node(graph->name, NameKind::Any);
    }
  }

  void visit(const sparql::TriplePattern& triple) {
    add_node(triple.subject, NameKind::Any);
    bool is_type = false;
    if (const auto* path = std::get_if<sparql::Path>(&triple.predicate)) {
      visit(*path);
      is_type =
          path->kind == sparql::Path::Kind::Sequence && path->parts.front().iri == rdf::kRdfType;
    } else if (const auto* constant = std::get_if<sparql::Constant>(&triple.predicate)) {
      add(constant->term.value, constant->span, NameKind::Property);
      is_type = constant->term.value == rdf::kRdfType;
    }
    add_node(triple.object, is_type ? NameKind::Class : NameKind::Any);
  }

  std::vector<WrittenName> names_;
  std::set<std::string, std::less<>> seen_;
};

void add_schema_names(const GraphSchema& schema, NameKind kind, std::vector<NameHit>& out) {
  if (kind == NameKind::Any || kind == NameKind::Class) {
    for (const ClassInfo& info : schema.classes) {
      out.push_back({info.iri, info.label, {}, NameKind::Class, info.instances, 0});
    }
  }
  if (kind == NameKind::Any || kind == NameKind::Property) {
    for (const PropertyInfo& info : schema.properties) {
      out.push_back({info.iri, info.label, {}, NameKind::Property, info.triples, 0});
    }
  }
  if (kind == NameKind::Any) {
    for (const auto& [iri, statements] : schema.graphs) {
      out.push_back({iri, {}, {}, NameKind::Instance, statements, 0});
    }
  }
}

// Subjects whose IRI begins or ends as this one does. One slip of the hand leaves one half intact.
std::vector<NameHit> subjects_like(std::string_view iri, const GraphSource& source,
                                   const OpContext& context) {
  const IriName name = split_name(iri);
  std::vector<NameHit> out;
  if (name.local.size() < 2 || name.space.empty()) return out;
  const std::size_t half = name.local.size() / 2;
  const sparql::Variable subject{"s", {}};
  const auto as_text = [&] { return str(sparql::Expression(subject)); };
  const auto begin = std::string(name.space) + std::string(name.local.substr(0, half));
  const std::string end(name.local.substr(half));
  sparql::Filter filter;
  *filter.inner = pattern_of({subject, sparql::Variable{"p", {}}, sparql::Variable{"o", {}}, {}});
  filter.conditions.push_back(call(
      sparql::Function::Or, {call(sparql::Function::StrStarts, {as_text(), text(begin)}),
                             call(sparql::Function::And,
                                  {call(sparql::Function::StrStarts, {as_text(), text(name.space)}),
                                   call(sparql::Function::StrEnds, {as_text(), text(end)})})}));
  Probes probes(source, context);
  const auto found = probes.values(Pattern(std::move(filter)), {}, "s", kInstancesMax);
  if (!found) return out;
  for (const rdf::Term& term : *found) {
    if (term.kind == rdf::TermKind::Iri) {
      out.push_back({term.value, {}, {}, NameKind::Instance, 0, 0});
    }
  }
  return out;
}

}  // namespace

std::vector<NameHit> nearest_names(std::string_view iri, NameKind kind, const GraphSource& source,
                                   std::size_t hits_max, const OpContext& context) {
  std::vector<NameHit> known;
  const auto schema = source.schema(context);
  if (schema) add_schema_names(**schema, kind, known);
  std::vector<NameHit> hits = most_alike(iri, std::move(known), hits_max);
  // Comparing all subjects is a scan, which no large endpoint is asked for.
  const bool may_scan =
      !source.info().is_remote || (schema && (*schema)->triples <= kScannedTriplesMax);
  const bool may_be_instance = kind == NameKind::Any || kind == NameKind::Instance;
  if (may_be_instance && may_scan && hits.size() < hits_max) {
    auto more = most_alike(iri, subjects_like(iri, source, context), hits_max);
    std::move(hits.begin(), hits.end(), std::back_inserter(more));
    hits = most_alike(iri, std::move(more), hits_max);
  }
  if (hits.size() >= hits_max) return hits;
  // By label: what was written may be a word for it rather than its name.
  const std::string words = words_of(split_name(iri).local);
  if (words.empty()) return hits;
  const auto found = source.find({words, kind, hits_max, true}, context);
  if (!found) return hits;
  for (const NameHit& hit : *found) {
    const bool is_new =
        hit.iri != iri && std::none_of(hits.begin(), hits.end(),
                                       [&](const auto& other) { return other.iri == hit.iri; });
    if (!is_new || hits.size() >= hits_max) continue;
    // Called just so is as good as the same local name elsewhere; to have the words among others is
    // less than any likeness of names.
    const double score = words_of(hit.label) == words ? kSameName : kSameWords;
    hits.push_back(hit);
    hits.back().score = score;
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [&](const NameHit& a, const NameHit& b) { return is_nearer(iri, a, b); });
  return hits;
}

bool needs_all_names(const sparql::Query& query) {
  bool needs_all = true;
  for_each_pattern(query.body().where, [&needs_all](const Pattern& node) {
    const bool may_lack =
        node.if_is<sparql::LeftJoin>() != nullptr || node.if_is<sparql::Union>() != nullptr ||
        node.if_is<sparql::Minus>() != nullptr || node.if_is<sparql::Values>() != nullptr ||
        node.if_is<sparql::SubSelect>() != nullptr;
    needs_all = needs_all && !may_lack;
    const auto* const triples = node.if_is<sparql::BasicGraphPattern>();
    if (triples == nullptr) return;
    for (const sparql::TriplePattern& triple : triples->triples) {
      needs_all = needs_all && !std::holds_alternative<sparql::Path>(triple.predicate);
    }
  });
  for_each_expression(query.body().where, [&needs_all](const sparql::Expression& node) {
    const auto* const constant = node.if_is<sparql::Constant>();
    const bool is_iri = constant != nullptr && constant->term.kind == rdf::TermKind::Iri;
    needs_all = needs_all && !is_iri && node.if_is<sparql::Exists>() == nullptr;
  });
  const sparql::Body& body = query.body();
  return needs_all && !body.values && query.dataset.empty() &&
         !std::holds_alternative<sparql::Describe>(query.form);
}

std::vector<UnknownName> unknown_names(const sparql::Query& query, const GraphSource& source,
                                       const OpContext& context) {
  std::vector<UnknownName> out;
  // Of an endpoint each name is a request: only those that its schema does not have.
  const bool is_remote = source.info().is_remote;
  const auto schema =
      is_remote ? source.schema(context) : Result<std::shared_ptr<const GraphSchema>>(nullptr);
  std::size_t asked = 0;
  for (WrittenName& name : NameCollector(query).take()) {
    if (out.size() >= kUnknownMax || !context.check()) break;
    if (is_remote) {
      const bool is_listed = schema && ((*schema)->find_class(name.iri) != nullptr ||
                                        (*schema)->find_property(name.iri) != nullptr);
      const bool is_common = name.iri.starts_with(rdf::kRdf) || name.iri.starts_with(rdf::kRdfs) ||
                             name.iri.starts_with(rdf::kOwl);
      if (is_listed || is_common || asked == kAskedMax) continue;
      ++asked;
    }
    const auto known = source.has_term(rdf::TermView::iri(name.iri), context);
    if (!known || *known) continue;
    auto nearest = nearest_names(name.iri, name.kind, source, kNearestMax, context);
    out.push_back({std::move(name.iri), name.span, name.kind, std::move(nearest)});
  }
  return out;
}

}  // namespace helve::toolkit
