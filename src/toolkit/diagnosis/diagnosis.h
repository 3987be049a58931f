// Diagnosis: why a query found nothing, by running bounded probes and not by guessing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

// UnknownIri, Reversed, Literal... and WrongGraph claim that the query is mistaken; but for unknown
// IRIs only where a probe saw the mended form match. The others claim nothing of the kind:
//   NoMatch     one pattern by itself; its terms are known, but nothing of their kind stands there
//   EmptyJoin   two patterns about kinds (no entity, no literal): these kinds never meet
//   TrulyEmpty  the question is good and has no answer: an entity without a property that others of
//               its kind have, a value no one has, entities or values that do not come together, or
//               three and more patterns of which any fewer do match
// A direction is Reversed only where things of that kind (by rdf:type) never stand there and the
// exchanged triple matches; entities that merely lack the property are TrulyEmpty.
enum class EmptyCause : std::uint8_t {
  UnknownIri,        // no statement has it
  NoMatch,           // a pattern that matches nothing by itself
  Reversed,          // it matches with subject and object exchanged
  LiteralDatatype,   // the literal exists with another datatype, as an IRI, or a filter needs STR()
  LiteralLanguage,   // ... with another language tag, or with one, or without
  LiteralCase,       // ... in other letters
  LiteralSpace,      // ... with other white space
  WrongGraph,        // it matches as soon as GRAPH and FROM are left out
  FilterRemovesAll,  // rows are there; FILTER, MINUS, HAVING, OFFSET or LIMIT 0 removes every one
  EmptyJoin,         // each part matches, together they do not
  TrulyEmpty,        // every part matches and no smaller part can be blamed
  Unknown,           // the probes ran out of time, or the query does give rows
};
std::string_view name_of(EmptyCause cause);  // "unknown_iri"

struct Diagnosis {
  EmptyCause cause = EmptyCause::Unknown;
  std::string says;                       // one or two sentences, with the numbers of the probes
  std::vector<std::string> parts;         // the smallest part that kills the answer, as SPARQL
  std::vector<sparql::SourceSpan> spans;  // and where it stands in the query
  std::vector<std::string> candidates;    // nearest known IRIs, literals that exist, graphs
  std::string suggestion;    // a changed query, as SPARQL, that was seen to give rows; may be empty
  std::uint64_t probes = 0;  // that were run
};

// REQUIRES: the query gave no rows (or COUNT = 0). Spans point into the text that it was parsed
// from. At most 200 probes, 20 of an endpoint, within three tenths of the time that is left (10 s
// at most); when that is spent the answer is what is known so far. Patterns that share no variable
// are asked about apart, so that no probe makes a product.
Diagnosis diagnose_empty(const sparql::Query& query, const GraphSource& source,
                         const OpContext& context);

// Names of the query that the source does not know, with the nearest that it does.
struct UnknownName {
  std::string iri;
  sparql::SourceSpan span;
  NameKind kind = NameKind::Any;  // by where it stands: predicate, object of rdf:type, else
  std::vector<NameHit> nearest;   // by edit distance of the local name and by label
};
// Of an endpoint only what its schema does not list is asked for, and at most five names.
std::vector<UnknownName> unknown_names(const sparql::Query& query, const GraphSource& source,
                                       const OpContext& context);
// Whether a row of the query shows that all of its names are known.
bool needs_all_names(const sparql::Query& query);
// The nearest known names to one IRI.
std::vector<NameHit> nearest_names(std::string_view iri, NameKind kind, const GraphSource& source,
                                   std::size_t hits_max, const OpContext& context);

}  // namespace helve::toolkit
