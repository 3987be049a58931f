// The writer of a SQL database within the rules of a policy: they go with every statement.
// restricted_tables.h does the same for what is read.
#pragma once

#include <memory>

#include "sources/table_writer.h"

namespace helve::toolkit {

// Null where `writer` is, which must outlive it.
std::unique_ptr<const TableWriter> restrict_writer(const TableWriter* writer,
                                                   std::shared_ptr<const TableRules> rules);

}  // namespace helve::toolkit
