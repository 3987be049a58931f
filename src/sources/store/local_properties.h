// What kind of values a property has, and of what classes its subjects and objects are: as the
// graph declares it, or else as it is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/graph_source.h"
#include "sources/store/local_declarations.h"
#include "sources/store/schema_rows.h"

namespace helve::store {

// Statements of each property that are looked at where it does not declare its classes: fewer where
// there are many properties.
std::size_t samples_of_each(std::size_t properties);

// Whether a predicate declares the domain or the range of properties.
bool declares_ends(std::string_view predicate);

// As it is declared, or else as its objects are.
PropertyKind property_kind(const SchemaRows& rows, Id property, const Declaration& declared);

// Reads the classes of both ends. Thread-safe; the rows must outlive it.
class EndsReader {
 public:
  EndsReader(const SchemaRows& rows, std::size_t samples);

  struct Ends {
    std::vector<std::string> domains;
    std::vector<std::string> ranges;
  };
  Ends read(Id property) const;

 private:
  std::vector<std::string> declared_ends(Id property, const std::vector<Id>& predicates) const;
  std::vector<std::string> observed_ends(const std::vector<SchemaRows::Ends>& samples,
                                         Id SchemaRows::Ends::*end) const;
  void add_types(Id term, std::vector<Id>& types) const;
  std::string iri_of(Id id) const;

  const SchemaRows* rows_;
  std::size_t samples_;
  Id type_;
  std::vector<Id> domain_predicates_;
  std::vector<Id> range_predicates_;
  std::vector<Id> general_classes_;  // that everything has
};

}  // namespace helve::store
