#include "toolkit/sql/handle_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kColumnsWithCompanions = 400;  // SQLite takes 2,000 in all
constexpr std::string_view kString = "http://www.w3.org/2001/XMLSchema#string";
constexpr std::string_view kLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

std::vector<bool> terms_of_column(const RowTable& table, std::size_t column) {
  std::vector<bool> is_there(std::size_t{table.terms()} + 1);
  for (std::uint64_t row = 0; row < table.rows(); ++row) is_there[table.number(row, column)] = true;
  is_there[0] = false;
  return is_there;
}

// In other digits: 1.50 and 1.5.
bool is_same_number(const rdf::TermView& one, const rdf::TermView& other) {
  return is_number_term(one) && one.datatype == other.datatype &&
         plain_digits(one.value) == plain_digits(other.value);
}

}  // namespace

LongNumbers long_numbers_of(const std::vector<RowTablePtr>& tables) {
  const auto any = [&](auto&& is_meant) {
    for (const RowTablePtr& table : tables) {
      for (std::uint32_t term = 1; term <= table->terms(); ++term) {
        if (is_meant(table->term(term))) return true;
      }
    }
    return false;
  };
  if (!any(is_long_number)) return LongNumbers::AsReals;
  // By their doubles: the digits, and whether any of them is long.
  std::unordered_map<double, std::pair<std::string, bool>> seen;
  const bool is_clash = any([&](const rdf::TermView& term) {
    const bool is_long = is_long_number(term);
    std::string none;
    const sqlite::Value value = sql_value(term, none, LongNumbers::AsReals);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if (whole == nullptr && real == nullptr) return false;
    const double number = real != nullptr ? *real : static_cast<double>(*whole);
    std::string digits = real != nullptr ? plain_digits(term.value) : fmt::format("{}", *whole);
    const auto [place, is_new] = seen.try_emplace(number, digits, is_long);
    if (is_new) return false;
    const bool differs = place->second.first != digits && (is_long || place->second.second);
    if (is_long) place->second = {std::move(digits), true};
    return differs;
  });
  return is_clash ? LongNumbers::AsTexts : LongNumbers::AsReals;
}

std::vector<std::string> columns_of_long_numbers(const RowTable& table) {
  std::vector<std::string> names;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    const std::vector<bool> is_there = terms_of_column(table, column);
    for (std::uint32_t term = 1; term < is_there.size(); ++term) {
      if (!is_there[term] || !is_long_number(table.term(term))) continue;
      names.push_back(table.columns()[column]);
      break;
    }
  }
  return names;
}

