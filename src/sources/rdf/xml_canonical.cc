// Exclusive canonical XML 1.0 of element content.
#include "sources/rdf/xml_canonical.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "sources/rdf/xml_escape.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

constexpr std::size_t kNoPosition = std::numeric_limits<std::size_t>::max();

}  // namespace

void XmlCanonicalWriter::clear() {
  out_.clear();
  rendered_.clear();
  open_.clear();
  current_.clear();
}

void XmlCanonicalWriter::use(std::string_view prefix, std::string_view space) {
  if (prefix == "xml") return;
  key_ = prefix;
  const auto found = current_.find(key_);
  const std::size_t outer = found == current_.end() ? kNoPosition : found->second;
  if (outer == kNoPosition ? space.empty() : rendered_[outer].space == space) return;
  current_[key_] = rendered_.size();
  rendered_.push_back({key_, std::string(space), outer});
}

void XmlCanonicalWriter::start_element(const XmlName& name,
                                       std::span<const XmlAttribute> attributes) {
  open_.push_back(rendered_.size());
  const std::size_t first = rendered_.size();
  use(name.prefix, name.space);
  sorted_.clear();
  for (const XmlAttribute& attribute : attributes) {
    sorted_.push_back(&attribute);
    if (!attribute.name.prefix.empty()) use(attribute.name.prefix, attribute.name.space);
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const XmlAttribute* a, const XmlAttribute* b) {
    return std::tie(a->name.space, a->name.local) < std::tie(b->name.space, b->name.local);
  });
  std::sort(rendered_.begin() + static_cast<std::ptrdiff_t>(first), rendered_.end(),
            [](const Rendered& a, const Rendered& b) { return a.prefix < b.prefix; });
  out_ += '<';
  name.append_qualified(out_);
  for (std::size_t i = first; i < rendered_.size(); ++i) {
    current_[rendered_[i].prefix] = i;
    out_ += rendered_[i].prefix.empty() ? " xmlns" : " xmlns:";
    out_ += rendered_[i].prefix;
    out_ += "=\"";
    append_xml_attribute_value(out_, rendered_[i].space);
    out_ += '"';
  }
  for (const XmlAttribute* attribute : sorted_) {
    out_ += ' ';
    attribute->name.append_qualified(out_);
    out_ += "=\"";
    append_xml_attribute_value(out_, attribute->value);
    out_ += '"';
  }
  out_ += '>';
}

void XmlCanonicalWriter::end_element(const XmlName& name) {
  out_ += "</";
  name.append_qualified(out_);
  out_ += '>';
  while (rendered_.size() > open_.back()) {
    const Rendered& last = rendered_.back();
    if (last.outer == kNoPosition) {
      current_.erase(last.prefix);
    } else {
      current_[last.prefix] = last.outer;
    }
    rendered_.pop_back();
  }
  open_.pop_back();
}

void XmlCanonicalWriter::text(std::string_view text) { append_xml_text(out_, text); }

void XmlCanonicalWriter::comment(std::string_view text) {
  out_ += "<!--";
  out_ += text;
  out_ += "-->";
}

void XmlCanonicalWriter::processing_instruction(std::string_view target, std::string_view data) {
  out_ += "<?";
  out_ += target;
  if (!data.empty()) {
    out_ += ' ';
    out_ += data;
  }
  out_ += "?>";
}

}  // namespace helve::rdf
