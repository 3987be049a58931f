// The commonest tools as functions with values. Each makes the same call as Tools::call() by name
// (policy, events, audit and leakage included), but gives terms whole, not cut to some characters.
// Answers own all they hold. Thread-safe, as Tools is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "helve/error.h"
#include "helve/export.h"
#include "helve/tools.h"

namespace helve::api {

enum class TermKind : std::uint8_t { Iri, BlankNode, Literal };

// An RDF term. A literal has a language, or a datatype, or neither: then it is a plain string.
struct HELVE_API Term {
  TermKind kind = TermKind::Iri;
  std::string value;  // without <> or quotation marks
  std::string datatype;
  std::string language;

  std::string to_string() const;  // in the notation of N-Triples

  friend bool operator==(const Term&, const Term&) = default;
};

using Cell = std::optional<Term>;  // nullopt: unbound
using Row = std::vector<Cell>;

// What every answer has.
struct Answer {
  std::string source;
  std::vector<std::string> warnings;
  double ms = 0;
};

// Why a query found nothing.
struct Diagnosis {
  std::string cause;  // "unknown_iri", "reversed", ...
  std::string says;
  std::vector<std::string> parts;
  std::vector<std::string> candidates;
  std::string suggestion;  // a changed query that gives rows; may be empty
};

// Stored rows and the first of them.
struct QueryAnswer : Answer {
  std::string handle;  // holds all stored rows; empty for ASK
  std::vector<std::string> columns;
  std::vector<Row> rows;          // the first `limit`; of CONSTRUCT and DESCRIBE, triples
  std::uint64_t rows_stored = 0;  // behind the handle
  std::optional<std::uint64_t> total_available;
  std::string total_is;         // exact, at_least, estimate
  bool truncated = false;       // there are more rows than `rows`
  bool is_complete = true;      // false: not all rows were found or stored; the warnings say why
  std::optional<bool> boolean;  // of ASK
  std::optional<Diagnosis> diagnosis;
};

struct QueryOptions {
  std::uint64_t limit = 100;  // of `rows`; at most 10,000 and Policy::max_rows
  std::optional<std::chrono::nanoseconds> timeout;  // 30 s
  bool validate = true;                             // refuse what cannot end in time
  bool diagnose = true;                             // find out why there are no rows
  std::string source;                               // of several; empty: the first
  CancelToken cancel;
};

// sparql_query: SELECT, ASK, CONSTRUCT, DESCRIBE.
HELVE_API Result<QueryAnswer> query(const Tools& tools, std::string_view sparql,
                                    const QueryOptions& options = {});
// result_sql: SQL over stored rows. `options`: limit, timeout and cancel count.
HELVE_API Result<QueryAnswer> result_sql(const Tools& tools, std::string_view sql,
                                         const QueryOptions& options = {});

struct Page : Answer {
  std::string handle;
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::uint64_t offset = 0;
  std::uint64_t rows_stored = 0;
  std::optional<std::uint64_t> next_offset;  // nullopt: these were the last
};

// sparql_slice: rows of a handle; at most 1,000 and Policy::max_rows of them.
HELVE_API Result<Page> slice(const Tools& tools, std::string_view handle, std::uint64_t offset = 0,
                             std::uint64_t limit = 100,
                             const std::vector<std::string>& columns = {},
                             const CallOptions& options = {});

// A whole number of any length, in digits.
struct WholeNumber {
  std::string digits;

