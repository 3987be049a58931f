// Terms in Turtle syntax: which forms the grammar allows, and the shortest of them.
// https://www.w3.org/TR/turtle/#sec-grammar-grammar
#pragma once

#include <string>
#include <string_view>

#include "sources/rdf/prefix_map.h"
#include "sources/rdf/term.h"

namespace helve::rdf {

// PN_PREFIX or nothing: what may stand before the colon.
bool is_pn_prefix(std::string_view name);

// PN_LOCAL without backslashes, or nothing. A name that would need some is better read as a whole
// IRI.
bool is_plain_local_name(std::string_view name);

// The smallest n such that iri.substr(n) could be a plain local name.
std::size_t local_name_begin(std::string_view iri);

// May be written as its bare lexical form: 1, 1.0, 1e0 or true.
bool is_bare_literal(const TermView& literal);

// Appends an IRI as a prefixed name where `prefixes` has one.
void append_turtle_iri(std::string& out, std::string_view iri, const PrefixMap& prefixes);

// Appends any term. Strings with line breaks take the long form.
void append_turtle(std::string& out, const TermView& term, const PrefixMap& prefixes);

}  // namespace helve::rdf
