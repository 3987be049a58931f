#include "toolkit/writes/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

constexpr double kEstimateMax = 1e15;

std::string rows_of(std::uint64_t rows) {
  return fmt::format("{} row{}", format_count(rows), rows == 1 ? "" : "s");
}

Error too_many(std::string met, std::uint64_t rows_left, const ChangeScene& scene) {
  scene.notes.rule = scene.limit.key;
  const std::uint64_t most = scene.limit.rows;
  const std::string used = rows_left < most
                               ? fmt::format(", of which this transaction has changed {}",
                                             format_count(most - rows_left))
                               : "";
  return {ErrorCode::Denied,
          fmt::format("{}, and the policy {} {}{}: nothing of it is changed", met,
                      scene.limit.key == RowLimit().key ? "allows" : "leaves", rows_of(most), used),
          fmt::format("narrow the condition, or change the rows in parts; a policy with a larger "
                      "{} would allow it",
                      scene.limit.key)};
}

// Rows that an INSERT ... SELECT or CREATE TABLE ... AS would write: what is too much is refused
// before it takes room. None where its query cannot be read by itself.
Result<std::optional<std::uint64_t>> count_source(const Change& change,
                                                  WriteTransaction& transaction,
                                                  std::uint64_t rows_left,
                                                  const ChangeScene& scene) {
  const auto query = count_made(change, rows_left);
  if (!query) return std::optional<std::uint64_t>();
  const auto rows = read_count(*query, transaction, scene.op);
  if (!rows) {
    const ErrorCode code = rows.error().code;
    const bool is_of_query =
        code == ErrorCode::InvalidInput || code == ErrorCode::NotFound || code == ErrorCode::Denied;
    if (is_of_query) return std::optional<std::uint64_t>();
    return rows.error();
  }
  if (*rows > rows_left) {
    return too_many(fmt::format("more than {} would be written", rows_of(rows_left)), rows_left,
                    scene);
  }
  return std::optional(*rows);
}

// Rows that a plain change takes, as far as they are not more than `rows_left`.
Result<std::optional<std::uint64_t>> count_first(const Change& change,
                                                 WriteTransaction& transaction,
                                                 std::uint64_t rows_left,
                                                 const ChangeScene& scene) {
  const auto query = count_taken(change, rows_left);
  if (!query) return count_source(change, transaction, rows_left, scene);
  HELVE_ASSIGN(const std::uint64_t rows, read_count(*query, transaction, scene.op));
  if (rows > rows_left) {
    return too_many(fmt::format("more than {} would be changed", rows_of(rows_left)), rows_left,
                    scene);
  }
  return std::optional(rows);
}

// What a definition takes away or writes anew. `transaction` may be null: it is read outside then.
Result<std::optional<std::uint64_t>> count_lost(const Change& change, WriteTransaction* transaction,
                                                const ChangeScene& scene) {
  if (change.outline.rewritten.empty()) return std::optional<std::uint64_t>();
  const std::uint64_t most = scene.limit.rows;
  std::uint64_t all = 0;
  for (const WriteOutline::Table& table : change.outline.rewritten) {
    const TableQuery query = count_table(table, change.dialect, most - all);
    HELVE_ASSIGN(const std::uint64_t rows, transaction != nullptr
                                               ? read_count(query, *transaction, scene.op)
                                               : read_count(query, scene.tables, scene.op));
    all += rows;
    if (all > most) {
      return too_many(fmt::format("{} would take away or write anew more than {}",
                                  change.outline.verb, rows_of(most)),
                      most, scene);
    }
  }
  return std::optional(all);
}

ChangeEstimate plan_estimate(const Change& change) {
  ChangeEstimate estimate;
  if (change.shape.rows) {
    estimate.rows = change.shape.rows;
    estimate.is = EstimateIs::Estimate;
  } else if (const auto rows = change.outline.estimated_rows; rows && *rows >= 0) {
    estimate.rows = static_cast<std::uint64_t>(std::ceil(std::min(*rows, kEstimateMax)));
    estimate.is = EstimateIs::Estimate;
  }
  return estimate;
}

// The error of a run: where the adapter stopped it, in the words of the policy.
Error run_error(WriteRun& run, std::uint64_t rows_left, const ChangeScene& scene) {
  if (run.is_too_much) {
    return too_many(
        fmt::format("more than {} would be changed, with all that follows", rows_of(rows_left)),
        rows_left, scene);
  }
  scene.problem = std::move(run.problem);
  return *std::move(run.error);
}

// Runs it to see what it does.
Result<WriteRun> try_change(const Change& change, WriteTransaction& transaction,
                            std::uint64_t rows_left, const ChangeScene& scene) {
  TableWrite write = change.write;
  write.rows_max = 0;
  write.changes_max = rows_left;
  WriteRun run = transaction.run(write, nullptr, scene.op);
  if (run.error) return run_error(run, rows_left, scene);
  HELVE_TRY(transaction.undo(scene.op));
  if (!run.affected) {
    return Error{ErrorCode::Unavailable, "the database does not tell how many rows it changes",
                 "change them by a statement that names one table"};
  }
  return run;
}

