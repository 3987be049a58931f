// Names of the formats. What a document's content says is in format_detection.cc.
#include "sources/rdf/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace helve::rdf {

namespace {

struct FormatName {
  std::string_view name;
  Format format;
};

// Names, file endings and media types.
constexpr std::array<FormatName, 27> kNames{{
    {"ntriples", Format::NTriples},
    {"nt", Format::NTriples},
    {"n-triples", Format::NTriples},
    {"application/n-triples", Format::NTriples},
    {"nquads", Format::NQuads},
    {"nq", Format::NQuads},
    {"n-quads", Format::NQuads},
    {"application/n-quads", Format::NQuads},
    {"turtle", Format::Turtle},
    {"ttl", Format::Turtle},
    {"n3", Format::Turtle},
    {"text/turtle", Format::Turtle},
    {"application/turtle", Format::Turtle},
    {"application/x-turtle", Format::Turtle},
    {"trig", Format::TriG},
    {"application/trig", Format::TriG},
    {"application/x-trig", Format::TriG},
    {"rdfxml", Format::RdfXml},
    {"rdf", Format::RdfXml},
    {"xml", Format::RdfXml},
    {"owl", Format::RdfXml},
    {"rdfs", Format::RdfXml},
    {"rdf/xml", Format::RdfXml},
    {"rdf-xml", Format::RdfXml},
    {"application/rdf+xml", Format::RdfXml},
    {"application/xml", Format::RdfXml},
    {"text/xml", Format::RdfXml},
}};

std::optional<Format> find_format(std::string_view lower) {
  for (const FormatName& known : kNames) {
    if (known.name == lower) return known.format;
  }
  return std::nullopt;
}

}  // namespace

std::string_view format_name(Format format) {
  switch (format) {
    case Format::NTriples:
      return "ntriples";
    case Format::NQuads:
      return "nquads";
    case Format::Turtle:
      return "turtle";
    case Format::TriG:
      return "trig";
    case Format::RdfXml:
      return "rdfxml";
  }
  return "turtle";
}

bool format_has_graphs(Format format) { return format == Format::NQuads || format == Format::TriG; }

Result<Format> parse_format(std::string_view name) {
  std::string lower = ascii_lower(name);
  lower.resize(std::min(lower.find(';'), lower.size()));  // parameters of a media type
  while (!lower.empty() && lower.back() == ' ') lower.pop_back();
  if (lower.starts_with('.')) lower.erase(0, 1);
  if (const auto format = find_format(lower)) return *format;
  return Error{
      ErrorCode::InvalidInput, fmt::format("unknown RDF format '{}'", name),
      "known are ntriples (nt), nquads (nq), turtle (ttl), trig and rdfxml (rdf, owl, xml)"};
}

std::optional<Format> format_of_path(std::string_view path) {
  std::string lower = ascii_lower(path.substr(path.find_last_of('/') + 1));
  for (const std::string_view ending : {".gz", ".zst", ".bz2"}) {
    if (lower.ends_with(ending)) {
      lower.resize(lower.size() - ending.size());
      break;
    }
  }
  const std::size_t dot = lower.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  return find_format(std::string_view(lower).substr(dot + 1));
}

}  // namespace helve::rdf
