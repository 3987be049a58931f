// Conditions: what a FILTER means for the work of a query: whether it names values, ties variables
// together, or must look into the text of everything that comes by.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

// ?x = value, ?x IN (values), or several of those with ||.
struct NamedValues {
  std::string variable;
  std::vector<rdf::Term> values;
};
std::optional<NamedValues> named_values(const sparql::Expression& condition);

// An equation between two sides that have variables: one side gives the other.
struct Tie {
  std::set<std::string> first;
  std::set<std::string> second;
  bool is_computed = false;  // of some side: no index has it, so that the other side is read whole
};
std::optional<Tie> tie_of(const sparql::Expression& condition);

// It looks into texts (CONTAINS, REGEX, LCASE(?x) = ...) and lets few of them pass.
bool is_text_search(const sparql::Expression& condition);

// It looks into the text of something that is not known before, whatever it lets pass.
bool reads_text(const sparql::Expression& expression);

// Few rows pass: it is a text search, or wants one certain value of something computed.
bool is_selective(const sparql::Expression& condition);

// Whatever it is computed of, it has few values: a datatype, a language, true or false.
bool has_few_values(const sparql::Expression& expression);

// CONTAINS, STRSTARTS, STRENDS or a REGEX without special characters on the text of a variable: the
// variable and the text that is looked for.
struct TextSearch {
  std::string variable;
  std::string text;
};
std::optional<TextSearch> text_search(const sparql::Expression& condition);

}  // namespace helve::toolkit
