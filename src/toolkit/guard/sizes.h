// Sizes: how many triples patterns match at least, by what a profile knows. What it does not know
// counts as small, so that nothing is refused on a guess.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "toolkit/guard/profile.h"

namespace helve::toolkit {

class Sizes {
 public:
  explicit Sizes(const GraphProfile& profile);

  // The same, no larger than the graphs together.
  Sizes within(const std::vector<std::string>& graphs) const;

  // Of GRAPH <iri>; of GRAPH ?g where it is empty.
  Sizes in_graph(const std::string& iri) const;
  // Empty for any graph; nullopt: the default graph.
  const std::optional<std::string>& graph() const { return graph_; }

  double triples() const { return triples_; }
  double nodes() const;  // subjects and objects
  double degree() const;
  double incoming() const;    // triples of a subject
  double properties() const;  // how many there are; at least 1
  double property(const std::string& iri) const;
  double instances(const std::string& class_iri) const;

  // Where a probe of ?s <property> ?o, or of a certain object, is kept in GraphProfile::found.
  std::string key_of(const std::string& property, const rdf::Term* object) const;
  const FoundSize* found(const std::string& property, const rdf::Term* object) const;

  const GraphProfile& profile() const { return *profile_; }

 private:
  double unknown() const;

  const GraphProfile* profile_;
  double triples_;
  std::optional<std::string> graph_;
};

}  // namespace helve::toolkit
