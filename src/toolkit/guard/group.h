// Group: the parts of a group pattern that are joined, taken apart for the estimate of work
// (workload.h): plain steps from subject to object, paths of any length, rows that come from
// elsewhere, alternatives, OPTIONALs and conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "toolkit/guard/condition.h"
#include "toolkit/guard/sizes.h"

namespace helve::toolkit {

struct Group;

// An end of a step: empty for a constant.
struct StepEnd {
  std::string variable;
  bool is_constant() const { return variable.empty(); }
};

// Where a part was written, so that it can be shown and written otherwise.
struct Place {
  sparql::Pattern* pattern = nullptr;  // a basic graph pattern: the triple stands in it
  std::size_t triple = 0;
  sparql::Select* select = nullptr;  // or a sub-query

  bool is_known() const { return pattern != nullptr || select != nullptr; }
};

enum class SizeFrom : std::uint8_t { Profile, Probe, Guess };

struct Element {
  enum class Kind : std::uint8_t {
    Step,     // one triple
    Closure,  // a path that may be any number of steps long
    Rows,     // VALUES, a sub-query that stands for itself, an endpoint
    Bind,     // a variable computed of others
    Union,
  };
  enum class Predicate : std::uint8_t { Known, Variable, Any };

  Kind kind = Kind::Step;
  Place place;
  // Step, Closure.
  StepEnd subject;
  StepEnd object;
  Predicate predicate = Predicate::Known;
  std::string predicate_variable;
  double known_rows = 0;             // with a known predicate: all its triples
  std::string property;              // the predicate, where it is one IRI
  const rdf::Term* value = nullptr;  // the constant object of a plain triple with a property
  std::optional<double> value_rows;  // triples with that value, where they were counted
  SizeFrom from = SizeFrom::Guess;   // of the rows that it has by itself
  std::string class_iri;             // of rdf:type with a constant
  bool is_type = false;              // rdf:type
  bool may_be_empty = false;         // Closure: of no step at all
  std::optional<Sizes> sizes;        // of the graph it is asked of
  // Rows, Bind (the inputs in `needs`), Union.
  std::set<std::string> variables;
  std::set<std::string> needs;
  bool has_few_values = false;
  bool reads_text = false;  // Bind
  double rows = 1;
  std::vector<Group> branches;
};

struct Condition {
  std::set<std::string> variables;
  bool is_text_search = false;
  bool reads_text = false;    // it may let many pass
  bool is_selective = false;  // few rows pass, so that a LIMIT is not reached soon
  std::optional<TextSearch> search;
  sparql::Pattern* filter = nullptr;  // the Filter it stands in; null: elsewhere
  const sparql::Expression* expression = nullptr;
};

struct Group {
  std::vector<Element> elements;
  std::vector<Condition> conditions;
  std::vector<Tie> ties;
  std::set<std::string> texts;  // variables computed of the texts of others
  std::unordered_map<std::string, std::vector<rdf::Term>> values;  // variables with known ones
  std::vector<Group> optionals;
  std::vector<Group> exists;  // patterns of EXISTS
  std::set<std::string> few;  // variables of few values: predicates, classes, graphs
  // What it takes to start with it: the rows of its smallest element.
  double rows_min = 1;
};

// The rows of an element by itself, without what the others bind.
double rows_alone(const Element& element);

}  // namespace helve::toolkit
