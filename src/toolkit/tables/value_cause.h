// Why no row of a table meets one condition. table_diagnosis.h asks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "toolkit/tables/table_diagnosis.h"
#include "toolkit/tables/table_probe.h"

namespace helve::toolkit {

struct ConditionAtTable {
  std::string_view sql;
  std::span<const SqlToken> tokens;
  const std::vector<SqlValue>& parameters;
  SqlDialect dialect = SqlDialect::Sqlite;
  const SqlCondition& condition;
  SqlSpan table;  // with its alias
};

// A change that would mend the condition; whether the whole statement then gives rows is not known.
struct ValueCause {
  TableDiagnosis diagnosis;  // without a suggestion
  std::string mended;        // instead of the condition; empty: none
};

// nullopt: nothing more can be said than that it matches nothing.
std::optional<ValueCause> value_cause(const ConditionAtTable& condition, TableProbe& probe);

}  // namespace helve::toolkit
