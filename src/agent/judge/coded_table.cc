#include "agent/judge/coded_table.h"

#include <algorithm>
#include <numeric>

#include "base/paced_check.h"
#include "toolkit/handles/value_key.h"

namespace helve::agent {

namespace {

constexpr std::size_t kBytesPerCode = 64;  // beside the text

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33U;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33U);
}

void note_cell(const CellCode& code, bool is_approximate, CodedColumn& column) {
  column.is_approximate |= is_approximate;
  column.has_languages |= code.language != 0;
  column.has_blanks |= code.blank != 0;
  column.bag_print += mixed(code.rough + 1);
  const std::uint64_t beside = (std::uint64_t{code.language} << 32U) | code.blank;
  column.sequence_print = mixed(column.sequence_print ^ code.exact) + mixed(beside);
}

}  // namespace

Result<std::uint32_t> ValueCodes::code_of(const std::string& key) {
  const auto [place, is_new] = codes_.emplace(key, static_cast<std::uint32_t>(codes_.size()) + 1);
  if (is_new) HELVE_TRY(charge_.add(key.size() + kBytesPerCode));
  return place->second;
}

Result<CellCode> ValueCodes::code_of(const rdf::TermView& term, std::uint32_t number,
                                     bool& is_approximate) {
  CellCode code;
  if (term.is_blank()) {
    HELVE_ASSIGN(code.exact, code_of(std::string("b")));
    code.blank = number;
    return code;
  }
  const toolkit::ValueKey key = toolkit::value_key(term);
  is_approximate = key.is_approximate;
  HELVE_ASSIGN(code.exact, code_of(key.exact));
  if (key.number) {
    HELVE_TRY(charge_.add(sizeof(Number)));
    numbers_.push_back({*key.number, code.exact, key.is_single});
  }
  if (!key.language.empty()) {
    HELVE_ASSIGN(code.language, code_of("@" + key.language));
  }
  return code;
}

Result<void> ValueCodes::encode_terms(CodedTable& coded, std::vector<bool>& approximate) {
  PacedCheck pace(context_);
  const toolkit::RowTable& table = *coded.table;
  HELVE_TRY(charge_.add((std::size_t{table.terms()} + 1) * (sizeof(CellCode) + 1)));
  coded.terms.resize(std::size_t{table.terms()} + 1);
  approximate.resize(coded.terms.size());
  for (std::uint32_t number = 1; number <= table.terms(); ++number) {
    const rdf::TermView term = table.term(number);
    HELVE_TRY(pace.add(term.value.size()));
    bool is_approximate = false;
    HELVE_ASSIGN(coded.terms[number], code_of(term, number, is_approximate));
    approximate[number] = is_approximate;
  }
  return {};
}

Result<void> ValueCodes::join_numbers() {
  HELVE_TRY(charge_.add((codes_.size() + 1) * sizeof(std::uint32_t)));
  rough_.resize(codes_.size() + 1);
  std::iota(rough_.begin(), rough_.end(), std::uint32_t{0});
  std::sort(numbers_.begin(), numbers_.end(),
            [](const Number& left, const Number& right) { return left.value < right.value; });
  for (std::size_t i = 1; i < numbers_.size(); ++i) {
    const Number& before = numbers_[i - 1];
    const Number& number = numbers_[i];
    if (toolkit::are_close(before.value, number.value, before.is_single || number.is_single)) {
      rough_[number.code] = rough_[before.code];
    }
  }
  return context_.check();
}

Result<void> ValueCodes::encode_cells(CodedTable& coded, const std::vector<bool>& approximate) {
  PacedCheck pace(context_);
  const toolkit::RowTable& table = *coded.table;
  for (CellCode& code : coded.terms) code.rough = rough_[code.exact];
  coded.columns.resize(table.columns().size());
  coded.masks.resize(codes_.size() + 1);
  HELVE_TRY(charge_.add(coded.masks.size() * sizeof(std::uint64_t)));
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    HELVE_TRY(pace.add(0));
    for (std::size_t column = 0; column < coded.columns.size(); ++column) {
      const std::uint32_t number = table.number(row, column);
      const CellCode& code = coded.terms[number];
      note_cell(code, approximate[number], coded.columns[column]);
      const std::uint64_t bit = std::uint64_t{1} << column;
      std::uint64_t& mask = coded.masks[code.rough];
      if ((mask & bit) == 0) ++coded.columns[column].distinct;
      mask |= bit;
    }
  }
  return {};
}

Result<CodedTables> ValueCodes::encode(const toolkit::RowTable& reference,
                                       const toolkit::RowTable& candidate) {
  CodedTables both;
  both.reference.table = &reference;
  both.candidate.table = &candidate;
  std::vector<bool> of_reference;
  std::vector<bool> of_candidate;
  HELVE_TRY(encode_terms(both.reference, of_reference));
  HELVE_TRY(encode_terms(both.candidate, of_candidate));
  HELVE_TRY(join_numbers());
  HELVE_TRY(encode_cells(both.reference, of_reference));
  HELVE_TRY(encode_cells(both.candidate, of_candidate));
  return both;
}

}  // namespace helve::agent
