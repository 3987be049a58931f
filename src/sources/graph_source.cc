#include "sources/graph_source.h"

#include <algorithm>

namespace helve {

namespace {

template <typename Item>
const Item* find_by_iri(const std::vector<Item>& items, std::string_view iri) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.iri == iri; });
  return found != items.end() ? &*found : nullptr;
}

}  // namespace

const ClassInfo* GraphSchema::find_class(std::string_view iri) const {
  return find_by_iri(classes, iri);
}

const PropertyInfo* GraphSchema::find_property(std::string_view iri) const {
  return find_by_iri(properties, iri);
}

}  // namespace helve
