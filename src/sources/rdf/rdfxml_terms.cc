#include "sources/rdf/rdfxml_terms.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "sources/rdf/statement_check.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

Error not_nc_name(std::string_view attribute, std::string_view value) {
  return {ErrorCode::InvalidInput,
          fmt::format("{}=\"{}\" is not an XML name", attribute, excerpt(value)),
          "a name starts with a letter or _ and goes on with letters, digits, \"-\", \"_\", \".\""};
}

// An NCName may end with ".", which the labels of the other syntaxes cannot: "a." becomes "a._",
// and "a._" in turn "a.__", so that different labels stay different.
bool needs_other_ending(std::string_view label) {
  const std::size_t last = label.find_last_not_of('_');
  return last != std::string_view::npos && label[last] == '.';
}

}  // namespace

void RdfXmlTerms::drop_to(const Mark& mark) {
  text_.resize(mark.text);
  while (bases_.size() > mark.bases) {
    base_bytes_ -= bases_.back().base().size();
    bases_.pop_back();
  }
}

Result<RdfXmlTerms::Slice> RdfXmlTerms::checked_iri(std::size_t start) const {
  const std::string_view iri = std::string_view(text_).substr(start);
  if (iri.size() > limits_.term_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("an IRI is longer than {} bytes", limits_.term_bytes_max)};
  }
  if (const auto bad = find_bad_iri_character(iri)) {
    const auto c = static_cast<unsigned char>(iri[*bad]);
    const std::string met =
        c > 0x20 ? fmt::format("\"{}\"", iri[*bad]) : fmt::format("the character U+{:04X}", c);
    return Error{ErrorCode::InvalidInput, fmt::format("met {} in the IRI <{}>", met, excerpt(iri)),
                 "write it percent-encoded (a space is %20)"};
  }
  return Slice{start, iri.size()};
}

Result<RdfXmlTerms::Slice> RdfXmlTerms::push_iri(std::string_view reference, std::size_t base) {
  const std::size_t start = text_.size();
  HELVE_TRY(bases_[base].resolve(reference, text_));
  return checked_iri(start);
}

Result<RdfXmlTerms::Slice> RdfXmlTerms::push_name_iri(const XmlName& name) {
  if (!has_iri_scheme(name.space)) {
    const std::string shown = excerpt(name.qualified());
    if (name.space.empty()) {
      return Error{ErrorCode::InvalidInput, fmt::format("the element <{}> has no namespace", shown),
                   "RDF/XML elements need one: declare it with xmlns=\"...\" or use a prefix"};
    }
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the namespace \"{}\" of <{}> is not an absolute IRI",
                             excerpt(name.space), shown),
                 "give xmlns a value with a scheme, such as http://example.org/"};
  }
  const std::size_t start = text_.size();
  text_ += name.space;
  text_ += name.local;
  return checked_iri(start);
}

RdfXmlTerms::Slice RdfXmlTerms::push_member_property(std::uint64_t number) {
  const std::size_t start = text_.size();
  fmt::format_to(std::back_inserter(text_), "{}_{}", kRdf, number);
  return {start, text_.size() - start};
}

Result<RdfXmlTerms::Slice> RdfXmlTerms::push_id(std::string_view id, std::size_t base) {
  if (!is_nc_name(id)) return not_nc_name("rdf:ID", id);
  scratch_ = '#';
  scratch_ += id;
  HELVE_ASSIGN(const Slice iri, push_iri(scratch_, base));
  const XXH128_hash_t hash = XXH3_128bits(view(iri).data(), iri.length);
  if (!ids_.insert({hash.low64, hash.high64}).second) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("rdf:ID=\"{}\" is used a second time", excerpt(id)),
                 "an ID names one place in the document; refer to it with rdf:about=\"#...\""};
  }
  return iri;
}

Result<RdfXmlTerms::Node> RdfXmlTerms::push_node_id(std::string_view label) {
  if (!is_nc_name(label)) return not_nc_name("rdf:nodeID", label);
  const std::size_t start = text_.size();
  labels_.append_written(text_, label);
  if (needs_other_ending(label)) text_ += '_';
  return Node{TermKind::BlankNode, {start, text_.size() - start}};
}

RdfXmlTerms::Node RdfXmlTerms::push_blank() {
  const std::size_t start = text_.size();
  labels_.append_fresh(text_);
  return {TermKind::BlankNode, {start, text_.size() - start}};
}

Result<RdfXmlTerms::Slice> RdfXmlTerms::push_language(std::string_view tag) {
  if (!tag.empty() && !is_language_tag(tag)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("xml:lang=\"{}\" is not a language tag", excerpt(tag)),
                 "tags look like \"en\" or \"pt-BR\""};
  }
  const std::size_t start = text_.size();
  text_ += tag;
  return Slice{start, tag.size()};
}

Result<std::size_t> RdfXmlTerms::push_base(std::string_view reference, std::size_t base) {
  HELVE_ASSIGN(const Slice iri, push_iri(reference, base));
  HELVE_ASSIGN(IriResolver resolver, IriResolver::from_base(std::string(view(iri))));
  text_.resize(iri.start);
  base_bytes_ += resolver.base().size();
  bases_.push_back(std::move(resolver));
  return bases_.size() - 1;
}

Result<void> RdfXmlTerms::check_size() const {
  if (text_.size() + base_bytes_ > 4 * limits_.term_bytes_max) {
    return Error{ErrorCode::LimitExceeded, fmt::format("the IRIs of nested elements take more than "
                                                       "{} bytes together",
                                                       4 * limits_.term_bytes_max)};
  }
  return {};
}

std::size_t RdfXmlTerms::memory_bytes() const {
  constexpr std::size_t kIdBytes = 48;  // a node of the set and its share of the buckets
  return text_.capacity() + base_bytes_ + scratch_.capacity() + ids_.size() * kIdBytes;
}

}  // namespace helve::rdf
