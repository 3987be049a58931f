// For the tests of XSD values: literals in short ("1.5 decimal") and values as text.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_value.h"

namespace helve::rdf {

inline XsdType type_named(std::string_view local_name) {
  const auto type = xsd_type_of_iri(std::string(kXsd) + std::string(local_name));
  EXPECT_TRUE(type.has_value()) << local_name;
  return type.value_or(XsdType::String);
}

// The lexical form, a space, the local name of the type; the form itself may have spaces.
inline XsdValue literal(std::string_view text) {
  const std::size_t space = text.rfind(' ');
  const auto value = parse_xsd_value(text.substr(0, space), type_named(text.substr(space + 1)));
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(XsdValue{});
}

// The canonical form, a space, the local name; "error" for none.
inline std::string shown(const std::optional<XsdValue>& value) {
  if (!value) return "error";
  const std::string_view iri = iri_of_xsd_type(value->type);
  return canonical_lexical(*value) + " " + std::string(iri.substr(kXsd.size()));
}

}  // namespace helve::rdf
