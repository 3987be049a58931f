// Terms that a graph itself says are classes or properties. local_schema.h and the text index
// share it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/snapshot.h"

namespace helve::store {

enum class DeclaredKind : std::uint8_t {
  Class,  // owl:Class or rdfs:Class
  ObjectProperty,
  DatatypeProperty,
  AnnotationProperty,
  PlainProperty,  // rdf:Property and the other kinds of OWL
};
inline constexpr std::size_t kDeclaredKinds = 5;

// A class whose instances are of a kind by that.
struct DeclaringClass {
  std::string_view iri;
  DeclaredKind kind;
};
std::span<const DeclaringClass> declaring_classes();

// What a graph says that one term is.
class Declaration {
 public:
  void add(DeclaredKind kind) { kinds_.set(static_cast<std::size_t>(kind)); }
  bool has(DeclaredKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
  bool is_class() const { return has(DeclaredKind::Class); }
  bool is_property() const { return kinds_.count() > (is_class() ? 1U : 0U); }

 private:
  std::bitset<kDeclaredKinds> kinds_;
};

// Codes of IRIs, ascending, each once.
struct DeclaredTerms {
  std::array<std::vector<Code>, kDeclaredKinds> codes;  // by kind

  const std::vector<Code>& classes() const { return codes[0]; }
  // Of all kinds of properties.
  std::vector<Code> properties() const;
  Declaration of(Code code) const;
};

Result<DeclaredTerms> find_declared_terms(const Snapshot& snapshot, const OpContext& context);

// Terms that stand in a hierarchy, on either side. Codes of IRIs, ascending, each once.
struct HierarchyTerms {
  std::vector<Code> class_like;     // of rdfs:subClassOf
  std::vector<Code> property_like;  // of rdfs:subPropertyOf
};

Result<HierarchyTerms> find_hierarchy_terms(const Snapshot& snapshot, const OpContext& context);

// The code of an IRI that the store has.
std::optional<Code> find_iri(const Snapshot& snapshot, std::string_view iri);

}  // namespace helve::store
