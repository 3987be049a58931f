// N-Triples and N-Quads: reading whole and streamed must agree, and what was read must be read again
// from what is written.
#include "fuzz/reader_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  helve::fuzz::check_reader(helve::rdf::Format::NTriples, text);
  helve::fuzz::check_reader(helve::rdf::Format::NQuads, text);
  return 0;
}
