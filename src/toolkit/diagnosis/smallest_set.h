// The smallest set of parts that together match nothing: single parts, then pairs that share a
// variable, then what remains when everything that can go has gone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "toolkit/diagnosis/group_parts.h"
#include "toolkit/diagnosis/probes.h"

namespace helve::toolkit {

// Asks about sets of the parts of one group, each set once. The parts, the scope and the probes
// must outlive it.
class GroupProbes {
 public:
  GroupProbes(const std::vector<Part>& parts, const Scope& scope, Probes& probes)
      : parts_(parts), scope_(scope), probes_(probes) {}

  // Parts without a common variable are asked about apart: no product is ever made.
  std::optional<bool> has_rows(const PartSet& chosen);

  // Those that match nothing alone, at most so many.
  std::vector<std::size_t> empty_alone(const PartSet& chosen, std::size_t parts_max);
  // REQUIRES: `chosen` matches nothing. No part of the set can be left out; of some pairs at least
  // one is found if there is one and the group is not huge. nullopt: the probes did not suffice.
  std::optional<PartSet> smallest_empty(const PartSet& chosen);

  const std::vector<Part>& parts() const { return parts_; }
  const Scope& scope() const { return scope_; }
  Probes& probes() { return probes_; }

 private:
  std::optional<bool> ask(const PartSet& chosen);
  std::optional<PartSet> empty_pair(const PartSet& chosen);
  std::optional<PartSet> cut_down(PartSet chosen);

  const std::vector<Part>& parts_;
  const Scope& scope_;
  Probes& probes_;
  std::map<PartSet, bool> seen_;
  std::map<std::string, bool> shapes_;  // of single triples, whatever their variables are called
};

}  // namespace helve::toolkit
