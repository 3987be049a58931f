#include "sources/rdf/statement_check.h"

#include <fmt/core.h>

#include "base/iri.h"
#include "sources/rdf/characters.h"

namespace helve::rdf {

namespace {

// A term short enough for an error message.
std::string shown(const TermView& term) {
  constexpr std::size_t kShownBytes = 200;
  std::string text = to_ntriples(term);
  if (text.size() > kShownBytes) {
    // Back to the start of a character.
    std::size_t end = kShownBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    text += "...";
  }
  return text;
}

Error bad_kind(std::string_view position, std::string_view expected, const TermView& term) {
  return Error{ErrorCode::InvalidInput, fmt::format("the {} of a statement must be {}, not {}",
                                                    position, expected, shown(term))};
}

Result<void> check_iri(std::string_view iri) {
  if (!has_iri_scheme(iri)) [[unlikely]] {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("cannot write the relative IRI {}", shown(TermView::iri(iri))),
                 "resolve it against a base IRI first"};
  }
  if (find_bad_iri_character(iri)) [[unlikely]] {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("cannot write {}: an IRI holds no spaces, control characters nor any "
                             "of <>\"{{}}|^`\\",
                             shown(TermView::iri(iri))),
                 "percent-encode these characters in the data"};
  }
  return {};
}

Result<void> check_literal(const TermView& literal) {
  if (!literal.language.empty()) {
    if (is_language_tag(literal.language)) [[likely]]
      return {};
    return Error{ErrorCode::InvalidInput,
                 fmt::format("cannot write {}: its language tag is not of the form en or en-GB",
                             shown(literal)),
                 "correct the tag in the data"};
  }
  return literal.datatype.empty() ? Result<void>() : check_iri(literal.datatype);
}

}  // namespace

bool is_language_tag(std::string_view tag) {
  bool at_part_start = true;
  bool in_first_part = true;
  for (const char c : tag) {
    if (c == '-') {
      if (at_part_start) return false;
      at_part_start = true;
      in_first_part = false;
      continue;
    }
    const auto character = static_cast<unsigned char>(c);
    if (!is_letter(character) && (in_first_part || !is_digit(character))) return false;
    at_part_start = false;
  }
  return !at_part_start;
}

Result<void> check_writable(const StatementView& statement) {
  const auto& [subject, predicate, object, graph] = statement;
  if (subject.is_literal()) return bad_kind("subject", "an IRI or a blank node", subject);
  if (!predicate.is_iri()) return bad_kind("predicate", "an IRI", predicate);
  if (graph.is_literal()) return bad_kind("graph", "an IRI or a blank node", graph);
  if (subject.is_iri()) HELVE_TRY(check_iri(subject.value));
  HELVE_TRY(check_iri(predicate.value));
  if (object.is_iri()) HELVE_TRY(check_iri(object.value));
  if (object.is_literal()) HELVE_TRY(check_literal(object));
  if (graph.is_iri() && !graph.value.empty()) HELVE_TRY(check_iri(graph.value));
  return {};
}

Result<void> check_in_default_graph(const StatementView& statement, std::string_view syntax) {
  if (statement.in_default_graph()) [[likely]]
    return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} has no named graphs, but a statement is in graph {}", syntax,
                           shown(statement.graph)),
               "write N-Quads or TriG, or only the default graph"};
}

}  // namespace helve::rdf
