// The RDF syntaxes and how a document's is found: asked for, told by its content, or by its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace helve::rdf {

enum class Format : std::uint8_t { NTriples, NQuads, Turtle, TriG, RdfXml };

// "ntriples", "nquads", "turtle", "trig", "rdfxml".
std::string_view format_name(Format format);
bool format_has_graphs(Format format);

// By name, file ending or media type, in any case: "nt", "turtle", "ttl", "text/turtle", "xml" ...
// InvalidInput lists what is known.
Result<Format> parse_format(std::string_view name);

// By the ending of a path, after one of .gz .zst .bz2: "x.ttl.gz" is Turtle. nullopt: unknown.
std::optional<Format> format_of_path(std::string_view path);

// By the first bytes (a few KiB are enough). Content wins over the name: files named .owl that hold
// Turtle exist. `by_name` settles what content cannot (N-Triples is Turtle too). nullopt when the
// text looks like none of them.
std::optional<Format> detect_format(std::string_view head, std::optional<Format> by_name);

// What a text that is no RDF seems to be, for a message: "HTML", "JSON", "binary data", "text".
std::string_view describe_content(std::string_view head);

}  // namespace helve::rdf
