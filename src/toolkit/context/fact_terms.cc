#include <algorithm>
#include <unordered_set>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/well_known.h"
#include "toolkit/context/fact_gathering.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

constexpr std::size_t kClassesMax = 60;
constexpr std::size_t kPropertiesMax = 300;  // of a kind
constexpr std::size_t kChosenMax = 60;       // where domains and ranges are too many to be read
constexpr std::size_t kNamespacesMax = 100;
constexpr std::size_t kBareMax = 8;
constexpr std::size_t kPrefixesMax = 1'000;
constexpr std::size_t kPrefixCharsMax = 30;

bool is_plain_prefix(std::string_view name) {
  return name.size() <= kPrefixCharsMax && std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '-';
         });
}

// Names and IRIs that are taken.
class PrefixMaker {
 public:
  explicit PrefixMaker(PrefixList& list) : list_(list) {}
  void add(std::string_view name, std::string_view iri) {
    if (list_.size() >= kPrefixesMax || !is_plain_prefix(name) || iri.empty()) return;
    if (names_.contains(name) || iris_.contains(iri)) return;
    names_.insert(name);
    iris_.insert(iri);
    list_.emplace_back(name, iri);
  }

 private:
  PrefixList& list_;
  std::unordered_set<std::string_view> names_;
  std::unordered_set<std::string_view> iris_;
};

// A term on its way into a list: what decides its place.
template <typename Info>
struct Ranked {
  const Info* info;
  std::uint64_t count;
  std::uint64_t below;

  friend bool operator<(const Ranked& a, const Ranked& b) {
    if (a.count != b.count) return a.count > b.count;
    if (a.below != b.below) return a.below > b.below;
    return a.info->iri < b.info->iri;
  }
};

template <typename Info>
void keep_best(std::vector<Ranked<Info>>& all, std::size_t most) {
  const std::size_t kept = std::min(all.size(), most);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
  all.resize(kept);
}

std::uint64_t below_of(const BelowCounts& below, const std::string& iri) {
  const auto found = below.find(iri);
  return found == below.end() ? 0 : found->second;
}

// The namespace that most terms are in. Terms of one stand side by side mostly.
class NamespaceTally {
 public:
  void add(std::string_view iri) {
    const std::string_view space = namespace_part(iri);
    if (count_ == nullptr || space != last_) {
      last_ = space;
      count_ = &counts_[space];
    }
    ++*count_;
  }
  std::string best() const {
    std::string_view best;
    std::uint64_t most = 0;
    for (const auto& [space, n] : counts_) {
      if (n > most || (n == most && space < best)) {
        best = space;
        most = n;
      }
    }
    return std::string(best);
  }

 private:
  std::unordered_map<std::string_view, std::uint64_t> counts_;
  std::string_view last_;
  std::uint64_t* count_ = nullptr;
};

bool is_listed(const ClassInfo& one, bool has_declared) {
  return (has_declared ? one.is_declared : one.instances > 0) && !is_of_the_language(one.iri);
}

bool is_listed(const PropertyInfo& one, bool has_declared) {
  return (has_declared ? one.is_declared : one.triples > 0) && !is_of_the_language(one.iri);
}

}  // namespace

void add_prefixes(const PrefixList& own, const GraphSchema& schema, GraphFacts& facts) {
  PrefixMaker maker(facts.prefixes);
  for (const auto& [name, iri] : own) {
    if (!name.empty()) maker.add(name, iri);
  }
  std::unordered_set<std::string_view> present;
  for (const NamespaceInfo& one : schema.namespaces) present.insert(one.iri);
  for (const sparql::WellKnownPrefix& known : sparql::well_known_prefixes()) {
    if (present.contains(known.iri) || is_of_the_language(known.iri)) {
      maker.add(known.name, known.iri);
    }
  }
  for (const auto& [name, iri] : own) maker.add(name, iri);  // the empty one, if need be
}

void add_namespaces(const GraphSchema& schema, GraphFacts& facts) {
  std::unordered_map<std::string_view, std::string_view> names;
  for (const auto& [name, iri] : facts.prefixes) names.emplace(iri, name);
  facts.namespaces.total = schema.namespaces.size();
  // Its own one first and those that everyone knows last.
  const auto add = [&](auto is_wanted) {
    for (const NamespaceInfo& one : schema.namespaces) {
      if (facts.namespaces.first.size() == kNamespacesMax) return;
      if (!is_wanted(one.iri)) continue;
      const auto name = names.find(one.iri);
      facts.namespaces.first.push_back(
          {name == names.end() ? std::string() : std::string(name->second), one.iri, one.terms});
    }
  };
  const std::string& own = facts.main_namespace;
  add([&](const std::string& iri) { return iri == own; });
  add([&](const std::string& iri) { return iri != own && !is_of_the_language(iri); });
  add([&](const std::string& iri) { return iri != own && is_of_the_language(iri); });
}

void add_counts(const GraphSchema& schema, GraphFacts& facts) {
  for (const ClassInfo& one : schema.classes) {
    if (one.is_declared) ++facts.named_class_count;
  }
  facts.has_declared_classes = facts.named_class_count > 0;
  if (!facts.has_declared_classes) {
    facts.class_count = static_cast<std::uint64_t>(
        std::count_if(schema.classes.begin(), schema.classes.end(),
                      [](const ClassInfo& one) { return one.instances > 0; }));
  }
  for (const PropertyInfo& one : schema.properties) {
    if (!one.is_declared) continue;
    if (one.kind == PropertyKind::Annotation) {
      ++facts.annotation_only_count;
      continue;
    }
    ++facts.property_count;
    if (one.triples > 0) ++facts.declared_and_used;
  }
  facts.has_declared_properties = facts.property_count > 0;
  if (facts.has_declared_properties) return;
  facts.property_count = static_cast<std::uint64_t>(
      std::count_if(schema.properties.begin(), schema.properties.end(),
                    [](const PropertyInfo& one) { return one.triples > 0; }));
}