HandleTable::HandleTable(RowTablePtr rows, LongNumbers long_numbers)
    : rows_(std::move(rows)), long_numbers_(long_numbers), indexes_(data_columns()) {
  std::set<std::string> taken;
  for (const std::string& name : rows_->columns()) taken.insert(ascii_lower(name));
  std::set<std::string> used;
  for (std::size_t i = 0; i < data_columns(); ++i) {
    const std::string& name = rows_->columns()[i];
    Column column{name.empty() ? fmt::format("column_{}", i + 1) : name};
    for (int n = 2; !used.insert(ascii_lower(column.name)).second; ++n) {
      do column.name = fmt::format("{}_{}", name, n);
      while (taken.contains(ascii_lower(column.name)) && n++ < 10'000);
    }
    const std::vector<bool> is_there = terms_of_column(*rows_, i);
    for (std::uint32_t term = 1; term < is_there.size() && !column.is_numeric; ++term) {
      column.is_numeric = is_there[term] && is_number_term(rows_->term(term));
    }
    columns_.push_back(std::move(column));
  }
  if (data_columns() > kColumnsWithCompanions) return;
  const auto add = [&](std::size_t column, Companion::Kind kind, std::string_view ending) {
    std::string name = columns_[column].name + std::string(ending);
    if (!used.insert(ascii_lower(name)).second) return;
    columns_.push_back({std::move(name), false, true});
    companions_.push_back({column, kind});
  };
  for (std::size_t i = 0; i < data_columns(); ++i) {
    add(i, Companion::Kind::Type, "__type");
    add(i, Companion::Kind::Language, "__lang");
    add(i, Companion::Kind::Datatype, "__datatype");
  }
}

sqlite::Value HandleTable::value(std::uint64_t row, std::size_t column) const {
  if (column >= data_columns()) {
    return companion_value(companions_[column - data_columns()], row);
  }
  const std::uint32_t term = rows_->number(row, column);
  if (term == 0) return std::monostate();
  return value_of(term);
}

sqlite::Value HandleTable::value_of(std::uint32_t term) const {
  const rdf::TermView view = rows_->term(term);
  if (view.is_blank()) {
    const auto [place, is_new] = blanks_.try_emplace(term);
    return is_new ? sql_value(view, place->second, long_numbers_) : std::string_view(place->second);
  }
  std::string none;
  return sql_value(view, none, long_numbers_);
}

sqlite::Value HandleTable::companion_value(const Companion& companion, std::uint64_t row) const {
  const auto cell = rows_->cell(row, companion.column);
  if (!cell) return std::monostate();
  switch (companion.kind) {
    case Companion::Kind::Type:
      return cell->is_iri()     ? std::string_view("iri")
             : cell->is_blank() ? std::string_view("bnode")
                                : std::string_view("literal");
    case Companion::Kind::Language:
      if (cell->language.empty()) return std::monostate();
      return cell->language;
    case Companion::Kind::Datatype:
      if (!cell->is_literal()) return std::monostate();
      if (!cell->language.empty()) return kLangString;
      return cell->datatype.empty() ? kString : cell->datatype;
  }
  return std::monostate();
}

HandleTable::Index HandleTable::make_index(std::size_t column) const {
  Index index;
  std::vector<std::uint32_t> key_of_term(std::size_t{rows_->terms()} + 1, UINT32_MAX);
  const auto key_at = [&](std::uint64_t row) {
    const std::uint32_t term = rows_->number(row, column);
    std::uint32_t& key = key_of_term[term];
    if (term != 0 && key == UINT32_MAX) {
      const auto next = static_cast<std::uint32_t>(index.keys.size());
      key = index.keys.try_emplace(comparison_key(value_of(term)), next).first->second;
    }
    return key;
  };
  std::vector<std::uint32_t> counts;
  for (std::uint64_t row = 0; row < rows(); ++row) {
    const std::uint32_t key = key_at(row);
    if (key == UINT32_MAX) continue;  // unbound equals nothing
    if (key >= counts.size()) counts.resize(std::size_t{key} + 1);
    ++counts[key];
  }
  std::uint32_t end = 0;
  for (const std::uint32_t count : counts) index.ends.push_back(std::exchange(end, end + count));
  index.rows.resize(end);
  for (std::uint64_t row = 0; row < rows(); ++row) {
    const std::uint32_t key = key_at(row);
    if (key != UINT32_MAX) index.rows[index.ends[key]++] = static_cast<std::uint32_t>(row);
  }
  return index;
}

std::span<const std::uint32_t> HandleTable::find(std::size_t column,
                                                 const sqlite::Value& value) const {
  auto& index = indexes_[column];
  if (index == nullptr) index = std::make_unique<Index>(make_index(column));
  const auto key = index->keys.find(comparison_key(value));
  if (key == index->keys.end()) return {};
  const std::uint32_t start = key->second == 0 ? 0 : index->ends[key->second - 1];
  return std::span(index->rows).subspan(start, index->ends[key->second] - start);
}

std::optional<rdf::TermView> TermFinder::find(const sqlite::ColumnOrigin& origin,
                                              const sqlite::Value& value) {
  auto [place, is_new] = columns_.try_emplace(origin.table + "\n" + origin.column);
  auto& [table, terms] = place->second;
  if (is_new) {
    for (const auto& [name, candidate] : tables_) {
      if (ascii_lower(name) == ascii_lower(origin.table)) table = candidate;
    }
    std::size_t column = 0;
    while (table != nullptr && column < table->data_columns() &&
           table->columns()[column].name != origin.column) {
      ++column;
    }
    if (table != nullptr && column == table->data_columns()) table = nullptr;
    if (table != nullptr) {
      const std::vector<bool> is_there = terms_of_column(table->data(), column);
      for (std::uint32_t term = 1; term < is_there.size(); ++term) {
        if (!is_there[term]) continue;
        const auto [known, is_first] = terms.try_emplace(exact_key(table->value_of(term)), term);
        if (is_first || known->second == kSeveral) continue;
        if (!is_same_number(table->data().term(known->second), table->data().term(term))) {
          known->second = kSeveral;
        }
      }
    }
  }
  if (table == nullptr) return std::nullopt;
  const auto found = terms.find(exact_key(value));
  if (found == terms.end()) return std::nullopt;
  if (found->second == kSeveral) {
    met_ambiguity_ = true;
    return std::nullopt;
  }
  return table->data().term(found->second);
}

std::optional<rdf::TermView> TermFinder::find_name(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return std::nullopt;
  if (!has_names_) {
    has_names_ = true;
    for (const auto& [name, table] : tables_) {
      for (std::uint32_t term = 1; term <= table->data().terms(); ++term) {
        const rdf::TermView view = table->data().term(term);
        if (view.is_literal()) continue;
        const sqlite::Value value = table->value_of(term);
        names_.emplace(std::get<std::string_view>(value), view);
      }
    }
  }
  const auto found = names_.find(text);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

}  // namespace helve::toolkit
