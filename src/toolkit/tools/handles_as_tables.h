// HandlesAsTables: handles of rows behind the seam of SQL databases, so that what finds out why a
// statement gave nothing works on them too. result_sql is its one user.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sources/table_source.h"
#include "toolkit/sql/sql_over_handles.h"

namespace helve::toolkit {

// Each statement runs in a worker of its own.
class HandlesAsTables final : public TableSource {
 public:
  // Both must outlive it.
  HandlesAsTables(const SqlOverHandles& sql, const std::vector<SqlTable>& tables);

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override { return {}; }
  SqlDialect dialect() const override { return SqlDialect::Sqlite; }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override;
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override;
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override;
  Result<SourceRights> rights(const OpContext& context) const override;
  std::string setup_script() const override { return {}; }

 private:
  const SqlOverHandles& sql_;
  const std::vector<SqlTable>& tables_;
  SourceInfo info_;
  std::shared_ptr<const Catalogue> catalogue_;
};

}  // namespace helve::toolkit
