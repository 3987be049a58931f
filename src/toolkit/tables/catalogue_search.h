// Tables and columns by words: names first, then comments, then names that are nearly so.
#pragma once

#include <string_view>
#include <vector>

#include "sources/table_source.h"

namespace helve::toolkit {

// Points into the catalogue.
struct CatalogueHit {
  const TableInfo* table = nullptr;
  const ColumnInfo* column = nullptr;  // null: the table itself
  double score = 0;                    // 100: the very name
};

// The best first. At most `most` of them; `total` says how many there are.
struct CatalogueHits {
  std::vector<CatalogueHit> hits;
  std::size_t total = 0;
};
CatalogueHits search_catalogue(std::string_view words, const Catalogue& catalogue,
                               std::size_t most);

}  // namespace helve::toolkit
