// What must hold for any reader and any bytes; shared by the fuzz targets.
#pragma once

#include <string_view>

#include "sources/rdf/format.h"

namespace helve::fuzz {

// Reads `text` as a whole and as a stream of a few bytes at a time, strictly and leniently. Stops
// the process unless
// - whole and stream give the same statements, the same report and the same error at the same
// place,
// - an error of the text has a place,
// - a document without errors reads the same leniently,
// - statements written as N-Quads read back as they were.
void check_reading(rdf::Format format, std::string_view text);

}  // namespace helve::fuzz
