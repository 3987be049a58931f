#include "toolkit/context/fact_table.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace helve::context {

namespace {

constexpr std::size_t kTextBytesMax = 4'096;  // kept of a literal
constexpr std::size_t kIriBytesMax = 2'048;
constexpr std::size_t kFirstBytes = 4'096;

}  // namespace

std::optional<FactCell> FactTable::keep(const rdf::TermView& term) {
  if (!term.is_literal() && term.value.size() > kIriBytesMax) return std::nullopt;
  std::string_view value = term.value;
  if (value.size() > kTextBytesMax) {
    value = value.substr(0, kTextBytesMax);
    value = value.substr(0, utf8_valid_prefix(value));
  }
  return FactCell{term.kind, keep(value), keep(term.language)};
}

std::string_view FactTable::keep(std::string_view text) {
  if (text.empty()) return {};
  if (texts_ == nullptr) {
    texts_ = std::make_unique<std::pmr::monotonic_buffer_resource>(kFirstBytes);
  }
  char* const kept = static_cast<char*>(texts_->allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), kept);
  return {kept, text.size()};
}

std::uint64_t number_at(const FactRow& row, std::size_t column) {
  std::uint64_t number = 0;
  const std::string_view text = row.at(column).value;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace helve::context
