#include "sources/sparql/engine/join_overflow.h"

#include <utility>

namespace helve::sparql {

JoinOverflow::JoinOverflow(const JoinShape& shape, std::size_t width, SpilledRows right,
                           RunState& run)
    : shape_(&shape),
      width_(width),
      run_(&run),
      right_(std::move(right)),
      runs_(width + 1, run, name_of(shape.kind)) {}

Result<JoinOverflow> JoinOverflow::make(const JoinShape& shape, std::size_t width, RunState& run) {
  HELVE_ASSIGN(auto file, make_spill_file(run, name_of(shape.kind)));
  SpilledRows right(std::move(file), shape.right_width, run, name_of(shape.kind));
  HELVE_TRY(right.reserve());
  return JoinOverflow(shape, width, std::move(right), run);
}

Result<void> JoinOverflow::begin_left(std::vector<SharedColumn> key) {
  key_ = std::move(key);
  HELVE_TRY(right_.finish());
  const std::string_view what = name_of(shape_->kind);
  HELVE_ASSIGN(auto file, make_spill_file(*run_, what));
  unbound_left_.emplace(std::move(file), shape_->left_width + 1, *run_, what);
  if (key_.empty()) return {};
  HELVE_ASSIGN(right_parts_, RowPartitions::make(shape_->right_width, 0, *run_, what));
  HELVE_TRY(spread(right_, false, *right_parts_));
  HELVE_TRY(right_parts_->finish());
  HELVE_ASSIGN(left_parts_, RowPartitions::make(shape_->left_width + 1, 0, *run_, what));
  return {};
}

Result<void> JoinOverflow::spread(const SpilledRows& rows, bool is_left, RowPartitions& to) {
  SpilledRows::Reader reader(rows, *run_, name_of(shape_->kind));
  while (true) {
    HELVE_ASSIGN(const bool has_row, reader.next());
    if (!has_row) return {};
    HELVE_TRY(run_->pace.add(0, 1));
    key_values_.clear();
    for (const SharedColumn& column : key_) {
      key_values_.push_back(reader.row()[is_left ? column.left : column.right]);
    }
    HELVE_TRY(to.append(key_values_, reader.row()));
  }
}

Result<void> JoinOverflow::add_left(const Batch& left, std::size_t row) {
  row_.clear();
  for (const auto& column : left.columns) row_.push_back(column[row]);
  row_.push_back(Id::from_bits(added_++));
  const bool is_bound = key_of_row(key_, left, row, key_values_);
  if (key_.empty() || !is_bound) return unbound_left_->append(row_);
  return left_parts_->append(key_values_, row_);
}

Result<bool> JoinOverflow::next() {
  if (!std::exchange(is_joined_, true)) HELVE_TRY(join());
  return runs_.next();
}

Result<void> JoinOverflow::join() {
  HELVE_TRY(unbound_left_->finish());
  if (left_parts_) {
    HELVE_TRY(left_parts_->finish());
    RowPartitions left = *std::move(left_parts_);
    RowPartitions right = *std::move(right_parts_);
    left_parts_.reset();
    right_parts_.reset();
    HELVE_TRY(join_parts(std::move(left), std::move(right)));
  }
  if (unbound_left_->rows() == 0) return {};
  JoinSide side(*shape_, *run_);
  return probe(*unbound_left_, side, &right_, false);
}

Result<void> JoinOverflow::join_parts(RowPartitions left, RowPartitions right) {
  for (std::size_t i = 0; i < RowPartitions::kParts; ++i) {
    if (left.parts()[i].rows() == 0) continue;
    HELVE_TRY(join_part(left.parts()[i], right.parts()[i], left.level()));
  }
  return {};
}

// A part that is too large is spread once more; where that is of no use, for all its keys are the
// same, each row of the left reads it from its end, as the table in memory would be gone through.
Result<void> JoinOverflow::join_part(const SpilledRows& left, const SpilledRows& right, int level) {
  {
    JoinSide side(*shape_, *run_);
    HELVE_ASSIGN(const bool is_loaded, load(right, side));
    if (is_loaded) return probe(left, side, nullptr, false);
  }
  constexpr int kLevelsTried = 4;  // 16 times 16 times ... parts
  if (level < kLevelsTried) return split(left, right, level);
  JoinSide side(*shape_, *run_);
  return probe(left, side, &right, true);
}

Result<void> JoinOverflow::split(const SpilledRows& left, const SpilledRows& right, int level) {
  const std::string_view what = name_of(shape_->kind);
  HELVE_ASSIGN(RowPartitions right_parts,
               RowPartitions::make(shape_->right_width, level + 1, *run_, what));
  HELVE_TRY(spread(right, false, right_parts));
  HELVE_TRY(right_parts.finish());
  HELVE_ASSIGN(RowPartitions left_parts,
               RowPartitions::make(shape_->left_width + 1, level + 1, *run_, what));
  HELVE_TRY(spread(left, true, left_parts));
  HELVE_TRY(left_parts.finish());
  return join_parts(std::move(left_parts), std::move(right_parts));
}

// False: they are too many for the memory.
Result<bool> JoinOverflow::load(const SpilledRows& right, JoinSide& side) {
  SpilledRows::Reader reader(right, *run_, name_of(shape_->kind));
  while (true) {
    HELVE_ASSIGN(const bool has_row, reader.next());
    if (!has_row) break;
    HELVE_TRY(run_->pace.add(0, 1));
    if (!side.rows().append(reader.row())) return false;
    // The index doubles as the rows do.
    if (is_table_large(*run_, side.bytes() + side.bytes() / 2, side.bytes())) return false;
  }
  auto indexed = side.index(key_);
  if (indexed) return true;
  HELVE_TRY(run_->op.check());  // else it was memory
  return false;
}

Result<void> JoinOverflow::probe(const SpilledRows& left, JoinSide& side,
                                 const SpilledRows* scanned, bool is_backward) {
  const std::string_view what = name_of(shape_->kind);
  SpilledRows::Reader reader(left, *run_, what);
  Batch batch;
  Batch out;
  HELVE_TRY(runs_.begin());
  while (true) {
    HELVE_ASSIGN(const bool has_row, reader.next());
    if (!has_row) break;
    HELVE_TRY(run_->pace.add(0, 1));
    batch.reset(shape_->left_width);
    for (std::size_t i = 0; i < shape_->left_width; ++i) {
      batch.columns[i].push_back(reader.row()[i]);
    }
    batch.rows = 1;
    if (scanned != nullptr) {
      side.begin(SpilledRows::Reader(*scanned, *run_, what, is_backward));
    } else {
      side.begin(batch, 0);
    }
    constexpr std::size_t kRowsAtOnce = 64;
    for (bool is_done = false; !is_done;) {
      out.reset(width_);
      HELVE_ASSIGN(is_done, side.produce(batch, 0, out, kRowsAtOnce));
      for (std::size_t row = 0; row < out.rows; ++row) {
        row_.clear();
        for (const auto& column : out.columns) row_.push_back(column[row]);
        row_.push_back(reader.row().back());
        HELVE_TRY(runs_.append(row_));
      }
    }
  }
  return runs_.end();
}

}  // namespace helve::sparql