std::string with_besides(std::uint64_t rows, std::uint64_t besides) {
  return fmt::format("{} were changed, and with them {} by triggers and foreign keys",
                     rows_of(rows), rows_of(besides));
}

Result<ChangeEstimate> estimate_rows(const Change& change, WriteTransaction& transaction,
                                     std::uint64_t rows_left, const ChangeScene& scene) {
  ChangeEstimate estimate = plan_estimate(change);
  HELVE_ASSIGN(estimate.before, take_before(change, transaction, scene.policy, scene.op));
  HELVE_ASSIGN(const auto counted, count_first(change, transaction, rows_left, scene));
  if (counted) {
    estimate.rows = counted;
    estimate.is = EstimateIs::Estimate;
  }
  if (change.outline.can_try && change.outline.can_roll_back) {
    HELVE_ASSIGN(const WriteRun run, try_change(change, transaction, rows_left, scene));
    estimate.rows = run.affected;
    estimate.besides = run.besides;
    estimate.is = EstimateIs::Exact;
  }
  if (estimate.rows && *estimate.rows > rows_left) {
    return too_many(
        fmt::format("{}{} would be changed", estimate.is == EstimateIs::Exact ? "" : "about ",
                    rows_of(*estimate.rows)),
        rows_left, scene);
  }
  if (estimate.rows && estimate.besides > rows_left - *estimate.rows) {
    return too_many(
        fmt::format("{} would be changed, and with them {} by triggers and foreign keys",
                    rows_of(*estimate.rows), rows_of(estimate.besides)),
        rows_left, scene);
  }
  return estimate;
}

// Rows of a RETURNING that was added are the rows as they are after it.
WriteRun run_with_rows(const Change& change, WriteTransaction& transaction, std::uint64_t rows_left,
                       const ChangeScene& scene, ChangeEffect& effect) {
  TableWrite write = change.write;
  write.changes_max = rows_left;
  write.rows_max = scene.policy.snapshot_rows + 1;
  const std::string returning = scene.policy.snapshot_rows > 0 ? with_returning(change) : "";
  bool is_added = false;
  if (!returning.empty()) {
    TableWrite longer = write;
    longer.sql = returning;
    SqlProblem ignored;
    is_added = scene.writer.examine(longer, ignored, scene.op).has_value();
    if (is_added) write = std::move(longer);
  }
  KeptRows kept(scene.policy, scene.op);
  WriteRun run =
      transaction.run(write, is_added || change.shape.has_returning ? &kept : nullptr, scene.op);
  if (run.error) return run;
  effect.after.is_whole = false;
  if (is_added) {
    effect.after = kept.finish();
    const bool has_more = run.affected && effect.after.rows != nullptr && effect.after.is_whole &&
                          *run.affected > effect.after.rows->rows();
    if (has_more) {
      effect.after.is_whole = false;
      effect.after.why = fmt::format("the first {} rows", format_count(effect.after.rows->rows()));
    }
  } else if (change.shape.has_returning) {
    effect.returned = kept.finish();
    effect.after.why = "the rows of its RETURNING are there instead";
  } else {
    effect.after.why = scene.policy.snapshot_rows == 0
                           ? "the policy keeps none (snapshot_rows is 0)"
                           : "this database does not give back the rows of this statement";
  }
  return run;
}

}  // namespace

std::string_view name_of(EstimateIs is) {
  switch (is) {
    case EstimateIs::Unknown:
      return "unknown";
    case EstimateIs::Estimate:
      return "estimate";
    case EstimateIs::Exact:
      return "exact";
  }
  return "unknown";
}

bool Change::takes_all() const {
  const bool takes_rows = outline.kind == WriteKind::Update || outline.kind == WriteKind::Delete;
  return takes_rows && shape.is_plain && shape.where.is_empty();
}

Result<void> check_row_limit(const RowLimit& limit, const Policy& policy, WriteNotes& notes) {
  if (limit.rows > 0) return {};
  notes.rule = limit.key;
  if (policy.max_affected_rows == 0) {
    return Error{ErrorCode::Denied, "the policy lets no row be changed (max_affected_rows is 0)",
                 "a policy with a larger max_affected_rows would allow changes"};
  }
  return Error{ErrorCode::Denied,
               fmt::format("no more rows may be changed: the limit {} is used up", limit.key),
               limit.key == "max_affected_rows_per_hour"
                   ? "Call again in a while, or raise max_affected_rows_per_hour in the policy."
                   : "Begin a new session, or raise max_affected_rows_per_session in the policy."};
}

