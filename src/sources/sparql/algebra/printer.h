// Algebra back to text: SPARQL that parses to the same value, and the tree itself for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "sources/sparql/algebra/update.h"

namespace helve::sparql {

// parse_query(to_sparql(q)) == q, and the same for updates. Canonical: equal values give equal
// text. Indented by two spaces, IRIs shortened by the query's own prefixes.
std::string to_sparql(const Query& query);
std::string to_sparql(const Update& update);

using PrefixList = std::vector<std::pair<std::string, std::string>>;
// Parts, for messages and for sending to others; IRIs in full unless a prefix is given for them.
std::string to_sparql(const Pattern& pattern, const PrefixList& prefixes = {});  // without braces
std::string to_sparql(const TriplePattern& triple, const PrefixList& prefixes = {});  // no dot
std::string to_sparql(const Expression& expression, const PrefixList& prefixes = {});
std::string to_sparql(const Path& path, const PrefixList& prefixes = {});
std::string to_sparql(const TermPattern& term, const PrefixList& prefixes = {});

// The name of a variable in such a text, without '?'. Those that were added to a query have names
// that no text can have (".t"), and get others ("helve_t").
std::string printed_name(std::string_view variable);

// The algebra as an indented tree of (operator ...) lines.
std::string to_tree(const Query& query);
std::string to_tree(const Pattern& pattern, const PrefixList& prefixes = {});

}  // namespace helve::sparql
