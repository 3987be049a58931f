#include "sources/sql/postgres/row_delivery.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/sql/postgres/pq_library.h"

namespace helve::sql {

Result<void> RowDelivery::begin(const PGresult* result) {
  has_begun_ = true;
  std::vector<std::string> names;
  for (int i = 0; i < pq().nfields(result); ++i) {
    const std::string_view name = pq().fname(result, i);
    const bool is_valid = utf8_valid_prefix(name) == name.size();
    names.push_back(is_valid ? std::string(name) : escape_for_terminal(name));
    readers_.emplace_back(value_type(pq().ftype(result, i), pq().fmod(result, i), types_));
    column_types_.push_back(readers_.back().type().name);
  }
  cells_.resize(readers_.size());
  return sink_ == nullptr ? Result<void>() : sink_->columns(names);
}

Result<void> RowDelivery::take(const PGresult* result, const OpContext& context) {
  constexpr int kLook = 1'024;
  if (!has_begun_) HELVE_TRY(begin(result));
  if (pq().nfields(result) != static_cast<int>(readers_.size())) {
    return Error{ErrorCode::Unavailable, "the server changed the columns within the rows"};
  }
  const int count = pq().ntuples(result);
  for (int row = 0; row < count; ++row) {
    if (row % kLook == kLook - 1) HELVE_TRY(context.check());
    HELVE_TRY(take_row(result, row));
  }
  return {};
}

Result<void> RowDelivery::take_row(const PGresult* result, int row) {
  if (sink_ == nullptr || has_more_) return {};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    const int column = static_cast<int>(i);
    const auto size = static_cast<std::size_t>(pq().getlength(result, row, column));
    bytes += size;
    if (pq().getisnull(result, row, column) == 1) {
      cells_[i].reset();
    } else {
      cells_[i] = readers_[i].read({pq().getvalue(result, row, column), size});
    }
  }
  if (rows_ == rows_max_ || bytes > bytes_max_ - bytes_) {
    has_more_ = true;
    return {};
  }
  HELVE_TRY(sink_->row(cells_));
  bytes_ += bytes;
  ++rows_;
  return {};
}

std::vector<std::string> RowDelivery::notes() const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (!readers_[i].has_broken_text()) continue;
    found.push_back(
        fmt::format("column {} has texts that are no valid UTF-8: given as bytes", i + 1));
  }
  return found;
}

}  // namespace helve::sql
