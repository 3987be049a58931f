#include "toolkit/guard/sizes.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::toolkit {

namespace {

constexpr double kUsualDegree = 8;

double number(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

Sizes::Sizes(const GraphProfile& profile) : profile_(&profile), triples_(number(profile.triples)) {}

Sizes Sizes::within(const std::vector<std::string>& graphs) const {
  double sum = 0;
  for (const std::string& graph : graphs) {
    const auto found = profile_->graph_triples.find(graph);
    sum += found != profile_->graph_triples.end() ? number(found->second) : unknown();
  }
  Sizes sizes = *this;
  sizes.triples_ = std::min(triples_, sum);
  return sizes;
}

Sizes Sizes::in_graph(const std::string& iri) const {
  Sizes sizes = iri.empty() ? *this : within({iri});
  sizes.graph_ = iri;
  return sizes;
}

std::string Sizes::key_of(const std::string& property, const rdf::Term* object) const {
  return fmt::format("{} <{}> {}", graph_ ? "GRAPH <" + *graph_ + ">" : "", property,
                     object != nullptr ? rdf::to_ntriples(object->view()) : "?o");
}

const FoundSize* Sizes::found(const std::string& property, const rdf::Term* object) const {
  if (profile_->found.empty()) return nullptr;
  const auto found = profile_->found.find(key_of(property, object));
  return found != profile_->found.end() ? &found->second : nullptr;
}

double Sizes::nodes() const {
  const double known = number(std::max(profile_->subjects, profile_->objects));
  return std::min(known > 0 ? known : triples_ / kUsualDegree, triples_);
}

double Sizes::degree() const {
  if (profile_->subjects == 0) return kUsualDegree;
  return std::clamp(number(profile_->triples) / number(profile_->subjects), 1.0, 1'000.0);
}

double Sizes::incoming() const {
  if (profile_->objects == 0) return 1;
  return std::clamp(number(profile_->triples) / number(profile_->objects), 1.0, 1'000.0);
}

double Sizes::properties() const {
  constexpr double kUsual = 100;
  const double known = number(profile_->properties.size());
  return known > 0 ? known : kUsual;
}

double Sizes::property(const std::string& iri) const {
  const auto found = profile_->properties.find(iri);
  const bool is_known = found != profile_->properties.end();
  return std::min(is_known ? number(found->second.triples) : unknown(), triples_);
}

double Sizes::instances(const std::string& class_iri) const {
  const auto found = profile_->class_instances.find(class_iri);
  const bool is_known = found != profile_->class_instances.end();
  return std::min(is_known ? number(found->second) : unknown(), triples_);
}

double Sizes::unknown() const { return profile_->is_exact ? 0 : profile_->unknown_rows; }

}  // namespace helve::toolkit
