#include "agent/judge/answer_words.h"

#include "toolkit/learning/variable_names.h"

namespace helve::agent {

namespace {

constexpr std::size_t kCellsMax = 200;       // of one result, about
constexpr std::size_t kValueBytesMax = 200;  // of one value
constexpr std::size_t kPredicates = 1;       // the column of a graph

void add_term(const rdf::TermView& term, std::vector<std::string>& words) {
  if (term.is_blank() || term.value.empty() || term.value.size() > kValueBytesMax) return;
  if (term.is_literal() && term.datatype.ends_with("#boolean")) return;
  words.emplace_back(term.value);
  if (term.is_literal()) return;
  const std::string_view last = learning::local_name(term.value);
  if (!last.empty() && last != term.value) words.emplace_back(last);
}

}  // namespace

void add_answer_words(const JudgedResult& result, std::vector<std::string>& words) {
  const std::size_t columns = result.rows->columns().size();
  for (std::size_t column = 0; column < columns; ++column) {
    if (result.is_graph && column == kPredicates) continue;
    for (const rdf::TermView& term : result.rows->distinct(column, kCellsMax / columns + 1)) {
      add_term(term, words);
    }
  }
}

}  // namespace helve::agent
