#include "sources/sparql/engine/join_side.h"

#include <utility>

namespace helve::sparql {

std::string_view name_of(JoinKind kind) {
  switch (kind) {
    case JoinKind::Inner:
      return "hash join";
    case JoinKind::Left:
      return "hash join of OPTIONAL";
    case JoinKind::Minus:
      return "hash join of MINUS";
  }
  return "";
}

JoinShape::JoinShape(JoinKind join_kind, const Schema& left, const Schema& right,
                     const Schema& result, const std::vector<BoundExpression>& join_conditions)
    : kind(join_kind),
      left_width(left.size()),
      right_width(right.size()),
      conditions(join_conditions) {
  for (std::size_t column = 0; column < right.size(); ++column) {
    const auto place = result.find(right.names()[column]);
    if (place && *place < left.size()) {
      shared.push_back({*place, column});
    } else if (place) {
      added.push_back({*place, column});
    }
  }
}

bool key_of_row(const std::vector<SharedColumn>& key, const Batch& left, std::size_t row,
                std::vector<Id>& values) {
  bool is_bound = true;
  values.clear();
  for (const SharedColumn& column : key) {
    values.push_back(left.at(column.left, row));
    is_bound = is_bound && values.back().is_defined();
  }
  return is_bound;
}

JoinSide::JoinSide(const JoinShape& shape, RunState& run)
    : shape_(shape), run_(run), rows_(shape.right_width, run.memory(), name_of(shape.kind)) {}

Result<void> JoinSide::index(std::vector<SharedColumn> key) {
  key_ = std::move(key);
  std::vector<std::size_t> columns;
  for (const SharedColumn& column : key_) columns.push_back(column.right);
  index_ = std::make_unique<RowIndex>(rows_, columns, run_.memory(), name_of(shape_.kind));
  for (std::uint32_t row = 0; row < rows_.rows() && !key_.empty(); ++row) {
    HELVE_TRY(run_.pace.add(shape_.right_width * sizeof(Id)));
    HELVE_TRY(index_->add(row));
  }
  return {};
}

void JoinSide::clear() {
  index_.reset();
  rows_.clear();
}

void JoinSide::begin(const Batch& left, std::size_t row) {
  has_match_ = false;
  reader_.reset();
  uses_index_ = key_of_row(key_, left, row, key_values_) && !key_.empty();
  if (uses_index_) {
    at_ = index_->find(key_values_);
  } else {
    at_ = rows_.rows() > 0 ? 0 : RowTable::kNone;
  }
}

void JoinSide::begin(SpilledRows::Reader candidates) {
  has_match_ = false;
  reader_.emplace(std::move(candidates));
}

// False: there are no more.
Result<bool> JoinSide::next_candidate() {
  if (reader_) {
    HELVE_ASSIGN(const bool has_row, reader_->next());
    if (has_row) candidate_ = reader_->row();
    return has_row;
  }
  if (at_ == RowTable::kNone) return false;
  candidate_ = rows_.row(at_);
  if (uses_index_) {
    at_ = index_->next(at_, key_values_);
  } else {
    ++at_;
    if (at_ == rows_.rows()) at_ = RowTable::kNone;
  }
  return true;
}

Result<bool> JoinSide::produce(const Batch& left, std::size_t row, Batch& out,
                               std::size_t rows_max) {
  constexpr std::uint64_t kTriedMax = 4'096;
  for (std::uint64_t tried = 0; out.rows < rows_max; ++tried) {
    if (tried == kTriedMax) {
      HELVE_TRY(run_.pace.add(tried * shape_.right_width * sizeof(Id), tried));
      return false;
    }
    HELVE_ASSIGN(const bool has_candidate, next_candidate());
    if (!has_candidate) {
      HELVE_TRY(run_.pace.add(tried * shape_.right_width * sizeof(Id), tried));
      if (shape_.kind != JoinKind::Inner && !has_match_) append_left(left, row, out);
      return true;
    }
    HELVE_TRY(try_candidate(left, row, out));
    if (shape_.kind == JoinKind::Minus && has_match_) return true;
  }
  return false;
}

// https://www.w3.org/TR/sparql11-query/#defn_algCompatibleMapping
bool JoinSide::is_compatible(const Batch& left, std::size_t row, bool& shares_variable) const {
  for (const SharedColumn& column : shape_.shared) {
    const Id of_left = left.at(column.left, row);
    const Id of_right = candidate_[column.right];
    if (!of_left.is_defined() || !of_right.is_defined()) continue;
    if (of_left != of_right) return false;
    shares_variable = true;
  }
  return true;
}

void JoinSide::append_left(const Batch& left, std::size_t row, Batch& out) const {
  for (std::size_t column = 0; column < shape_.left_width; ++column) {
    out.columns[column].push_back(left.at(column, row));
  }
  for (std::size_t column = shape_.left_width; column < out.columns.size(); ++column) {
    out.columns[column].emplace_back();
  }
  ++out.rows;
}

Result<void> JoinSide::try_candidate(const Batch& left, std::size_t row, Batch& out) {
  bool shares_variable = false;
  if (!is_compatible(left, row, shares_variable)) return {};
  if (shape_.kind == JoinKind::Minus) {
    has_match_ = shares_variable;
    return {};
  }
  append_left(left, row, out);
  for (const SharedColumn& column : shape_.shared) {
    Id& target = out.columns[column.left].back();
    if (!target.is_defined()) target = candidate_[column.right];
  }
  for (const SharedColumn& column : shape_.added) {
    out.columns[column.left].back() = candidate_[column.right];
  }
  HELVE_ASSIGN(const bool is_wanted, all_true(shape_.conditions, out, out.rows - 1, run_));
  if (is_wanted) {
    has_match_ = true;
  } else {
    out.drop_last();
  }
  return {};
}

}  // namespace helve::sparql
