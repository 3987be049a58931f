// The names and attributes of RDF/XML elements: what each attribute is for, what excludes what.
// https://www.w3.org/TR/rdf-syntax-grammar/#section-attribute-node
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/rdf/xml_parser.h"

namespace helve::rdf {

struct RdfXmlAttributes {
  const XmlAttribute* about = nullptr;
  const XmlAttribute* id = nullptr;
  const XmlAttribute* node_id = nullptr;
  const XmlAttribute* resource = nullptr;
  const XmlAttribute* datatype = nullptr;
  const XmlAttribute* parse_type = nullptr;
  const XmlAttribute* xml_base = nullptr;
  const XmlAttribute* xml_lang = nullptr;
  std::vector<const XmlAttribute*> properties;  // propertyAttr, rdf:type included

  // Fills it anew with pointers into `attributes`. InvalidInput for names that cannot be attributes
  // and for syntax attributes given twice (rdf:about and about).
  Result<void> sort(std::span<const XmlAttribute> attributes);

 private:
  Result<void> sort_rdf(const XmlAttribute& attribute);
};

bool is_rdf_name(const XmlName& name, std::string_view local);
// rdf:type, or "type" without a namespace, which old documents use.
bool is_type_attribute(const XmlName& name);

// https://www.w3.org/TR/rdf-syntax-grammar/#section-Namespace: which names may be used where.
bool is_node_element_name(const XmlName& name);
bool is_property_element_name(const XmlName& name);

// InvalidInput unless the grammar has an element of this name and these attributes at such a place.
Result<void> check_rdf_element(const RdfXmlAttributes& attributes);
Result<void> check_node_element(const XmlName& name, const RdfXmlAttributes& attributes);
Result<void> check_property_element(const XmlName& name, const RdfXmlAttributes& attributes);

}  // namespace helve::rdf
