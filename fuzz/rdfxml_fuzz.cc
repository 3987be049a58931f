// Reads any bytes as RDF/XML; what was read must survive writing as RDF/XML and reading again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "fuzz/reading_check.h"
#include "sources/rdf/isomorphism.h"
#include "sources/rdf/quad_set.h"
#include "sources/rdf/rdfxml_reader.h"
#include "sources/rdf/rdfxml_writer.h"

namespace {

using namespace helve;
using namespace helve::rdf;

OpContext fuzz_context() {
  OpContext context;
  context.limits.term_bytes_max = 64 * kKiB;
  context.limits.window_bytes = 4 * kKiB;
  context.limits.isomorphism_steps_max = 100'000;
  return context;
}

// The writer may refuse (a property with an unusual name), but never write something else.
void check_round_trip(const QuadSet& read, bool pretty, const OpContext& context) {
  StringSink out;
  WriteOptions options;
  options.prefixes = read.prefixes();
  options.pretty = pretty;
  const auto writer = make_rdfxml_writer(out, options, context);
  for (const QuadIndexes& quad : read.quads()) {
    if (!writer->statement(read.view(quad))) return;
  }
  HELVE_CHECK(writer->finish());
  QuadSet again(context);
  HELVE_CHECK(read_rdfxml(out.text(), {}, context, again));
  const auto same = are_isomorphic(read, again, context);
  HELVE_CHECK(!same || *same);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view document(reinterpret_cast<const char*>(data), size);
  fuzz::check_reading(Format::RdfXml, document);
  const OpContext context = fuzz_context();
  ReadOptions options;
  options.base_iri = "http://example.org/base";
  QuadSet read(context);
  if (!read_rdfxml(document, options, context, read)) return 0;
  check_round_trip(read, false, context);
  check_round_trip(read, true, context);
  return 0;
}
