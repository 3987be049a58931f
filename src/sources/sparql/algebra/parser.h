// Text to algebra. https://www.w3.org/TR/sparql11-query/#grammar
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/algebra/update.h"

namespace helve::sparql {

struct ParseOptions {
  std::string base_iri;             // empty: relative IRIs are errors unless the text has BASE
  std::string text_name = "query";  // for errors
  Version version = Version::Sparql11;
  // Used for prefixes that the text does not declare, before the well-known ones (well_known.h).
  std::vector<std::pair<std::string, std::string>> known_prefixes;
  // True: every prefix must be declared, as the specification says.
  bool is_strict = false;
  // True, unless strict: more known prefixes will come, so that one that is not known yet is no
  // error; its IRI is made up. For checking a text before data that has prefixes is read.
  bool awaits_prefixes = false;
  Limits limits;
};

// Something the reader should know of a query that is nevertheless good.
struct ParseNote {
  enum class Kind : std::uint8_t { Other, UndeclaredPrefix };
  Kind kind = Kind::Other;
  std::string text;
  SourceSpan span;
};

struct ParsedQuery {
  Query query;  // its prefixes include the undeclared ones that were used
  std::vector<ParseNote> notes;
};

struct ParsedUpdate {
  Update update;
  std::vector<ParseNote> notes;
};

// Spans are bytes of the text as it was given, a byte order mark included. The span of a pattern is
// what was written for it alone: OPTIONAL { ... }, BIND(...), { ... } UNION { ... }, the triples
// from the first to the last; not the patterns to its left. A Filter's is the group it stands in;
// its expressions have their own.
//
// Errors: InvalidInput with position, what was met, what was expected and a hint; LimitExceeded
// beyond Limits::query_*. The whole text must be one query: an update is an error that says so.
// Everything that the specification says of a good query is checked: scopes of variables and blank
// nodes, grouping, arities.
Result<ParsedQuery> parse_query(std::string_view text, const ParseOptions& options = {});
Result<ParsedUpdate> parse_update(std::string_view text, const ParseOptions& options = {});

}  // namespace helve::sparql
