// Text and attribute values as XML, by the rules of canonical XML: what a reader would drop or
// change is written as a reference. https://www.w3.org/TR/xml-c14n#ProcessingModel
#pragma once

#include <string>
#include <string_view>

namespace helve::rdf {

void append_xml_text(std::string& out, std::string_view text);
// Without the quotation marks around it, which must be double.
void append_xml_attribute_value(std::string& out, std::string_view value);

}  // namespace helve::rdf