Result<Change> examine_change(TableWrite write, const ChangeScene& scene) {
  HELVE_TRY(check_row_limit(scene.limit, scene.policy, scene.notes));
  Change change;
  change.dialect = scene.tables.dialect();
  HELVE_ASSIGN(change.outline, scene.writer.examine(write, scene.problem, scene.op));
  HELVE_ASSIGN(change.shape, read_write_shape(write.sql, change.dialect));
  if (change.shape.kind != change.outline.kind) {
    return Error{ErrorCode::Denied,
                 fmt::format("the statement reads as {}, and the database takes it as {}",
                             name_of(change.shape.kind), name_of(change.outline.kind)),
                 "write it in a plainer form"};
  }
  change.write = std::move(write);
  HELVE_ASSIGN(change.catalogue, scene.tables.catalogue(scene.op));
  const std::string& schema = change.outline.schema;
  const std::string& table = change.outline.table;
  if (!table.empty()) {
    change.table = change.catalogue->find(schema.empty() ? table : schema + "." + table);
  }
  // Rows are read by the words of the statement: they must mean the same table.
  if (!is_same_in_any_case(change.shape.table, table)) change.shape.is_plain = false;
  return change;
}

Result<ChangeEstimate> estimate_change(const Change& change, WriteTransaction* open,
                                       std::uint64_t rows_left, const ChangeScene& scene) {
  if (change.is_definition()) {
    ChangeEstimate estimate;
    HELVE_ASSIGN(estimate.rows, count_lost(change, nullptr, scene));
    if (estimate.rows) estimate.is = EstimateIs::Estimate;
    estimate.before.why = "definitions have no rows of their own";
    estimate.before.is_whole = false;
    return estimate;
  }
  if (open != nullptr) return estimate_rows(change, *open, rows_left, scene);
  HELVE_ASSIGN(const auto transaction, scene.writer.begin(scene.op));
  auto estimate = estimate_rows(change, *transaction, rows_left, scene);
  auto rolled_back = transaction->roll_back(scene.op);
  if (estimate && !rolled_back) return std::move(rolled_back).error();
  return estimate;
}

Result<void> check_irrevocable(const Change& change, std::uint64_t rows_left,
                               const ChangeScene& scene) {
  if (change.is_definition()) {
    if (change.outline.can_roll_back) return {};
    HELVE_TRY(count_lost(change, nullptr, scene));
    return {};
  }
  if (change.outline.can_roll_back) return {};
  HELVE_ASSIGN(const auto transaction, scene.writer.begin(scene.op));
  std::optional<std::uint64_t> rows = change.shape.rows;
  if (change.shape.is_plain) {
    HELVE_ASSIGN(rows, count_first(change, *transaction, rows_left, scene));
  }
  if (!rows) {
    scene.notes.rule = "max_affected_rows";
    return Error{ErrorCode::Denied,
                 fmt::format("{} of {} cannot be rolled back, and how many rows it changes cannot "
                             "be told before: max_affected_rows could not be held",
                             change.outline.verb, quote_name(change.outline.table)),
                 "write it as a plain UPDATE, DELETE or INSERT ... VALUES"};
  }
  if (*rows > rows_left) {
    return too_many(fmt::format("{} would be changed", rows_of(*rows)), rows_left, scene);
  }
  return {};
}

Result<void> apply_change(const Change& change, WriteTransaction& transaction,
                          std::uint64_t rows_left, const ChangeScene& scene, ChangeEffect& effect) {
  if (change.is_definition()) {
    effect.before.is_whole = effect.after.is_whole = false;
    HELVE_ASSIGN(const auto lost,
                 count_lost(change, change.outline.can_roll_back ? &transaction : nullptr, scene));
    effect.rows_in_all = lost.value_or(0);
    if (change.outline.can_roll_back) {
      HELVE_TRY(count_source(change, transaction, rows_left, scene));
    }
  } else {
    HELVE_ASSIGN(effect.before, take_before(change, transaction, scene.policy, scene.op));
    const bool is_few = effect.before.rows != nullptr && effect.before.is_whole &&
                        effect.before.rows->rows() <= rows_left;
    if (!is_few) HELVE_TRY(count_first(change, transaction, rows_left, scene));
  }
  WriteRun run = run_with_rows(change, transaction, rows_left, scene, effect);
  if (run.error) return run_error(run, rows_left, scene);
  effect.has_run = true;
  effect.affected = run.affected;
  effect.rows_in_all = std::max(effect.rows_in_all, run.affected.value_or(0) + run.besides);
  effect.notes = std::move(run.notes);
  if (change.is_definition()) {
    const std::uint64_t made = run.affected.value_or(0);
    if (made <= rows_left && run.besides <= rows_left - made) return {};
    return too_many(with_besides(made, run.besides), rows_left, scene);
  }
  if (!run.affected) {
    return Error{ErrorCode::Unavailable, "the database does not tell how many rows it changed",
                 "change them by a statement that names one table"};
  }
  effect.besides = run.besides;
  if (*run.affected > rows_left) {
    return too_many(fmt::format("{} were changed", rows_of(*run.affected)), rows_left, scene);
  }
  if (run.besides > rows_left - *run.affected) {
    return too_many(with_besides(*run.affected, run.besides), rows_left, scene);
  }
  const bool is_taking =
      change.outline.kind == WriteKind::Update || change.outline.kind == WriteKind::Delete;
  if (is_taking && !effect.returned) {
    HELVE_ASSIGN(effect.after,
                 take_after(change, effect.before, transaction, scene.policy, scene.op));
  }
  return {};
}

}  // namespace helve::toolkit
