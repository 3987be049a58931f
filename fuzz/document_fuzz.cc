// Any bytes in whatever format they seem to be in, with or without a name that says so.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "fuzz/reading_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using helve::rdf::Format;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto found = helve::rdf::detect_format(text, {});
  if (found) helve::fuzz::check_reading(*found, text);
  for (const Format name :
       {Format::NTriples, Format::NQuads, Format::Turtle, Format::TriG, Format::RdfXml}) {
    const auto with_name = helve::rdf::detect_format(text, name);
    // A name never hides what the content shows.
    HELVE_CHECK(with_name || !found);
  }
  return 0;
}
