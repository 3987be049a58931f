#include "sources/rdf/rdfxml_namespaces.h"

#include <fmt/core.h>

#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

constexpr std::string_view kXmlnsNamespace = "http://www.w3.org/2000/xmlns/";
// For a namespace without a prefix in a document whose element is already written.
constexpr std::string_view kLocalPrefix = "ns";

// https://www.w3.org/TR/xml-names/#xmlReserved
bool is_reserved_prefix(std::string_view prefix) {
  return prefix.size() >= 3 && (prefix[0] | 0x20) == 'x' && (prefix[1] | 0x20) == 'm' &&
         (prefix[2] | 0x20) == 'l';
}

bool is_reserved_space(std::string_view space) {
  return space.empty() || space == kXmlNamespace || space == kXmlnsNamespace;
}

bool is_declarable(std::string_view space) {
  return !is_reserved_space(space) &&
         find_unwritable_xml_character(space) == std::string_view::npos;
}

}  // namespace

RdfXmlNamespaces::RdfXmlNamespaces() { prefer("rdf", kRdf); }

void RdfXmlNamespaces::prefer(std::string_view prefix, std::string_view space) {
  if (list_.size() >= kPreferredMax || prefix.size() + space.size() > kPreferredBytesMax) return;
  if (!prefix.empty() && (!is_nc_name(prefix) || is_reserved_prefix(prefix))) return;
  if (!is_declarable(space)) return;
  if (by_prefix_.contains(prefix) || by_space_.contains(space)) return;
  add(prefix, space);
}

void RdfXmlNamespaces::add(std::string_view prefix, std::string_view space) {
  by_prefix_.emplace(prefix, list_.size());
  by_space_.emplace(space, list_.size());
  list_.emplace_back(prefix, space);
}

void RdfXmlNamespaces::invent(std::string_view iri) {
  const std::size_t length = nc_name_suffix(iri);
  const std::string_view space = iri.substr(0, iri.size() - length);
  if (length == 0 || by_space_.contains(space) || !is_declarable(space)) return;
  std::string prefix;
  do {
    prefix = fmt::format("ns{}", ++invented_);
  } while (by_prefix_.contains(prefix));
  add(prefix, space);
}

Result<RdfXmlNamespaces::ElementName> RdfXmlNamespaces::name_of(std::string_view iri) const {
  const std::size_t length = nc_name_suffix(iri);
  const std::string_view space = iri.substr(0, iri.size() - length);
  if (length == 0 || is_reserved_space(space)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("<{}> cannot be written in RDF/XML: as a property it has to end with "
                             "an XML name",
                             excerpt(iri)),
                 "write Turtle or N-Triples instead"};
  }
  const std::string_view local = iri.substr(space.size());
  const auto found = by_space_.find(space);
  if (found == by_space_.end()) return ElementName{kLocalPrefix, local, space, false};
  const auto& [prefix, declared_space] = list_[found->second];
  return ElementName{prefix, local, declared_space, found->second < declared_};
}

}  // namespace helve::rdf
