#include "sources/store/local_declarations.h"

#include <algorithm>
#include <array>

#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

constexpr std::size_t kRowsAtOnce = 65'536;

constexpr auto kDeclaringClasses = std::to_array<DeclaringClass>({
    {"http://www.w3.org/2002/07/owl#Class", DeclaredKind::Class},
    {"http://www.w3.org/2000/01/rdf-schema#Class", DeclaredKind::Class},
    {"http://www.w3.org/2002/07/owl#ObjectProperty", DeclaredKind::ObjectProperty},
    {"http://www.w3.org/2002/07/owl#TransitiveProperty", DeclaredKind::ObjectProperty},
    {"http://www.w3.org/2002/07/owl#SymmetricProperty", DeclaredKind::ObjectProperty},
    {"http://www.w3.org/2002/07/owl#InverseFunctionalProperty", DeclaredKind::ObjectProperty},
    {"http://www.w3.org/2002/07/owl#DatatypeProperty", DeclaredKind::DatatypeProperty},
    {"http://www.w3.org/2002/07/owl#AnnotationProperty", DeclaredKind::AnnotationProperty},
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#Property", DeclaredKind::PlainProperty},
    {"http://www.w3.org/2002/07/owl#FunctionalProperty", DeclaredKind::PlainProperty},
    {"http://www.w3.org/2002/07/owl#OntologyProperty", DeclaredKind::PlainProperty},
    {"http://www.w3.org/2002/07/owl#DeprecatedProperty", DeclaredKind::PlainProperty},
});

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
    DeclaredTerms terms;
    for (const DeclaringClass& one : kDeclaringClasses) {
      HELVE_TRY(add_instances(one.iri, terms.codes[static_cast<std::size_t>(one.kind)]));
    }
    for (auto& codes : terms.codes) sort_unique(codes);
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
  Result<void> add_instances(std::string_view declaring, std::vector<Code>& codes) {
    const auto type = find_iri(snapshot_, rdf::kRdfType);
    const auto wanted = find_iri(snapshot_, declaring);
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

std::span<const DeclaringClass> declaring_classes() { return kDeclaringClasses; }

std::vector<Code> DeclaredTerms::properties() const {
  std::vector<Code> all;
  for (auto kind = codes.begin() + 1; kind != codes.end(); ++kind) {
    all.insert(all.end(), kind->begin(), kind->end());
  }
  sort_unique(all);
  return all;
}

Declaration DeclaredTerms::of(Code code) const {
  Declaration declaration;
  for (std::size_t i = 0; i < kDeclaredKinds; ++i) {
    if (std::binary_search(codes[i].begin(), codes[i].end(), code)) {
      declaration.add(static_cast<DeclaredKind>(i));
    }
  }
  return declaration;
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
