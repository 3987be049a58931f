// Property paths. https://www.w3.org/TR/sparql11-query/#propertypaths
#include <fmt/core.h>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

Path joined(Path::Kind kind, std::vector<Path> parts, SourceSpan span) {
  if (parts.size() == 1) return std::move(parts.front());
  Path path;
  path.kind = kind;
  path.parts = std::move(parts);
  path.span = span;
  return path;
}

Path around(Path::Kind kind, Path inner, SourceSpan span) {
  Path path;
  path.kind = kind;
  path.parts.push_back(std::move(inner));
  path.span = span;
  return path;
}

}  // namespace

// PathAlternative
Path Parser::path() {
  const std::uint32_t begin = token_.span.begin;
  std::vector<Path> parts;
  parts.push_back(path_sequence());
  while (take_if(TokenKind::Pipe)) parts.push_back(path_sequence());
  if (at(TokenKind::PipePipe)) {
    fail_here("'||' joins conditions; alternatives of a path take a single '|'", "write ex:a|ex:b");
  }
  return joined(Path::Kind::Alternative, std::move(parts), span_from(begin));
}

Path Parser::path_sequence() {
  const std::uint32_t begin = token_.span.begin;
  std::vector<Path> parts;
  parts.push_back(path_elt_or_inverse());
  while (take_if(TokenKind::Slash)) parts.push_back(path_elt_or_inverse());
  return joined(Path::Kind::Sequence, std::move(parts), span_from(begin));
}

Path Parser::path_elt_or_inverse() {
  const std::uint32_t begin = token_.span.begin;
  if (!take_if(TokenKind::Caret)) return path_elt();
  Path inner = path_elt();
  return around(Path::Kind::Inverse, std::move(inner), span_from(begin));
}

Path Parser::path_elt() {
  const std::uint32_t begin = token_.span.begin;
  Path primary = path_primary();
  const auto modifier = [this]() -> std::optional<Path::Kind> {
    if (at(TokenKind::Star)) return Path::Kind::ZeroOrMore;
    if (at(TokenKind::Question)) return Path::Kind::ZeroOrOne;
    // "+5" is a number, and so an object.
    if (at(TokenKind::Plus) && !at_signed_number()) return Path::Kind::OneOrMore;
    return std::nullopt;
  };
  const auto kind = modifier();
  if (!kind) {
    if (at(TokenKind::LeftBrace)) {
      fail_here("counts in braces are no part of SPARQL's paths",
                "write the steps out: ex:p/ex:p for two, ex:p/ex:p? for one or two");
    }
    return primary;
  }
  take();
  if (modifier()) {
    fail_here("only one of '*', '+' and '?' may follow a path",
              "put the first in parentheses: (ex:p+)?");
  }
  return around(*kind, std::move(primary), span_from(begin));
}

Path Parser::iri_path() {
  if (!rules_.is_data) count_parts();
  const std::uint32_t begin = token_.span.begin;
  Path path;
  if (at(TokenKind::Word) && token_.text == "a") {
    take();
    path.iri = rdf::kRdfType;
  } else {
    path.iri = iri("a predicate");
  }
  path.span = span_from(begin);
  return path;
}

Path Parser::path_primary() {
  if (at_iri() || (at(TokenKind::Word) && token_.text == "a")) return iri_path();
  if (take_if(TokenKind::Bang)) return path_negated_property_set();
  if (at(TokenKind::LeftParenthesis)) {
    const Nested nested(*this);
    take();
    Path inner = path();
    expect(TokenKind::RightParenthesis, "')' or another step of the path");
    return inner;
  }
  if (at(TokenKind::Variable)) {
    fail_here(
        fmt::format("the variable {} cannot be part of a property path", excerpt(token_.span)),
        "paths are made of IRIs; use a variable alone as the predicate");
  } else {
    fail_in_verb();
  }
  return {};
}

Path Parser::path_negated_property_set() {
  const std::uint32_t begin = last_.span.begin;
  Path set;
  set.kind = Path::Kind::NegatedSet;
  if (!take_if(TokenKind::LeftParenthesis)) {
    set.parts.push_back(path_one_in_property_set());
  } else if (!at(TokenKind::RightParenthesis)) {
    do {
      set.parts.push_back(path_one_in_property_set());
    } while (take_if(TokenKind::Pipe));
    expect(TokenKind::RightParenthesis, "')' or '|' and another predicate",
           "a negated set holds only IRIs and their inverses: !(ex:a|^ex:b)");
  } else {
    take();
  }
  set.span = span_from(begin);
  return set;
}

Path Parser::path_one_in_property_set() {
  const std::uint32_t begin = token_.span.begin;
  if (!take_if(TokenKind::Caret)) return iri_path();
  Path inner = iri_path();
  return around(Path::Kind::Inverse, std::move(inner), span_from(begin));
}

}  // namespace helve::sparql
