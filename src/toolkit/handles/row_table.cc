#include "toolkit/handles/row_table.h"

#include <utility>

#include "base/check.h"
#include "toolkit/handles/row_table_layout.h"

namespace helve::toolkit {

namespace {

class TableOfParts final : public RowTable {
 public:
  TableOfParts(TableParts parts, std::shared_ptr<const void> owner)
      : parts_(std::move(parts)), owner_(std::move(owner)) {}

  const std::vector<std::string>& columns() const override { return parts_.columns; }
  std::uint64_t rows() const override { return parts_.rows; }
  std::uint64_t characters() const override { return parts_.characters; }
  std::size_t memory_bytes() const override { return parts_.memory_bytes; }
  std::string to_bytes() const override { return table_bytes(parts_); }

  std::optional<rdf::TermView> cell(std::uint64_t row, std::size_t column) const override {
    const std::uint32_t found = number(row, column);
    if (found == 0) return std::nullopt;
    return term(found);
  }

  std::uint32_t number(std::uint64_t row, std::size_t column) const override {
    HELVE_CHECK(row < parts_.rows && column < parts_.cells.size());
    return load_at<std::uint32_t>(parts_.cells[column], row);
  }

  std::uint32_t terms() const override { return parts_.terms; }

  rdf::TermView term(std::uint32_t number) const override {
    HELVE_CHECK(number > 0 && number <= parts_.terms);
    return view_of(number - 1);
  }

  std::vector<rdf::TermView> distinct(std::size_t column, std::size_t terms_max) const override {
    HELVE_CHECK(column < parts_.cells.size());
    std::vector<rdf::TermView> found;
    std::vector<bool> is_seen(std::size_t{parts_.terms} + 1);
    is_seen[0] = true;  // unbound
    for (std::uint64_t row = 0; row < parts_.rows && found.size() < terms_max; ++row) {
      const std::uint32_t met = number(row, column);
      if (is_seen[met]) continue;
      is_seen[met] = true;
      found.push_back(term(met));
    }
    return found;
  }

 private:
  rdf::TermView view_of(std::uint32_t index) const {
    const std::uint64_t start =
        index == 0 ? 0 : load_at<std::uint64_t>(parts_.text_ends, index - 1);
    const auto end = load_at<std::uint64_t>(parts_.text_ends, index);
    const auto note = load_at<std::uint32_t>(parts_.notes, index);
    rdf::TermView view;
    view.kind = static_cast<rdf::TermKind>(note & kKindMask);
    view.direction = static_cast<rdf::Direction>((note >> kDirectionShift) & 3);
    view.value = parts_.texts.substr(start, end - start);
    if (const std::uint32_t qualifier = note >> kQualifierShift; qualifier != 0) {
      const std::string_view text = parts_.qualifiers[qualifier - 1];
      (text.front() == '@' ? view.language : view.datatype) = text.substr(1);
    }
    return view;
  }

  const TableParts parts_;
  const std::shared_ptr<const void> owner_;
};

}  // namespace

RowTablePtr make_table(TableParts parts, std::shared_ptr<const void> owner) {
  return std::make_shared<TableOfParts>(std::move(parts), std::move(owner));
}

}  // namespace helve::toolkit
