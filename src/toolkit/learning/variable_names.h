// Names for the variables of a pattern: after the class or the property that they stand by, so that
// equal patterns are equal texts and nothing of the question is in them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/query.h"

namespace helve::learning {

// The part of an IRI behind its last '#', '/' or ':'.
std::string_view local_name(std::string_view iri);

class VariableNames {
 public:
  explicit VariableNames(const sparql::Query& query);

  // The new name. The same for the same variable, and for no other.
  const std::string& of(const std::string& variable);
  // From now on it has this one. REQUIRES: of() was not asked for it.
  void set(const std::string& variable, std::string name);

  // By where it stands in some triple.
  bool is_class(const std::string& variable) const { return classes_.contains(variable); }
  bool is_property(const std::string& variable) const { return properties_.contains(variable); }

 private:
  void look_at(const sparql::TriplePattern& triple);

  std::set<std::string> classes_;
  std::set<std::string> properties_;
  std::map<std::string, std::string> types_;     // the class it is an instance of
  std::map<std::string, std::string> links_to_;  // the property whose value it is
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace helve::learning
