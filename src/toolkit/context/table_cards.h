// L0 and L1 of SQL databases: what is there, and what statements should avoid and may rely on. Made
// of the catalogue alone: no table is read. sense_card.h and schema_constraints.h are for graphs.
#pragma once

#include <cstddef>
#include <memory>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/table_source.h"
#include "toolkit/context/layer_text.h"

namespace helve::context {

struct TableFacts {
  SourceInfo info;
  SqlDialect dialect = SqlDialect::Sqlite;
  std::shared_ptr<const Catalogue> catalogue;
};

Result<TableFacts> gather_table_facts(const TableSource& tables, const OpContext& context);

LayerText pack_table_card(const TableFacts& facts, std::size_t budget);
LayerText pack_table_constraints(const TableFacts& facts, std::size_t budget);

}  // namespace helve::context