  friend bool operator==(const WholeNumber&, const WholeNumber&) = default;
};

// A cell as programs know values: an IRI or a literal is its text, a blank node "_:label"; whole
// numbers and booleans of XSD are such, other numbers the nearest double (INF and NaN too). Nothing
// of RDF is left.
using PlainCell =
    std::variant<std::monostate, bool, std::int64_t, double, WholeNumber, std::string>;

struct PlainPage : Answer {
  std::string handle;
  std::vector<std::string> columns;
  std::vector<PlainCell> cells;  // row after row
  std::uint64_t offset = 0;
  std::uint64_t rows = 0;
  std::uint64_t rows_stored = 0;
  std::optional<std::uint64_t> next_offset;  // nullopt: these were the last
};

// slice() without terms: less is made for each cell.
HELVE_API Result<PlainPage> plain_slice(const Tools& tools, std::string_view handle,
                                        std::uint64_t offset = 0, std::uint64_t limit = 100,
                                        const std::vector<std::string>& columns = {},
                                        const CallOptions& options = {});

struct CountAnswer : Answer {
  std::optional<std::uint64_t> count;
  std::string count_is;  // exact, at_least, estimate
};

struct AskOptions {
  std::string source;  // of several; empty: the first
  std::optional<std::chrono::nanoseconds> timeout;
  CancelToken cancel;
};

// sparql_count: the rows of a query, or the instances of a class.
HELVE_API Result<CountAnswer> count(const Tools& tools, std::string_view query_or_class,
                                    const AskOptions& options = {});

struct FoundName {
  std::string iri;
  std::string label;  // may be empty
  std::string kind;   // class, property, instance
  std::uint64_t count = 0;
};

struct FindAnswer : Answer {
  std::vector<FoundName> hits;  // best first
  bool truncated = false;
};

// sparql_find: classes, properties and instances by words. `kind`: any, class, property, instance.
HELVE_API Result<FindAnswer> find(const Tools& tools, std::string_view words,
                                  std::string_view kind = "any", std::uint64_t limit = 20,
                                  const AskOptions& options = {});

struct ClassEntry {
  std::string iri;
  std::string label;  // may be empty
  std::uint64_t instances = 0;
  std::vector<std::string> common_properties;
};

struct PropertyEntry {
  std::string iri;
  std::string kind;    // object, datatype, ...
  std::string domain;  // may be empty, as the range
  std::string range;
  std::uint64_t triples = 0;
};

struct NamespaceEntry {
  std::string prefix;  // may be empty
  std::string iri;
  std::uint64_t terms = 0;
};

struct PatternEntry {
  std::string name;
  std::string description;
  std::string query_template;
  std::string example;
};

// What the mode asks for is filled; the rest is empty.
struct SchemaAnswer : Answer {
  std::uint64_t triples = 0;  // overview, as the next two
  std::uint64_t class_count = 0;
  std::uint64_t property_count = 0;
  std::vector<ClassEntry> classes;  // of overview: the largest
  std::vector<PropertyEntry> properties;
  std::vector<NamespaceEntry> namespaces;
  std::vector<std::pair<std::string, std::uint64_t>> graphs;  // and statements
  std::vector<PatternEntry> patterns;
  bool truncated = false;
};

// sparql_schema. `mode`: overview, classes, properties, patterns; `filter`: a prefix, a namespace
// or a part of a name.
HELVE_API Result<SchemaAnswer> schema(const Tools& tools, std::string_view mode = "overview",
                                      std::string_view filter = {}, std::uint64_t limit = 50,
                                      const AskOptions& options = {});

struct PropertyUse {
  std::string iri;
  std::uint64_t count = 0;
  std::vector<Term> values;  // some
};

struct DescribeAnswer : Answer {
  std::string resource;
  std::string label;  // may be empty
  std::vector<std::string> types;
  std::vector<std::pair<std::string, Term>> triples;  // mode triples: property and value
  std::vector<PropertyUse> properties;                // modes summary and grouped
  std::vector<PropertyUse> incoming;                  // what points at it
  std::uint64_t total_triples = 0;
  bool truncated = false;
};

// sparql_describe. `resource`: an IRI, a prefixed name or a label. `direction`: both, outgoing,
// incoming; `mode`: triples, summary, grouped.
HELVE_API Result<DescribeAnswer> describe(const Tools& tools, std::string_view resource,
                                          std::string_view direction = "both",
                                          std::string_view mode = "triples",
                                          std::uint64_t limit = 20, const AskOptions& options = {});

struct Instance {
  Term term;
  std::vector<std::pair<std::string, Term>> properties;  // name as replies show it, a value
};

struct PeekProperty {
  std::string iri;
  std::string type;
  bool is_required = false;
  std::uint64_t count = 0;
};

struct PeekAnswer : Answer {
  std::string resource;
  std::string type;         // class, property, instance, or the type of a handle
  std::uint64_t count = 0;  // instances of a class, triples of a property or an instance
  std::vector<Instance> instances;
  std::vector<std::string> common_properties;
  std::vector<PeekProperty> properties;   // mode schema; of an instance without `type`
  std::vector<std::string> superclasses;  // mode schema
  std::vector<std::string> columns;       // of `rows`
  std::vector<Row> rows;                  // of a handle or a property: the first
  bool truncated = false;
};

// sparql_peek: a first look at a class, a property, an instance, or a handle. `mode`: sample,
// schema, count.
HELVE_API Result<PeekAnswer> peek(const Tools& tools, std::string_view resource,
                                  std::string_view mode = "sample", std::uint64_t limit = 5,
                                  const AskOptions& options = {});

}  // namespace helve::api
