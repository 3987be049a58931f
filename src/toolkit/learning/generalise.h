// A query as a pattern: its classes and properties by name, slots where its constants stood. What
// is learnt of one question can then help another one, and gives nothing of the first one away.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"

namespace helve::learning {

enum class QueryLanguage : std::uint8_t { Sparql, Sql };
std::string_view name_of(QueryLanguage language);  // "sparql"

enum class SlotKind : std::uint8_t {
  Entity,  // an IRI
  Text,
  Number,
  Value,  // another literal: a date, a measure
  Given,  // values that were handed over: VALUES, parameters, columns of handles
};
std::string_view name_of(SlotKind kind);  // "an entity"

struct Slot {
  std::string mark;  // as it stands in the pattern: ?slot1, "SLOT1" in expressions, :slot1 in SQL
  SlotKind kind = SlotKind::Value;
  std::vector<std::string> constants;  // that stood there: for checks, never for an item
};

// A class or property; a table or column.
struct SchemaName {
  std::string name;   // the IRI
  std::string shown;  // up:Protein

  friend bool operator==(const SchemaName&, const SchemaName&) = default;
};

struct QueryPattern {
  QueryLanguage language = QueryLanguage::Sparql;
  std::string text;   // SPARQL that can be parsed; SQL with named parameters
  std::string words;  // "joins three patterns over up:Protein by up:organism; filters by text"
  bool is_counting = false;
  std::vector<SchemaName> classes;     // in order of appearance, each once
  std::vector<SchemaName> properties;  // likewise, without rdf:type
  std::vector<Slot> slots;
  std::vector<std::string> names;  // of the source, and of prefixes, that stay in the text
};

struct GeneraliseOptions {
  PrefixList prefixes;               // of the source; well-known ones come first
  std::vector<std::string> numbers;  // of the task: a LIMIT of such a number is a slot too
  Limits limits;
};

// Kept are: predicates, objects of rdf:type, classes and properties where RDFS and OWL speak of
// them (but for accessions, as GO_0005634), graphs, services, datatypes, functions, language tags,
// truths and LIMIT. Variables are named after their class or property. Equal structure gives equal
// text, whatever the names of variables and prefixes were. Errors: those of the parser.
Result<QueryPattern> generalise_sparql(std::string_view query, const GeneraliseOptions& options);
// By its words alone. Comments go; keywords are in capitals.
Result<QueryPattern> generalise_sql(std::string_view sql, SqlDialect dialect,
                                    const GeneraliseOptions& options);

// Numbers of sentences of ours: "three"; "many" beyond twelve. Digits could be taken for those of a
// task.
std::string_view number_word(std::size_t number);

}  // namespace helve::learning