void add_classes(const GraphSchema& schema, const BelowCounts& below, GraphFacts& facts) {
  std::vector<Ranked<ClassInfo>> found;
  std::vector<Ranked<ClassInfo>> bare;
  NamespaceTally spaces;
  for (const ClassInfo& one : schema.classes) {
    if (!is_listed(one, facts.has_declared_classes)) continue;
    found.push_back({&one, one.instances, below_of(below, one.iri)});
    spaces.add(one.iri);
    if (one.instances > 0) {
      ++facts.classes_with_instances;
    } else if (found.back().below > 0) {
      bare.push_back(found.back());
    }
  }
  facts.main_namespace = spaces.best();
  facts.classes.total = found.size();
  keep_best(found, kClassesMax);
  for (const auto& [info, count, subclasses] : found) {
    facts.classes.first.push_back({info->iri, info->label, count, subclasses});
  }
  keep_best(bare, kBareMax);
  for (const auto& one : bare) facts.only_by_subclass.push_back(one.info->iri);
}

void add_properties(const GraphSchema& schema, const BelowCounts& below, GraphFacts& facts) {
  std::vector<Ranked<PropertyInfo>> objects;
  std::vector<Ranked<PropertyInfo>> datatypes;
  std::vector<Ranked<PropertyInfo>> annotations;
  std::vector<Ranked<PropertyInfo>> others;
  NamespaceTally spaces;
  for (const PropertyInfo& one : schema.properties) {
    const bool has_declared = facts.has_declared_properties || facts.annotation_only_count > 0;
    if (!is_listed(one, has_declared)) continue;
    auto& list = one.kind == PropertyKind::Object       ? objects
                 : one.kind == PropertyKind::Datatype   ? datatypes
                 : one.kind == PropertyKind::Annotation ? annotations
                                                        : others;
    list.push_back({&one, one.triples, below_of(below, one.iri)});
    spaces.add(one.iri);
  }
  if (facts.main_namespace.empty()) facts.main_namespace = spaces.best();
  const auto keep = [&](std::vector<Ranked<PropertyInfo>>& found, Leading<PropertyFacts>& list) {
    list.total = found.size();
    keep_best(found, facts.has_all_ends ? kPropertiesMax : kChosenMax);
    for (const auto& [info, count, subproperties] : found) {
      list.first.push_back({info->iri, info->label, info->kind, count, subproperties, {}, {}});
    }
  };
  keep(objects, facts.object_properties);
  keep(datatypes, facts.datatype_properties);
  keep(annotations, facts.annotation_properties);
  keep(others, facts.other_properties);
}

void add_formalism(const GraphSchema& schema, const FactQuestions& questions, GraphFacts& facts) {
  Formalism& formalism = facts.formalism;
  const auto take = [&](const std::string& iri, std::uint64_t n, bool is_class) {
    const std::string_view space = namespace_part(iri);
    const bool is_owl = space == rdf::kOwl;
    const bool is_rdfs = iri == kRdfsClass || iri == kRdfProperty || iri == kSubClassOf ||
                         iri == kDomain || iri == kRange;
    const bool is_skos = space == kSkos && iri.ends_with("#Concept");
    const bool is_shacl = space == kShacl && (iri.ends_with("Shape") || iri.ends_with("#property"));
    const bool is_ends =
        iri == kDomains[1] || iri == kDomains[2] || iri == kRanges[1] || iri == kRanges[2];
    // Data that says owl:sameAs or owl:Thing is no ontology yet.
    formalism.is_owl |=
        is_owl && is_class && !iri.ends_with("#Thing") && !iri.ends_with("#NamedIndividual");
    formalism.is_rdfs |= is_rdfs;
    formalism.is_skos |= is_skos;
    formalism.is_shacl |= is_shacl;
    formalism.is_schema_org |= is_ends;
    if (is_owl || is_rdfs || is_skos || is_shacl || is_ends) {
      formalism.constructs.emplace_back(iri, n);
    }
  };
  for (const ClassInfo& one : schema.classes) {
    if (one.instances > 0) take(one.iri, one.instances, true);
  }
  for (const PropertyInfo& one : schema.properties) {
    if (one.triples > 0) take(one.iri, one.triples, false);
  }
  std::sort(formalism.constructs.begin(), formalism.constructs.end(),
            [](const auto& a, const auto& b) {
              return a.second != b.second ? a.second > b.second : a.first < b.first;
            });
  facts.has_hinted_ends = formalism.is_schema_org;
  for (const std::string_view iri : {kOwlDeprecated, kSupersededBy[0], kSupersededBy[1]}) {
    if (questions.uses(iri) == 0) continue;
    const PropertyInfo* const info = schema.find_property(iri);
    const std::uint64_t n = info == nullptr ? 0 : info->subjects;
    if (n <= facts.deprecated_count) continue;
    facts.deprecated_count = n;
    facts.deprecated_by = iri;
  }
}

}  // namespace helve::context
