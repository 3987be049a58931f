#include "sources/store/local_declarations.h"

#include <algorithm>
#include <array>

#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

constexpr std::size_t kRowsAtOnce = 65'536;

void sort_unique(std::vector<Code>& codes) {
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
}

class DeclarationReader {
 public:
  DeclarationReader(const Snapshot& snapshot, const OpContext& context)
      : snapshot_(snapshot),
        context_(context),
        iris_end_(snapshot.dictionary().codes_of(Tag::Iri).second) {}

  Result<DeclaredTerms> run() {
    using Names = std::initializer_list<const char*>;
    DeclaredTerms terms;
    const auto add = [&](std::vector<Code>& codes, std::string_view vocabulary,
                         Names names) -> Result<void> {
      for (const char* name : names) HELVE_TRY(add_instances(vocabulary, name, codes));
      return {};
    };
    HELVE_TRY(add(terms.classes, rdf::kOwl, {"Class"}));
    HELVE_TRY(add(terms.classes, rdf::kRdfs, {"Class"}));
    HELVE_TRY(add(terms.object_properties, rdf::kOwl,
                  {"ObjectProperty", "TransitiveProperty", "SymmetricProperty",
                   "InverseFunctionalProperty"}));
    HELVE_TRY(add(terms.datatype_properties, rdf::kOwl, {"DatatypeProperty"}));
    HELVE_TRY(add(terms.annotation_properties, rdf::kOwl, {"AnnotationProperty"}));
    HELVE_TRY(add(terms.plain_properties, rdf::kRdf, {"Property"}));
    HELVE_TRY(add(terms.plain_properties, rdf::kOwl,
                  {"FunctionalProperty", "OntologyProperty", "DeprecatedProperty"}));
    for (auto* codes : {&terms.classes, &terms.object_properties, &terms.datatype_properties,
                        &terms.annotation_properties, &terms.plain_properties}) {
      sort_unique(*codes);
    }
    return terms;
  }

  Result<HierarchyTerms> run_hierarchies() {
    HierarchyTerms terms;
    HELVE_TRY(add_ends(std::string(rdf::kRdfs) + "subClassOf", terms.class_like));
    HELVE_TRY(add_ends(std::string(rdf::kRdfs) + "subPropertyOf", terms.property_like));
    sort_unique(terms.class_like);
    sort_unique(terms.property_like);
    return terms;
  }

 private:
  Result<void> add_instances(std::string_view vocabulary, std::string_view name,
                             std::vector<Code>& codes) {
    const auto type = find_iri(snapshot_, rdf::kRdfType);
    const auto wanted = find_iri(snapshot_, std::string(vocabulary) + std::string(name));
    if (!type || !wanted) return {};
    const std::array<Code, 2> prefix = {*type, *wanted};
    const Permutation& pos = snapshot_.indexes()[Order::Pos];
    return add_column(pos, pos.find(prefix), 2, codes);
  }

  Result<void> add_ends(const std::string& predicate, std::vector<Code>& codes) {
    const auto code = find_iri(snapshot_, predicate);
    if (!code) return {};
    const std::array<Code, 1> prefix = {*code};
    const Permutation& pso = snapshot_.indexes()[Order::Pso];
    const RowRange rows = pso.find(prefix);
    HELVE_TRY(add_column(pso, rows, 1, codes));
    return add_column(pso, rows, 2, codes);
  }

  Result<void> add_column(const Permutation& order, RowRange rows, std::size_t depth,
                          std::vector<Code>& codes) {
    std::vector<Code> step;
    while (!rows.empty()) {
      HELVE_TRY(context_.check());
      const std::uint64_t last = std::min(rows.last, rows.first + kRowsAtOnce);
      step.resize(last - rows.first);
      order.read({rows.first, last}, depth, step.data());
      for (const Code code : step) {
        if (code < iris_end_ && (codes.empty() || codes.back() != code)) codes.push_back(code);
      }
      rows.first = last;
    }
    return {};
  }

  const Snapshot& snapshot_;
  const OpContext& context_;
  Code iris_end_;
};

}  // namespace

std::vector<Code> DeclaredTerms::properties() const {
  std::vector<Code> all;
  for (const auto* codes :
       {&object_properties, &datatype_properties, &annotation_properties, &plain_properties}) {
    all.insert(all.end(), codes->begin(), codes->end());
  }
  sort_unique(all);
  return all;
}

Result<DeclaredTerms> find_declared_terms(const Snapshot& snapshot, const OpContext& context) {
  return DeclarationReader(snapshot, context).run();
}

Result<HierarchyTerms> find_hierarchy_terms(const Snapshot& snapshot, const OpContext& context) {
  return DeclarationReader(snapshot, context).run_hierarchies();
}

std::optional<Code> find_iri(const Snapshot& snapshot, std::string_view iri) {
  const auto id = snapshot.dictionary().find(rdf::TermView::iri(iri));
  return id ? snapshot.dictionary().code_of(*id) : std::nullopt;
}

}  // namespace helve::store
