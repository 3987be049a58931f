#include "sources/sparql/results/solution_row.h"

#include <fmt/core.h>

#include <algorithm>

#include "sources/rdf/statement_check.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xml_names.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kRowStepBytes = 64 * kKiB;
constexpr std::size_t kBytesPerRow = 48;
constexpr std::size_t kBytesPerTerm = sizeof(rdf::Term) + 16;

Error invalid_row(std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

}  // namespace

Error undeclared(std::string_view variable) {
  return invalid_row(fmt::format("the variable {} is not declared", rdf::excerpt(variable)),
                     "list every variable of the results in their head");
}

Error ragged_row(std::size_t met, std::size_t expected, std::string hint) {
  return invalid_row(
      fmt::format("this row has {} {} field{}, the first line has {}",
                  met > expected ? "at least" : "only", met, met == 1 ? "" : "s", expected),
      std::move(hint));
}

void WrittenTerm::clear() {
  kind = Kind::Unknown;
  value.clear();
  datatype.clear();
  language.clear();
}

Result<rdf::TermView> WrittenTerm::to_term() const {
  if (kind != Kind::Literal && !(datatype.empty() && language.empty())) {
    return invalid_row("only a literal has a datatype or a language");
  }
  if (kind == Kind::Uri) {
    if (value.empty())
      return invalid_row("an IRI is empty", "leave out variables that are unbound");
    return rdf::TermView::iri(value);
  }
  if (kind == Kind::BlankNode) {
    if (value.empty()) return invalid_row("the label of a blank node is empty");
    return rdf::TermView::blank(value);
  }
  const bool is_lang_string = datatype == rdf::kRdfLangString;
  if (language.empty()) {
    if (is_lang_string) {
      return invalid_row("a literal of type rdf:langString has no language",
                         "give it with xml:lang");
    }
    return rdf::TermView::literal(
        value, datatype == rdf::kXsdString ? std::string_view{} : std::string_view(datatype));
  }
  if (!datatype.empty() && !is_lang_string) {
    return invalid_row(fmt::format("a literal has the language \"{}\" and the datatype <{}>",
                                   rdf::excerpt(language), rdf::excerpt(datatype)),
                       "a literal has one or the other");
  }
  if (!rdf::is_language_tag(language)) {
    return invalid_row(fmt::format("\"{}\" is not a language tag", rdf::excerpt(language)),
                       "tags look like \"en\" or \"pt-BR\"");
  }
  return rdf::TermView::lang_literal(value, language);
}

bool is_column_name(std::string_view name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7F' || c == '?' || c == '$';
  });
}

SolutionRow::SolutionRow(const OpContext& context, SolutionSink& sink)
    : context_(context),
      sink_(sink),
      check_(context),
      charge_(*context.memory, "reading results"),
      row_charge_(*context.memory, "reading a row of results"),
      kept_charge_(*context.memory, "keeping results until their variables are known") {}

Result<void> SolutionRow::add_column(std::string_view name) {
  if (!is_column_name(name)) {
    return invalid_row(fmt::format("\"{}\" is not the name of a variable", rdf::excerpt(name)),
                       "names are letters, digits and \"_\"");
  }
  if (names_.size() >= context_.limits.query_parts_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the result has more than {} variables", names_.size())};
  }
  if (!columns_.emplace(name, names_.size()).second) {
    return invalid_row(fmt::format("the variable {} is listed twice", rdf::excerpt(name)));
  }
  HELVE_TRY(charge_.add(2 * name.size() + sizeof(Text) + sizeof(std::optional<rdf::TermView>)));
  names_.emplace_back(name);
  texts_.emplace_back();
  terms_.emplace_back();
  return {};
}

std::optional<std::size_t> SolutionRow::find_column(std::string_view name) {
  if (next_column_ < names_.size() && names_[next_column_] == name) return next_column_++;
  const auto found = columns_.find(std::string(name));
  if (found == columns_.end()) return std::nullopt;
  next_column_ = found->second + 1;
  return found->second;
}

Result<void> SolutionRow::bind(std::size_t column, const rdf::TermView& term) {
  terms_[column] = term;
  copy(column);
  return count_bound(column);
}

Result<void> SolutionRow::bind_view(std::size_t column, const rdf::TermView& term) {
  terms_[column] = term;
  return count_bound(column);
}

void SolutionRow::hold() {
  for (; held_ < bound_.size(); ++held_) {
    const std::size_t column = bound_[held_];
    if (terms_[column]->value.data() != texts_[column].value.data()) copy(column);
  }
}

void SolutionRow::copy(std::size_t column) {
  rdf::TermView& term = *terms_[column];
  Text& text = texts_[column];
  text.value.assign(term.value);
  text.datatype.assign(term.datatype);
  text.language.assign(term.language);
  term = rdf::TermView{term.kind, term.direction, text.value, text.datatype, text.language};
}

Result<void> SolutionRow::count_bound(std::size_t column) {
  bound_.push_back(column);
  next_column_ = column + 1;
  const rdf::TermView& term = *terms_[column];
  row_bytes_ += term.value.size() + term.datatype.size() + term.language.size();
  if (row_bytes_ <= row_charge_.bytes()) return {};
  return row_charge_.resize(row_bytes_ + kRowStepBytes);
}

Result<void> SolutionRow::send_variables() { return sink_.variables(names_); }

Result<void> SolutionRow::send() {
  HELVE_TRY(sink_.solution(terms_));
  return account();
}

Result<void> SolutionRow::account() {
  HELVE_TRY(check_.add(row_bytes_, 1 + terms_.size() / 16));
  // The buffers of large texts are not held on to.
  if (row_bytes_ > kMiB) {
    for (const std::size_t column : bound_) texts_[column] = {};
    row_charge_.reset();
  }
  clear();
  return {};
}

Result<void> SolutionRow::keep() {
  auto& row = kept_.emplace_back();
  row.reserve(bound_.size());
  for (const std::size_t column : bound_) row.emplace_back(column, rdf::Term(*terms_[column]));
  HELVE_TRY(kept_charge_.add(kBytesPerRow + row_bytes_ + bound_.size() * kBytesPerTerm));
  return account();
}

Result<void> SolutionRow::set_columns(const std::vector<std::string>& names) {
  const std::vector<std::string> old_names = std::move(names_);
  names_.clear();
  columns_.clear();
  texts_.clear();
  terms_.clear();
  for (const std::string& name : names) HELVE_TRY(add_column(name));
  std::vector<std::size_t> places;
  for (const std::string& name : old_names) {
    const auto column = find_column(name);
    if (!column) return undeclared(name);
    places.push_back(*column);
  }
  for (auto& row : kept_) {
    for (auto& [column, term] : row) column = places[column];
  }
  next_column_ = 0;
  return {};
}

Result<void> SolutionRow::send_kept() {
  for (auto& row : kept_) {
    for (const auto& [column, term] : row) HELVE_TRY(bind(column, term.view()));
    HELVE_TRY(send());
    row = {};
  }
  kept_ = {};
  kept_charge_.reset();
  return {};
}

void SolutionRow::clear() {
  for (const std::size_t column : bound_) terms_[column].reset();
  bound_.clear();
  held_ = 0;
  next_column_ = 0;
  row_bytes_ = 0;
}

}  // namespace helve::sparql
