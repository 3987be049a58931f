#include "sources/rdf/rdfxml_attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

// coreSyntaxTerms and oldTerms
constexpr std::array<std::string_view, 10> kSyntaxTerms = {
    "RDF",    "ID",       "about",     "parseType", "resource",
    "nodeID", "datatype", "aboutEach", "bagID",     "aboutEachPrefix"};

// Old documents write these five without a namespace.
constexpr std::array<std::string_view, 5> kUnqualifiedAllowed = {"ID", "about", "resource",
                                                                 "parseType", "type"};

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool starts_with_xml(std::string_view text) {
  return text.size() >= 3 && (text[0] == 'x' || text[0] == 'X') &&
         (text[1] == 'm' || text[1] == 'M') && (text[2] == 'l' || text[2] == 'L');
}

Error forbidden(const XmlAttribute& attribute) {
  return {ErrorCode::InvalidInput,
          fmt::format("{} cannot be used as an attribute", excerpt(attribute.name.qualified())),
          attribute.name.local == "li" || attribute.name.local == "Description"
              ? ""
              : "RDF 1.0 removed rdf:aboutEach, rdf:aboutEachPrefix and rdf:bagID"};
}

}  // namespace

bool is_rdf_name(const XmlName& name, std::string_view local) {
  return name.local == local && name.space == kRdf;
}

bool is_type_attribute(const XmlName& name) {
  return name.local == "type" && (name.space.empty() || name.space == kRdf);
}

bool is_node_element_name(const XmlName& name) {
  return name.space != kRdf || (name.local != "li" && !contains(kSyntaxTerms, name.local));
}

bool is_property_element_name(const XmlName& name) {
  return name.space != kRdf || (name.local != "Description" && !contains(kSyntaxTerms, name.local));
}

Result<void> RdfXmlAttributes::sort(std::span<const XmlAttribute> attributes) {
  about = id = node_id = resource = datatype = parse_type = xml_base = xml_lang = nullptr;
  properties.clear();
  for (const XmlAttribute& attribute : attributes) {
    const XmlName& name = attribute.name;
    if (name.space == kRdf) {
      HELVE_TRY(sort_rdf(attribute));
    } else if (name.space == kXmlNamespace) {
      if (name.local == "base") xml_base = &attribute;
      if (name.local == "lang") xml_lang = &attribute;
    } else if (starts_with_xml(name.prefix) ||
               (name.space.empty() && starts_with_xml(name.local))) {
      continue;  // reserved by XML, removed by 6.1.2 of the specification
    } else if (!name.space.empty()) {
      properties.push_back(&attribute);
    } else if (contains(kUnqualifiedAllowed, name.local)) {
      HELVE_TRY(sort_rdf(attribute));
    } else {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the attribute \"{}\" has no namespace", excerpt(name.local)),
                   "write it with a prefix, such as rdf:about or ex:name"};
    }
  }
  return {};
}

Result<void> RdfXmlAttributes::sort_rdf(const XmlAttribute& attribute) {
  const std::string_view local = attribute.name.local;
  const XmlAttribute** slot = local == "about"       ? &about
                              : local == "ID"        ? &id
                              : local == "nodeID"    ? &node_id
                              : local == "resource"  ? &resource
                              : local == "datatype"  ? &datatype
                              : local == "parseType" ? &parse_type
                                                     : nullptr;
  if (slot == nullptr) {
    if (local == "li" || local == "Description" || contains(kSyntaxTerms, local)) {
      return forbidden(attribute);
    }
    properties.push_back(&attribute);
    return {};
  }
  if (*slot != nullptr) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("rdf:{} is given twice, with and without a prefix", local)};
  }
  *slot = &attribute;
  return {};
}

// 7.2.9 RDF
Result<void> check_rdf_element(const RdfXmlAttributes& attributes) {
  const RdfXmlAttributes& a = attributes;
  for (const XmlAttribute* attribute :
       {a.about, a.id, a.node_id, a.resource, a.datatype, a.parse_type,
        a.properties.empty() ? nullptr : a.properties.front()}) {
    if (attribute == nullptr) continue;
    return Error{ErrorCode::InvalidInput, fmt::format("rdf:RDF cannot have the attribute {}",
                                                      excerpt(attribute->name.qualified()))};
  }
  return {};
}

// 7.2.11 nodeElement
Result<void> check_node_element(const XmlName& name, const RdfXmlAttributes& attributes) {
  if (!is_node_element_name(name)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("<{}> cannot be a node element", excerpt(name.qualified())),
                 "expected rdf:Description or the name of a class"};
  }
  for (const XmlAttribute* attribute :
       {attributes.resource, attributes.datatype, attributes.parse_type}) {
    if (attribute == nullptr) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the node element <{}> cannot have {}", excerpt(name.qualified()),
                             attribute->name.qualified()),
                 "it belongs on a property element; a node is named by rdf:about"};
  }
  return {};
}

// 7.2.15 to 7.2.21, the forms of propertyElt
Result<void> check_property_element(const XmlName& name, const RdfXmlAttributes& attributes) {
  if (!is_property_element_name(name)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("<{}> cannot be a property element", excerpt(name.qualified())),
                 "node and property elements alternate: expected the name of a property"};
  }
  const RdfXmlAttributes& a = attributes;
  if (a.about != nullptr) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("the property element <{}> cannot have rdf:about", excerpt(name.qualified())),
        "rdf:resource names the value of a property"};
  }
  const int alone = (a.parse_type != nullptr) + (a.resource != nullptr) + (a.node_id != nullptr) +
                    (a.datatype != nullptr);
  const bool excludes_properties = a.parse_type != nullptr || a.datatype != nullptr;
  if (alone > 1 || (excludes_properties && !a.properties.empty())) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the attributes of the property element <{}> exclude each other",
                             excerpt(name.qualified())),
                 "give one of rdf:parseType, rdf:resource, rdf:nodeID and rdf:datatype; only "
                 "rdf:resource and rdf:nodeID go with property attributes"};
  }
  return {};
}

}  // namespace helve::rdf
