// XmlEntities: what the entities of a document's DTD would expand to, counted before anything is
// expanded. Used by xml_parser.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace helve::rdf {

// Ontologies abbreviate namespaces with entities (&owl;Class), some hundred bytes in one or two
// levels. These bounds leave room for much more and stop "billion laughs" at its declaration.
inline constexpr std::size_t kEntityBytesMax = 1U << 20;
inline constexpr std::size_t kEntityDepthMax = 16;
inline constexpr std::size_t kEntitiesMax = 10'000;

class XmlEntities {
 public:
  // An internal general entity. An entity it refers to must have been declared before: so the size
  // of each is known at once, and none contains itself.
  Result<void> declare(std::string_view name, std::string_view value);
  // An external one: a reference to it is an error when it is met.
  Result<void> declare_external(std::string_view name);

  // The first entity that `markup` (a tag as written) refers to and that is not declared; empty
  // when there is none.
  std::string_view find_undeclared(std::string_view markup) const;

 private:
  struct Cost {
    std::size_t bytes = 0;
    std::size_t depth = 1;
  };

  const Cost* find(std::string_view name) const;

  std::unordered_map<std::string, Cost> costs_;
};

}  // namespace helve::rdf
