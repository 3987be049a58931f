// Sizes: how many triples patterns match at least, by what a profile knows. What it does not know
// counts as small, so that nothing is refused on a guess.
#pragma once

#include <string>
#include <vector>

#include "toolkit/guard/profile.h"

namespace helve::toolkit {

class Sizes {
 public:
  explicit Sizes(const GraphProfile& profile);

  // The same, no larger than the graphs together.
  Sizes within(const std::vector<std::string>& graphs) const;

  double triples() const { return triples_; }
  double nodes() const;  // subjects and objects
  double degree() const;
  double incoming() const;    // triples of a subject
  double properties() const;  // how many there are; at least 1
  double property(const std::string& iri) const;
  double instances(const std::string& class_iri) const;

  const GraphProfile& profile() const { return *profile_; }

 private:
  double unknown() const;

  const GraphProfile* profile_;
  double triples_;
};

}  // namespace helve::toolkit
