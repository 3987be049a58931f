// Change: one statement that is to change a SQL database: examined, estimated, made. The tools
// (tools/write_tools.h) ask for confirmation, record and commit; snapshots.h keeps rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"
#include "sources/write_shape.h"
#include "toolkit/policy/policy.h"
#include "toolkit/writes/changed_rows.h"
#include "toolkit/writes/snapshots.h"
#include "toolkit/writes/write_notes.h"

namespace helve::toolkit {

// What changes are made with. All must outlive what it is given to.
struct ChangeScene {
  const TableSource& tables;
  const TableWriter& writer;
  const Policy& policy;
  RowLimit limit;
  const OpContext& op;
  SqlProblem& problem;  // of the statement, where there is an error
  WriteNotes& notes;    // has the rule of the policy that refused, where one did
};

struct Change {
  TableWrite write;
  WriteShape shape;
  WriteOutline outline;
  SqlDialect dialect = SqlDialect::Sqlite;
  std::shared_ptr<const Catalogue> catalogue;  // as the policy shows it
  const TableInfo* table = nullptr;            // that is changed; null: the catalogue has it not

  bool is_definition() const { return outline.kind == WriteKind::Definition; }
  // An UPDATE or DELETE without a condition.
  bool takes_all() const;
};

// Denied where no row may be changed.
Result<void> check_row_limit(const RowLimit& limit, const Policy& policy, WriteNotes& notes);

// Denied and InvalidInput as TableWriter::examine(); Denied too where the policy lets nothing be
// changed.
Result<Change> examine_change(TableWrite write, const ChangeScene& scene);

enum class EstimateIs : std::uint8_t { Unknown, Estimate, Exact };
std::string_view name_of(EstimateIs is);  // "exact"

struct ChangeEstimate {
  std::optional<std::uint64_t> rows;  // none: unknown, or no rows are changed
  EstimateIs is = EstimateIs::Unknown;
  Snapshot before;            // rows that would be changed, not stored
  std::uint64_t besides = 0;  // rows that would change with them, where it was tried
};

// Nothing is changed: what is tried is rolled back, or undone where there is a transaction already.
// Denied where more rows than `rows_left` would be changed, as far as that can be told.
Result<ChangeEstimate> estimate_change(const Change& change, WriteTransaction* open,
                                       std::uint64_t rows_left, const ChangeScene& scene);

// What a statement did within its transaction.
struct ChangeEffect {
  bool has_run = false;                   // and can be undone
  std::optional<std::uint64_t> affected;  // none for definitions
  std::uint64_t besides = 0;              // rows that changed with them, as WriteRun has it
  std::uint64_t rows_in_all = 0;          // with them, and with what a definition takes away
  Snapshot before;
  Snapshot after;
  std::optional<Snapshot> returned;  // of the statement's own RETURNING
  std::vector<std::string> notes;    // of the database
};

// Runs it. Denied where more rows than `rows_left` are changed: who called rolls back or undoes,
// as after every error with `effect.has_run`.
Result<void> apply_change(const Change& change, WriteTransaction& transaction,
                          std::uint64_t rows_left, const ChangeScene& scene, ChangeEffect& effect);

// Denied where what cannot be rolled back may be more than `rows_left` rows.
Result<void> check_irrevocable(const Change& change, std::uint64_t rows_left,
                               const ChangeScene& scene);

}  // namespace helve::toolkit
