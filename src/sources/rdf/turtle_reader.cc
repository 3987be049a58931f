#include "sources/rdf/turtle_reader.h"

#include "sources/rdf/turtle_parser.h"

namespace helve::rdf {

Result<ReadReport> read_turtle(InputWindow& window, Format format, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink) {
  return TurtleParser(window, format == Format::TriG, options, context, sink).document();
}

}  // namespace helve::rdf
