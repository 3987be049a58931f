// One entry for all formats.
#include "sources/rdf/writer.h"

#include "base/check.h"
#include "sources/rdf/ntriples_writer.h"
#include "sources/rdf/pretty_writer.h"
#include "sources/rdf/rdfxml_writer.h"
#include "sources/rdf/turtle_writer.h"

namespace helve::rdf {

std::unique_ptr<Writer> make_writer(Format format, ByteSink& out, const WriteOptions& options,
                                    const OpContext& context) {
  switch (format) {
    case Format::NTriples:
    case Format::NQuads:
      return make_ntriples_writer(format, out);
    case Format::Turtle:
    case Format::TriG:
      return options.pretty ? make_pretty_writer(format, out, options, context)
                            : make_turtle_writer(format, out, options, context);
    case Format::RdfXml:
      return make_rdfxml_writer(out, options, context);
  }
  HELVE_CHECK(false);
  return nullptr;
}

}  // namespace helve::rdf
